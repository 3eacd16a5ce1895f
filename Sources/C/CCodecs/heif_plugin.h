#ifndef CC_HEIF_PLUGIN_H
#define CC_HEIF_PLUGIN_H

/// Registers a decoder of HEVC that libheif prefers to its own: also libde265, but on the caller's thread,
/// with verification of checksums in the stream, and with warnings of lost samples as errors. Call it once.
void cc_heif_plugin_register(void);

#endif
