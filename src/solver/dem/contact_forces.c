/* Contact forces of all grains, block by block (E2) to (E9), (E11): a block of grains sums the
 * forces on each of its grains. A contact within a block is computed once and added to both grains.
 * A contact between two blocks is computed in both of them, so that no block waits for another or
 * writes to its grains; both find the same force, to the last bit. */
#include "base/report.h"
#include "solver/dem/contact_geometry.h"

/* Rows of forces on bodies, at most. */
#define ROWS 1024
/* Of a contact, over m* / dt: explicit damping of more would not be stable (E4). */
#define MAX_DAMPING 0.3
/* Entries between the prefetch of rows and their use. */
#define PREFETCH 64

/* The worst contact of a block. */
typedef struct worst {
    float load; /* m2/kg2, R* xi / m*^2: how stiff a contact is for the mass that it moves (E10) */
    float excess; /* m, overlap beyond the limit; 0: none */
    size_t grain; /* that has this excess */
} worst;

/* Forces on the grains of a block, a row for each. Torques are about the point whose position is
 * the high word of the grain's position alone: rows of spheres have their offset from there. */
enum {
    FORCE_X,
    FORCE_Y,
    FORCE_Z,
    FORCE_VIRIAL,
    FORCE_TORQUE_X,
    FORCE_TORQUE_Y,
    FORCE_TORQUE_Z,
    FORCE_UNUSED
};
_Static_assert(FORCE_UNUSED == RP_WIDE - 1, "forces on a grain are a wide value");
typedef struct block_forces {
    rp_wide rows[RP_DEM_BLOCK + 1]; /* the last is for grains of other blocks: it is not read */
    rp_wide load, excess;           /* m2/kg2, m: the largest, as in `worst` */
} block_forces;

/* --- contact history of eight entries --- */

/* Loads three columns. */
RP_WIDE_INLINE rp_wide_vec3 load_history(float *const columns[3], size_t at)
{
    return (rp_wide_vec3){rp_wide_load(columns[0] + at), rp_wide_load(columns[1] + at),
                          rp_wide_load(columns[2] + at)};
}

/* Stores three columns. Lanes behind the last entry belong to others and keep their values. */
RP_WIDE_INLINE void store_history(float *const columns[3], size_t at, int lanes, rp_wide_vec3 value,
                                  rp_wide_vec3 before)
{
    rp_wide_int used = rp_wide_first_lanes(lanes);
    rp_wide_store(columns[0] + at, rp_wide_select(used, value.x, before.x));
    rp_wide_store(columns[1] + at, rp_wide_select(used, value.y, before.y));
    rp_wide_store(columns[2] + at, rp_wide_select(used, value.z, before.z));
}

RP_WIDE_INLINE void store_twisting(float *column, size_t at, int lanes, rp_wide value,
                                   rp_wide before)
{
    rp_wide_store(column + at, rp_wide_select(rp_wide_first_lanes(lanes), value, before));
}

/* None of eight pairs touches: their history is zero. It mostly is already, and a load is cheaper
 * than a store. */
RP_WIDE_INLINE void clear_history(const rp_dem *solver, size_t at, int lanes)
{
    float *const *columns = solver->lists.history;
    rp_wide zero = rp_wide_broadcast(0);
    rp_wide_vec3 none = {zero, zero, zero};
    for (int a = 0; a + 2 < solver->history_columns; a += ROLLING_X) {
        rp_wide_vec3 before = load_history(columns + a, at);
        if (rp_wide_any((before.x != 0) | (before.y != 0) | (before.z != 0)))
            store_history(columns + a, at, lanes, none, before);
    }
    if (solver->history_columns < RP_DEM_HISTORY_COLUMNS) return;
    rp_wide before = rp_wide_load(columns[TWISTING] + at);
    if (rp_wide_any(before != 0)) store_twisting(columns[TWISTING], at, lanes, zero, before);
}

/* --- contacts of spheres --- */

/* Transposes the forces of eight contacts on one of their sides: rows[k] is what contact k adds to
 * its grain. `virial` in N m. */
RP_WIDE_INLINE void rows_of(rp_wide_vec3 force, rp_wide_vec3 torque, rp_wide virial,
                            rp_wide rows[RP_WIDE])
{
    rows[FORCE_X] = force.x;
    rows[FORCE_Y] = force.y;
    rows[FORCE_Z] = force.z;
    rows[FORCE_VIRIAL] = virial;
    rows[FORCE_TORQUE_X] = torque.x;
    rows[FORCE_TORQUE_Y] = torque.y;
    rows[FORCE_TORQUE_Z] = torque.z;
    rows[FORCE_UNUSED] = rp_wide_broadcast(0);
    rp_wide_transpose_in_place(rows);
}

