#include "base/memory.h"
#include "base/hooks.h"
#include "base/log.h"

#include <string.h>

/* Beyond this a size is a mistake, not a wish: 64 TiB, or half of what 32 bits can address. */
#define SIZE_ABSURD ((size_t)1 << (sizeof(size_t) > 4 ? 46 : 31))

_Static_assert((RP_ALIGNMENT & (RP_ALIGNMENT - 1)) == 0, "sizes are rounded with a mask");

static size_t rounded(size_t size)
{
    return (size + RP_ALIGNMENT - 1) & ~(size_t)(RP_ALIGNMENT - 1);
}

void *rp_allocate(size_t size)
{
    if (size > SIZE_ABSURD) return NULL;
    return rp_hooks_allocate(rounded(size ? size : 1));
}

void *rp_allocate_zero(size_t size)
{
    void *block = rp_allocate(size);
    if (block) memset(block, 0, size);
    return block;
}

void rp_release(void *block, size_t size)
{
    if (block) rp_hooks_release(block, rounded(size ? size : 1));
}

bool rp_reserve(void **array, size_t *capacity, size_t used, size_t wanted, size_t element_size)
{
    if (wanted <= *capacity) return true;
    size_t roomier = *capacity + *capacity / 2;
    size_t count = wanted > roomier ? wanted : roomier;
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

struct rp_arena_block {
    rp_arena_block *next;
    size_t size;   /* of the payload behind this header */
    size_t before; /* bytes that were taken when it began */
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
        if (!arena->total) release_blocks(arena); /* too small, and nobody has any of it */
        size_t room = arena->total + size;
        if (room < arena->most) room = arena->most;
        if (room < ARENA_FIRST) room = ARENA_FIRST;
        if (!arena_add_block(arena, room)) return NULL;
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

/* Of blocks before the newest nothing is taken again before the reset. */
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
    rp_arena_destroy(arena);
    arena_add_block(arena, needed); /* when it fails, the next take tries again */
}

void rp_arena_destroy(rp_arena *arena)
{
    release_blocks(arena);
    *arena = (rp_arena){0};
}
