#ifdef CALOTYPE_VIPS

#include "cc_internal.h"
#include "vips_calls.h"
#include "vips_internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

cc_vips_calls cc_vips;

static atomic_int is_ready = 0;

/// The reason why libvips cannot be used.
static cc_message failure;

/// libvips has one handler for all threads, but calls it on the working thread.
static _Thread_local cc_message warning;

/// Returns whether pixels are lost, by the texts of libjpeg, and of libtiff's decoder for CCITT. Other
/// warnings of libtiff affect no pixel.
static int tells_damage(const gchar *text) {
    static const char *const signs[] = {"Corrupt JPEG data", "Premature end of JPEG file", " at line "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strstr(text, signs[i]) != NULL) return 1;
    }
    return 0;
}

static void note_warning(const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer data) {
    (void)domain, (void)level, (void)data;
    if (tells_damage(text)) cc_write_message(&warning, "%s", text);
}

/// Loads the library by the name of its binary interface, which has been the same since version 8.0.
static int load(void) {
    void *library = dlopen("libvips.so.42", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        cc_write_message(
            &failure, "libvips, which transforms and TIFF need, is not installed: %s", dlerror());
        return 0;
    }
    int is_found = 1;
#define CC_FIND(name) is_found &= (*(void **)&cc_vips.name = dlsym(library, "vips_" #name)) != NULL;
    CC_EACH_VIPS_CALL(CC_FIND)
#undef CC_FIND
    if (!is_found) cc_write_message(&failure, "unsupported version of libvips: %s", dlerror());
    return is_found;
}

/// Disables machine code generated at run time by Orc: it needs executable memory and files for it, which a
/// worker lacks, and computes other pixels than compiled code.
static void turn_orc_off(void) {
    void *orc = dlopen("liborc-0.4.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (orc == NULL) return;
    dlclose(orc);
    vips_vector_set_enabled(FALSE);
}

static void set_up(void) {
    if (!load()) return;
    if (vips_init("calotype") != 0) {
        cc_vips_take_message(&failure);
        return;
    }
    vips_block_untrusted_set(TRUE);
    turn_orc_off();
    // Callers run in parallel themselves, and each image is processed once: neither threads nor a cache would
    // help.
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // Like VIPS_WARNING in the environment: nothing is printed.
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, note_warning, NULL);
    is_ready = 1;
}

int cc_vips_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    return is_ready;
}

int cc_vips_is_ready(void) {
    return is_ready;
}

double cc_vips_light_alpha_max(void) {
    if (!cc_vips_start()) return 1;
    int major = vips_version(0), minor = vips_version(1);
    return major > 8 || (major == 8 && minor >= 15) ? 1 : 255;
}

void cc_vips_forget_damage(void) {
    warning.text[0] = 0;
}

const char *cc_vips_damage(void) {
    return warning.text[0] == 0 ? NULL : warning.text;
}

static pthread_mutex_t pipelines = PTHREAD_MUTEX_INITIALIZER;

void cc_vips_lock(void) {
    pthread_mutex_lock(&pipelines);
}

void cc_vips_unlock(void) {
    pthread_mutex_unlock(&pipelines);
}

void cc_vips_take_message(cc_message *message) {
    if (!is_ready && failure.text[0] != 0) {
        *message = failure;
        return;
    }
    char *text = vips_error_buffer_copy();
    // One line for each call of the stack.
    for (char *end = text; *end != 0; end++) {
        if (*end == '\n') *end = end[1] == 0 ? 0 : ';';
        if (*end == 0) break;
    }
    cc_write_message(message, "libvips: %s", text);
    g_free(text);
}

#endif