/* Finds the force rows of both grains of eight contacts; a grain of another block has the last row.
 * No branches: a processor cannot predict which contacts lead to another block. `base`: first
 * sphere of the block. */
RP_WIDE_INLINE void find_rows(const rp_dem *solver, size_t base, size_t at, uint32_t own[RP_WIDE],
                              uint32_t other[RP_WIDE])
{
    const rp_dem_lists *lists = &solver->lists;
    if (solver->single) {
        for (size_t k = 0; k < RP_WIDE; k++) {
            uint32_t sphere = lists->other[at + k] - (uint32_t)base;
            own[k] = lists->own[at + k];
            other[k] = sphere < RP_DEM_BLOCK ? sphere : RP_DEM_BLOCK;
        }
        return;
    }
    for (size_t k = 0; k < RP_WIDE; k++) {
        own[k] = lists->entry_grains[at + k].own;
        other[k] = lists->entry_grains[at + k].other;
    }
}

/* Adds the forces of eight contacts to the grains of the block. Grains of other blocks get theirs
 * from their own block. */
RP_WIDE_INLINE void add_forces(const rp_dem *solver, const rp_dem_entries *entries, size_t at,
                               const rp_dem_geometry *g, const rp_dem_contact_force *f,
                               size_t begin, block_forces *sums)
{
    /* Force on the own sphere, and torques of the shear force about both centres. The torque of
     * rolling resistance has opposite signs on both sides, that of shear has the same. */
    rp_wide normal = rp_wide_select(g->interacting, f->normal, rp_wide_broadcast(0));
    rp_wide lever = rp_dem_lever(g), other_lever = rp_dem_other_lever(g);
    rp_wide_vec3 force = rp_wide_v3_madd(f->shear, -normal, g->n);
    rp_wide_vec3 turn = rp_wide_v3_cross(g->n, f->shear);
    rp_wide_vec3 own_torque = rp_wide_v3_madd(f->torque, lever, turn);
    rp_wide_vec3 other_torque =
        rp_wide_v3_madd(rp_wide_v3_scale(f->torque, rp_wide_broadcast(-1)), other_lever, turn);
    /* Spheres of a clump: from the centre of the sphere to the reference point of its grain. */
    if (!solver->single) {
        own_torque = rp_wide_v3_add(own_torque, rp_wide_v3_cross(g->own_low, force));
        other_torque = rp_wide_v3_add(other_torque, rp_wide_v3_cross(force, g->other_low));
    }
    rp_wide first[RP_WIDE], second[RP_WIDE];
    rows_of(force, own_torque, normal * lever, first);
    rows_of(rp_wide_v3_scale(force, rp_wide_broadcast(-1)), other_torque, normal * other_lever,
            second);
    /* Lane by lane, since two lanes may name the same grain. */
    uint32_t own[RP_WIDE], other[RP_WIDE];
    find_rows(solver, rp_dem_first_sphere(solver, begin), at, own, other);
    for (int k = 0; k < entries->lanes; k++) {
        RP_ASSERT_DEBUG(own[k] < RP_DEM_BLOCK && other[k] <= RP_DEM_BLOCK);
        sums->rows[own[k]] += first[k];
        sums->rows[other[k]] += second[k];
    }
}

/* One group of eight entries. `rolls` is a constant where this is called, so that scenes without
 * rolling friction need no registers for it. */
