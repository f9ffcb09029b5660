/* The hooks and everything that goes through them: memory, log, asserts. */
#include "base/hooks.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "repose/text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Blocks that fill large pages are asked to lie on some: neighbors of a million grains are all
 * over the memory, and looking up small pages costs a tenth of the time. */
#define LARGE_PAGE ((size_t)2 << 20)

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
#ifdef MADV_HUGEPAGE
    if (size >= LARGE_PAGE && alignment <= LARGE_PAGE) {
        void *block;
        if (posix_memalign(&block, LARGE_PAGE, size)) return NULL;
        /* A wish: nothing is lost when the system does not grant it. */
        madvise(block, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
        return block;
    }
#endif
    return aligned_alloc(alignment, size);
}

static void default_release(void *user, void *block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

static void default_log(void *user, rp_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

static void default_assert_failed(void *user, const char *condition, const char *file, int line)
{
    (void)user;
    fprintf(stderr, "repose: %s:%d: assertion failed: %s\n", file, line, condition);
}

static rp_hooks hooks = {.allocate = default_allocate,
                         .release = default_release,
                         .log = default_log,
                         .assert_failed = default_assert_failed};

static atomic_size_t bytes_now, bytes_peak;
static atomic_uint_fast64_t allocation_calls;

void rp_default_hooks_fill(rp_hooks *options, size_t size)
{
    rp_hooks own = {.size = size,
                    .allocate = default_allocate,
                    .release = default_release,
                    .log = default_log,
                    .assert_failed = default_assert_failed};
    rp_options_give(options, size, &own, sizeof own);
}

rp_code rp_set_hooks(const rp_hooks *wanted)
{
    rp_hooks own = rp_default_hooks();
    if (!wanted) return RP_OK;
    RP_TAKE_OPTIONS(&own, wanted, NULL);
    RP_ASSERT(own.allocate && own.release && own.log && own.assert_failed);
    /* A block must go back to where it came from. */
    RP_ASSERT(atomic_load(&bytes_now) == 0);
    hooks = own;
    return RP_OK;
}

rp_memory_use rp_memory_now(void)
{
    return (rp_memory_use){.bytes = atomic_load(&bytes_now),
                           .peak_bytes = atomic_load(&bytes_peak),
                           .calls = atomic_load(&allocation_calls)};
}

/* From this size on blocks begin at different places of a page. Loops over grains go through twenty
 * arrays side by side, and a cache has room for eight lines from the same place of their pages. */
#define SPREAD_FROM ((size_t)64 << 10)
#define PAGE ((size_t)4 << 10)
#define ROOM_LEAST (PAGE / 4) /* to choose a place from */

_Static_assert(PAGE % RP_ALIGNMENT == 0 && ROOM_LEAST >= RP_ALIGNMENT,
               "blocks begin at multiples of the alignment");

/* A multiple of the alignment that is asked for: some hosts insist on that. */
static size_t full_size(size_t size)
{
    if (size < SPREAD_FROM) return size;
    size_t pages = (size + ROOM_LEAST + PAGE - 1) / PAGE;
    return pages * PAGE;
}

/* Bytes from the beginning of a page, less than one. */
static size_t next_shift(size_t size)
{
    static atomic_size_t blocks;
    size_t room = full_size(size) - size, places = room / RP_ALIGNMENT + 1;
    if (places > PAGE / RP_ALIGNMENT) places = PAGE / RP_ALIGNMENT;
    return atomic_fetch_add(&blocks, 1) % places * RP_ALIGNMENT;
}

static _Thread_local rp_budget *budget_now;

rp_budget *rp_budget_enter(rp_budget *budget)
{
    rp_budget *before = budget_now;
    budget_now = budget;
    return before;
}

const rp_budget *rp_budget_now(void)
{
    return budget_now;
}

size_t rp_budget_left(void)
{
    if (!budget_now) return SIZE_MAX;
    size_t used = budget_now->used > 0 ? (size_t)budget_now->used : 0;
    return used < budget_now->limit ? budget_now->limit - used : 0;
}

static void count_in_budget(ptrdiff_t bytes)
{
    if (budget_now) budget_now->used += bytes;
}

void *rp_hooks_allocate(size_t size)
{
    bool spread = size >= SPREAD_FROM;
    if (spread && full_size(size) > rp_budget_left()) return NULL;
    char *block = hooks.allocate(hooks.user, full_size(size), spread ? PAGE : RP_ALIGNMENT);
    if (!block) return NULL;
    count_in_budget((ptrdiff_t)full_size(size));
    atomic_fetch_add(&allocation_calls, 1);
    size_t now = atomic_fetch_add(&bytes_now, full_size(size)) + full_size(size);
    size_t peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now)) {
    }
    return spread ? block + next_shift(size) : block;
}

void rp_hooks_release(void *block, size_t size)
{
    if (size >= SPREAD_FROM) block = (void *)((uintptr_t)block & ~(uintptr_t)(PAGE - 1));
    atomic_fetch_sub(&bytes_now, full_size(size));
    count_in_budget(-(ptrdiff_t)full_size(size));
    hooks.release(hooks.user, block, full_size(size));
}

void rp_log(rp_level level, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char plain[2048];
    hooks.log(hooks.user, level, rp_text_plain(message, true, plain, sizeof plain));
}

void rp_assert_failed(const char *condition, const char *file, int line)
{
    hooks.assert_failed(hooks.user, condition, file, line);
    abort();
}
