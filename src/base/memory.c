/* Memory: the hooks of the host program, blocks on cache lines, budgets, growing arrays, arenas. */
#include "base/memory.h"
#include "base/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* --- hooks ------------------------------------------------------------------------------------ */

/* Blocks of this size and more are put on huge pages where the system has some: the neighbors of a
 * million grains are all over the memory, and misses of the TLB with small pages cost a tenth of
 * the time of a step. */
#define LARGE_PAGE ((size_t)2 << 20)

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
#ifdef MADV_HUGEPAGE
    if (size >= LARGE_PAGE && alignment <= LARGE_PAGE) {
        void *block;
        if (posix_memalign(&block, LARGE_PAGE, size)) return NULL;
        /* A hint: when the system does not follow it, the block is merely slower. */
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
    /* A block must be released by the hooks that allocated it. */
    RP_ASSERT(atomic_load(&bytes_now) == 0);
    hooks = own;
    return RP_OK;
}

const rp_hooks *rp_hooks_now(void)
{
    return &hooks;
}

rp_memory_use rp_memory_now(void)
{
    return (rp_memory_use){.bytes = atomic_load(&bytes_now),
                           .peak_bytes = atomic_load(&bytes_peak),
                           .calls = atomic_load(&allocation_calls)};
}

/* From this size on, blocks begin at different offsets within a page. Loops over grains read twenty
 * arrays side by side, and an eight-way cache holds only eight lines of the same offset: arrays
 * that all began at a page would evict each other (4 kB aliasing). */
#define SPREAD_FROM ((size_t)64 << 10)
#define PAGE ((size_t)4 << 10)
#define SLACK_LEAST (PAGE / 4) /* bytes to choose an offset from */

_Static_assert(PAGE % RP_ALIGNMENT == 0 && SLACK_LEAST >= RP_ALIGNMENT,
               "blocks begin at multiples of the alignment");

/* What is asked of the hook: a multiple of the alignment, as aligned_alloc demands. */
static size_t full_size(size_t size)
{
    if (size < SPREAD_FROM) return size;
    size_t pages = (size + SLACK_LEAST + PAGE - 1) / PAGE;
    return pages * PAGE;
}

/* The offset of the next block within its first page; it changes by a cache line from block to
 * block. */
static size_t next_offset(size_t size)
{
    static atomic_size_t blocks;
    size_t slack = full_size(size) - size, places = slack / RP_ALIGNMENT + 1;
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

size_t rp_budget_remaining(void)
{
    if (!budget_now) return SIZE_MAX;
    size_t used = budget_now->used > 0 ? (size_t)budget_now->used : 0;
    return used < budget_now->limit ? budget_now->limit - used : 0;
}

/* Small blocks are counted but never refused. */
static void count_in_budget(ptrdiff_t bytes)
{
    if (budget_now) budget_now->used += bytes;
}

static void *counted_allocate(size_t size)
{
    bool spread = size >= SPREAD_FROM;
    if (spread && full_size(size) > rp_budget_remaining()) return NULL;
    char *block = hooks.allocate(hooks.user, full_size(size), spread ? PAGE : RP_ALIGNMENT);
    if (!block) return NULL;
    count_in_budget((ptrdiff_t)full_size(size));
    atomic_fetch_add(&allocation_calls, 1);
    size_t now = atomic_fetch_add(&bytes_now, full_size(size)) + full_size(size);
    /* Raises the peak, unless another thread has raised it further meanwhile. */
    size_t peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now)) {
    }
    return spread ? block + next_offset(size) : block;
}

