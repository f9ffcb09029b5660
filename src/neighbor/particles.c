#include "neighbor/particles.h"
#include "base/log.h"
#include "base/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Wide loads may start at the last grain: every array is this much longer than the capacity. */
#define PADDING 8
/* Indices are 32 bits, and the last one stands for "none". */
#define COUNT_MAX ((size_t)UINT32_MAX - 1)
#define BLOCK 16384
#define NAME_MAX_LENGTH 128

/* The first fields of the table: x, y, z. */
#define PLACES 3

typedef struct rp_particle_field particle_field;

static size_t array_bytes(size_t capacity, size_t value_size)
{
    return (capacity + PADDING) * value_size;
}

/* Of a field by its number. */
static size_t capacity_of(const rp_particles *particles, int field)
{
    return field < PLACES ? particles->place_capacity : particles->capacity;
}

/* Spare arrays are kept by the size of a value: 1, 2, 4 and 8 bytes. */
static int spare_slot(rp_field_type type)
{
    size_t size = rp_field_type_size(type);
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static void release_arrays(rp_particles *particles)
{
    for (int f = 0; f < particles->field_count; f++) {
        particle_field *field = &particles->fields[f];
        size_t size = rp_field_type_size(field->type);
        if (*field->array) rp_release(*field->array, array_bytes(capacity_of(particles, f), size));
        *field->array = NULL;
    }
    for (int s = 0; s < RP_SPARE_SIZES; s++) {
        if (particles->spare[s])
            rp_release(particles->spare[s], array_bytes(particles->capacity, (size_t)1 << s));
        particles->spare[s] = NULL;
    }
}

rp_code rp_particles_begin(rp_particles *particles, rp_report *report)
{
    *particles = (rp_particles){0};
    const unsigned state = RP_FIELD_STATE | RP_FIELD_VISIBLE;
    const unsigned both = state | RP_FIELD_GHOST;
    const particle_field common[] = {
        {"x", "m", RP_F32, both, (void **)&particles->x},
        {"y", "m", RP_F32, both, (void **)&particles->y},
        {"z", "m", RP_F32, both, (void **)&particles->z},
        {"velocity_x", "m/s", RP_F32, both, (void **)&particles->vx},
        {"velocity_y", "m/s", RP_F32, both, (void **)&particles->vy},
        {"velocity_z", "m/s", RP_F32, both, (void **)&particles->vz},
        {"mass", "kg", RP_F32, both, (void **)&particles->mass},
        {"density", "kg/m3", RP_F32, both, (void **)&particles->density},
        {"pressure", "Pa", RP_F32, both, (void **)&particles->pressure},
        {"id", "", RP_U32, both, (void **)&particles->id},
        {"material", "", RP_U8, both, (void **)&particles->material},
        {"asleep", "", RP_U8, both, (void **)&particles->asleep},
        {"moisture", "", RP_F32, both, (void **)&particles->moisture},
    };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        const particle_field *c = &common[i];
        rp_code code =
            rp_particles_add_field(particles, c->name, c->unit, c->type, c->use, c->array, report);
        if (code != RP_OK) return code;
    }
    return RP_OK;
}

void rp_particles_end(rp_particles *particles)
{
    release_arrays(particles);
    rp_release(particles->ghost_source,
               particles->ghost_source_capacity * sizeof *particles->ghost_source);
    *particles = (rp_particles){0};
}

static void *field_allocate(size_t capacity, size_t size, rp_report *report)
{
    void *array = rp_allocate_zero(array_bytes(capacity, size));
    if (!array) rp_fail_memory(report, array_bytes(capacity, size), "grains");
    return array;
}

rp_code rp_particles_add_field(rp_particles *particles, const char *name, const char *unit,
                               rp_field_type type, unsigned use, void **array, rp_report *report)
{
    if (particles->field_count == RP_FIELD_MAX)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "field '%s': grains have %d fields at most",
                       name, RP_FIELD_MAX);
    RP_ASSERT(strlen(name) < NAME_MAX_LENGTH - sizeof "particles/");
    for (int f = 0; f < particles->field_count; f++)
        RP_ASSERT(strcmp(particles->fields[f].name, name) != 0);
    void *spare = NULL;
    int slot = spare_slot(type);
    *array = NULL;
    if (particles->capacity) {
        size_t size = rp_field_type_size(type);
        *array = field_allocate(particles->capacity, size, report);
        if (!*array) return RP_ERROR_MEMORY;
        if (!particles->spare[slot]) {
            spare = field_allocate(particles->capacity, size, report);
            if (!spare) {
                rp_release(*array, array_bytes(particles->capacity, size));
                *array = NULL;
                return RP_ERROR_MEMORY;
            }
            particles->spare[slot] = spare;
        }
    }
    particles->fields[particles->field_count++] = (particle_field){name, unit, type, use, array};
    return RP_OK;
}

