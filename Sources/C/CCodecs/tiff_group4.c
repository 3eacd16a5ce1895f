#include "cc_tiff.h"

#include <stdlib.h>
#include <string.h>

// MARK: - Codes

/// The codes of white runs of 0...63, 64, 128 and so on to 1728 pixels: ITU-T T.4, tables 2 and 3a.
static const char *const white_codes[] = {
    "00110101", "000111", "0111", "1000", "1011", "1100", "1110", "1111", "10011", "10100", "00111", "01000",
    "001000", "000011", "110100", "110101", "101010", "101011", "0100111", "0001100", "0001000", "0010111",
    "0000011", "0000100", "0101000", "0101011", "0010011", "0100100", "0011000", "00000010", "00000011",
    "00011010", "00011011", "00010010", "00010011", "00010100", "00010101", "00010110", "00010111",
    "00101000", "00101001", "00101010", "00101011", "00101100", "00101101", "00000100", "00000101",
    "00001010", "00001011", "01010010", "01010011", "01010100", "01010101", "00100100", "00100101",
    "01011000", "01011001", "01011010", "01011011", "01001010", "01001011", "00110010", "00110011",
    "00110100", "11011", "10010", "010111", "0110111", "00110110", "00110111", "01100100", "01100101",
    "01101000", "01100111", "011001100", "011001101", "011010010", "011010011", "011010100", "011010101",
    "011010110", "011010111", "011011000", "011011001", "011011010", "011011011", "010011000", "010011001",
    "010011010", "011000", "010011011",
};

/// The codes of black runs.
static const char *const black_codes[] = {
    "0000110111", "010", "11", "10", "011", "0011", "0010", "00011", "000101", "000100", "0000100", "0000101",
    "0000111", "00000100", "00000111", "000011000", "0000010111", "0000011000", "0000001000", "00001100111",
    "00001101000", "00001101100", "00000110111", "00000101000", "00000010111", "00000011000", "000011001010",
    "000011001011", "000011001100", "000011001101", "000001101000", "000001101001", "000001101010",
    "000001101011", "000011010010", "000011010011", "000011010100", "000011010101", "000011010110",
    "000011010111", "000001101100", "000001101101", "000011011010", "000011011011", "000001010100",
    "000001010101", "000001010110", "000001010111", "000001100100", "000001100101", "000001010010",
    "000001010011", "000000100100", "000000110111", "000000111000", "000000100111", "000000101000",
    "000001011000", "000001011001", "000000101011", "000000101100", "000001011010", "000001100110",
    "000001100111", "0000001111", "000011001000", "000011001001", "000001011011", "000000110011",
    "000000110100", "000000110101", "0000001101100", "0000001101101", "0000001001010", "0000001001011",
    "0000001001100", "0000001001101", "0000001110010", "0000001110011", "0000001110100", "0000001110101",
    "0000001110110", "0000001110111", "0000001010010", "0000001010011", "0000001010100", "0000001010101",
    "0000001011010", "0000001011011", "0000001100100", "0000001100101",
};

/// The codes of 1792, 1856 and so on to 2560 pixels of either colour: ITU-T T.4, table 3b.
static const char *const long_codes[] = {
    "00000001000", "00000001100", "00000001101", "000000010010", "000000010011", "000000010100",
    "000000010101", "000000010110", "000000010111", "000000011100", "000000011101", "000000011110",
    "000000011111",
};

enum { short_code_count = 91, long_code_count = 13, run_bits = 13, mode_bits = 7 };

/// The run for the next 13 bits: its pixels, and the bits of its code; 0 for an invalid code.
typedef struct run_code {
    uint16_t pixel_count;
    uint8_t bit_count;
} run_code;

static void enter(run_code *table, const char *code, int pixel_count) {
    size_t bit_count = strlen(code);
    size_t first = strtoul(code, NULL, 2) << (run_bits - bit_count);
    for (size_t i = 0; i < (size_t)1 << (run_bits - bit_count); i++) {
        table[first + i] = (run_code){(uint16_t)pixel_count, (uint8_t)bit_count};
    }
}

static void fill_table(run_code *table, const char *const *codes) {
    for (int i = 0; i < short_code_count; i++) enter(table, codes[i], i < 64 ? i : (i - 63) * 64);
    for (int i = 0; i < long_code_count; i++) enter(table, long_codes[i], 1792 + i * 64);
}

enum { is_pass = 8, is_horizontal, is_no_mode };

/// The mode for the next 7 bits, and the bits of its code.
typedef struct mode_code {
    int8_t mode;
    uint8_t bit_count;
} mode_code;

/// ITU-T T.6, table 1; extensions are not supported.
static void fill_modes(mode_code *table) {
    static const struct {
        const char *code;
        int8_t mode;
    } modes[] = {{"1", 0}, {"011", 1}, {"010", -1}, {"001", is_horizontal}, {"0001", is_pass}, {"000011", 2},
        {"000010", -2}, {"0000011", 3}, {"0000010", -3}};
    for (size_t i = 0; i < 1 << mode_bits; i++) table[i] = (mode_code){is_no_mode, 0};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        size_t bit_count = strlen(modes[i].code);
        size_t first = strtoul(modes[i].code, NULL, 2) << (mode_bits - bit_count);
        for (size_t j = 0; j < (size_t)1 << (mode_bits - bit_count); j++) {
            table[first + j] = (mode_code){modes[i].mode, (uint8_t)bit_count};
        }
    }
}

