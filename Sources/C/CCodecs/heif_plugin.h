#ifndef CC_HEIF_PLUGIN_H
#define CC_HEIF_PLUGIN_H

/// Gives libheif a decoder of HEVC that it prefers to its own: libde265 too, but in the caller's thread, with
/// check sums compared where the stream has any, and with warnings of lost samples as errors. To be called
/// once.
void cc_heif_plugin_register(void);

#endif