rp_code rp_particles_add_shapes(rp_particles *particles, bool turned, rp_report *report)
{
    const unsigned use = RP_FIELD_STATE | RP_FIELD_VISIBLE | RP_FIELD_GHOST;
    static const char *const names[4] = {"orientation_w", "orientation_x", "orientation_y",
                                         "orientation_z"};
    rp_code code = rp_particles_add_field(particles, "kind", "", RP_U8, use,
                                          (void **)&particles->kind, report);
    if (code == RP_OK)
        code = rp_particles_add_field(particles, "diameter", "m", RP_F32, use,
                                      (void **)&particles->diameter, report);
    for (int i = 0; i < 4 && turned && code == RP_OK; i++)
        code = rp_particles_add_field(particles, names[i], "", RP_F32, use,
                                      (void **)&particles->turn[i], report);
    return code;
}

/* The arrays of a larger table, before they take the place of the old ones. */
typedef struct new_arrays {
    size_t capacity, place_capacity;
    void *field[RP_FIELD_MAX];
    void *spare[RP_SPARE_SIZES];
} new_arrays;

static bool allocate_new(const rp_particles *particles, new_arrays *out, rp_report *report)
{
    for (int f = 0; f < particles->field_count; f++) {
        rp_field_type type = particles->fields[f].type;
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

static void release_new(const rp_particles *particles, new_arrays *arrays)
{
    for (int f = 0; f < particles->field_count; f++) {
        size_t size = rp_field_type_size(particles->fields[f].type);
        size_t capacity = f < PLACES ? arrays->place_capacity : arrays->capacity;
        if (arrays->field[f]) rp_release(arrays->field[f], array_bytes(capacity, size));
    }
    for (int s = 0; s < RP_SPARE_SIZES; s++)
        if (arrays->spare[s])
            rp_release(arrays->spare[s], array_bytes(arrays->capacity, (size_t)1 << s));
}

static rp_code grow(rp_particles *particles, size_t capacity, size_t place_capacity,
                    rp_report *report)
{
    if (place_capacity > COUNT_MAX)
        return rp_fail(report, RP_ERROR_MEMORY,
                       "%zu grains and ghosts: at most %zu can be numbered", place_capacity,
                       COUNT_MAX);
    new_arrays arrays = {.capacity = capacity, .place_capacity = place_capacity};
    if (!allocate_new(particles, &arrays, report)) {
        release_new(particles, &arrays);
        return RP_ERROR_MEMORY;
    }
    size_t used = particles->count + particles->ghosts;
    for (int f = 0; f < particles->field_count; f++) {
        const particle_field *field = &particles->fields[f];
        size_t kept = f < PLACES || !particles->bare_ghosts ? used : particles->count;
        if (kept) memcpy(arrays.field[f], *field->array, kept * rp_field_type_size(field->type));
    }
    release_arrays(particles);
    for (int f = 0; f < particles->field_count; f++)
        *particles->fields[f].array = arrays.field[f];
    memcpy(particles->spare, arrays.spare, sizeof arrays.spare);
    particles->capacity = capacity;
    particles->place_capacity = place_capacity;
    return RP_OK;
}

rp_code rp_particles_reserve(rp_particles *particles, size_t capacity, rp_report *report)
{
    if (capacity <= particles->capacity) return RP_OK;
    size_t places = particles->place_capacity;
    return grow(particles, capacity, capacity > places ? capacity : places, report);
}

rp_code rp_particles_reserve_ghosts(rp_particles *particles, size_t all, rp_report *report)
{
    if (all <= particles->place_capacity) return RP_OK;
    return grow(particles, particles->bare_ghosts ? particles->capacity : all, all, report);
}

rp_code rp_particles_append(rp_particles *particles, size_t count, size_t *first, rp_report *report)
{
    if (count > UINT32_MAX - particles->next_id)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%zu more grains: after %u grains only %u more can be numbered", count,
                       particles->next_id, UINT32_MAX - particles->next_id);
    size_t wanted = particles->count + count;
    if (wanted > particles->capacity) {
        /* Emitters add a few at a time: grow by half. */
        size_t roomier = particles->capacity + particles->capacity / 2;
        if (roomier > COUNT_MAX) roomier = COUNT_MAX;
        particles->ghosts = 0;
        rp_code code = rp_particles_reserve(particles, wanted > roomier ? wanted : roomier, report);
        if (code != RP_OK) return code;
    }
    particles->ghosts = 0;
    *first = particles->count;
    for (int f = 0; f < particles->field_count && count; f++) {
        const particle_field *field = &particles->fields[f];
        size_t size = rp_field_type_size(field->type);
        memset((char *)*field->array + particles->count * size, 0, count * size);
    }
    for (size_t i = 0; i < count; i++)
        particles->id[particles->count + i] = particles->next_id++;
    particles->count = wanted;
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

void rp_particles_remove(rp_particles *particles, const uint8_t *dead)
{
    size_t kept = 0;
    for (int f = 0; f < particles->field_count; f++)
        kept = compact_field(&particles->fields[f], dead, particles->count);
    particles->count = kept;
    particles->ghosts = 0;
}

typedef struct reorder_job {
    const uint32_t *order;
    const void *from;
    void *to;
    size_t size;
} reorder_job;

#define REORDER(type)                                                                              \
    for (size_t i = begin; i < end; i++)                                                           \
    ((type *)job->to)[i] = ((const type *)job->from)[job->order[i]]

static void reorder_range(void *context, size_t begin, size_t end)
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

void rp_particles_reorder(rp_particles *particles, const uint32_t *order, rp_threads *threads)
{
    for (int f = 0; f < particles->field_count; f++) {
        const particle_field *field = &particles->fields[f];
        void **spare = &particles->spare[spare_slot(field->type)];
        reorder_job job = {order, *field->array, *spare, rp_field_type_size(field->type)};
        rp_parallel_for(threads, particles->count, BLOCK, reorder_range, &job);
        if (capacity_of(particles, f) > particles->capacity) { /* the spare one is too short */
            memcpy(*field->array, *spare, particles->count * job.size);
            continue;
        }
        *spare = *field->array; /* trading places saves copying back */
        *field->array = job.to;
    }
    particles->ghosts = 0;
}

static double speed_of_range(void *context, size_t begin, size_t end)
{
    const rp_particles *p = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        most = v2 > most ? v2 : most;
    }
    return sqrt((double)most);
}

double rp_particles_max_speed(const rp_particles *p, rp_threads *threads)
{
    return p->count ? rp_parallel_max(threads, p->count, 1024, speed_of_range, (void *)p) : 0;
}

size_t rp_particles_bytes_each(const rp_particles *particles)
{
    size_t bytes = 0;
    bool spares[RP_SPARE_SIZES] = {false};
    for (int f = 0; f < particles->field_count; f++) {
        bytes += rp_field_type_size(particles->fields[f].type);
        spares[spare_slot(particles->fields[f].type)] = true;
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

rp_code rp_particles_save(const rp_particles *particles, rp_store *store, rp_report *report)
{
    rp_code code = rp_store_put_u64(store, "particles/count", particles->count, report);
    if (code == RP_OK)
        code = rp_store_put_u64(store, "particles/next_id", particles->next_id, report);
    for (int f = 0; f < particles->field_count && code == RP_OK; f++) {
        const particle_field *field = &particles->fields[f];
        char name[NAME_MAX_LENGTH];
        if (field->use & RP_FIELD_STATE)
            code = rp_store_put(store, store_name(field, name), field->unit, field->type,
                                *field->array, particles->count, report);
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

/* Everything is looked at before anything is touched. */
static rp_code check_state(const rp_particles *particles, const rp_store *store, uint64_t count,
                           uint64_t next_id, rp_report *report)
{
    if (next_id > UINT32_MAX || count > next_id)
        return rp_fail(report, RP_ERROR_DAMAGED,
                       "the state's 'particles/next_id' is %llu for %llu grains; allowed are the "
                       "number of grains to %u",
                       (unsigned long long)next_id, (unsigned long long)count, UINT32_MAX);
    rp_code code = RP_OK;
    for (int f = 0; f < particles->field_count && code == RP_OK; f++)
        if (particles->fields[f].use & RP_FIELD_STATE)
            code = check_field(&particles->fields[f], store, count, report);
    return code == RP_OK ? check_ids(store, next_id, report) : code;
}

rp_code rp_particles_load(rp_particles *particles, const rp_store *store, rp_report *report)
{
    uint64_t count, next_id;
    rp_code code = rp_store_get_u64(store, "particles/count", &count, report);
    if (code == RP_OK) code = rp_store_get_u64(store, "particles/next_id", &next_id, report);
    if (code == RP_OK) code = check_state(particles, store, count, next_id, report);
    if (code == RP_OK) code = rp_particles_reserve(particles, (size_t)count, report);
    if (code != RP_OK) return code;
    for (int f = 0; f < particles->field_count && count; f++) {
        const particle_field *field = &particles->fields[f];
        size_t bytes = (size_t)count * rp_field_type_size(field->type);
        char name[NAME_MAX_LENGTH];
        RP_ASSERT(*field->array);
        if (field->use & RP_FIELD_STATE)
            memcpy(*field->array, rp_store_find(store, store_name(field, name))->data, bytes);
        else
            memset(*field->array, 0, bytes);
    }
    particles->count = (size_t)count;
    particles->ghosts = 0;
    particles->next_id = (uint32_t)next_id;
    return RP_OK;
}

void rp_particles_view(const rp_particles *particles, rp_field *fields, rp_view *view)
{
    view->count = particles->count;
    view->x = particles->x;
    view->y = particles->y;
    view->z = particles->z;
    view->vx = particles->vx;
    view->vy = particles->vy;
    view->vz = particles->vz;
    view->mass = particles->mass;
    view->density = particles->density;
    view->pressure = particles->pressure;
    view->id = particles->id;
    view->material = particles->material;
    view->asleep = particles->asleep;
    view->moisture = particles->moisture;
    view->fields = fields;
    view->field_count = 0;
    for (int f = 0; f < particles->field_count; f++) {
        const particle_field *field = &particles->fields[f];
        if (field->use & RP_FIELD_VISIBLE)
            fields[view->field_count++] =
                (rp_field){field->name, field->unit, field->type, *field->array};
    }
}
