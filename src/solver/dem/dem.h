/* The discrete element method (DEM): every grain is a rigid clump of spheres, and each overlap of
 * two spheres gives a repulsive force, friction and rolling friction (Cundall and Strack 1979;
 * Bell, Yu and Mucha 2005). docs/theory/dem.md has the equations (E1 ...) that the code names.
 *
 *     dem.c               the table of the seam, creation     leapfrog.c   a step: (E1), (E10)
 *     materials.c         materials to pair constants         walls.c      contacts with solids
 *     contact_law.h       forces of a contact, (E2) to (E9)   history.c    contact history
 *     contact_geometry.h  geometry of contacts, from rows     output.c     contacts, checkpoints
 *     contact_forces.c    forces of all contacts
 *     verlet_lists.c      pairs that may touch
 *
 * A row holds what a neighbor needs to know of a sphere, so that one load of a cache line brings
 * it. Rows are a snapshot half way through the step: the table of grains may change while other
 * blocks still read the rows.
 *
 * While lists are built, most of the memory has another use:
 *
 *                      between two builds   while lists are built
 *     history_arena    contact history      sorting of grains
 *     row_arena        rows                 saved history of the old lists; for clumps, rows
 */
#ifndef RP_SOLVER_DEM_H
#define RP_SOLVER_DEM_H

#include "base/threads.h"
#include "geom/clump.h"
#include "math/wide.h"
#include "solver/solver.h"

#define RP_DEM_BLOCK 512 /* grains of a block, the unit of work of a thread */

typedef enum rp_dem_law { RP_DEM_HERTZ, RP_DEM_LINEAR } rp_dem_law;
#define RP_DEM_LAW_WORDS "hertz|linear"
typedef enum rp_dem_shear { RP_DEM_HISTORY, RP_DEM_VISCOUS } rp_dem_shear;
#define RP_DEM_SHEAR_WORDS "history|viscous"

typedef struct rp_dem_params {
    int law;             /* rp_dem_law */
    int shear;           /* rp_dem_shear */
    double stiffness;    /* N/m, linear; 0: from the contact time */
    double contact_time; /* s, linear: of two mean grains */
    double slip_damping; /* viscous: damping of slip as a fraction of the critical one */
    double steps;        /* time steps in the duration of a contact */
    double skin;         /* of the Verlet lists, in mean diameters */
    double rupture;      /* gap at which a liquid bridge ruptures, over R* */
    double overlap_most; /* overlap over the smaller radius at which a run is stopped */
} rp_dem_params;

/* Constants of a material that only this method knows. */
typedef struct rp_dem_material_params {
    double rolling_friction; /* arm of the couple that resists rolling, over the radius */
    double young;            /* Pa, Young's modulus of the solid that grains are made of */
    double poisson;          /* Poisson's ratio of the same solid */
    double surface_tension;  /* N/m, of the water between wet grains */
} rp_dem_material_params;
static inline const rp_dem_material_params *rp_dem_material_of(const rp_material_spec *material)
{
    return material->own;
}

/* Constants of a contact between two materials. Eight floats: a row for rp_wide_transpose. */
typedef struct rp_dem_pair {
    float stiffness;        /* hertz: 4/3 E*, Pa (E2); linear: N/m */
    float damping;          /* over sqrt(m* k), from the restitution (E4) */
    float shear_ratio;      /* tangential stiffness over normal stiffness (E5) */
    float friction;         /* Coulomb's coefficient */
    float rolling_friction; /* (E8) */
    float tension;          /* N/m: force of a liquid bridge over R* and moisture (E9) */
    float shear_damping;    /* of the tangential dashpot, over sqrt(m* k) */
    float step_correction;  /* b of (E4): corrects damping for the length of the step */
} rp_dem_pair;
_Static_assert(sizeof(rp_dem_pair) == sizeof(rp_wide), "pairs are transposed as wide rows");

