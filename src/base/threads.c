/* A pool of threads that sleep between loops, parallel loops and reductions over it, locks, time.
 *
 * Work distribution. The blocks of a loop are divided into one contiguous share for each thread,
 * the same one in every loop over as many items, so that what a thread wrote in one loop is still
 * in its cache in the next. A thread takes the blocks of its own share first; then it steals from
 * the shares of the others, beginning with its right neighbor. Taking a block is one atomic
 * addition.
 *
 * Memory order. A loop is announced under the mutex by a new generation number, and its end is
 * reported under the mutex by counting `busy` down. Both are sequentially consistent, so all that
 * the caller wrote before the loop is seen by the threads, and all that they wrote by the caller.
 */
#include "base/threads.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 1024
/* A reduction has this many partial results on the stack; with more blocks than that, several
 * blocks share one. */
#define PARTIALS_MAX 1024
/* One loop often follows another within microseconds: check so often before going to sleep. */
#define SPINS 2000
/* Of the pool's threads: what the largest task needs, several times over, whatever the limits of
 * the host program's threads are. */
#define STACK_BYTES ((size_t)1 << 20)

/* The items of one thread, on a cache line of their own, lest threads invalidate each other's
 * counters (false sharing). */
typedef struct share {
    _Alignas(RP_ALIGNMENT) atomic_size_t next; /* first item not yet taken */
    size_t end;
} share;
_Static_assert(sizeof(share) == RP_ALIGNMENT, "shares are on cache lines of their own");

typedef struct loop {
    rp_range_fn *body;
    void *context;
    size_t block;
    share *shares; /* one for each thread */
    int count;
} loop;

struct rp_threads {
    int count;
    rp_executor executor; /* run is NULL for the own pool */
    pthread_t *handles;   /* count - 1 of them */
    int started;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    atomic_uint generation; /* number of loops so far; changed under the mutex */
    atomic_int ready;       /* pool threads that have taken a number */
    atomic_int busy;        /* pool threads still in the present loop */
    unsigned forks;         /* of the process when the pool was made */
    bool stop;
    bool looping; /* loops do not nest */
    loop work;
};

/* After a fork the child has a copy of the pool, but none of its threads. */
static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

static bool has_threads(const rp_threads *threads)
{
    return threads->executor.run || threads->forks == atomic_load(&forks);
}

/* The block that begins there, cut at the end of the items. */
static rp_range block_at(size_t begin, size_t end, size_t block, int worker)
{
    return (rp_range){begin, end - begin < block ? end : begin + block, worker};
}

static void run_blocks(const loop *work, int thread)
{
    /* The own share (i = 0), then those of the others: work stealing. */
    for (int i = 0; i < work->count; i++) {
        share *s = &work->shares[(thread + i) % work->count];
        for (;;) {
            /* The addition hands out each block exactly once. `next` may run past `end` by one
             * block for each thread that comes too late, which is no harm. */
            size_t begin = atomic_fetch_add(&s->next, work->block);
            if (begin >= s->end) break;
            work->body(work->context, block_at(begin, s->end, work->block, thread));
        }
    }
}

/* Divides the blocks evenly. Shares begin at multiples of the block, so that which items make up a
 * block does not depend on the number of threads. */
static void divide_items(loop *work, size_t count, size_t block)
{
    size_t blocks = (count + block - 1) / block, threads = (size_t)work->count;
    work->block = block;
    for (size_t i = 0; i < threads; i++) {
        size_t begin = blocks * i / threads * block, end = blocks * (i + 1) / threads * block;
        atomic_store(&work->shares[i].next, begin);
        work->shares[i].end = end < count ? end : count;
    }
}

/* Tells the processor that this is a spin loop. */
static void pause_shortly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void spin_for_generation(rp_threads *threads, unsigned seen)
{
    for (int i = 0; i < SPINS && atomic_load(&threads->generation) == seen; i++)
        pause_shortly();
}

static void *thread_main(void *argument)
{
    RP_ENTER();
    rp_threads *threads = argument;
    int number = 1 + atomic_fetch_add(&threads->ready, 1);
    unsigned seen = 0;
    for (;;) {
        /* Spin first: waking a sleeping thread costs more than a short loop takes. The mutex is
         * taken in any case; it orders this thread after the caller's announcement. */
        spin_for_generation(threads, seen);
        pthread_mutex_lock(&threads->mutex);
        while (atomic_load(&threads->generation) == seen && !threads->stop)
            pthread_cond_wait(&threads->wake, &threads->mutex);
        seen = atomic_load(&threads->generation);
        bool stop = threads->stop;
        pthread_mutex_unlock(&threads->mutex);
        if (stop) return NULL;

        run_blocks(&threads->work, number);

        /* Every thread reports, also one that found no block: the caller may change `work` again
         * only when none of them can still look at it. */
        pthread_mutex_lock(&threads->mutex);
        if (atomic_fetch_sub(&threads->busy, 1) == 1) pthread_cond_signal(&threads->done);
        pthread_mutex_unlock(&threads->mutex);
    }
}

