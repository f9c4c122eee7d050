/* What the controller and its observer share: a page of memory, mapped from a file.
 *
 * The observer (threadwise/reproduction/control.py) reads it from outside, and never writes. All
 * numbers are in the machine's order; the two descriptions of the layout must agree. */
#ifndef THREADWISE_CONTROL_H
#define THREADWISE_CONTROL_H

#include <stdint.h>

#define TW_MAGIC 0x74777201u
#define TW_THREADS 128
#define TW_FRAMES 128

enum tw_state { TW_ABSENT, TW_RUNNING, TW_HELD, TW_ENDED };
enum tw_trouble { TW_FINE, TW_OTHER_VALUE, TW_BAD_SCHEDULE };

struct tw_thread {
    uint32_t tid;
    uint32_t state;
    uint64_t pc;     /* the return address of its latest scheduling point, from __ehdr_start */
    uint64_t passed; /* how many scheduling points it has passed */
};

struct tw_control {
    uint32_t magic;
    uint32_t turn;    /* the number of the event whose turn it is */
    uint32_t total;   /* how many there are; when turn == total, the last threads are set free */
    uint32_t trouble; /* enum tw_trouble */
    uint32_t trouble_event;
    uint32_t frame_count;
    int64_t trouble_value;
    uint64_t base;               /* where __ehdr_start is */
    uint64_t frames[TW_FRAMES];  /* return addresses on the stack at SIGABRT or SIGSEGV */
    struct tw_thread threads[TW_THREADS];
};

#endif
