/* The table of grains: growing, appending, removing, permuting, saving. Every operation is a loop
 * over the fields, whatever they are. */
#include "grains/grains.h"
#include "base/report.h"
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Wide loads may start at the last grain: every array has this much padding behind the capacity. */
#define PADDING 8
/* Indices have 32 bits, and the last one means "none". */
#define COUNT_MAX ((size_t)UINT32_MAX - 1)
#define BLOCK 16384
#define NAME_MAX_LENGTH 128

/* The first fields of the table, x, y, z, are the positions. */
#define PLACES 3

typedef struct rp_grains_field particle_field;

static size_t array_bytes(size_t capacity, size_t value_size)
{
    return (capacity + PADDING) * value_size;
}

/* Returns the capacity of a field: positions may have more, for bare ghosts. */
static size_t capacity_of(const rp_grains *grains, int field)
{
    return field < PLACES ? grains->place_capacity : grains->capacity;
}

/* There is one spare array for each size of a value: 1, 2, 4 and 8 bytes. */
static int spare_slot(rp_field_type type)
{
    size_t size = rp_field_type_size(type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static void release_arrays(rp_grains *grains)
{
    for (int f = 0; f < grains->field_count; f++) {
        particle_field *field = &grains->fields[f];
        size_t size = rp_field_type_size(field->type);
        if (*field->array) rp_release(*field->array, array_bytes(capacity_of(grains, f), size));
        *field->array = NULL;
    }
    for (int s = 0; s < RP_SPARE_SIZES; s++) {
        if (grains->spare[s])
            rp_release(grains->spare[s], array_bytes(grains->capacity, (size_t)1 << s));
        grains->spare[s] = NULL;
    }
}

rp_code rp_grains_begin_with(rp_grains *grains, unsigned needs, rp_report *report)
{
    *grains = (rp_grains){0};
    const unsigned use = RP_FIELD_STATE | RP_FIELD_VISIBLE | RP_FIELD_GHOST;
#define FIELD(member, name, unit, value, type, optional)                                           \
    {name, unit, type, use, (void **)&grains->member},
    const particle_field common[] = {RP_VIEW_SCHEMA(FIELD)};
#undef FIELD
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        const particle_field *c = &common[i];
        if (rp_view_schema[i].optional && !(needs >> i & 1)) continue;
        rp_code code =
            rp_grains_add_field(grains, c->name, c->unit, c->type, c->use, c->array, report);
        RP_TRY(code);
    }
    return RP_OK;
}

rp_code rp_grains_begin(rp_grains *grains, rp_report *report)
{
    return rp_grains_begin_with(grains, RP_NEEDS_ALL, report);
}

void rp_grains_end(rp_grains *grains)
{
    release_arrays(grains);
    rp_release(grains->ghost_source, grains->ghost_source_capacity * sizeof *grains->ghost_source);
    *grains = (rp_grains){0};
}

static void *field_allocate(size_t capacity, size_t size, rp_report *report)
{
    void *array = rp_allocate_zero(array_bytes(capacity, size));
    if (!array) rp_fail_memory(report, array_bytes(capacity, size), "grains");
    return array;
}

rp_code rp_grains_add_field(rp_grains *grains, const char *name, const char *unit,
                            rp_field_type type, unsigned use, void **array, rp_report *report)
{
    if (grains->field_count == RP_FIELD_MAX)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "field '%s': grains have %d fields at most",
                       name, RP_FIELD_MAX);
    RP_ASSERT(strlen(name) < NAME_MAX_LENGTH - sizeof "particles/");
    for (int f = 0; f < grains->field_count; f++)
        RP_ASSERT(strcmp(grains->fields[f].name, name) != 0);
    void *spare = NULL;
    int slot = spare_slot(type);
    *array = NULL;
    if (grains->capacity) {
        size_t size = rp_field_type_size(type);
        *array = field_allocate(grains->capacity, size, report);
        if (!*array) return RP_ERROR_MEMORY;
        if (!grains->spare[slot]) {
            spare = field_allocate(grains->capacity, size, report);
            if (!spare) {
                rp_release(*array, array_bytes(grains->capacity, size));
                *array = NULL;
                return RP_ERROR_MEMORY;
            }
            grains->spare[slot] = spare;
        }
    }
    grains->fields[grains->field_count++] = (particle_field){name, unit, type, use, array};
    return RP_OK;
}

