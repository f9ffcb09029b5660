/* A state with something wrong: one entry of a store dropped, cut, of another type, or with bytes
 * changed, as a stream of numbers says. */
#ifndef RP_TESTS_WORLD_MUTATE_H
#define RP_TESTS_WORLD_MUTATE_H

#include "base/memory.h"
#include "base/store.h"

#include <string.h>

/* Copies `from` to the empty store `to` with one thing changed. */
static inline void mutate_store(const rp_store *from, rp_store *to, const uint32_t numbers[4])
{
    size_t victim = numbers[0] % from->count;
    for (size_t i = 0; i < from->count; i++) {
        const rp_store_entry *e = &from->entries[i];
        size_t count = e->count, size = rp_field_type_size(e->type);
        rp_field_type type = e->type;
        unsigned kind = i == victim ? numbers[1] % 5 : 99;
        if (kind == 0) continue;
        if (kind == 1) count = count ? numbers[2] % count : 0;
        if (kind == 2) type = (rp_field_type)(numbers[2] % 6);
        if (kind == 2 && rp_field_type_size(type) > size) type = e->type;
        unsigned char *data = rp_allocate(count * size);
        if (count) memcpy(data, e->data, count * size);
        if (kind == 3 && count) data[numbers[2] % (count * size)] ^= (unsigned char)numbers[3];
        if (kind == 4 && count) memset(data + numbers[2] % count * size, (int)numbers[3], size);
        size_t bytes = count * size;
        count = bytes / rp_field_type_size(type);
        unsigned char *fitting = rp_allocate(count * rp_field_type_size(type));
        if (count) memcpy(fitting, data, count * rp_field_type_size(type));
        rp_release(data, bytes);
        rp_store_give(to, e->name, e->unit, type, fitting, count, NULL);
    }
}

#endif
