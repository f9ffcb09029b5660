/* Memory through the hooks: blocks aligned to a cache line, growing arrays, and the arena whose
 * contents live for one step. The caller passes the size on release, so that use can be counted
 * exactly. */
#ifndef RP_BASE_MEMORY_H
#define RP_BASE_MEMORY_H

#include "repose/base.h"

#include <stdbool.h>
#include <stdint.h>

#define RP_ALIGNMENT 64
/* Whether an array begins at a cache line, as all that come from here do. */
#define RP_IS_ALIGNED(array) ((uintptr_t)(array) % RP_ALIGNMENT == 0)

/* The hooks that are set; all of them are functions. */
const rp_hooks *rp_hooks_now(void);

/* NULL when memory runs out or the size is absurd. Contents are undefined. */
void *rp_allocate(size_t size);
void *rp_allocate_zero(size_t size);
/* NULL is ignored. `size` is the one of the allocation. */
void rp_release(void *block, size_t size);

/* Grows the capacity of `*array` to `wanted` elements, and preserves the first `used`. Grows by
 * half at least, so that appending one by one is cheap. False when memory runs out; the array is
 * then unchanged. Use: rp_reserve((void **)&a->items, &a->capacity, a->count, a->count + 1, sizeof
 * *a->items) */
bool rp_reserve(void **array, size_t *capacity, size_t used, size_t wanted, size_t element_size);

/* A budget: what an owner, such as a world, may allocate at most. While a thread is in one, its
 * allocations and releases are counted in it; an allocation that does not fit fails as if memory
 * had run out, and rp_fail_memory then names the limit. Small blocks are always allowed, since the
 * error message needs some. One thread at a time may be in a budget. */
typedef struct rp_budget {
    size_t limit;   /* bytes */
    ptrdiff_t used; /* bytes; negative when blocks are released that others allocated */
} rp_budget;

/* Enters a budget, or none (NULL), and returns the one that the thread was in; the owner enters
 * that again when it is done. */
rp_budget *rp_budget_enter(rp_budget *budget);
/* The thread's present budget, or NULL. */
const rp_budget *rp_budget_now(void);
/* Bytes that may still be allocated in it; SIZE_MAX without one. */
size_t rp_budget_remaining(void);

/* A copy of a text; release with rp_text_release. NULL when memory runs out. */
char *rp_text_copy(const char *text);
void rp_text_release(char *text);

/* The arena (bump allocator): an allocation moves a pointer; a reset releases all of them, a return
 * to a mark those since the mark. When the arena is full it allocates another block from the heap,
 * and releases the one it had if nothing of that is in use; the next reset joins the blocks, so a
 * warm arena never calls the hooks. */
typedef struct rp_arena_block rp_arena_block;
typedef struct rp_arena {
    rp_arena_block *first; /* newest first */
    size_t used;           /* bytes of the newest block */
    size_t total;          /* bytes in use since the reset, over all blocks */
    size_t most;           /* largest `total` since the reset */
} rp_arena;

/* A cache-aligned block that lives until the reset; NULL when memory runs out. */
void *rp_arena_take(rp_arena *arena, size_t size);
/* Allocations after the mark live until the return to it. */
size_t rp_arena_mark(const rp_arena *arena);
void rp_arena_return(rp_arena *arena, size_t mark);
void rp_arena_reset(rp_arena *arena);
void rp_arena_destroy(rp_arena *arena);

#endif