rp_code rp_grains_add_shapes(rp_grains *grains, bool oriented, rp_report *report)
{
    const unsigned use = RP_FIELD_STATE | RP_FIELD_VISIBLE | RP_FIELD_GHOST;
    static const char *const names[4] = {"orientation_w", "orientation_x", "orientation_y",
                                         "orientation_z"};
    rp_code code =
        rp_grains_add_field(grains, "kind", "", RP_U8, use, (void **)&grains->kind, report);
    if (code == RP_OK)
        code = rp_grains_add_field(grains, "diameter", "m", RP_F32, use, (void **)&grains->diameter,
                                   report);
    for (int i = 0; i < 4 && oriented && code == RP_OK; i++)
        code = rp_grains_add_field(grains, names[i], "", RP_F32, use,
                                   (void **)&grains->orientation[i], report);
    return code;
}

/* The arrays of a larger table, before they replace the old ones: a fault leaves the table
 * unchanged.
 */
typedef struct new_arrays {
    size_t capacity, place_capacity;
    void *field[RP_FIELD_MAX];
    void *spare[RP_SPARE_SIZES];
} new_arrays;

static bool allocate_new(const rp_grains *grains, new_arrays *out, rp_report *report)
{
    for (int f = 0; f < grains->field_count; f++) {
        rp_field_type type = grains->fields[f].type;
        size_t size = rp_field_type_size(type);
        int slot = spare_slot(type);
        out->field[f] =
            field_allocate(f < PLACES ? out->place_capacity : out->capacity, size, report);
        if (!out->field[f]) return false;
        if (!out->spare[slot]) out->spare[slot] = field_allocate(out->capacity, size, report);
        if (!out->spare[slot]) return false;
    }
    return true;
}

static void release_new(const rp_grains *grains, new_arrays *arrays)
{
    for (int f = 0; f < grains->field_count; f++) {
        size_t size = rp_field_type_size(grains->fields[f].type);
        size_t capacity = f < PLACES ? arrays->place_capacity : arrays->capacity;
        if (arrays->field[f]) rp_release(arrays->field[f], array_bytes(capacity, size));
    }
    for (int s = 0; s < RP_SPARE_SIZES; s++)
        if (arrays->spare[s])
            rp_release(arrays->spare[s], array_bytes(arrays->capacity, (size_t)1 << s));
}

static rp_code grow(rp_grains *grains, size_t capacity, size_t place_capacity, rp_report *report)
{
    if (place_capacity > COUNT_MAX)
        return rp_fail(report, RP_ERROR_MEMORY,
                       "%zu grains and ghosts: at most %zu can be numbered", place_capacity,
                       COUNT_MAX);
    new_arrays arrays = {.capacity = capacity, .place_capacity = place_capacity};
    if (!allocate_new(grains, &arrays, report)) {
        release_new(grains, &arrays);
        return RP_ERROR_MEMORY;
    }
    size_t used = grains->count + grains->ghosts;
    for (int f = 0; f < grains->field_count; f++) {
        const particle_field *field = &grains->fields[f];
        size_t kept = f < PLACES || !grains->bare_ghosts ? used : grains->count;
        if (kept) memcpy(arrays.field[f], *field->array, kept * rp_field_type_size(field->type));
    }
    release_arrays(grains);
    for (int f = 0; f < grains->field_count; f++)
        *grains->fields[f].array = arrays.field[f];
    memcpy(grains->spare, arrays.spare, sizeof arrays.spare);
    grains->capacity = capacity;
    grains->place_capacity = place_capacity;
    return RP_OK;
}

rp_code rp_grains_reserve(rp_grains *grains, size_t capacity, rp_report *report)
{
    if (capacity <= grains->capacity) return RP_OK;
    size_t places = grains->place_capacity;
    return grow(grains, capacity, capacity > places ? capacity : places, report);
}

