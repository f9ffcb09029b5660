#include "base/store.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"

#include <string.h>

/* Arrays of a store are hashed, written and read as they are in memory. */
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "RP_F32 and RP_F64 are C's own");

size_t rp_field_type_size(rp_field_type type)
{
    switch (type) {
    case RP_F32:
        return 4;
    case RP_F64:
        return 8;
    case RP_U8:
        return 1;
    case RP_U16:
        return 2;
    case RP_U32:
        return 4;
    case RP_U64:
        return 8;
    }
    return 0;
}

void rp_store_begin(rp_store *store)
{
    *store = (rp_store){0};
}

static size_t entry_bytes(const rp_store_entry *entry)
{
    return entry->count * rp_field_type_size(entry->type);
}

static void release_entry(rp_store_entry *entry)
{
    if (entry->owned) rp_release((void *)entry->data, entry_bytes(entry));
    rp_text_release(entry->name);
    rp_text_release(entry->unit);
}

void rp_store_end(rp_store *store)
{
    for (size_t i = 0; i < store->count; i++)
        release_entry(&store->entries[i]);
    rp_release(store->entries, store->capacity * sizeof *store->entries);
    *store = (rp_store){0};
}

static rp_code add_entry(rp_store *store, const char *name, const char *unit, rp_field_type type,
                         void *data, size_t count, bool owned, rp_report *report)
{
    bool taken = rp_store_find(store, name) != NULL;
    rp_store_entry entry = {.name = rp_text_copy(name),
                            .unit = rp_text_copy(unit),
                            .owned = owned,
                            .type = type,
                            .count = count,
                            .data = data};
    if (!taken && entry.name && entry.unit &&
        rp_reserve((void **)&store->entries, &store->capacity, store->count, store->count + 1,
                   sizeof *store->entries)) {
        store->entries[store->count++] = entry;
        return RP_OK;
    }
    release_entry(&entry);
    if (taken) return rp_fail(report, RP_ERROR_DAMAGED, "two arrays have the name '%s'", name);
    return rp_fail_memory(report, sizeof entry, name);
}

static rp_code put_copy(rp_store *store, const char *name, const char *unit, rp_field_type type,
                        const void *data, size_t count, rp_report *report)
{
    size_t bytes = count * rp_field_type_size(type);
    void *copy = rp_allocate(bytes);
    if (!copy) return rp_fail_memory(report, bytes, name);
    if (bytes) memcpy(copy, data, bytes);
    return add_entry(store, name, unit, type, copy, count, true, report);
}

rp_code rp_store_put(rp_store *store, const char *name, const char *unit, rp_field_type type,
                     const void *data, size_t count, rp_report *report)
{
    if (store->borrow)
        return add_entry(store, name, unit, type, (void *)data, count, false, report);
    return put_copy(store, name, unit, type, data, count, report);
}

rp_code rp_store_give(rp_store *store, const char *name, const char *unit, rp_field_type type,
                      void *data, size_t count, rp_report *report)
{
    return add_entry(store, name, unit, type, data, count, true, report);
}

const rp_store_entry *rp_store_find(const rp_store *store, const char *name)
{
    for (size_t i = 0; i < store->count; i++)
        if (strcmp(store->entries[i].name, name) == 0) return &store->entries[i];
    return NULL;
}

rp_code rp_store_get(const rp_store *store, const char *name, rp_field_type type, void *data,
                     size_t count, rp_report *report)
{
    const rp_store_entry *entry = rp_store_find(store, name);
    if (!entry) return rp_fail(report, RP_ERROR_DAMAGED, "the state lacks '%s'", name);
    if (entry->type != type || entry->count != count)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the state's '%s' has %zu values of type %d; wanted are %zu of type %d",
                       name, entry->count, (int)entry->type, count, (int)type);
    if (count) memcpy(data, entry->data, entry_bytes(entry));
    return RP_OK;
}

rp_code rp_store_put_u64(rp_store *store, const char *name, uint64_t value, rp_report *report)
{
    return put_copy(store, name, "", RP_U64, &value, 1, report);
}

rp_code rp_store_get_u64(const rp_store *store, const char *name, uint64_t *value,
                         rp_report *report)
{
    return rp_store_get(store, name, RP_U64, value, 1, report);
}

rp_code rp_store_put_f64(rp_store *store, const char *name, const char *unit, double value,
                         rp_report *report)
{
    return put_copy(store, name, unit, RP_F64, &value, 1, report);
}

rp_code rp_store_get_f64(const rp_store *store, const char *name, double *value, rp_report *report)
{
    return rp_store_get(store, name, RP_F64, value, 1, report);
}

uint64_t rp_store_hash(const rp_store *store)
{
    uint64_t hash = store->count;
    for (size_t i = 0; i < store->count; i++) {
        const rp_store_entry *entry = &store->entries[i];
        hash = rp_hash(entry->name, strlen(entry->name), hash);
        hash = rp_hash(entry->data, entry_bytes(entry), hash);
    }
    return hash;
}