/* 0 or an error number. */
static int start_threads(rp_threads *threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_attr_t attributes;
    pthread_once(&once, watch_forks);
    threads->forks = atomic_load(&forks);
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int i = 0; i < threads->count - 1 && !error; i++) {
        error = pthread_create(&threads->handles[i], &attributes, thread_main, threads);
        if (!error) threads->started++;
    }
    pthread_attr_destroy(&attributes);
    return error;
}

static rp_code start_pool(rp_threads *threads, rp_report *report)
{
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wake, NULL);
    pthread_cond_init(&threads->done, NULL);
    /* Signals are for the host program's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = start_threads(threads);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED, "cannot start thread %d of %d: %s",
                   threads->started + 2, threads->count, strerror(error));
}

static size_t handles_size(const rp_threads *threads)
{
    return (size_t)threads->count * sizeof *threads->handles;
}

static rp_code create(int count, rp_threads **out, rp_report *report)
{
    size_t shares = (size_t)count * sizeof(share);
    rp_threads *threads = rp_allocate_zero(sizeof *threads);
    *out = threads;
    if (threads) {
        threads->count = threads->work.count = count;
        threads->work.shares = rp_allocate_zero(shares);
        if (threads->work.shares) return RP_OK;
    }
    return rp_fail_memory(report, sizeof *threads + shares, "threads");
}

/* Cores that this process may run on, which may be fewer than the machine has. */
static int usable_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (int)cores;
}

rp_code rp_threads_create(int count, rp_threads **out, rp_report *report)
{
    *out = NULL;
    if (count < 0 || count > THREADS_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%d threads: allowed are 0 (one per core) to %d",
                       count, THREADS_MAX);
    rp_threads *threads;
    rp_code code = create(count ? count : usable_cores(), &threads, report);
    if (code == RP_OK) {
        threads->handles = rp_allocate_zero(handles_size(threads));
        code = threads->handles ? start_pool(threads, report)
                                : rp_fail_memory(report, handles_size(threads), "threads");
    }
    if (code == RP_OK)
        *out = threads;
    else
        rp_threads_destroy(threads);
    return code;
}

rp_code rp_threads_create_from(const rp_executor *executor, rp_threads **out, rp_report *report)
{
    *out = NULL;
    if (!executor->run || executor->threads < 1 || executor->threads > THREADS_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "executor: needs `run` and 1 to %d threads, has %d",
                       THREADS_MAX, executor->threads);
    rp_threads *threads;
    rp_code code = create(executor->threads, &threads, report);
    if (code == RP_OK) {
        threads->executor = *executor;
        *out = threads;
    } else {
        rp_threads_destroy(threads);
    }
    return code;
}

void rp_threads_destroy(rp_threads *threads)
{
    if (!threads) return;
    if (threads->handles && has_threads(threads)) {
        pthread_mutex_lock(&threads->mutex);
        threads->stop = true;
        pthread_cond_broadcast(&threads->wake);
        pthread_mutex_unlock(&threads->mutex);
        for (int i = 0; i < threads->started; i++)
            pthread_join(threads->handles[i], NULL);
        pthread_cond_destroy(&threads->wake);
        pthread_cond_destroy(&threads->done);
        pthread_mutex_destroy(&threads->mutex);
    }
    rp_release(threads->handles, handles_size(threads));
    rp_release(threads->work.shares, (size_t)threads->count * sizeof(share));
    rp_release(threads, sizeof *threads);
}

int rp_threads_count(const rp_threads *threads)
{
    return threads ? threads->count : 1;
}

static void run_on_pool(rp_threads *threads)
{
    /* Announce the loop. Under the mutex: a thread that is about to sleep has not yet released it,
     * or sleeps already and gets the broadcast. */
    pthread_mutex_lock(&threads->mutex);
    atomic_store(&threads->busy, threads->started);
    atomic_fetch_add(&threads->generation, 1);
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->mutex);

    run_blocks(&threads->work, 0);

    /* All blocks are taken; wait for those that other threads still work on. */
    for (int i = 0; i < SPINS && atomic_load(&threads->busy); i++)
        pause_shortly();
    pthread_mutex_lock(&threads->mutex);
    while (atomic_load(&threads->busy))
        pthread_cond_wait(&threads->done, &threads->mutex);
    pthread_mutex_unlock(&threads->mutex);
}

/* The host's threads may have another floating-point environment. */
static void executor_task(void *argument, int index)
{
    RP_ENTER();
    run_blocks(argument, index);
}

