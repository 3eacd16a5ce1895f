#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include "cc_types.h"

#include <lcms2.h>

/// Writes a profile of lcms2 with a fixed date; empty for lack of memory.
cc_output cc_profile_save(cmsHPROFILE profile);

#endif