/* The two halves of a row. Position of a sphere, the sum of two floats x + low, with its radius and
 * the inverse mass of its grain; and its velocity, with the spin, material and moisture of its
 * grain. A row is a cache line. */
enum {
    POSITION_X,
    POSITION_Y,
    POSITION_Z,
    POSITION_RADIUS,
    POSITION_LOW_X,
    POSITION_LOW_Y,
    POSITION_LOW_Z,
    POSITION_INVERSE_MASS
};
enum {
    MOTION_X,
    MOTION_Y,
    MOTION_Z,
    MOTION_SPIN_X,
    MOTION_SPIN_Y,
    MOTION_SPIN_Z,
    MOTION_MATERIAL,
    MOTION_MOISTURE
};
typedef struct rp_dem_row {
    rp_wide position, motion;
} rp_dem_row;
_Static_assert(sizeof(rp_dem_row) == 64 && offsetof(rp_dem_row, motion) == 32,
               "a row is a cache line, and like halves of rows are two wide values apart");
_Static_assert(POSITION_INVERSE_MASS == RP_WIDE - 1 && MOTION_MOISTURE == RP_WIDE - 1,
               "the halves of a row are full");

/* Inertia of a kind of grains. */
typedef struct rp_dem_inertia {
    bool isotropic;   /* all principal moments are equal: it rotates like a sphere */
    double moment[3]; /* principal moments of inertia, over mass and diameter squared */
} rp_dem_inertia;

/* Columns of the contact history, all in m: tangential displacement (E6), and the displacements of
 * rolling and twisting (E8), which only scenes with rolling friction have. */
enum {
    TANGENTIAL_X,
    TANGENTIAL_Y,
    TANGENTIAL_Z,
    ROLLING_X,
    ROLLING_Y,
    ROLLING_Z,
    TWISTING,
    RP_DEM_HISTORY_COLUMNS
};

/* The number of no fixed grain: contact with the smooth surface itself. */
#define RP_DEM_SMOOTH ((rp_fixed_grain){INT32_MIN, INT32_MIN})

static inline bool rp_dem_is_smooth(rp_fixed_grain fixed)
{
    return fixed.i == INT32_MIN;
}

/* A sphere near a solid, or near a grain that is fixed on the solid. */
typedef struct rp_dem_wall {
    uint32_t sphere;
    int32_t surface;
    rp_fixed_grain fixed;                  /* RP_DEM_SMOOTH: the surface itself */
    float history[RP_DEM_HISTORY_COLUMNS]; /* m */
} rp_dem_wall;
_Static_assert(sizeof(rp_dem_wall) == (4 + RP_DEM_HISTORY_COLUMNS) * sizeof(uint32_t),
               "walls are saved as numbers of 32 bits, without padding");
_Static_assert(ROLLING_X == 3 && TWISTING == RP_DEM_HISTORY_COLUMNS - 1,
               "history is loaded and saved by threes, the twisting after them");

/* Entries of a block are sorted into classes by the gap that they had when lists were built. Class
 * 0 touched or nearly did; a later class is skipped until some sphere has moved far enough. */
#define RP_DEM_CLASSES 4

/* The two grains of an entry, counted from the first grain of the block. */
typedef struct rp_dem_entry_grains {
    uint16_t own, other; /* RP_DEM_BLOCK: a grain of another block */
} rp_dem_entry_grains;
_Static_assert(RP_DEM_BLOCK <= UINT16_MAX, "grains of a block are numbered with 16 bits");
_Static_assert(RP_DEM_BLOCK *RP_CLUMP_MAX <= UINT16_MAX + 1,
               "spheres of a block are numbered with 16 bits");

/* Verlet lists: pairs of spheres that may touch before the lists are built again, in blocks of
 * grains. A pair within a block has one entry. A pair of two blocks has one in each, as seen from
 * the block's own sphere. Eight unused entries lie between two blocks, since wide stores reach that
 * far. */
