/* Memory through the hooks: blocks aligned to a cache line, growing arrays, and the arena whose
 * contents live for one step. Sizes are given back on release, so that use can be counted exactly.
 */
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
/* NULL is let pass. `size` is what was asked for. */
void rp_release(void *block, size_t size);

/* Makes room in `*array` for `wanted` elements, keeping the first `used`. Grows by half at least,
 * so that appending one by one is cheap. False when memory runs out; the array is then unchanged.
 * Use: rp_reserve((void **)&a->items, &a->capacity, a->count, a->count + 1, sizeof *a->items) */
bool rp_reserve(void **array, size_t *capacity, size_t used, size_t wanted, size_t element_size);

/* A budget: what an owner, such as a world, may hold at most. While a thread is in one, blocks that
 * it takes count against it and blocks that it gives back are returned to it; a block that does not
 * fit is refused as if memory had run out, and rp_fail_memory then names the limit. Small blocks
 * always pass: the message that says so needs some. One thread at a time may be in a budget. */
typedef struct rp_budget {
    size_t limit;   /* bytes */
    ptrdiff_t used; /* bytes; below zero when blocks came from outside */
} rp_budget;

/* Enters a budget, or none (NULL), and gives the one that the thread was in, which the owner enters
 * again when it is done. */
rp_budget *rp_budget_enter(rp_budget *budget);
/* The thread's present budget, or NULL. */
const rp_budget *rp_budget_now(void);
/* Bytes that it still allows; SIZE_MAX without one. */
size_t rp_budget_left(void);

/* A copy of a text; release with rp_text_release. NULL when memory runs out. */
char *rp_text_copy(const char *text);
void rp_text_release(char *text);

/* The arena: taking is a pointer bump, giving back is one reset for all, or a return to a mark for
 * what was taken since. When it runs out it takes another block from the heap, in place of the one
 * it had if nothing of that is in use; the next reset joins the blocks, so a warm arena never
 * allocates.
 */
typedef struct rp_arena_block rp_arena_block;
typedef struct rp_arena {
    rp_arena_block *first; /* newest first */
    size_t used;           /* bytes of the newest block */
    size_t total;          /* bytes taken since the reset, over all blocks */
    size_t most;           /* that this has been */
} rp_arena;

/* A cache-aligned block that lives until the reset; NULL when memory runs out. */
void *rp_arena_take(rp_arena *arena, size_t size);
/* What is taken after the mark lives until the return to it. */
size_t rp_arena_mark(const rp_arena *arena);
void rp_arena_return(rp_arena *arena, size_t mark);
void rp_arena_reset(rp_arena *arena);
void rp_arena_destroy(rp_arena *arena);

#endif
