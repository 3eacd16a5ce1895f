#define _GNU_SOURCE
#include "ctransfer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// libcurl is built with libidn2, but reads names only in the encoding of the program's locale. The function
// for UTF-8 is looked up in the process. Flags and results as in idn2.h, the same since version 2.0.
enum { nfc_input = 1, transitional = 4, nontransitional = 8, idn2_ok = 0 };
typedef int look_up_function(const uint8_t *name, uint8_t **ascii, int flags);
typedef void free_function(void *text);
static look_up_function *look_up;
static free_function *free_text;

static void find(void) {
    void *library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL);
    void *place = library ? library : RTLD_DEFAULT;
    *(void **)&look_up = dlsym(place, "idn2_lookup_u8");
    *(void **)&free_text = dlsym(place, "idn2_free");
}

bool calotype_host_to_ascii(const char *host, char *ascii, size_t capacity) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    if (!look_up || !free_text) return false;
    uint8_t *found = NULL;
    const uint8_t *name = (const uint8_t *)host;
    // By the rules of UTS 46, like browsers; for symbols by its transitional rules, like curl.
    if (look_up(name, &found, nfc_input | nontransitional) != idn2_ok
        && look_up(name, &found, nfc_input | transitional) != idn2_ok)
        return false;
    size_t byte_count = strlen((const char *)found) + 1;
    bool fits = byte_count <= capacity;
    if (fits) memcpy(ascii, found, byte_count);
    free_text(found);
    return fits;
}