typedef struct rp_dem_lists {
    size_t grains, spheres; /* when they were built */
    size_t entries;         /* in the arrays below, unused ones included */
    uint32_t *class_starts; /* of each block: where its classes begin, and the end of the last */
    uint32_t *wall_start;   /* of each block, and the end of the last */
    size_t block_capacity;
    float *origin[3]; /* m, positions of spheres when the lists were built */
    size_t sphere_capacity;
    uint16_t *own;   /* sphere of the block, counted from its first */
    uint32_t *other; /* sphere of another grain; with a higher number if of the same block */
    float *history[RP_DEM_HISTORY_COLUMNS]; /* m, as seen from `own`; in history_arena */
    size_t entry_capacity;
    rp_dem_entry_grains *entry_grains; /* of each entry; NULL when single */
    size_t entry_grain_capacity;
    rp_dem_wall *walls; /* in the order of spheres */
    size_t wall_count, wall_capacity;
} rp_dem_lists;

/* Contact history of the old lists, saved while new ones are built; in row_arena, or in the step's
 * arena where rows are needed meanwhile. A pair is saved once, with the grain that had the lower
 * number and as seen from there. */
typedef struct rp_dem_saved_history {
    size_t grains;
    uint32_t *end;   /* of the entries of each grain; they begin where those of the last one end */
    uint32_t *other; /* spheres, by their old numbers */
    uint8_t *own;    /* sphere of the clump; NULL when single */
    float *history;  /* m, all columns of an entry together */
    size_t columns;  /* of an entry */
    rp_dem_wall *walls;
    size_t wall_count;
    uint32_t *first; /* old number of the first sphere of each grain; NULL: that of the grain */
} rp_dem_saved_history;

typedef struct rp_dem {
    rp_host host;
    rp_dem_params params;
    bool has_history, cohesive, rolls; /* contact history; moisture; rolling friction */
    int history_columns; /* none, those of tangential displacement, or RP_DEM_HISTORY_COLUMNS */
    bool rows_current;   /* rows and history are those of the last step */
    bool single;         /* every grain is one sphere */
    const rp_grain_spec *kinds;
    rp_dem_inertia *inertia;            /* of each kind */
    double diameter, smallest, largest; /* m, of a mean grain, the smallest and the largest */
    double volume;                      /* m3, of a mean grain */
    double least_radius;                /* m, of any sphere */
    double least_mass;                  /* kg, of any grain */
    double stiffest;                    /* hertz: largest 4/3 E*, Pa; linear: N/m */
    double skin;     /* m, of the lists: they hold while no sphere has moved half of it */
    double bridge;   /* gap at which a liquid bridge ruptures, over R*; 0: all grains are dry */
    rp_reach reach;  /* of neighbor lists of grains */
    bool multilevel; /* sizes differ so much that grains are searched in levels (E12) */
    rp_vec3 period;  /* m; 0 where an axis is not periodic */
    double dt;       /* s, of this step */
    rp_vec3 gravity; /* m/s2, of this step */

    int material_count;
    rp_dem_pair *pairs;      /* of two materials */
    rp_dem_pair *wall_pairs; /* of a surface and a material */
    size_t wall_pair_count;

    float *spin[3];            /* rad/s, fields of the grains */
    float *position_low[3];    /* m, fields: low words of x, y, z */
    float *orientation_low[4]; /* fields: low words of orientations; NULL when single */
    float *acceleration[3];    /* m/s2, fields: mean over the last steps (E4) */
    uint32_t *slot;            /* field: number of the grain in the lists + 1; 0: new */

    size_t spheres;
    uint32_t *first; /* sphere of each grain, and the end of the last; NULL when single */
    size_t first_capacity;
    uint32_t *owner; /* grain of each sphere; NULL when single */
    size_t owner_capacity;
    rp_dem_row *rows; /* in row_arena */
    size_t row_capacity;
    rp_arena row_arena, history_arena;
    rp_lists neighbors; /* of the grains whose entries are being made */
    rp_dem_lists lists;
    uint32_t next_id;         /* of the table when lists were built */
    double displacement;      /* m, largest of any sphere since lists were built, at this step */
    double max_displacement;  /* m, the largest that this has been since then */
    double body_displacement; /* m, of any surface since then: an upper bound */
    double max_load;          /* m2/kg2, R* xi / m*^2, the largest of the last step (E10) */
    uint64_t rebuilds;
} rp_dem;

