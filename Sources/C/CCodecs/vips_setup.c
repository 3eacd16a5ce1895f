#include "cc_internal.h"
#include "vips_internal.h"

#include <pthread.h>
#include <string.h>
#include <vips/vips.h>

static int is_ready = 0;

/// libvips has one handler for all threads, but warns on the one that works.
static _Thread_local cc_message warning;

/// Whether pixels are lost: by the words of libjpeg, and of libtiff's decoder for CCITT. What libtiff has
/// against a file otherwise changes no pixel.
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

static void set_up(void) {
    if (vips_init("calotype") != 0) return;
    vips_block_untrusted_set(TRUE);
    // Callers run in parallel themselves, and each image is seen once: neither threads nor a cache would
    // help.
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // As VIPS_WARNING in the environment does, nothing is printed.
    g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, note_warning, NULL);
    is_ready = 1;
}

int cc_vips_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    return is_ready;
}

double cc_vips_light_alpha_max(void) {
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
    char *text = vips_error_buffer_copy();
    // One line for each call on the way.
    for (char *end = text; *end != 0; end++) {
        if (*end == '\n') *end = end[1] == 0 ? 0 : ';';
        if (*end == 0) break;
    }
    cc_write_message(message, "libvips: %s", text);
    g_free(text);
}