void rp_parallel_for(rp_threads *threads, size_t count, size_t block, rp_range_fn *body,
                     void *context)
{
    RP_ASSERT(block > 0);
    /* On the caller alone: the same blocks, in order. */
    if (!threads || threads->count == 1 || count <= block || !has_threads(threads)) {
        for (size_t begin = 0; begin < count; begin += block)
            body(context, block_at(begin, count, block, 0));
        return;
    }
    RP_ASSERT(!threads->looping);
    threads->looping = true;
    loop *work = &threads->work;
    work->body = body;
    work->context = context;
    divide_items(work, count, block);
    if (threads->executor.run)
        threads->executor.run(threads->executor.user, threads->count, executor_task, work);
    else
        run_on_pool(threads);
    threads->looping = false;
}

/* --- scratch memory and reductions ------------------------------------------------------------ */

rp_code rp_scratch_begin(rp_scratch *scratch, int count, size_t bytes, const char *what,
                         rp_report *report)
{
    size_t each = (bytes + RP_ALIGNMENT - 1) / RP_ALIGNMENT * RP_ALIGNMENT;
    *scratch = (rp_scratch){rp_allocate_zero((size_t)count * each), each, count};
    return scratch->memory ? RP_OK : rp_fail_memory(report, (size_t)count * each, what);
}

void rp_scratch_end(rp_scratch *scratch)
{
    rp_release(scratch->memory, (size_t)scratch->count * scratch->each);
    *scratch = (rp_scratch){0};
}

void *rp_scratch_of(const rp_scratch *scratch, int worker)
{
    RP_ASSERT(worker >= 0 && worker < scratch->count);
    return (char *)scratch->memory + (size_t)worker * scratch->each;
}

/* A reduction in two levels: blocks in block order to partial results, these in their order to the
 * result. The order of additions is a function of `count` and `block` alone; so are the bits. */
typedef struct reduction {
    rp_range_value_fn *body;
    void *context;
    double *partials;
    size_t block, group; /* items; blocks that share a partial result */
    bool sum;
} reduction;

static double combined(const reduction *f, double a, double b)
{
    return f->sum ? a + b : fmax(a, b);
}

/* Works on whole groups of blocks. */
static void reduce_range(void *context, rp_range range)
{
    const reduction *f = context;
    size_t reach = f->block * f->group;
    double value = f->sum ? 0 : -INFINITY;
    for (size_t at = range.begin; at < range.end; at += f->block)
        value = combined(f, value,
                         f->body(f->context, block_at(at, range.end, f->block, range.worker)));
    f->partials[range.begin / reach] = value;
}

static double parallel_reduce(rp_threads *threads, size_t count, size_t block,
                              rp_range_value_fn *body, void *context, bool sum)
{
    RP_ASSERT(block > 0);
    double partials[PARTIALS_MAX];
    size_t blocks = (count + block - 1) / block;
    size_t group = blocks > PARTIALS_MAX ? (blocks + PARTIALS_MAX - 1) / PARTIALS_MAX : 1;
    reduction f = {body, context, partials, block, group, sum};
    rp_parallel_for(threads, count, block * group, reduce_range, &f);
    double value = sum ? 0 : -INFINITY;
    for (size_t i = 0; i * block * group < count; i++)
        value = combined(&f, value, f.partials[i]);
    return value;
}

double rp_parallel_sum(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context)
{
    return parallel_reduce(threads, count, block, body, context, true);
}

double rp_parallel_max(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context)
{
    return parallel_reduce(threads, count, block, body, context, false);
}

/* --- locks ------------------------------------------------------------------------------------ */

#define LOCKS_MAX 16 /* of a process */

/* The first guards the others and what runs once. */
static pthread_mutex_t locks[1 + LOCKS_MAX];
static pthread_once_t locks_made = PTHREAD_ONCE_INIT;
static int locks_used;

static void make_locks(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    for (int i = 0; i <= LOCKS_MAX; i++)
        pthread_mutex_init(&locks[i], &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void rp_lock_take(rp_lock *lock)
{
    pthread_once(&locks_made, make_locks);
    int number = atomic_load(&lock->number);
    if (!number) { /* first use: a mutex is assigned, under the mutex of all (double-checked) */
        pthread_mutex_lock(&locks[0]);
        if (!atomic_load(&lock->number)) {
            RP_ASSERT(locks_used < LOCKS_MAX);
            atomic_store(&lock->number, ++locks_used);
        }
        number = atomic_load(&lock->number);
        pthread_mutex_unlock(&locks[0]);
    }
    pthread_mutex_lock(&locks[number]);
}

void rp_lock_give(rp_lock *lock)
{
    pthread_mutex_unlock(&locks[atomic_load(&lock->number)]);
}

void rp_once_run(rp_once *once, void (*run)(void))
{
    if (atomic_load(&once->done)) return;
    pthread_once(&locks_made, make_locks);
    pthread_mutex_lock(&locks[0]);
    if (!atomic_load(&once->done)) run();
    atomic_store(&once->done, true);
    pthread_mutex_unlock(&locks[0]);
}

/* --- time ------------------------------------------------------------------------------------- */

double rp_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
