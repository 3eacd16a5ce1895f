#ifdef CALOTYPE_HEIC

#include "heif_failure.h"
#include "cc_internal.h"
#include "heif_plugin.h"

#include <pthread.h>

static void start(void) {
    heif_init(NULL);
    cc_heif_plugin_register();
}

void cc_heif_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

cc_status cc_heif_status(struct heif_error error, cc_message *message) {
    if (error.code == heif_error_Ok) return cc_status_ok;
    cc_write_message(message, "%s", error.message == NULL ? "libheif fails" : error.message);
    if (error.subcode == heif_suberror_Security_limit_exceeded) return cc_status_limit_exceeded;
    if (error.subcode == heif_suberror_End_of_data) return cc_status_truncated;
    switch (error.code) {
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature: return cc_status_unsupported;
    case heif_error_Memory_allocation_error: return cc_status_out_of_memory;
    case heif_error_Usage_error: return cc_status_failure;
    default: return cc_status_corrupt;
    }
}

#endif
