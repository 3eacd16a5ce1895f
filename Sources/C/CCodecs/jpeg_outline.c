#include "cc_jpeg.h"

#include <string.h>

typedef struct cursor {
    const uint8_t *next;
    const uint8_t *end;
} cursor;

static size_t left(const cursor *at) {
    return (size_t)(at->end - at->next);
}

/// Returns the code after the next FF that starts a marker; 0 at the end.
///
/// In the data of a scan FF 00 represents a byte, and FF D0 to FF D7 are restart markers.
static uint8_t next_marker(cursor *at) {
    while (left(at) >= 2) {
        const uint8_t *found = memchr(at->next, 0xff, left(at) - 1);
        if (found == NULL) break;
        at->next = found + 1;
        uint8_t code = *at->next;
        if (code == 0xff) continue;
        at->next++;
        if (code != 0 && (code < 0xd0 || code > 0xd7)) return code;
    }
    at->next = at->end;
    return 0;
}

/// Returns whether a code is a frame header: baseline, progressive or any other, but not a table.
static int is_frame(uint8_t code) {
    return code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

cc_jpeg_outline cc_jpeg_outline_of(cc_bytes file) {
    enum { start = 0xd8, end = 0xd9, scan = 0xda };
    cc_jpeg_outline outline = {0};
    cursor at = {file.start, file.start + file.count};
    for (uint8_t code = next_marker(&at); code != 0; code = next_marker(&at)) {
        if (code == end) {
            outline.is_whole = 1;
            break;
        }
        if (code == start || code == 1) continue;
        size_t byte_count = left(&at) < 2 ? 0 : big_endian(at.next);
        if (byte_count < 2 || byte_count > left(&at)) break;
        if (is_frame(code) && byte_count >= 8 && outline.width == 0) {
            outline.height = big_endian(at.next + 3);
            outline.width = big_endian(at.next + 5);
        }
        // SOF3, SOF7, SOF11 and SOF15.
        outline.is_lossless |= is_frame(code) && (code & 3) == 3;
        outline.scan_count += code == scan;
        at.next += byte_count;
    }
    return outline;
}