RP_WIDE_INLINE void add_group(const rp_dem_force_job *job, const rp_dem_entries *entries, size_t at,
                              size_t begin, bool rolls, block_forces *sums)
{
    const rp_dem *solver = job->solver;
    float *const *columns = solver->lists.history;
    rp_dem_contact_options options = job->context.options;
    options.rolls = rolls;
    /* Geometry: most groups of later classes do not touch, and end here. */
    rp_dem_geometry g;
    if (!rp_dem_find_geometry(&job->context, entries, &g)) {
        if (options.has_history) clear_history(solver, at, entries->lanes);
        return;
    }
    /* Relative motion, and the history of each contact. */
    rp_dem_wide_pair pair;
    rp_dem_contact_state c = rp_dem_contact_state_of(&job->context, entries, &g, &pair);
    rolls = options.has_history && options.rolls;
    if (options.has_history) c.tangential = load_history(columns, at);
    if (rolls) c.rolling = load_history(columns + ROLLING_X, at);
    if (rolls) c.twisting = rp_wide_load(columns[TWISTING] + at);
    /* Forces, and the history for the next step. */
    rp_dem_contact_force f = rp_dem_contact_law(&options, &pair, &c, g.touching);
    if (options.has_history) store_history(columns, at, entries->lanes, f.tangential, c.tangential);
    if (rolls) store_history(columns + ROLLING_X, at, entries->lanes, f.rolling, c.rolling);
    if (rolls) store_twisting(columns[TWISTING], at, entries->lanes, f.twisting, c.twisting);
    add_forces(solver, entries, at, &g, &f, begin, sums);
    /* The stiffest contact limits the next step; an overlap that is too large stops the run. */
    rp_wide overlap = rp_wide_select(g.touching, g.overlap, rp_wide_broadcast(0));
    rp_wide smaller = rp_wide_min(g.other_radius, g.own_radius);
    sums->load = rp_wide_max(sums->load, overlap * g.radius * g.inverse_mass * g.inverse_mass);
    sums->excess = rp_wide_max(sums->excess, overlap - job->max_overlap * smaller);
}

/* Returns the end of the entries of a block that may touch by now. */
static size_t entries_end(const rp_dem_force_job *job, size_t block)
{
    const uint32_t *starts = rp_dem_class_starts(&job->solver->lists, block);
    return starts[job->classes];
}

/* Prefetches the rows of eight entries. */
RP_WIDE_INLINE void prefetch_rows(const rp_dem *solver, size_t base, size_t at)
{
    for (size_t e = at; e < at + RP_WIDE; e++) {
        __builtin_prefetch(&solver->rows[solver->lists.other[e]]);
        __builtin_prefetch(&solver->rows[base + solver->lists.own[e]]);
    }
}

RP_WIDE_INLINE void add_entries(const rp_dem_force_job *job, size_t begin, bool rolls,
                                block_forces *sums)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    size_t block = begin / RP_DEM_BLOCK, base = rp_dem_first_sphere(solver, begin);
    size_t end = entries_end(job, block);
    size_t first = rp_dem_class_starts(lists, block)[0];
    RP_ASSERT(first <= end && end + RP_WIDE <= lists->entries);
    RP_ASSERT(job->classes >= 1 && job->classes <= RP_DEM_CLASSES);
    RP_ASSERT(lists->entries <= lists->entry_capacity);
    for (size_t at = first; at < end && at < first + PREFETCH; at += RP_WIDE)
        prefetch_rows(solver, base, at);
    for (size_t at = first; at < end; at += RP_WIDE) {
        int lanes = end - at < RP_WIDE ? (int)(end - at) : RP_WIDE;
        rp_dem_entries entries = rp_dem_entries_at(lists, base, at, lanes);
        if (at + PREFETCH < end) prefetch_rows(solver, base, at + PREFETCH);
        add_group(job, &entries, at, begin, rolls, sums);
    }
}

/* Sums the forces of the contacts between spheres. */
RP_WIDE_KERNEL
static void add_contacts(const rp_dem_force_job *job, size_t begin, size_t end, block_forces *sums)
{
    rp_wide zero = rp_wide_broadcast(0);
    for (size_t i = 0; i < end - begin; i++)
        sums->rows[i] = zero;
    sums->rows[RP_DEM_BLOCK] = sums->load = sums->excess = zero;
    if (job->context.options.rolls)
        add_entries(job, begin, true, sums);
    else
        add_entries(job, begin, false, sums);
}

/* --- contacts with walls, one at a time --- */

static void note_worst(worst *w, float load, float excess, size_t grain)
{
    if (load > w->load) w->load = load;
    if (!(excess > w->excess)) return;
    w->excess = excess;
    w->grain = grain;
}