enum { RP_DEM_DISPLACEMENT }; /* the numbers of a step */

/* Returns the first sphere of a grain; its last is before the first of the next grain. */
static inline size_t rp_dem_first_sphere(const rp_dem *solver, size_t grain)
{
    return solver->first ? solver->first[grain] : grain;
}

/* Returns the position half of the row of a sphere: POSITION_X ... */
static inline const float *rp_dem_position(const rp_dem *solver, size_t sphere)
{
    RP_ASSERT_DEBUG(sphere < solver->spheres);
    return (const float *)&solver->rows[sphere].position;
}

/* The same while lists are built, when single spheres have no rows; without the inverse mass. */
typedef struct rp_dem_sphere_position {
    float position[POSITION_INVERSE_MASS];
} rp_dem_sphere_position;

static inline rp_dem_sphere_position rp_dem_sphere_position_of(const rp_dem *solver, size_t sphere)
{
    const rp_grains *p = solver->host.grains;
    rp_dem_sphere_position out;
    if (!solver->single) {
        memcpy(out.position, rp_dem_position(solver, sphere), sizeof out.position);
        return out;
    }
    out.position[POSITION_X] = p->x[sphere];
    out.position[POSITION_Y] = p->y[sphere];
    out.position[POSITION_Z] = p->z[sphere];
    out.position[POSITION_RADIUS] = (float)(0.5 * (double)p->diameter[sphere]);
    for (int a = 0; a < 3; a++)
        out.position[POSITION_LOW_X + a] = solver->position_low[a][sphere];
    return out;
}

/* Returns the grain that a sphere belongs to. */
static inline size_t rp_dem_owner(const rp_dem *solver, size_t sphere)
{
    return solver->owner ? solver->owner[sphere] : sphere;
}

/* Returns the number of blocks of so many grains. */
static inline size_t rp_dem_blocks(size_t grains)
{
    return (grains + RP_DEM_BLOCK - 1) / RP_DEM_BLOCK;
}

/* Returns where the classes of a block begin; [RP_DEM_CLASSES] is the end of the last. */
static inline uint32_t *rp_dem_class_starts(const rp_dem_lists *lists, size_t block)
{
    RP_ASSERT_DEBUG(block < lists->block_capacity);
    return lists->class_starts + block * (RP_DEM_CLASSES + 1);
}

/* Returns the minimum image of a difference of coordinates; period 0: none. */
static inline float rp_dem_minimum_image(float difference, float period)
{
    if (difference > 0.5f * period) return difference - period;
    return difference < -0.5f * period ? difference + period : difference;
}

/* Returns the block of a range of grains that a parallel loop hands out, which must be one block.
 */
static inline size_t rp_dem_block_of(rp_range range)
{
    RP_ASSERT(range.begin % RP_DEM_BLOCK == 0);
    RP_ASSERT(range.begin < range.end && range.end - range.begin <= RP_DEM_BLOCK);
    return range.begin / RP_DEM_BLOCK;
}

/* --- materials.c --- */

/* Computes the constants of all pairs of materials, and of surfaces and materials; fails where they
 * make no sense. */
rp_code rp_dem_make_pairs(rp_dem *solver, rp_report *report);
/* (E4): returns the damping constant for a restitution of 0.01 to 1. */
double rp_dem_damping_for(rp_dem_law law, double restitution);
/* (E4): returns b, which makes up for finite steps: damping is divided by 1 + b k dt^2 / m*. */
double rp_dem_step_correction_for(rp_dem_law law, double damping);

