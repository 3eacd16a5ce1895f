/// The C side of CalotypeCodecs: every call that can leave through `longjmp`, and every call with a variable
/// number of arguments, stays in this target. The interface is plain: fixed-width integers, `const` input,
/// structs that are filled in, a status. Who frees what is said at each pointer.

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
