#ifdef CALOTYPE_HEIC

#include "hevc_decoder.h"
#include "heif_picture.h"

#include <stddef.h>

/// Returns whether a warning means that samples are wrong or missing; others concern threads.
static int loses_samples(de265_error warning) {
    switch (warning) {
    case DE265_WARNING_PREMATURE_END_OF_SLICE_SEGMENT:
    case DE265_WARNING_CTB_OUTSIDE_IMAGE_AREA:
    case DE265_WARNING_SPS_HEADER_INVALID:
    case DE265_WARNING_PPS_HEADER_INVALID:
    case DE265_WARNING_SLICEHEADER_INVALID:
    case DE265_WARNING_NONEXISTING_PPS_REFERENCED:
    case DE265_WARNING_NONEXISTING_SPS_REFERENCED:
    case DE265_WARNING_NONEXISTING_REFERENCE_PICTURE_ACCESSED:
    case DE265_WARNING_EOSS_BIT_NOT_SET:
    case DE265_WARNING_INVALID_CHROMA_FORMAT:
    case DE265_WARNING_SLICE_SEGMENT_ADDRESS_INVALID:
    case DE265_WARNING_DEPENDENT_SLICE_WITH_ADDRESS_ZERO:
    case DE265_WARNING_CANNOT_APPLY_SAO_OUT_OF_MEMORY:
    case DE265_WARNING_PCM_BITDEPTH_TOO_LARGE:
    // Warnings for predicted pictures.
    case DE265_WARNING_INCORRECT_MOTION_VECTOR_SCALING:
    case DE265_WARNING_BOTH_PREDFLAGS_ZERO:
    case DE265_WARNING_NUMMVP_NOT_EQUAL_TO_NUMMVQ:
    case DE265_WARNING_NUMBER_OF_SHORT_TERM_REF_PIC_SETS_OUT_OF_RANGE:
    case DE265_WARNING_SHORT_TERM_REF_PIC_SET_OUT_OF_RANGE:
    case DE265_WARNING_FAULTY_REFERENCE_PICTURE_LIST:
    case DE265_WARNING_MAX_NUM_REF_PICS_EXCEEDED:
    case DE265_NON_EXISTING_LT_REFERENCE_CANDIDATE_IN_SLICE_HEADER:
    case DE265_WARNING_COLLOCATED_MOTION_VECTOR_OUTSIDE_IMAGE_AREA:
    case DE265_WARNING_REFERENCE_IMAGE_BIT_DEPTH_DOES_NOT_MATCH:
    case DE265_WARNING_REFERENCE_IMAGE_SIZE_DOES_NOT_MATCH_SPS:
    case DE265_WARNING_CHROMA_OF_CURRENT_IMAGE_DOES_NOT_MATCH_SPS:
    case DE265_WARNING_BIT_DEPTH_OF_CURRENT_IMAGE_DOES_NOT_MATCH_SPS:
    case DE265_WARNING_REFERENCE_IMAGE_CHROMA_FORMAT_DOES_NOT_MATCH:
    case DE265_WARNING_INVALID_SLICE_HEADER_INDEX_ACCESS: return 1;
    default: return 0;
    }
}

de265_decoder_context *cc_hevc_decoder_make(void) {
    de265_decoder_context *decoder = de265_new_decoder();
    if (decoder != NULL) de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_BOOL_SEI_CHECK_HASH, 1);
    return decoder;
}

const struct de265_image *cc_hevc_decoder_run(de265_decoder_context *decoder, const char **reason) {
    const struct de265_image *image = NULL;
    *reason = "there is no picture in the stream";
    for (int more = 1; more && image == NULL; image = de265_get_next_picture(decoder)) {
        de265_error error = de265_decode(decoder, &more);
        if (error == DE265_OK) continue;
        *reason = de265_get_error_text(error);
        return NULL;
    }
    for (de265_error warning; (warning = de265_get_warning(decoder)) != DE265_OK;) {
        if (!loses_samples(warning)) continue;
        *reason = de265_get_error_text(warning);
        return NULL;
    }
    if (image != NULL && !cc_heif_picture_is_whole(image)) {
        *reason = "the slices do not cover the picture";
        return NULL;
    }
    return image;
}

#endif