// MARK: - Bits

typedef struct walk {
    const uint8_t *next;
    const uint8_t *end;
    /// The next bits are the highest; zeros follow the last byte.
    uint64_t bits;
    /// Negative if more bits were taken than available.
    int64_t bit_count;
    int is_reversed;
    run_code runs[2][1 << run_bits];
    mode_code modes[1 << mode_bits];
    int64_t width;
    /// The colour changes in the row above and in this one.
    uint32_t *above;
    uint32_t *row;
    size_t above_count;
    size_t row_count;
} walk;

static uint8_t reversed(uint8_t byte) {
    uint8_t result = 0;
    for (int i = 0; i < 8; i++) result = (uint8_t)(result << 1 | (byte >> i & 1));
    return result;
}

static uint32_t peek(walk *walk, int bit_count) {
    while (walk->bit_count <= 56 && walk->next < walk->end) {
        uint8_t byte = *walk->next++;
        if (walk->is_reversed) byte = reversed(byte);
        walk->bits |= (uint64_t)byte << (56 - walk->bit_count);
        walk->bit_count += 8;
    }
    return (uint32_t)(walk->bits >> (64 - bit_count));
}

static void take(walk *walk, int bit_count) {
    walk->bits <<= bit_count;
    walk->bit_count -= bit_count;
}

/// Reads the pixels of a run, which may consist of several codes; beyond the width if it is damaged.
static int64_t read_run(walk *walk, int is_black) {
    int64_t pixel_count = 0;
    while (pixel_count <= walk->width) {
        run_code code = walk->runs[is_black][peek(walk, run_bits)];
        if (code.bit_count == 0) break;
        take(walk, code.bit_count);
        pixel_count += code.pixel_count;
        if (code.pixel_count < 64) return pixel_count;
    }
    return walk->width + 1;
}

// MARK: - Rows

/// Reads the next mode: a shift of the change above by -3...3 pixels, or one of the constants above.
static int read_mode(walk *walk) {
    mode_code code = walk->modes[peek(walk, mode_bits)];
    take(walk, code.bit_count);
    return code.mode;
}

/// Returns the position of a change above; the edge after the last change.
static int64_t change_above(const walk *walk, size_t index) {
    return index < walk->above_count ? walk->above[index] : walk->width;
}

/// Ends a run of this row; 0 if it does not end after the previous one, or beyond the row.
static int add_change(walk *walk, int64_t place) {
    int64_t last = walk->row_count == 0 ? 0 : walk->row[walk->row_count - 1];
    if (place < last || place > walk->width || walk->row_count > (size_t)walk->width + 1) return 0;
    walk->row[walk->row_count++] = (uint32_t)place;
    return 1;
}

/// Reads the codes of a row; 0 if they are damaged or missing.
static int read_row(walk *walk) {
    int64_t place = -1;
    int is_black = 0;
    // The first change above that lies after the position and to the opposite colour.
    size_t index = 0;
    walk->row_count = 0;
    while (place < walk->width) {
        while (index < walk->above_count && walk->above[index] <= place) index += 2;
        int mode = read_mode(walk);
        if (mode == is_no_mode) return 0;
        if (mode == is_pass) {
            place = change_above(walk, index + 1);
        } else if (mode == is_horizontal) {
            int64_t first = (place < 0 ? 0 : place) + read_run(walk, is_black);
            place = first + read_run(walk, !is_black);
            if (!add_change(walk, first) || !add_change(walk, place)) return 0;
        } else {
            place = change_above(walk, index) + mode;
            if (!add_change(walk, place)) return 0;
            is_black = !is_black;
            index = index > 0 ? index - 1 : index + 1;
        }
        if (walk->bit_count < 0) return 0;
    }
    return 1;
}

cc_status cc_tiff_check_group4(cc_bytes codes, uint32_t width, uint32_t row_count, int32_t is_reversed) {
    walk *walk = calloc(1, sizeof *walk);
    uint32_t *changes = calloc(2 * ((size_t)width + 3), sizeof *changes);
    cc_status status = walk == NULL || changes == NULL ? cc_status_out_of_memory : cc_status_ok;
    if (status == cc_status_ok) {
        walk->next = codes.start;
        walk->end = codes.start + codes.count;
        walk->is_reversed = is_reversed;
        walk->width = width;
        walk->above = changes;
        walk->row = changes + width + 3;
        fill_table(walk->runs[0], white_codes);
        fill_table(walk->runs[1], black_codes);
        fill_modes(walk->modes);
    }
    for (uint32_t y = 0; status == cc_status_ok && y < row_count; y++) {
        if (!read_row(walk)) {
            int is_at_end = walk->next == walk->end && walk->bit_count < run_bits;
            status = is_at_end ? cc_status_truncated : cc_status_corrupt;
        }
        uint32_t *free_row = walk->above;
        walk->above = walk->row;
        walk->above_count = walk->row_count;
        walk->row = free_row;
    }
    free(changes);
    free(walk);
    return status;
}
