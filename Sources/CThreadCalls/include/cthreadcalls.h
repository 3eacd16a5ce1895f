#ifndef CALOTYPE_CTHREADCALLS_H
#define CALOTYPE_CTHREADCALLS_H

// Linux thread calls that the C library declares only under _GNU_SOURCE, which Swift's Glibc module is built
// without.

// Names the calling thread in debuggers and process listings; what is longer than 15 bytes is cut off.
void calotype_thread_set_name(const char *name);

#endif
