/* A pool of threads that sleep between loops. A loop is announced by a new generation number. Every
 * thread has a stretch of the items of its own, the same one in every loop over as many, so that
 * what it wrote in one loop is still in its cache in the next; when it is done with that, it helps
 * others with theirs. */
#include "base/threads.h"
#include "base/entry.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 1024
/* A sum keeps this many parts on the stack; more blocks than that share parts. */
#define PARTS_MAX 1024
/* A loop often follows on the heels of another: look this often before going to sleep. */
#define SPINS 2000
/* Of the pool's threads: what the largest task needs, several times over, whatever the limits of
 * the host program's threads are. */
#define STACK_BYTES ((size_t)1 << 20)

/* Items of one thread; a cache line each. */
typedef struct stretch {
    _Alignas(RP_ALIGNMENT) atomic_size_t next; /* first item not yet handed out */
    size_t end;
} stretch;

typedef struct loop {
    rp_range_fn *body;
    void *context;
    size_t block;
    stretch *stretches; /* one for each thread */
    int count;
} loop;

struct rp_threads {
    int count;
    rp_executor executor; /* run is NULL for the own pool */
    pthread_t *handles;   /* count - 1 of them */
    int started;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    atomic_uint generation;
    atomic_int ready; /* pool threads that have taken a number */
    atomic_int busy;  /* pool threads still in the present loop */
    unsigned forks;   /* of the process when the pool was made */
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
    for (int i = 0; i < work->count; i++) {
        stretch *s = &work->stretches[(thread + i) % work->count];
        for (;;) {
            size_t begin = atomic_fetch_add(&s->next, work->block);
            if (begin >= s->end) break;
            work->body(work->context, block_at(begin, s->end, work->block, thread));
        }
    }
}

static void hand_out(loop *work, size_t count, size_t block)
{
    size_t blocks = (count + block - 1) / block, threads = (size_t)work->count;
    work->block = block;
    for (size_t i = 0; i < threads; i++) {
        size_t begin = blocks * i / threads * block, end = blocks * (i + 1) / threads * block;
        atomic_store(&work->stretches[i].next, begin);
        work->stretches[i].end = end < count ? end : count;
    }
}

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
        spin_for_generation(threads, seen);
        pthread_mutex_lock(&threads->mutex);
        while (atomic_load(&threads->generation) == seen && !threads->stop)
            pthread_cond_wait(&threads->wake, &threads->mutex);
        seen = atomic_load(&threads->generation);
        bool stop = threads->stop;
        pthread_mutex_unlock(&threads->mutex);
        if (stop) return NULL;

        run_blocks(&threads->work, number);

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
    size_t stretches = (size_t)count * sizeof(stretch);
    rp_threads *threads = rp_allocate_zero(sizeof *threads);
    *out = threads;
    if (threads) {
        threads->count = threads->work.count = count;
        threads->work.stretches = rp_allocate_zero(stretches);
        if (threads->work.stretches) return RP_OK;
    }
    return rp_fail_memory(report, sizeof *threads + stretches, "threads");
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
    rp_release(threads->work.stretches, (size_t)threads->count * sizeof(stretch));
    rp_release(threads, sizeof *threads);
}

int rp_threads_count(const rp_threads *threads)
{
    return threads ? threads->count : 1;
}

static void run_on_pool(rp_threads *threads)
{
    pthread_mutex_lock(&threads->mutex);
    atomic_store(&threads->busy, threads->started);
    atomic_fetch_add(&threads->generation, 1);
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->mutex);

    run_blocks(&threads->work, 0);

    for (int i = 0; i < SPINS && atomic_load(&threads->busy); i++)
        pause_shortly();
    pthread_mutex_lock(&threads->mutex);
    while (atomic_load(&threads->busy))
        pthread_cond_wait(&threads->done, &threads->mutex);
    pthread_mutex_unlock(&threads->mutex);
}

/* The host's threads may round as the host likes. */
static void executor_task(void *argument, int index)
{
    RP_ENTER();
    run_blocks(argument, index);
}

void rp_parallel_for(rp_threads *threads, size_t count, size_t block, rp_range_fn *body,
                     void *context)
{
    RP_ASSERT(block > 0);
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
    hand_out(work, count, block);
    if (threads->executor.run)
        threads->executor.run(threads->executor.user, threads->count, executor_task, work);
    else
        run_on_pool(threads);
    threads->looping = false;
}

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

typedef struct fold {
    rp_range_value_fn *body;
    void *context;
    double *parts;
    size_t block, group; /* items; blocks that share a part */
    bool sum;
} fold;

static double folded(const fold *f, double a, double b)
{
    return f->sum ? a + b : fmax(a, b);
}

/* Works on whole parts; their blocks are folded in order. */
static void fold_range(void *context, rp_range range)
{
    const fold *f = context;
    size_t reach = f->block * f->group;
    double value = f->sum ? 0 : -INFINITY;
    for (size_t at = range.begin; at < range.end; at += f->block)
        value =
            folded(f, value, f->body(f->context, block_at(at, range.end, f->block, range.worker)));
    f->parts[range.begin / reach] = value;
}

static double parallel_fold(rp_threads *threads, size_t count, size_t block,
                            rp_range_value_fn *body, void *context, bool sum)
{
    RP_ASSERT(block > 0);
    double parts[PARTS_MAX];
    size_t blocks = (count + block - 1) / block;
    size_t group = blocks > PARTS_MAX ? (blocks + PARTS_MAX - 1) / PARTS_MAX : 1;
    fold f = {body, context, parts, block, group, sum};
    rp_parallel_for(threads, count, block * group, fold_range, &f);
    double value = sum ? 0 : -INFINITY;
    for (size_t i = 0; i * block * group < count; i++)
        value = folded(&f, value, f.parts[i]);
    return value;
}

double rp_parallel_sum(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context)
{
    return parallel_fold(threads, count, block, body, context, true);
}

double rp_parallel_max(rp_threads *threads, size_t count, size_t block, rp_range_value_fn *body,
                       void *context)
{
    return parallel_fold(threads, count, block, body, context, false);
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
    if (!number) {
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
