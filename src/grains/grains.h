/* The grains: a table of fields, one array each, with own grains first and ghosts behind them.
 *
 *     index   0 ............ count-1 | count ........... count+ghosts-1
 *             own grains, cell order | ghosts: copies across a periodic boundary
 *
 * The host adds, removes and reorders grains through this table; a solver adds fields of its own
 * when it is created, and these are reordered, saved and shown in views without further code. */
#ifndef RP_GRAINS_GRAINS_H
#define RP_GRAINS_GRAINS_H

#include "base/memory.h"
#include "base/store.h"
#include "base/threads.h"
#include "math/vec.h"
#include "view/view.h"

#define RP_FIELD_MAX 48
#define RP_SPARE_SIZES 4

typedef enum rp_field_use {
    RP_FIELD_STATE = 1,   /* saved in checkpoints */
    RP_FIELD_VISIBLE = 2, /* seen in views and written to frames */
    RP_FIELD_GHOST = 4    /* rp_neighbor_ghosts copies it to the ghosts */
} rp_field_use;

typedef struct rp_grains {
    size_t count;          /* own grains */
    size_t ghosts;         /* after them */
    size_t capacity;       /* of every array; eight more values can be read (padding) */
    size_t place_capacity; /* of x, y, z: at least `capacity` */
    bool bare_ghosts;      /* ghosts have positions only: only x, y, z are long enough for them */
    uint32_t next_id;

    /* The common fields; also in the table. */
    float *x, *y, *z;    /* m */
    float *vx, *vy, *vz; /* m/s */
    float *mass;         /* kg */
    float *density;      /* kg/m3 */
    float *pressure;     /* Pa */
    uint32_t *id;
    uint8_t *material;
    uint8_t *asleep;
    float *moisture; /* 0 dry to 1 wet */

    /* Of methods that resolve individual grains; NULL until rp_grains_add_shapes. */
    uint8_t *kind;         /* of the scene's kinds of grains */
    float *diameter;       /* m, of the ball around a grain */
    float *orientation[4]; /* w, x, y, z: from the grain's frame to the world's */

    struct rp_grains_field {
        const char *name, *unit;
        rp_field_type type;
        unsigned use; /* rp_field_use bits */
        void **array; /* the pointer to its values */
    } fields[RP_FIELD_MAX];
    int field_count;
    uint32_t *ghost_source; /* own grain that a ghost is a copy of; see rp_neighbor_ghosts */
    size_t ghost_source_capacity;
    void *spare[RP_SPARE_SIZES]; /* one array for values of 1, 2, 4, 8 bytes, for reordering */
} rp_grains;

/* Optional fields of the schema, a bit each. */
enum {
    RP_NEEDS_DENSITY = 1u << RP_VIEW_density,
    RP_NEEDS_PRESSURE = 1u << RP_VIEW_pressure,
    RP_NEEDS_ASLEEP = 1u << RP_VIEW_asleep,
    RP_NEEDS_MOISTURE = 1u << RP_VIEW_moisture,
    RP_NEEDS_ALL = RP_NEEDS_DENSITY | RP_NEEDS_PRESSURE | RP_NEEDS_ASLEEP | RP_NEEDS_MOISTURE
};

/* Position (m) and velocity (m/s) of one grain. */
static inline rp_vec3 rp_grains_place(const rp_grains *grains, size_t i)
{
    return rp_v3(grains->x[i], grains->y[i], grains->z[i]);
}
static inline rp_vec3 rp_grains_velocity(const rp_grains *grains, size_t i)
{
    return rp_v3(grains->vx[i], grains->vy[i], grains->vz[i]);
}
static inline void rp_grains_set_place(const rp_grains *grains, size_t i, rp_vec3 place)
{
    grains->x[i] = (float)place.x;
    grains->y[i] = (float)place.y;
    grains->z[i] = (float)place.z;
}
static inline void rp_grains_add_velocity(const rp_grains *grains, size_t i, rp_vec3 change)
{
    grains->vx[i] += (float)change.x;
    grains->vy[i] += (float)change.y;
    grains->vz[i] += (float)change.z;
}

/* Makes an empty table with the common fields, and of the optional ones those in `needs`; the
 * pointers of the others stay NULL. */
rp_code rp_grains_begin_with(rp_grains *grains, unsigned needs, rp_report *report);
/* The same with all optional fields. */
rp_code rp_grains_begin(rp_grains *grains, rp_report *report);
void rp_grains_end(rp_grains *grains);
/* Adds a field; `array` must stay where it is as long as the table. */
rp_code rp_grains_add_field(rp_grains *grains, const char *name, const char *unit,
                            rp_field_type type, unsigned use, void **array, rp_report *report);
/* Adds the fields of individual grains: "kind", "diameter" and, when `oriented`, "orientation_w" to
 * "orientation_z". */
rp_code rp_grains_add_shapes(rp_grains *grains, bool oriented, rp_report *report);
/* Grows the arrays to that many own grains, or own grains and ghosts together. Arrays may move. */
rp_code rp_grains_reserve(rp_grains *grains, size_t capacity, rp_report *report);
rp_code rp_grains_reserve_ghosts(rp_grains *grains, size_t all, rp_report *report);
/* Adds `count` own grains with fresh ids and all other fields zero; the first one's index goes to
 * `*first`. Ghosts are dropped. */
rp_code rp_grains_append(rp_grains *grains, size_t count, size_t *first, rp_report *report);
/* Removes the own grains with dead[i] != 0, keeping the order of the rest. Ghosts are dropped. */
void rp_grains_remove(rp_grains *grains, const uint8_t *dead);
/* Permutes the table: new grain i is old grain order[i]; ghosts are dropped. Arrays are swapped
 * with spare ones: read the pointers from the table again. */
void rp_grains_reorder(rp_grains *grains, const uint32_t *order, rp_threads *threads);
/* Returns the bytes of one grain in the table. */
size_t rp_grains_bytes_each(const rp_grains *grains);

/* State fields to and from a store, under "particles/". A state that does not fit leaves the grains
 * as they were; other fields are zero after loading. */
rp_code rp_grains_save(const rp_grains *grains, rp_store *store, rp_report *report);
rp_code rp_grains_load(rp_grains *grains, const rp_store *store, rp_report *report);
/* Fills the grains' part of a view; `fields` needs RP_FIELD_MAX places and is borrowed by it. */
void rp_grains_view(const rp_grains *grains, rp_field *fields, rp_view *view);

#endif