static void add_wall(const rp_dem_force_job *job, size_t grain, const rp_dem_sphere *sphere,
                     rp_dem_wall *wall, rp_dem_grain_force *sum, worst *w)
{
    rp_dem *solver = job->solver;
    rp_dem_wall_geometry g;
    if (!rp_dem_find_wall_geometry(solver, sphere, wall, &g)) {
        memset(wall->history, 0, sizeof wall->history);
        return;
    }
    rp_dem_wall_force f;
    rp_dem_wall_contact_law(&job->context.options, sphere, &g, wall->history, &f);
    memcpy(wall->history, f.history, sizeof wall->history);
    rp_vec3 force = rp_v3_madd(f.shear, -f.normal, g.n);
    rp_vec3 torque = rp_v3_add(f.torque, rp_v3_cross(g.arm, force));
    /* The opposite acts on the body. */
    const rp_surface *surface = &rp_couple_surfaces(solver->host.couple)[wall->surface];
    size_t block = grain / RP_DEM_BLOCK;
    rp_couple_add_force(solver->host.couple, block, surface, g.point, rp_v3_scale(force, -1));
    if (solver->rolls)
        rp_couple_add_torque(solver->host.couple, block, surface, rp_v3_scale(f.torque, -1));
    const double parts[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int a = 0; a < 3; a++) {
        sum->force[a] += (float)parts[a];
        sum->torque[a] += (float)parts[a + 3];
    }
    float overlap = (float)fmax(g.overlap, 0), radius = sphere->position[POSITION_RADIUS];
    float inverse = sphere->position[POSITION_INVERSE_MASS];
    sum->virial += (float)f.normal * radius;
    /* Twice the load: a grain in a corner touches several walls. */
    note_worst(w, 2 * overlap * radius * inverse * inverse,
               overlap - job->max_overlap * (float)g.smaller, grain);
}

static rp_dem_sphere sphere_of(const rp_dem *solver, size_t grain, size_t sphere)
{
    rp_dem_sphere out;
    memcpy(out.position, &solver->rows[sphere].position, sizeof out.position);
    memcpy(out.motion, &solver->rows[sphere].motion, sizeof out.motion);
    for (int a = 0; a < 3; a++) /* the arm of a single sphere is exactly zero */
        out.arm[a] =
            solver->single ? 0 : out.position[POSITION_LOW_X + a] - solver->position_low[a][grain];
    return out;
}

/* Adds the walls of the spheres of grain i, which begin at `wall`; returns where they end. */
static uint32_t add_walls(const rp_dem_force_job *job, size_t i, uint32_t wall, uint32_t end,
                          rp_dem_grain_force *sum, worst *w)
{
    const rp_dem *solver = job->solver;
    rp_dem_wall *walls = solver->lists.walls;
    size_t next = rp_dem_first_sphere(solver, i + 1);
    for (; wall < end && walls[wall].sphere < next; wall++) {
        rp_dem_sphere sphere = sphere_of(solver, i, walls[wall].sphere);
        add_wall(job, i, &sphere, &walls[wall], sum, w);
    }
    return wall;
}

/* --- a block --- */

/* Returns the force of a row with its torque about the centre of the grain: the reference point of
 * a clump is the high word of its position, and the low word is the rest of the way. */
static rp_dem_grain_force force_of(const rp_dem *solver, size_t grain, const float *row)
{
    rp_dem_grain_force f = {
        .force = {row[FORCE_X], row[FORCE_Y], row[FORCE_Z]},
        .torque = {row[FORCE_TORQUE_X], row[FORCE_TORQUE_Y], row[FORCE_TORQUE_Z]},
        .virial = row[FORCE_VIRIAL]};
    if (solver->single) return f;
    const float low[3] = {solver->position_low[0][grain], solver->position_low[1][grain],
                          solver->position_low[2][grain]};
    for (int a = 0, b = 1, c = 2; a < 3; a++, b = (b + 1) % 3, c = (c + 1) % 3)
        f.torque[a] -= low[b] * f.force[c] - low[c] * f.force[b];
    return f;
}

/* Finds the grain of a block that overlaps another one most, after a group has shown that one does
 * by too much. */
static void find_worst(const rp_dem_force_job *job, size_t block, worst *w)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    size_t base = rp_dem_first_sphere(solver, block * RP_DEM_BLOCK);
    for (size_t e = rp_dem_class_starts(lists, block)[0]; e < entries_end(job, block); e++) {
        size_t a = base + lists->own[e], b = lists->other[e];
        const float *own = rp_dem_position(solver, a), *other = rp_dem_position(solver, b);
        float overlap = -rp_dem_gap(solver, own, other);
        note_worst(w, 0,
                   overlap - job->max_overlap * fminf(own[POSITION_RADIUS], other[POSITION_RADIUS]),
                   rp_dem_owner(solver, a));
    }
}

/* (E11): returns a third of the trace of the stress, Pa, in the volume that the grain has in packed
 * material. */
static float pressure_of(const rp_dem *solver, size_t i, float virial)
{
    const rp_grains *p = solver->host.grains;
    double packed = rp_scene_materials(solver->host.scene)[p->material[i]].density;
    return virial * (float)packed / (3 * p->mass[i]);
}

