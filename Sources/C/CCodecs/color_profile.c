#include "color_profile.h"

#include <string.h>

/// ICC.1:2022 section 7: the header, the number of tags, and the table with the name, offset and size of
/// each.
enum { header_byte_count = 128, entry_byte_count = 12, tag_count_max = 100 };

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int is_among(const uint8_t *name, const char names[][5], size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (memcmp(name, names[i], 4) == 0) return 1;
    }
    return 0;
}

/// Excludes device links, abstract profiles and named colours, which do not describe pixels.
static int is_of_device(const uint8_t *class) {
    static const char classes[][5] = {"mntr", "scnr", "prtr", "spac"};
    return is_among(class, classes, sizeof classes / sizeof *classes);
}

/// Selects tables, matrix and curves, and their white point. Each has a few steps, whatever its size.
///
/// Excludes DToBx, whose lists may repeat a step any number of times (`mpet`), computed for each of 36,000
/// colours.
static int is_used(const uint8_t *tag) {
    static const char tags[][5] = {
        "A2B0", "A2B1", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "wtpt", "chad"};
    return is_among(tag, tags, sizeof tags / sizeof *tags);
}

/// Detects lists of any number of steps, which may have the names of other tags too.
static int is_list(cc_bytes profile, const uint8_t *entry) {
    uint32_t place = big_endian(entry + 4);
    return place <= profile.count - 4 && memcmp(profile.start + place, "mpet", 4) == 0;
}

int cc_profile_reduce(cc_bytes profile, uint8_t *copy) {
    size_t table = header_byte_count + 4;
    if (profile.count < table || !is_of_device(profile.start + 12)) return 0;
    uint32_t tag_count = big_endian(profile.start + header_byte_count);
    if (tag_count > tag_count_max || tag_count * entry_byte_count > profile.count - table) return 0;
    memcpy(copy, profile.start, profile.count);
    uint8_t kept = 0;
    for (uint32_t i = 0; i < tag_count; i++) {
        const uint8_t *entry = profile.start + table + i * entry_byte_count;
        if (!is_used(entry) || is_list(profile, entry)) continue;
        memcpy(copy + table + kept * entry_byte_count, entry, entry_byte_count);
        kept++;
    }
    memcpy(copy + header_byte_count, (const uint8_t[]){0, 0, 0, kept}, 4);
    return 1;
}
