/// The C side of CalotypeCodecs: it contains every call that can exit through `longjmp`, and every variadic
/// call. The interface is plain: fixed-width integers, `const` input, structs that are filled in, a status.
/// The owner of memory is documented at each pointer.

#ifndef CCODECS_H
#define CCODECS_H

#include "cc_avif.h"
#include "cc_color.h"
#include "cc_gif.h"
#include "cc_heif.h"
#include "cc_hevc.h"
#include "cc_jpeg.h"
#include "cc_jxl.h"
#include "cc_png.h"
#include "cc_resample.h"
#include "cc_tiff.h"
#include "cc_types.h"
#include "cc_vips.h"
#include "cc_webp.h"

#endif
