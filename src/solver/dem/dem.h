/* Discrete elements: every grain on its own, a rigid arrangement of spheres that push and rub each
 * other where they overlap; docs/theory/dem.md has the equations (E1 …) named here.
 *
 *     dem.c       the tables of the seam       step.c      the order of a step
 *     law.c       materials to pair constants  respond.h   the force of a contact
 *     meet.h      who touches, from rows       press.c     a sphere on a solid
 *     lists.c     who may touch whom           keep.c      contact memory across new lists
 *     forces.c    forces of all contacts       walls.c     grains on solids
 *     move.c      kicks, drifts, rows          contacts.c  contacts as data
 *     state.c     checkpoints                  room.c      memory
 *     rough.c     fixed grains of solids
 *
 * Rows hold what a neighbor needs to know of a sphere, so that one load brings it; they are a
 * snapshot, and the table of grains may change while others still read them.
 *
 * While lists are made, most of the memory has another use:
 *
 *                        between lists    while they are made
 *     room of springs    springs          sorting
 *     room of rows       rows             what is kept of the springs before; of clumps, rows
 */
#ifndef RP_SOLVER_DEM_H
#define RP_SOLVER_DEM_H

#include "base/clock.h"
#include "geom/clump.h"
#include "math/wide.h"
#include "solver/solver.h"

#define RP_DEM_BLOCK 512 /* grains that a thread takes at a time */

typedef enum rp_dem_law { RP_DEM_HERTZ, RP_DEM_LINEAR } rp_dem_law;
#define RP_DEM_LAW_WORDS "hertz|linear"
typedef enum rp_dem_shear { RP_DEM_HISTORY, RP_DEM_VISCOUS } rp_dem_shear;
#define RP_DEM_SHEAR_WORDS "history|viscous"

typedef struct rp_dem_params {
    int law;             /* rp_dem_law */
    int shear;           /* rp_dem_shear */
    double stiffness;    /* N/m, linear; 0: from the contact time */
    double contact_time; /* s, linear: of two mean grains */
    double slip_damping; /* viscous: damping of slip in parts of the critical one */
    double steps;        /* in a contact's time */
    double skin;         /* mean diameters that lists reach beyond contacts */
    double rupture;      /* gap at which a liquid bridge breaks, in parts of the mean radius */
    double overlap_most; /* in parts of the smaller radius, before a run is stopped */
} rp_dem_params;

/* What discrete elements alone know of a material. */
typedef struct rp_dem_material_params {
    double rolling_friction; /* arm of the couple that resists rolling, over the radius */
    double young;            /* Pa, of the solid that grains are made of */
    double poisson;          /* likewise */
    double surface_tension;  /* N/m, of the water between wet grains */
} rp_dem_material_params;
static inline const rp_dem_material_params *rp_dem_material_of(const rp_material_spec *material)
{
    return material->own;
}

/* What the materials of a contact make of it. Eight floats: a row for rp_wide_transpose. */
typedef struct rp_dem_pair {
    float stiffness; /* hertz: 4/3 E*, Pa (E2); linear: N/m */
    float damping;   /* in parts of sqrt(m* k): by the restitution (E4) */
    float shear;     /* tangential stiffness over normal stiffness (E5) */
    float friction;
    float rolling;
    float tension; /* N/m: force of a bridge over R* and moisture (E9) */
    float slip;    /* damping of slip in parts of sqrt(m* k), history */
    float lag;     /* what the steps make of damping, over k dt^2 / m* (E4) */
} rp_dem_pair;
_Static_assert(sizeof(rp_dem_pair) == sizeof(rp_wide), "pairs are turned as wide rows");

/* Rows: where a sphere is, x = place + low, with its radius and the inverse mass of its grain; and
 * how it moves, with its grain's spin, material and moisture. A row is a cache line. */
enum { AT_X, AT_Y, AT_Z, AT_RADIUS, AT_LOW_X, AT_LOW_Y, AT_LOW_Z, AT_INVERSE_MASS };
enum { GO_X, GO_Y, GO_Z, GO_SPIN_X, GO_SPIN_Y, GO_SPIN_Z, GO_MATERIAL, GO_MOISTURE };
typedef struct rp_dem_row {
    rp_wide at, go;
} rp_dem_row;
_Static_assert(sizeof(rp_dem_row) == 64 && offsetof(rp_dem_row, go) == 32,
               "a row is a cache line, and its halves are two wide values apart from the next's");