rp_code rp_grains_reserve_ghosts(rp_grains *grains, size_t all, rp_report *report)
{
    if (all <= grains->place_capacity) return RP_OK;
    return grow(grains, grains->bare_ghosts ? grains->capacity : all, all, report);
}

rp_code rp_grains_append(rp_grains *grains, size_t count, size_t *first, rp_report *report)
{
    if (count > UINT32_MAX - grains->next_id)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%zu more grains: after %u grains only %u more can be numbered", count,
                       grains->next_id, UINT32_MAX - grains->next_id);
    size_t wanted = grains->count + count;
    if (wanted > grains->capacity) {
        /* Emitters add a few at a time: growing by half makes appending amortised O(1). */
        size_t roomier = grains->capacity + grains->capacity / 2;
        if (roomier > COUNT_MAX) roomier = COUNT_MAX;
        grains->ghosts = 0;
        RP_TRY(rp_grains_reserve(grains, wanted > roomier ? wanted : roomier, report));
    }
    grains->ghosts = 0;
    *first = grains->count;
    for (int f = 0; f < grains->field_count && count; f++) {
        const particle_field *field = &grains->fields[f];
        size_t size = rp_field_type_size(field->type);
        memset((char *)*field->array + grains->count * size, 0, count * size);
    }
    for (size_t i = 0; i < count; i++)
        grains->id[grains->count + i] = grains->next_id++;
    grains->count = wanted;
    return RP_OK;
}

static size_t compact_field(const particle_field *field, const uint8_t *dead, size_t count)
{
    size_t size = rp_field_type_size(field->type), kept = 0;
    char *values = *field->array;
    for (size_t i = 0; i < count; i++) {
        if (dead[i]) continue;
        if (kept != i) memcpy(values + kept * size, values + i * size, size);
        kept++;
    }
    return kept;
}

void rp_grains_remove(rp_grains *grains, const uint8_t *dead)
{
    size_t kept = 0;
    for (int f = 0; f < grains->field_count; f++)
        kept = compact_field(&grains->fields[f], dead, grains->count);
    grains->count = kept;
    grains->ghosts = 0;
}

typedef struct reorder_job {
    const uint32_t *order;
    const void *from;
    void *to;
    size_t size;
} reorder_job;

#define REORDER(type)                                                                              \
    for (size_t i = range.begin; i < range.end; i++)                                               \
    ((type *)job->to)[i] = ((const type *)job->from)[job->order[i]]

static void reorder_range(void *context, rp_range range)
{
    const reorder_job *job = context;
    switch (job->size) {
    case 1:
        REORDER(uint8_t);
        break;
    case 2:
        REORDER(uint16_t);
        break;
    case 4:
        REORDER(uint32_t);
        break;
    default:
        REORDER(uint64_t);
        break;
    }
}

void rp_grains_reorder(rp_grains *grains, const uint32_t *order, rp_threads *threads)
{
    for (int f = 0; f < grains->field_count; f++) {
        const particle_field *field = &grains->fields[f];
        void **spare = &grains->spare[spare_slot(field->type)];
        reorder_job job = {order, *field->array, *spare, rp_field_type_size(field->type)};
        rp_parallel_for(threads, grains->count, BLOCK, reorder_range, &job);
        if (capacity_of(grains, f) > grains->capacity) { /* the spare array is too short */
            memcpy(*field->array, *spare, grains->count * job.size);
            continue;
        }
        *spare = *field->array; /* swapping saves copying back */
        *field->array = job.to;
    }
    grains->ghosts = 0;
}

size_t rp_grains_bytes_each(const rp_grains *grains)
{
    size_t bytes = 0;
    bool spares[RP_SPARE_SIZES] = {false};
    for (int f = 0; f < grains->field_count; f++) {
        bytes += rp_field_type_size(grains->fields[f].type);
        spares[spare_slot(grains->fields[f].type)] = true;
    }
    for (int s = 0; s < RP_SPARE_SIZES; s++)
        bytes += spares[s] ? (size_t)1 << s : 0;
    return bytes;
}

static const char *store_name(const particle_field *field, char name[NAME_MAX_LENGTH])
{
    snprintf(name, NAME_MAX_LENGTH, "particles/%s", field->name);
    return name;
}

