#include "csvg.h"
#include "svg_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static calotype_svg_calls calls;
static int is_loaded = 0;
static char failure[160];

/// Loads librsvg by the name of its binary interface, which has been the same since version 2.0; the other
/// libraries are its dependencies.
static void load(void) {
    // One thread for filters is enough, and more would query the number of processors.
    setenv("RAYON_NUM_THREADS", "1", 1);
    // Disable mounts and the settings of a desktop.
    setenv("GIO_USE_VFS", "local", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    void *library = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(
            failure, sizeof failure, "librsvg, which SVG needs, is not installed (Debian's librsvg2-2): %s",
            dlerror());
        return;
    }
    is_loaded = 1;
#define CALOTYPE_FIND(result, name, ...) \
    if (!(*(void **)&calls.name = dlsym(library, #name))) { \
        is_loaded = 0; \
        snprintf(failure, sizeof failure, "unsupported version of librsvg: no %s", #name); \
    }
    CALOTYPE_EACH_SVG_CALL(CALOTYPE_FIND)
#undef CALOTYPE_FIND
}

const calotype_svg_calls *calotype_svg_load(char *message, size_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!is_loaded && message) snprintf(message, size, "%s", failure);
    return is_loaded ? &calls : NULL;
}

enum { folder_count_max = 256 };

const char *const *calotype_svg_readable(void) {
    static const char *folders[folder_count_max + 2];
    const calotype_svg_calls *svg = calotype_svg_load(NULL, 0);
    if (!svg) return NULL;
    if (folders[0]) return folders;
    size_t count = 0;
    // MIME data by which librsvg distinguishes PNG and JPEG within a document.
    folders[count++] = "/usr/share/mime";
    void *list = svg->FcConfigGetFontDirs(NULL);
    if (!list) return folders;
    unsigned char *folder;
    while (count <= folder_count_max && (folder = svg->FcStrListNext(list))) {
        char *copy = strdup((const char *)folder);
        if (copy) folders[count++] = copy;
    }
    svg->FcStrListDone(list);
    return folders;
}