_Static_assert(AT_INVERSE_MASS == RP_WIDE - 1 && GO_MOISTURE == RP_WIDE - 1,
               "the halves of a row are full");

/* What kicks and drifts need to know of a kind of grains. */
typedef struct rp_dem_kind {
    bool even;        /* all moments are the same: it turns like a ball */
    double moment[3]; /* of inertia, over mass and diameter squared */
} rp_dem_kind;

/* What a contact remembers, all of it in m: the spring along the surface (E6), and the
 * displacements of rolling and twisting (E8), which only materials with rolling friction have. */
enum { SPRING_X, SPRING_Y, SPRING_Z, ROLL_X, ROLL_Y, ROLL_Z, TWIST, RP_DEM_SPRINGS };

/* No fixed grain has this number. */
#define RP_DEM_SMOOTH ((rp_fixed){INT32_MIN, INT32_MIN})

static inline bool rp_dem_is_smooth(rp_fixed fixed)
{
    return fixed.i == INT32_MIN;
}

/* A sphere near a solid, or near a grain that is fixed on it. */
typedef struct rp_dem_wall {
    uint32_t sphere;
    int32_t surface;
    rp_fixed fixed;               /* RP_DEM_SMOOTH: the surface itself */
    float spring[RP_DEM_SPRINGS]; /* m */
} rp_dem_wall;
_Static_assert(sizeof(rp_dem_wall) == (4 + RP_DEM_SPRINGS) * sizeof(uint32_t),
               "walls are saved as numbers of 32 bits, without padding");
_Static_assert(ROLL_X == 3 && TWIST == RP_DEM_SPRINGS - 1,
               "springs are loaded and saved by threes, the twist after them");

/* Entries of a block by the gap they had when lists were made: those that touched or nearly did
 * come first, and the others are not looked at before somebody has gone so far. */
#define RP_DEM_CLASSES 4

/* The grains of both sides of an entry, counted from the block's first. */
typedef struct rp_dem_sides {
    uint16_t mine, other; /* RP_DEM_BLOCK: one of another block */
} rp_dem_sides;
_Static_assert(RP_DEM_BLOCK <= UINT16_MAX, "grains of a block are numbered with 16 bits");
_Static_assert(RP_DEM_BLOCK *RP_CLUMP_MAX <= UINT16_MAX + 1,
               "spheres of a block are numbered with 16 bits");

/* Who may touch whom until the next lists: pairs of spheres, in blocks of grains. A pair within a
 * block has one entry, one between two blocks has one in each, which sees it from its own side.
 * Blocks are a group of eight entries apart, since wide stores reach that far. */
typedef struct rp_dem_lists {
    size_t grains, spheres; /* when they were made */
    size_t entries;         /* places in the arrays below, gaps included */
    uint32_t *ends;         /* of each block: where its classes begin, and behind the last one */
    uint32_t *wall_start;   /* of each block, and behind the last */
    size_t block_capacity;
    float *origin[3]; /* m, where spheres were then */
    size_t sphere_capacity;
    uint16_t *mine;  /* sphere of the block, counted from its first */
    uint32_t *other; /* sphere of another grain; with a higher number when of the same block */
    float *spring[RP_DEM_SPRINGS]; /* m, as seen from `mine`; history only; in their room */
    size_t entry_capacity;
    rp_dem_sides *sides; /* of entries; NULL when single */
    size_t side_capacity;
    rp_dem_wall *walls; /* in the order of spheres */
    size_t wall_count, wall_capacity;
} rp_dem_lists;

/* What is kept of the lists before, while new ones are made; in the room of rows, or in the step's
 * arena where rows are needed. A pair is kept once, with the grain whose number was lower, and seen
 * from there. */
typedef struct rp_dem_kept {
    size_t grains;
    uint32_t *end;   /* of each grain's; they begin where the grain before ends */
    uint32_t *other; /* spheres, in the numbers of then */
    uint8_t *mine;   /* ball of the grain; NULL when single */
    float *spring;   /* m, all of an entry together */
    size_t springs;  /* of an entry */
    rp_dem_wall *walls;
    size_t wall_count;
    uint32_t *first; /* sphere of each grain; NULL: they are the grains */
} rp_dem_kept;