rp_code rp_grains_save(const rp_grains *grains, rp_store *store, rp_report *report)
{
    rp_code code = rp_store_put_u64(store, "particles/count", grains->count, report);
    if (code == RP_OK) code = rp_store_put_u64(store, "particles/next_id", grains->next_id, report);
    for (int f = 0; f < grains->field_count && code == RP_OK; f++) {
        const particle_field *field = &grains->fields[f];
        char name[NAME_MAX_LENGTH];
        if (field->use & RP_FIELD_STATE)
            code = rp_store_put(store, store_name(field, name), field->unit, field->type,
                                *field->array, grains->count, report);
    }
    return code;
}

static rp_code check_field(const particle_field *field, const rp_store *store, uint64_t count,
                           rp_report *report)
{
    char name[NAME_MAX_LENGTH];
    const rp_store_entry *entry = rp_store_find(store, store_name(field, name));
    if (!entry) return rp_fail(report, RP_ERROR_DAMAGED, "the state lacks '%s'", name);
    if (entry->type != field->type || entry->count != count)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the state's '%s' has %zu values of type %d; wanted are %llu of type %d",
                       name, entry->count, (int)entry->type, (unsigned long long)count,
                       (int)field->type);
    return RP_OK;
}

static rp_code check_ids(const rp_store *store, uint64_t next_id, rp_report *report)
{
    const rp_store_entry *entry = rp_store_find(store, "particles/id");
    const uint32_t *id = entry->data;
    for (size_t i = 0; i < entry->count; i++)
        if (id[i] >= next_id)
            return rp_fail(report, RP_ERROR_DAMAGED,
                           "the state's 'particles/id' holds %u at %zu; all must be below %llu",
                           id[i], i, (unsigned long long)next_id);
    return RP_OK;
}

/* Checks the whole state before any of it is loaded. */
static rp_code check_state(const rp_grains *grains, const rp_store *store, uint64_t count,
                           uint64_t next_id, rp_report *report)
{
    if (next_id > UINT32_MAX || count > next_id)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the state's 'particles/next_id' is %llu for %llu grains; allowed are the "
                       "number of grains to %u",
                       (unsigned long long)next_id, (unsigned long long)count, UINT32_MAX);
    rp_code code = RP_OK;
    for (int f = 0; f < grains->field_count && code == RP_OK; f++)
        if (grains->fields[f].use & RP_FIELD_STATE)
            code = check_field(&grains->fields[f], store, count, report);
    return code == RP_OK ? check_ids(store, next_id, report) : code;
}

rp_code rp_grains_load(rp_grains *grains, const rp_store *store, rp_report *report)
{
    uint64_t count, next_id;
    RP_TRY(rp_store_get_u64(store, "particles/count", &count, report));
    RP_TRY(rp_store_get_u64(store, "particles/next_id", &next_id, report));
    RP_TRY(check_state(grains, store, count, next_id, report));
    RP_TRY(rp_grains_reserve(grains, (size_t)count, report));
    for (int f = 0; f < grains->field_count && count; f++) {
        const particle_field *field = &grains->fields[f];
        size_t bytes = (size_t)count * rp_field_type_size(field->type);
        char name[NAME_MAX_LENGTH];
        RP_ASSERT(*field->array);
        if (field->use & RP_FIELD_STATE)
            memcpy(*field->array, rp_store_find(store, store_name(field, name))->data, bytes);
        else
            memset(*field->array, 0, bytes);
    }
    grains->count = (size_t)count;
    grains->ghosts = 0;
    grains->next_id = (uint32_t)next_id;
    return RP_OK;
}

void rp_grains_view(const rp_grains *grains, rp_field *fields, rp_view *view)
{
    view->count = grains->count;
#define POINTER(member, name, unit, value, type, optional) view->member = grains->member;
    RP_VIEW_SCHEMA(POINTER)
#undef POINTER
    view->fields = fields;
    view->field_count = 0;
    for (int f = 0; f < grains->field_count; f++) {
        const particle_field *field = &grains->fields[f];
        if (field->use & RP_FIELD_VISIBLE)
            fields[view->field_count++] =
                (rp_field){field->name, field->unit, field->type, *field->array};
    }
}
