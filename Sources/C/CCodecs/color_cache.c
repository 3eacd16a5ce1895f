#include "color_profile.h"
#include "color_transform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// A requested profile, and its transform.
typedef struct kept {
    uint8_t *profile;
    size_t byte_count;
    cc_channels channels;
    /// NULL if no conversion is needed, which takes as long to determine.
    cc_color_transform *color;
} kept;

/// Few profiles are in use at a time: those of cameras, screens and common printing processes.
enum { kept_count_max = 8, kept_byte_count_max = 8 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The variables below are accessed under the lock; the most recently requested profile is first.
static kept list[kept_count_max];
static size_t count = 0;
static size_t byte_count = 0;

/// Releases a reference; returns the transform if it was the last one, to be freed without the lock.
static cc_color_transform *release(cc_color_transform *color) {
    return color != NULL && --color->holder_count == 0 ? color : NULL;
}

static void move_to_front(size_t index) {
    kept found = list[index];
    memmove(list + 1, list, index * sizeof *list);
    list[0] = found;
}

/// Returns whether the profile is cached; then retains its transform.
///
/// The bytes are compared, so that profiles cannot be confused.
static int find(cc_bytes profile, cc_channels channels, cc_color_transform **color) {
    for (size_t i = 0; i < count; i++) {
        if (list[i].byte_count != profile.count || list[i].channels != channels) continue;
        if (memcmp(list[i].profile, profile.start, profile.count) != 0) continue;
        move_to_front(i);
        *color = list[0].color;
        if (*color != NULL) (*color)->holder_count++;
        return 1;
    }
    return 0;
}

/// Removes the least recently requested profiles until there is space for another.
///
/// The caller frees the removed profiles, and the transforms that are not NULL, without the lock.
static size_t make_room(size_t needed, kept *removed) {
    size_t removed_count = 0;
    while (count == kept_count_max || byte_count + needed > kept_byte_count_max) {
        kept *last = &list[--count];
        byte_count -= last->byte_count;
        last->color = release(last->color);
        removed[removed_count++] = *last;
    }
    return removed_count;
}

static void keep(kept entry) {
    list[count] = entry;
    byte_count += entry.byte_count;
    if (entry.color != NULL) entry.color->holder_count++;
    move_to_front(count++);
}

/// Creates a transform without the lock; if another thread has created the same meanwhile, uses that one.
static cc_color_transform *make(cc_bytes profile, cc_channels channels) {
    kept made = {malloc(profile.count), profile.count, channels, cc_color_make(profile, channels)};
    cc_color_transform *color = made.color;
    if (color != NULL) color->holder_count = 1;
    if (made.profile == NULL) return color;
    memcpy(made.profile, profile.start, profile.count);
    kept unused[kept_count_max];
    size_t unused_count = 1;
    pthread_mutex_lock(&lock);
    if (find(profile, channels, &color)) {
        unused[0] = made;
    } else {
        unused_count = make_room(profile.count, unused);
        keep(made);
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < unused_count; i++) {
        free(unused[i].profile);
        cc_color_free(unused[i].color);
    }
    return color;
}

cc_color_transform *cc_color_open(cc_bytes profile, cc_channels channels) {
    if (profile.start == NULL || profile.count == 0 || profile.count > profile_byte_count_max) return NULL;
    cc_color_transform *color = NULL;
    pthread_mutex_lock(&lock);
    int is_kept = find(profile, channels, &color);
    pthread_mutex_unlock(&lock);
    return is_kept ? color : make(profile, channels);
}

void cc_color_close(cc_color_transform *color) {
    pthread_mutex_lock(&lock);
    cc_color_transform *unused = release(color);
    pthread_mutex_unlock(&lock);
    cc_color_free(unused);
}