static void counted_release(void *block, size_t size)
{
    /* The offset is less than a page, so rounding down finds what the hook had returned. */
    if (size >= SPREAD_FROM) block = (void *)((uintptr_t)block & ~(uintptr_t)(PAGE - 1));
    atomic_fetch_sub(&bytes_now, full_size(size));
    count_in_budget(-(ptrdiff_t)full_size(size));
    hooks.release(hooks.user, block, full_size(size));
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Beyond this a size is a mistake: 64 TiB, or half of what 32 bits can address. */
#define SIZE_ABSURD ((size_t)1 << (sizeof(size_t) > 4 ? 46 : 31))

_Static_assert((RP_ALIGNMENT & (RP_ALIGNMENT - 1)) == 0, "sizes are rounded with a mask");

static size_t rounded(size_t size)
{
    return (size + RP_ALIGNMENT - 1) & ~(size_t)(RP_ALIGNMENT - 1);
}

void *rp_allocate(size_t size)
{
    if (size > SIZE_ABSURD) return NULL;
    return counted_allocate(rounded(size ? size : 1));
}

void *rp_allocate_zero(size_t size)
{
    void *block = rp_allocate(size);
    if (block) memset(block, 0, size);
    return block;
}

void rp_release(void *block, size_t size)
{
    if (block) counted_release(block, rounded(size ? size : 1));
}

bool rp_reserve(void **array, size_t *capacity, size_t used, size_t wanted, size_t element_size)
{
    RP_ASSERT(used <= *capacity && element_size > 0);
    if (wanted <= *capacity) return true;
    size_t larger = *capacity + *capacity / 2;
    size_t count = wanted > larger ? wanted : larger;
    if (count > SIZE_ABSURD / element_size) return false;
    void *block = rp_allocate(count * element_size);
    if (!block) return false;
    if (used) memcpy(block, *array, used * element_size);
    rp_release(*array, *capacity * element_size);
    *array = block;
    *capacity = count;
    return true;
}

char *rp_text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = rp_allocate(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void rp_text_release(char *text)
{
    if (text) rp_release(text, strlen(text) + 1);
}

/* --- arenas ----------------------------------------------------------------------------------- */

struct rp_arena_block {
    rp_arena_block *next;
    size_t size;   /* of the payload behind this header */
    size_t before; /* bytes of the arena that were in use when it was added */
};

#define HEADER ((sizeof(rp_arena_block) + RP_ALIGNMENT - 1) / RP_ALIGNMENT * RP_ALIGNMENT)
/* Every world and every scene has one, also those of a few grains. */
#define ARENA_FIRST ((size_t)8 << 10)

static bool arena_add_block(rp_arena *arena, size_t size)
{
    if (size > SIZE_ABSURD) return false;
    rp_arena_block *block = rp_allocate(HEADER + size);
    if (!block) return false;
    block->next = arena->first;
    block->size = size;
    block->before = arena->total;
    arena->first = block;
    arena->used = 0;
    return true;
}

static void release_blocks(rp_arena *arena)
{
    while (arena->first) {
        rp_arena_block *next = arena->first->next;
        rp_release(arena->first, HEADER + arena->first->size);
        arena->first = next;
    }
}

void *rp_arena_take(rp_arena *arena, size_t size)
{
    if (size > SIZE_ABSURD) return NULL;
    size = rounded(size);
    if (!arena->first || arena->first->size - arena->used < size) {
        if (!arena->total) release_blocks(arena); /* too small, and none of it is in use */
        /* As much again as is in use: a step adds few blocks before the reset joins them. */
        size_t capacity = arena->total + size;
        if (capacity < arena->most) capacity = arena->most;
        if (capacity < ARENA_FIRST) capacity = ARENA_FIRST;
        if (!arena_add_block(arena, capacity)) return NULL;
    }
    void *block = (char *)arena->first + HEADER + arena->used;
    arena->used += size;
    arena->total += size;
    if (arena->total > arena->most) arena->most = arena->total;
    return block;
}

size_t rp_arena_mark(const rp_arena *arena)
{
    return arena->total;
}

/* A mark in an older block: that block is full for this step; the newest one is used from its
 * beginning. */
void rp_arena_return(rp_arena *arena, size_t mark)
{
    RP_ASSERT(mark <= arena->total);
    arena->total = mark;
    if (!arena->first) return;
    if (mark < arena->first->before) arena->first->before = mark;
    arena->used = mark - arena->first->before;
}

void rp_arena_reset(rp_arena *arena)
{
    size_t needed = arena->most;
    bool several = arena->first && arena->first->next;
    arena->used = 0;
    arena->total = arena->most = 0;
    if (arena->first) arena->first->before = 0;
    if (!several) return;
    /* One block that is large enough for a step like the last one. */
    rp_arena_destroy(arena);
    arena_add_block(arena, needed); /* when it fails, the next take tries again */
}

void rp_arena_destroy(rp_arena *arena)
{
    release_blocks(arena);
    *arena = (rp_arena){0};
}
