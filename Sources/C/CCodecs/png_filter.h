#ifndef CC_PNG_FILTER_H
#define CC_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

/// The bytes after a row, and after the row above it, that are read and ignored.
enum { cc_png_filter_slack = 4 };

/// Reverses the filter of a row, in place; 0 for an unknown filter.
///
/// `above` is the row above, zeros for the first; a pixel has `step` bytes, 1 to 4. PNG 3 section 9.2.
int cc_png_unfilter(uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t filter);

#endif
