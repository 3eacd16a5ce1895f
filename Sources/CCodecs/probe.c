#include "ccodecs.h"
#include <stdio.h>
#include <jpeglib.h>
#include <png.h>
#include <lcms2.h>
#include <vips/vips.h>
