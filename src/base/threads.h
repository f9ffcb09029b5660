/* Threads: a small persistent pool, and parallel loops over it whose results do not depend on the
 * number of threads. A loop is divided into blocks of a fixed size; which thread runs a block
 * varies (mostly it is the one that ran it in the loop before), what a block computes does not.
 * Sums are computed per block and added in block order. Locks and the clock are here as well. */
#ifndef RP_BASE_THREADS_H
#define RP_BASE_THREADS_H

#include "repose/base.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rp_threads rp_threads;

/* `count` threads including the caller; 0 takes one per core. */
rp_code rp_threads_create(int count, rp_threads **out, rp_report *report);
/* The same loops on the host program's threads. */
rp_code rp_threads_create_from(const rp_executor *executor, rp_threads **out, rp_report *report);
void rp_threads_destroy(rp_threads *threads);
/* How many blocks may run at once; 1 for NULL. */
int rp_threads_count(const rp_threads *threads);

/* The items begin to end - 1 of a loop, and which worker has them: a number below
 * rp_threads_count, of which each runs one block at a time, so that it may index scratch memory. */
typedef struct rp_range {
    size_t begin, end;
    int worker;
} rp_range;

/* Works on the items of a range. Must not depend on which blocks ran before. */
typedef void rp_range_fn(void *context, rp_range range);

/* Calls `body` for [0, block), [block, 2 block) … up to `count`, and returns when all are done.
 * Loops do not nest. With NULL for threads, and in a child process that was forked since they were
 * created, everything runs on the caller, in order. Allocates nothing. */
void rp_parallel_for(rp_threads *threads, size_t count, size_t block, rp_range_fn *body,
                     void *context);

/* Scratch memory of loops: one buffer for each worker, on cache lines of its own. */
typedef struct rp_scratch {
    void *memory;
    size_t each; /* bytes of a buffer, rounded up to cache lines */
    int count;
} rp_scratch;

/* `count` buffers of `bytes` bytes, all zero; `what` they are for is named when memory runs out. */
rp_code rp_scratch_begin(rp_scratch *scratch, int count, size_t bytes, const char *what,
                         rp_report *report);
void rp_scratch_end(rp_scratch *scratch);
/* The buffer of a worker (rp_range.worker). */
void *rp_scratch_of(const rp_scratch *scratch, int worker);

/* Returns the sum (or maximum) of what `body` returns for each block, combined in block order: the
 * same bits for any number of threads. */
typedef double rp_range_value_fn(void *context, rp_range range);
double rp_parallel_sum(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context);
double rp_parallel_max(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context);

/* A recursive mutex for what a whole process shares, such as a library that is not thread-safe.
 * Static and zero-initialised, never destroyed. */
typedef struct rp_lock {
    atomic_int number; /* 0: never taken so far */
} rp_lock;
void rp_lock_take(rp_lock *lock);
void rp_lock_give(rp_lock *lock);

/* Runs a function once per process, whichever thread comes first; others wait for it. Static and
 * zero-initialised. */
typedef struct rp_once {
    atomic_bool done;
} rp_once;
void rp_once_run(rp_once *once, void (*run)(void));

/* --- time ------------------------------------------------------------------------------------- */

/* Seconds of a monotonic clock (wall-clock time from some fixed moment on). */
double rp_clock(void);

/* A stopwatch that adds up one stage of a step. */
typedef struct rp_timer {
    double total; /* s */
    uint64_t calls;
    double started; /* s, on rp_clock */
} rp_timer;

static inline void rp_timer_start(rp_timer *timer)
{
    timer->started = rp_clock();
}

static inline void rp_timer_stop(rp_timer *timer)
{
    timer->total += rp_clock() - timer->started;
    timer->calls++;
}

#endif