typedef struct rp_dem {
    rp_host host;
    rp_dem_params params;
    bool history, cohesive, rolls;
    int springs; /* columns of contact history: none, those of sliding, or RP_DEM_SPRINGS */
    bool seen;   /* rows are those of the last step */
    bool single; /* every grain is one sphere */
    const rp_grain_spec *kinds;
    rp_dem_kind *bodies;                /* one for each of them */
    double diameter, smallest, largest; /* m, of a mean grain, the smallest and the largest */
    double volume;                      /* m3, of a mean grain */
    double least_radius;                /* m, of any sphere */
    double least_mass;                  /* kg, of any grain */
    double stiffest;                    /* hertz: largest 4/3 E*, Pa; linear: N/m */
    double slack;    /* m, that grains may go before there are new lists, twice */
    double bridge;   /* gap at which the water between two breaks, in parts of R*; 0: all are dry */
    rp_reach reach;  /* of lists of grains */
    bool wide;       /* sizes differ so much that they make levels */
    rp_vec3 period;  /* m; 0 where an axis is not periodic */
    double dt;       /* s, of the step in hand */
    rp_vec3 gravity; /* m/s2, likewise */

    int material_count;
    rp_dem_pair *pairs;      /* of two materials */
    rp_dem_pair *wall_pairs; /* of a surface and a material */
    size_t wall_pair_count;

    float *spin[3];     /* rad/s, fields of the grains */
    float *low[3];      /* m, fields: what x, y, z lack */
    float *turn_low[4]; /* fields: what orientations lack; NULL when single */
    float *drive[3];    /* m/s2, fields: accelerations of the last steps, smoothed (E4) */
    uint32_t *slot;     /* field: number in the lists + 1; 0: new */

    size_t spheres;
    uint32_t *first; /* sphere of each grain, and behind the last; NULL when single */
    size_t first_capacity;
    uint32_t *owner; /* grain of each sphere; NULL when single */
    size_t owner_capacity;
    rp_dem_row *rows; /* in their room */
    size_t row_capacity;
    rp_arena row_room, spring_room;
    rp_lists near; /* of the grains whose entries are being made */
    rp_dem_lists lists;
    uint32_t next_id;  /* of the table when lists were made */
    double moved;      /* m, that any sphere has gone since */
    double most_moved; /* m, the most that this has been */
    double body_moved; /* m, that any surface has gone since, at most */
    double load;       /* m2/kg2, R* xi / m*^2, the largest of the last step */
    uint64_t rebuilds;
} rp_dem;

enum { RP_DEM_DISPLACEMENT }; /* the numbers of a step */

/* The spheres of a grain. */
static inline size_t rp_dem_first(const rp_dem *solver, size_t grain)
{
    return solver->first ? solver->first[grain] : grain;
}

/* Where a sphere is: AT_X … */
static inline const float *rp_dem_at(const rp_dem *solver, size_t sphere)
{
    RP_ASSERT_DEBUG(sphere < solver->spheres);
    return (const float *)&solver->rows[sphere].at;
}

/* The same while lists are made, when single spheres have no rows; without AT_INVERSE_MASS. */
typedef struct rp_dem_place {
    float at[AT_INVERSE_MASS];
} rp_dem_place;

static inline rp_dem_place rp_dem_place_of(const rp_dem *solver, size_t sphere)
{
    const rp_grains *p = solver->host.grains;
    rp_dem_place place;
    if (!solver->single) {
        memcpy(place.at, rp_dem_at(solver, sphere), sizeof place.at);
        return place;
    }
    place.at[AT_X] = p->x[sphere];
    place.at[AT_Y] = p->y[sphere];
    place.at[AT_Z] = p->z[sphere];
    place.at[AT_RADIUS] = (float)(0.5 * (double)p->diameter[sphere]);
    for (int a = 0; a < 3; a++)
        place.at[AT_LOW_X + a] = solver->low[a][sphere];
    return place;
}

static inline size_t rp_dem_owner(const rp_dem *solver, size_t sphere)
{
    return solver->owner ? solver->owner[sphere] : sphere;
}

/* The blocks that so many grains make. */
static inline size_t rp_dem_blocks(size_t grains)
{
    return (grains + RP_DEM_BLOCK - 1) / RP_DEM_BLOCK;
}

/* Where the classes of a block begin; [RP_DEM_CLASSES] is behind the last. */
static inline uint32_t *rp_dem_ends(const rp_dem_lists *lists, size_t block)
{
    RP_ASSERT_DEBUG(block < lists->block_capacity);
    return lists->ends + block * (RP_DEM_CLASSES + 1);
}

/* How far a coordinate's difference is across the nearer way round a period; 0: no period. */
static inline float rp_dem_nearest(float difference, float period)
{
    if (difference > 0.5f * period) return difference - period;
    return difference < -0.5f * period ? difference + period : difference;
}