void rp_dem_contact_forces_block(const rp_dem_force_job *job, rp_range range,
                                 rp_dem_grain_force *forces)
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    size_t begin = range.begin, block = rp_dem_block_of(range);
    uint32_t wall = solver->lists.wall_start[block], walls = solver->lists.wall_start[block + 1];
    RP_ASSERT(solver->lists.grains == p->count && solver->lists.spheres == solver->spheres);
    RP_ASSERT(RP_IS_ALIGNED(solver->rows));
    RP_ASSERT(wall <= walls && walls <= solver->lists.wall_count);
    block_forces sums;
    add_contacts(job, begin, range.end, &sums);
    worst w = {rp_wide_largest(sums.load), 0, begin};
    if (rp_wide_largest(sums.excess) > 0) find_worst(job, block, &w);
    for (size_t i = begin; i < range.end; i++) {
        rp_dem_grain_force *f = &forces[i - begin];
        *f = force_of(solver, i, (const float *)&sums.rows[i - begin]);
        if (wall < walls) wall = add_walls(job, i, wall, walls, f, &w);
        p->pressure[i] = pressure_of(solver, i, f->virial);
    }
    job->loads[block] = w.load;
    job->excesses[block] = (rp_grain_value){w.excess, p->id[w.grain]};
}

/* --- a step --- */

rp_dem_contact_context rp_dem_contact_context_of(const rp_dem *solver, bool evaluate_only)
{
    const rp_vec3 *period = &solver->period;
    rp_dem_contact_context context = {
        .rows = solver->rows,
        .pairs = solver->pairs,
        .material_count = solver->material_count,
        .period = {(float)period->x, (float)period->y, (float)period->z},
        .periodic = period->x > 0 || period->y > 0 || period->z > 0,
        .options = {.hertz = solver->params.law == RP_DEM_HERTZ,
                    .has_history = solver->has_history,
                    .cohesive = solver->cohesive,
                    .rolls = solver->rolls && !evaluate_only, /* contact data have no couples */
                    .evaluate_only = evaluate_only,
                    .dt = (float)solver->dt,
                    .max_damping = (float)(MAX_DAMPING / solver->dt),
                    .slip_damping = (float)solver->params.slip_damping,
                    .rupture = (float)solver->params.rupture}};
    return context;
}

/* A step that is too long shows in overlaps before it shows in NaN. */
static rp_code check_overlap(const rp_dem *solver, rp_grain_value excess, double time,
                             rp_report *report)
{
    if (!(excess.value > 0)) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s grain %u overlaps another, or a solid, by %.3g m more than %.3g of "
                   "the smaller radius: grains start on one another, a body crushes them, the step "
                   "of %.3g s is too long, or 'young' is too low",
                   time, excess.id, (double)excess.value, solver->params.overlap_most, solver->dt);
}

/* Returns the number of classes of entries that may touch by now, bridges included: two spheres may
 * have approached by twice the largest displacement. Never fewer than before: an entry that touched
 * must be computed once more after it has opened, to clear its history. */
static int classes_near(rp_dem *solver)
{
    solver->max_displacement = fmax(solver->max_displacement, solver->displacement);
    double approach = 2 * solver->max_displacement;
    int classes = 1;
    while (classes < RP_DEM_CLASSES && approach >= rp_dem_class_gap(solver, classes))
        classes++;
    return classes;
}

rp_code rp_dem_contact_forces_begin(rp_dem_force_job *job, rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count, blocks = rp_dem_blocks(count) + 1;
    size_t loads = blocks * sizeof *job->loads, excesses = blocks * sizeof *job->excesses;
    *job = (rp_dem_force_job){.solver = solver,
                              .context = rp_dem_contact_context_of(solver, false),
                              .loads = rp_arena_take(host->arena, loads),
                              .excesses = rp_arena_take(host->arena, excesses),
                              .max_overlap = (float)solver->params.overlap_most,
                              .classes = classes_near(solver)};
    if (!job->loads || !job->excesses) return rp_fail_memory(report, loads + excesses, "forces");
    return rp_couple_begin(host->couple, count, RP_DEM_BLOCK, ROWS, host->arena, report);
}

rp_code rp_dem_contact_forces_end(const rp_dem_force_job *job, double time, rp_report *report)
{
    rp_dem *solver = job->solver;
    size_t blocks = rp_dem_blocks(solver->host.grains->count);
    RP_TRY(rp_couple_finish(solver->host.couple));
    solver->max_load = (double)rp_reduce_largest(job->loads, blocks);
    return check_overlap(solver, rp_reduce_worst(job->excesses, blocks), time, report);
}
