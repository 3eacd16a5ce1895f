#include "png_failure.h"
#include "cc_internal.h"

#include <string.h>

void cc_png_fail(png_structp png, cc_status status, const char *text) {
    cc_png_failure *failure = png_get_error_ptr(png);
    failure->status = status;
    cc_write_message(failure->message, "%s", text);
    longjmp(failure->exit, 1);
}

/// libpng has no codes; all of its own errors are violations of the format.
void cc_png_on_error(png_structp png, png_const_charp text) {
    cc_png_fail(png, strcmp(text, "Out of memory") == 0 ? cc_status_out_of_memory : cc_status_corrupt, text);
}

/// Detects the chunks of an animation; libpng does not support them, and only warns.
static int is_damaged_animation(const char *text) {
    if (strcmp(text + 4, ": CRC error") != 0) return 0;
    return memcmp(text, "acTL", 4) == 0 || memcmp(text, "fcTL", 4) == 0 || memcmp(text, "fdAT", 4) == 0;
}

/// Outside the pixels a warning concerns a chunk that is ignored. While pixels are read it means that their
/// stream is damaged (such as a wrong Adler-32 sum), unless all pixels were there and more followed.
static int is_damaged_stream(const char *text) {
    // The warning for a wrong Adler-32 sum while bytes arrive.
    if (strcmp(text, "Truncated compressed data in IDAT") == 0) return 1;
    if (strncmp(text, "IDAT: ", 6) != 0) return 0;
    return strstr(text, "Too much image data") == NULL && strstr(text, "Extra compressed data") == NULL;
}

void cc_png_on_warning(png_structp png, png_const_charp text) {
    cc_png_failure *failure = png_get_error_ptr(png);
    if (strcmp(text, "Extra compressed data in IDAT") == 0) failure->has_excess = 1;
    int is_damage = failure->reads_pixels && is_damaged_stream(text);
    if (is_damage || (strlen(text) > 4 && is_damaged_animation(text))) {
        cc_png_fail(png, cc_status_corrupt, text);
    }
}