/* --- verlet_lists.c --- */

/* Returns the gap between two spheres, m; negative where they overlap. */
float rp_dem_gap(const rp_dem *solver, const float *from, const float *to);
/* (E9): returns the gap at which a liquid bridge between two spheres ruptures, m. */
static inline float rp_dem_bridge_length(const rp_dem *solver, const float *from, const float *to)
{
    float sum = from[POSITION_RADIUS] + to[POSITION_RADIUS];
    return (float)solver->bridge * (from[POSITION_RADIUS] * to[POSITION_RADIUS] / sum);
}
/* Returns how far from a solid the centre of a sphere may be to be listed, m; R* is its radius. */
static inline double rp_dem_wall_reach(const rp_dem *solver, double radius)
{
    return radius * (1 + solver->bridge) + solver->skin;
}

/* Returns the least gap, less bridge lengths, that entries of a class had when lists were built, m.
 */
double rp_dem_class_gap(const rp_dem *solver, int class);
/* Returns whether grains came, went or moved too far for the lists. */
bool rp_dem_lists_are_stale(const rp_dem *solver);
/* Sorts grains and builds the lists of pairs and walls again; contact history follows. */
rp_code rp_dem_build_lists(rp_dem *solver, rp_report *report);
/* Finds the grains of all entries of so many grains; nothing to do when single. */
rp_code rp_dem_find_entry_grains(rp_dem *solver, size_t grains, rp_report *report);

/* Memory of arrays; false when there is none. Contents are lost, except for the first `used`
 * entries. Rows and history take the whole of their arenas; history has the capacity of the
 * entries. */
bool rp_dem_reserve_rows(rp_dem *solver, size_t spheres);
bool rp_dem_reserve_history(rp_dem *solver);
bool rp_dem_reserve_spheres(rp_dem_lists *lists, size_t spheres);
bool rp_dem_reserve_entries(rp_dem_lists *lists, size_t used, size_t entries);
bool rp_dem_reserve_entry_grains(rp_dem_lists *lists);
bool rp_dem_reserve_walls(rp_dem_lists *lists, size_t walls);
bool rp_dem_reserve_blocks(rp_dem_lists *lists, size_t blocks);
void rp_dem_release_arrays(rp_dem *solver);

/* --- history.c --- */

/* Saves the contact history of the lists. Afterwards these have none; single spheres have no rows.
 */
rp_code rp_dem_history_save(rp_dem *solver, rp_dem_saved_history *saved, rp_report *report);
/* Gives the entries of new lists the history that was saved; zero where there was none. */
rp_code rp_dem_history_restore(rp_dem *solver, const rp_dem_saved_history *saved,
                               rp_report *report);

/* --- walls.c --- */

/* Lists the spheres that may touch solids or grains fixed on them. */
rp_code rp_dem_build_wall_lists(rp_dem *solver, rp_report *report);
/* (E9a): lays the fixed grains of rough surfaces; fails where they are too many or too large. */
rp_code rp_dem_lay_fixed_grains(rp_dem *solver, rp_report *report);

/* --- leapfrog.c --- */

/* (E1): moves grains from `time` to `time + dt`. */
rp_code rp_dem_step(void *state, double time, double dt, rp_report *report);
/* (E10): returns the longest step and what limits it. */
rp_step_limit rp_dem_limit_dt(void *state);
/* Computes the rows of all grains as they are now. */
void rp_dem_fill_rows(rp_dem *solver);

/* --- output.c --- */

rp_code rp_dem_contacts(const void *state, rp_contacts *contacts, rp_report *report);
rp_code rp_dem_save(const void *state, rp_store *store, rp_report *report);
rp_code rp_dem_load(void *state, const rp_store *store, rp_report *report);

#endif
