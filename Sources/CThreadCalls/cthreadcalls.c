#define _GNU_SOURCE
#include "cthreadcalls.h"

#include <pthread.h>
#include <string.h>

void calotype_thread_set_name(const char *name) {
    char text[16] = {0};
    strncpy(text, name, sizeof text - 1);
    pthread_setname_np(pthread_self(), text);
}