/* What loops over blocks rely on: where a block begins, and that it is no longer than one. */
static inline size_t rp_dem_block(rp_range range)
{
    RP_ASSERT(range.begin % RP_DEM_BLOCK == 0);
    RP_ASSERT(range.begin < range.end && range.end - range.begin <= RP_DEM_BLOCK);
    return range.begin / RP_DEM_BLOCK;
}

/* law.c: all that follows from the materials; faults where they make no sense. */
rp_code rp_dem_take_materials(rp_dem *solver, rp_report *report);
/* (E4): the damping for a restitution of 0.01 to 1. */
double rp_dem_damping_for(rp_dem_law law, double restitution);
/* And what steps make of it: damping is less by 1 + lag k dt^2 / m*. */
double rp_dem_lag_for(rp_dem_law law, double damping);
/* (E10): how long a contact lasts at that speed of approach. */
double rp_dem_contact_time(const rp_dem *solver, double speed);
rp_step_limit rp_dem_limit_dt(void *state);
/* The longest step for the way of the fastest body, and which it is; -1 where none moves. */
double rp_dem_body_limit(const rp_dem *solver, int *body, double *speed);

/* lists.c */
/* m, between two spheres by where they are; negative where they overlap. */
float rp_dem_gap(const rp_dem *solver, const float *from, const float *to);
/* m: how wide the water between two spheres can become, (E9). */
static inline float rp_dem_bridge(const rp_dem *solver, const float *from, const float *to)
{
    float sum = from[AT_RADIUS] + to[AT_RADIUS];
    return (float)solver->bridge * (from[AT_RADIUS] * to[AT_RADIUS] / sum);
}
/* m, how far from a solid the middle of a sphere is in its list: R* is a whole radius there. */
static inline double rp_dem_reach(const rp_dem *solver, double radius)
{
    return radius * (1 + solver->bridge) + solver->slack;
}

/* m: gaps of a class, less the bridges, were no smaller when lists were made. */
double rp_dem_class_gap(const rp_dem *solver, int class);
/* Whether grains came, went or moved too far for the lists. */
bool rp_dem_lists_are_stale(const rp_dem *solver);
rp_code rp_dem_make_lists(rp_dem *solver, rp_report *report);
/* Whose the spheres of all entries of so many grains are. */
rp_code rp_dem_name_sides(rp_dem *solver, size_t grains, rp_report *report);

/* room.c: arrays that grow and keep nothing; false when memory runs out. */
/* Nothing else is in the rooms of rows and of springs then; springs are as many as entries. */
bool rp_dem_room_for_rows(rp_dem *solver, size_t spheres);
bool rp_dem_room_for_springs(rp_dem *solver);
bool rp_dem_room_for_spheres(rp_dem_lists *lists, size_t spheres);
/* This one keeps the first `used`. */
bool rp_dem_room_for_entries(rp_dem_lists *lists, size_t used, size_t entries);
bool rp_dem_room_for_sides(rp_dem_lists *lists);
bool rp_dem_room_for_walls(rp_dem_lists *lists, size_t walls);
bool rp_dem_room_for_blocks(rp_dem_lists *lists, size_t blocks);
void rp_dem_release_arrays(rp_dem *solver);

/* keep.c */
/* Afterwards there are no springs; nor rows, of single spheres. */
rp_code rp_dem_keep(rp_dem *solver, rp_dem_kept *kept, rp_report *report);
/* The springs of new lists. */
rp_code rp_dem_recall(rp_dem *solver, const rp_dem_kept *kept, rp_report *report);

/* rough.c: lays the fixed grains of rough surfaces; faults where they are too many or too large. */
rp_code rp_dem_roughen(rp_dem *solver, rp_report *report);

/* walls.c */
rp_code rp_dem_list_walls(rp_dem *solver, rp_report *report);

/* move.c */
/* (E1): all grains drift for half a step; rows follow where lists are good, and `moved`. */
void rp_dem_drift(rp_dem *solver);
/* Rows of all grains as they are, which is where lists are made. */
void rp_dem_fill_rows(rp_dem *solver);

/* step.c */
rp_code rp_dem_step(void *state, double time, double dt, rp_report *report);

/* contacts.c */
rp_code rp_dem_contacts(const void *state, rp_contacts *contacts, rp_report *report);

/* state.c */
rp_code rp_dem_save(const void *state, rp_store *store, rp_report *report);
rp_code rp_dem_load(void *state, const rp_store *store, rp_report *report);

#endif
