#ifndef CALOTYPE_CTHREADCALLS_H
#define CALOTYPE_CTHREADCALLS_H

#include <stdint.h>

// Linux calls for threads and the heap that the C library does not wrap, or declares outside of Swift's Glibc
// module (_GNU_SOURCE, <malloc.h>).

// Names the calling thread in debuggers and process listings; truncates the name to 15 bytes.
void calotype_thread_set_name(const char *name);

// Returns the number of processors that the calling thread may run on; 0 if unknown.
int calotype_thread_processor_count(void);

// Lowers the priority of the calling thread permanently, by a value of `nice(1)`.
void calotype_thread_be_nice(int niceness);

// Makes the heap return blocks of at least this size to the system as soon as they are freed; no effect
// without glibc.
void calotype_heap_return_blocks(int byte_count);

// Tells the processor that the calling thread is spinning.
void calotype_thread_pause(void);

// `futex(2)`, private to this process. Waits until the word is woken; returns at once if it differs from the
// value, and sometimes spuriously. Preserves errno.
void calotype_futex_wait(const void *word, uint32_t value);

// Wakes one thread that waits for the word, if there is one. Preserves errno.
void calotype_futex_wake_one(const void *word);

// Sets the word by which others stop the work of the calling thread: any value other than 0. NULL, as
// initially, if the work cannot be stopped. The word stays set until it is replaced.
void calotype_thread_set_stop_word(const uint32_t *word);
const uint32_t *calotype_thread_stop_word(void);

// Returns whether the work of the calling thread has to stop; cheap enough to call for each row of pixels.
int calotype_thread_is_stopped(void);

// The recorded time in nanoseconds that the calling thread has waited for other work.
void calotype_thread_note_wait(uint64_t nanoseconds);
uint64_t calotype_thread_waited(void);

// Returns unused heap memory to the system.
void calotype_heap_trim(void);

#endif
