#ifndef CALOTYPE_CTHREADCALLS_H
#define CALOTYPE_CTHREADCALLS_H

#include <stdint.h>

// Linux calls about threads and the heap that the C library has no function for, or declares where Swift's
// Glibc module does not look (_GNU_SOURCE, <malloc.h>).

// Names the calling thread in debuggers and process listings; what is longer than 15 bytes is cut off.
void calotype_thread_set_name(const char *name);

// The number of processors that the calling thread may run on; 0 where it cannot be told.
int calotype_thread_processor_count(void);

// Lets other threads go before the calling one, by as much as `nice(1)` says; for good.
void calotype_thread_be_nice(int niceness);

// From now on gives blocks of at least so many bytes back to the system as soon as they are freed; nothing
// where the C library is not glibc.
void calotype_heap_return_blocks(int byte_count);

// Tells the processor that the calling thread is waiting for another one in a loop.
void calotype_thread_pause(void);

// `futex(2)`, private to this process. Waits until the word is woken; returns at once where it does not have
// the value, and now and then for no reason. Leaves errno as it was.
void calotype_futex_wait(const void *word, uint32_t value);

// Wakes one thread that waits for the word, if any does. Leaves errno as it was.
void calotype_futex_wake_one(const void *word);

// The word by which others tell the work of the calling thread to end: they make it other than 0. NULL, as at
// first, where nobody does. It stays until another is set.
void calotype_thread_set_stop_word(const uint32_t *word);
const uint32_t *calotype_thread_stop_word(void);

// Whether the work of the calling thread is to end: cheap enough to be asked for each row of pixels.
int calotype_thread_is_stopped(void);

// For how many nanoseconds the calling thread has waited until something else was done, as far as it was
// noted.
void calotype_thread_note_wait(uint64_t nanoseconds);
uint64_t calotype_thread_waited(void);

// Returns what the heap holds and does not use to the system.
void calotype_heap_trim(void);

#endif
