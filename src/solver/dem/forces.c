/* Forces of all contacts: a block of grains adds up what presses on each of them. Contacts within a
 * block are computed once. Those between two blocks are looked at from both sides, which saves all
 * waiting for each other; both find the same force, to the last bit. */
#include "base/report.h"
#include "solver/dem/meet.h"

/* Rows of forces on bodies, at most. */
#define ROWS 1024
/* Of a contact, in parts of m* over the step: explicit damping of more would not be stable. */
#define DAMPING_MOST 0.3
/* Entries that rows are asked for ahead. */
#define EARLY 64

/* The worst of a block. */
typedef struct worst {
    float load;   /* m2/kg2, R* xi / m*^2: how stiff a contact is for what it moves */
    float excess; /* m, beyond what is borne; 0: none */
    size_t grain; /* that has it */
} worst;

/* What presses on the grains of a block, a row for each: torques are about the origin of their low
 * parts. */
enum { LOAD_X, LOAD_Y, LOAD_Z, LOAD_SQUEEZE, LOAD_TURN_X, LOAD_TURN_Y, LOAD_TURN_Z, LOAD_NONE };
_Static_assert(LOAD_NONE == RP_WIDE - 1, "loads of a grain are a wide value");
typedef struct block_load {
    rp_wide rows[RP_DEM_BLOCK + 1]; /* the last is for the grains of others: nobody reads it */
    rp_wide load, excess;           /* m2/kg2, m: the largest, as of the worst */
} block_load;

/* Three columns of contact history. */
RP_WIDE_INLINE rp_wide_vec3 load_springs(float *const columns[3], size_t at)
{
    return (rp_wide_vec3){rp_wide_load(columns[0] + at), rp_wide_load(columns[1] + at),
                          rp_wide_load(columns[2] + at)};
}

/* The lanes behind the last entry keep what they have. */
RP_WIDE_INLINE void store_springs(float *const columns[3], size_t at, int lanes,
                                  rp_wide_vec3 spring, rp_wide_vec3 before)
{
    rp_wide_int there = rp_wide_first_lanes(lanes);
    rp_wide_store(columns[0] + at, rp_wide_select(there, spring.x, before.x));
    rp_wide_store(columns[1] + at, rp_wide_select(there, spring.y, before.y));
    rp_wide_store(columns[2] + at, rp_wide_select(there, spring.z, before.z));
}

RP_WIDE_INLINE void store_twist(float *column, size_t at, int lanes, rp_wide twist, rp_wide before)
{
    rp_wide_store(column + at, rp_wide_select(rp_wide_first_lanes(lanes), twist, before));
}

/* Nobody touches: springs are gone. */
RP_WIDE_INLINE void forget_springs(const rp_dem *solver, size_t at, int lanes)
{
    float *const *columns = solver->lists.spring;
    rp_wide zero = rp_wide_broadcast(0);
    rp_wide_vec3 none = {zero, zero, zero};
    for (int a = 0; a + 2 < solver->springs; a += ROLL_X) {
        rp_wide_vec3 before = load_springs(columns + a, at);
        if (rp_wide_any((before.x != 0) | (before.y != 0) | (before.z != 0)))
            store_springs(columns + a, at, lanes, none, before);
    }
    if (solver->springs < RP_DEM_SPRINGS) return;
    rp_wide before = rp_wide_load(columns[TWIST] + at);
    if (rp_wide_any(before != 0)) store_twist(columns[TWIST], at, lanes, zero, before);
}

/* The rows of one side of eight contacts; the squeeze is N m, normal forces times levers. */
RP_WIDE_INLINE void rows_of(rp_wide_vec3 force, rp_wide_vec3 torque, rp_wide squeeze,
                            rp_wide rows[RP_WIDE])
{
    rows[LOAD_X] = force.x;
    rows[LOAD_Y] = force.y;
    rows[LOAD_Z] = force.z;
    rows[LOAD_SQUEEZE] = squeeze;
    rows[LOAD_TURN_X] = torque.x;
    rows[LOAD_TURN_Y] = torque.y;
    rows[LOAD_TURN_Z] = torque.z;
    rows[LOAD_NONE] = rp_wide_broadcast(0);
    rp_wide_transpose_in_place(rows);
}

/* The rows of loads of both sides of eight contacts. No branches: who is of another block cannot be
 * foreseen. `base`: the first sphere of the block. */
RP_WIDE_INLINE void name_rows(const rp_dem *solver, size_t base, size_t at, uint32_t mine[RP_WIDE],
                              uint32_t other[RP_WIDE])
{
    const rp_dem_lists *lists = &solver->lists;
    if (solver->single) {
        for (size_t k = 0; k < RP_WIDE; k++) {
            uint32_t sphere = lists->other[at + k] - (uint32_t)base;
            mine[k] = lists->mine[at + k];
            other[k] = sphere < RP_DEM_BLOCK ? sphere : RP_DEM_BLOCK;
        }
        return;
    }
    for (size_t k = 0; k < RP_WIDE; k++) {
        mine[k] = lists->sides[at + k].mine;
        other[k] = lists->sides[at + k].other;
    }
}

/* Adds what eight contacts do to the grains of the block; what they do to others is for the blocks
 * of those to find. */
RP_WIDE_INLINE void add_answer(const rp_dem *solver, const rp_dem_entries *entries, size_t at,
                               const rp_dem_eight *e, const rp_dem_answer *a, size_t begin,
                               block_load *l)
{
    rp_wide normal = rp_wide_select(e->held, a->normal, rp_wide_broadcast(0));
    rp_wide lever = rp_dem_lever(e), other_lever = rp_dem_other_lever(e);
    rp_wide_vec3 force = rp_wide_v3_madd(a->shear, -normal, e->n);
    rp_wide_vec3 turn = rp_wide_v3_cross(e->n, a->shear);
    rp_wide_vec3 own = rp_wide_v3_madd(a->torque, lever, turn);
    rp_wide_vec3 other =
        rp_wide_v3_madd(rp_wide_v3_scale(a->torque, rp_wide_broadcast(-1)), other_lever, turn);
    if (!solver->single) {
        own = rp_wide_v3_add(own, rp_wide_v3_cross(e->own_low, force));
        other = rp_wide_v3_add(other, rp_wide_v3_cross(force, e->other_low));
    }
    rp_wide first[RP_WIDE], second[RP_WIDE];
    rows_of(force, own, normal * lever, first);
    rows_of(rp_wide_v3_scale(force, rp_wide_broadcast(-1)), other, normal * other_lever, second);
    uint32_t mine[RP_WIDE], others[RP_WIDE];
    name_rows(solver, rp_dem_first(solver, begin), at, mine, others);
    for (int k = 0; k < entries->lanes; k++) {
        RP_ASSERT_DEBUG(mine[k] < RP_DEM_BLOCK && others[k] <= RP_DEM_BLOCK);
        l->rows[mine[k]] += first[k];
        l->rows[others[k]] += second[k];
    }
}

/* One group of eight entries. Whether some grains resist rolling is known where this is called, so
 * that the others need no registers for it. */
RP_WIDE_INLINE void add_group(const rp_dem_forces *job, const rp_dem_entries *entries, size_t at,
                              size_t begin, bool resisted, block_load *l)
{
    const rp_dem *solver = job->solver;
    float *const *columns = solver->lists.spring;
    rp_dem_rules known = job->field.rules;
    const rp_dem_rules *rules = &known;
    known.rolls = resisted;
    rp_dem_eight e;
    if (!rp_dem_look(&job->field, entries, &e)) {
        if (rules->history) forget_springs(solver, at, entries->lanes);
        return;
    }
    rp_dem_pairs pairs;
    rp_dem_meet m = rp_dem_meet_of(&job->field, entries, &e, &pairs);
    bool rolls = rules->history && rules->rolls;
    if (rules->history) m.spring = load_springs(columns, at);
    if (rolls) m.roll = load_springs(columns + ROLL_X, at);
    if (rolls) m.twist = rp_wide_load(columns[TWIST] + at);
    rp_dem_answer a = rp_dem_respond(rules, &pairs, &m, e.touching);
    if (rules->history) store_springs(columns, at, entries->lanes, a.spring, m.spring);
    if (rolls) store_springs(columns + ROLL_X, at, entries->lanes, a.roll, m.roll);
    if (rolls) store_twist(columns[TWIST], at, entries->lanes, a.twist, m.twist);
    add_answer(solver, entries, at, &e, &a, begin, l);
    rp_wide overlap = rp_wide_select(e.touching, e.overlap, rp_wide_broadcast(0));
    rp_wide smaller = rp_wide_min(e.other_radius, e.own_radius);
    l->load = rp_wide_max(l->load, overlap * e.radius * e.inverse_mass * e.inverse_mass);
    l->excess = rp_wide_max(l->excess, overlap - job->most * smaller);
}

/* The entries of a block that may touch by now. */
static size_t entries_behind(const rp_dem_forces *job, size_t block)
{
    const uint32_t *ends = rp_dem_ends(&job->solver->lists, block);
    return ends[job->classes];
}

/* Asks early for the rows of entries that come soon. */
RP_WIDE_INLINE void ask_for_rows(const rp_dem *solver, size_t base, size_t at)
{
    for (size_t e = at; e < at + RP_WIDE; e++) {
        __builtin_prefetch(&solver->rows[solver->lists.other[e]]);
        __builtin_prefetch(&solver->rows[base + solver->lists.mine[e]]);
    }
}

RP_WIDE_INLINE void add_entries(const rp_dem_forces *job, size_t begin, bool resisted,
                                block_load *l)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    size_t block = begin / RP_DEM_BLOCK, base = rp_dem_first(solver, begin);
    size_t behind = entries_behind(job, block);
    size_t first = rp_dem_ends(lists, block)[0];
    RP_ASSERT(first <= behind && behind + RP_WIDE <= lists->entries);
    RP_ASSERT(job->classes >= 1 && job->classes <= RP_DEM_CLASSES);
    RP_ASSERT(lists->entries <= lists->entry_capacity);
    for (size_t at = first; at < behind && at < first + EARLY; at += RP_WIDE)
        ask_for_rows(solver, base, at);
    for (size_t at = first; at < behind; at += RP_WIDE) {
        int lanes = behind - at < RP_WIDE ? (int)(behind - at) : RP_WIDE;
        rp_dem_entries entries = rp_dem_entries_at(lists, base, at, lanes);
        if (at + EARLY < behind) ask_for_rows(solver, base, at + EARLY);
        add_group(job, &entries, at, begin, resisted, l);
    }
}

static void note_worst(worst *w, float pressed, float excess, size_t grain)
{
    if (pressed > w->load) w->load = pressed;
    if (!(excess > w->excess)) return;
    w->excess = excess;
    w->grain = grain;
}

static void add_wall(const rp_dem_forces *job, size_t grain, const rp_dem_self *self,
                     rp_dem_wall *wall, rp_dem_force *l, worst *w)
{
    rp_dem *solver = job->solver;
    rp_dem_press press;
    if (!rp_dem_press_of(solver, self, wall, &press)) {
        memset(wall->spring, 0, sizeof wall->spring);
        return;
    }
    rp_dem_pressed back;
    rp_dem_press_back(&job->field.rules, self, &press, wall->spring, &back);
    memcpy(wall->spring, back.spring, sizeof wall->spring);
    rp_vec3 force = rp_v3_madd(back.shear, -back.normal, press.n);
    rp_vec3 torque = rp_v3_add(back.torque, rp_v3_cross(press.arm, force));
    const rp_surface *surface = &rp_couple_surfaces(solver->host.couple)[wall->surface];
    size_t block = grain / RP_DEM_BLOCK;
    rp_couple_push(solver->host.couple, block, surface, press.point, rp_v3_scale(force, -1));
    if (solver->rolls)
        rp_couple_twist(solver->host.couple, block, surface, rp_v3_scale(back.torque, -1));
    const double parts[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int a = 0; a < 3; a++) {
        l->force[a] += (float)parts[a];
        l->torque[a] += (float)parts[a + 3];
    }
    float overlap = (float)fmax(press.overlap, 0), radius = self->at[AT_RADIUS];
    float inverse = self->at[AT_INVERSE_MASS];
    l->squeeze += (float)back.normal * radius;
    /* As if of two such grains: who lies in a corner has several walls. */
    note_worst(w, 2 * overlap * radius * inverse * inverse,
               overlap - job->most * (float)press.smaller, grain);
}

static rp_dem_force load_of(const rp_dem *solver, size_t grain, const float *row)
{
    rp_dem_force l = {.force = {row[LOAD_X], row[LOAD_Y], row[LOAD_Z]},
                      .torque = {row[LOAD_TURN_X], row[LOAD_TURN_Y], row[LOAD_TURN_Z]},
                      .squeeze = row[LOAD_SQUEEZE]};
    if (solver->single) return l;
    const float low[3] = {solver->low[0][grain], solver->low[1][grain], solver->low[2][grain]};
    for (int a = 0, b = 1, c = 2; a < 3; a++, b = (b + 1) % 3, c = (c + 1) % 3)
        l.torque[a] -= low[b] * l.force[c] - low[c] * l.force[b];
    return l;
}

static rp_dem_self self_of(const rp_dem *solver, size_t grain, size_t sphere)
{
    rp_dem_self self;
    memcpy(self.at, &solver->rows[sphere].at, sizeof self.at);
    memcpy(self.go, &solver->rows[sphere].go, sizeof self.go);
    for (int a = 0; a < 3; a++) /* a single sphere's is exactly zero */
        self.arm[a] = solver->single ? 0 : self.at[AT_LOW_X + a] - solver->low[a][grain];
    return self;
}

/* The walls of the spheres from `wall` on that belong to this grain. */
static uint32_t add_walls(const rp_dem_forces *job, size_t i, uint32_t wall, uint32_t end,
                          rp_dem_force *l, worst *w)
{
    const rp_dem *solver = job->solver;
    rp_dem_wall *walls = solver->lists.walls;
    size_t behind = rp_dem_first(solver, i + 1);
    for (; wall < end && walls[wall].sphere < behind; wall++) {
        rp_dem_self self = self_of(solver, i, walls[wall].sphere);
        add_wall(job, i, &self, &walls[wall], l, w);
    }
    return wall;
}

/* Forces of a block's contacts. */
RP_WIDE_KERNEL
static void press_block(const rp_dem_forces *job, size_t begin, size_t end, block_load *l)
{
    rp_wide zero = rp_wide_broadcast(0);
    for (size_t i = 0; i < end - begin; i++)
        l->rows[i] = zero;
    l->rows[RP_DEM_BLOCK] = l->load = l->excess = zero;
    if (job->field.rules.rolls)
        add_entries(job, begin, true, l);
    else
        add_entries(job, begin, false, l);
}

/* The grain of a block that overlaps another one most. */
static void find_worst(const rp_dem_forces *job, size_t block, worst *w)
{
    const rp_dem *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    size_t base = rp_dem_first(solver, block * RP_DEM_BLOCK);
    for (size_t e = rp_dem_ends(lists, block)[0]; e < entries_behind(job, block); e++) {
        size_t a = base + lists->mine[e], b = lists->other[e];
        const float *mine = rp_dem_at(solver, a), *other = rp_dem_at(solver, b);
        float overlap = -rp_dem_gap(solver, mine, other);
        note_worst(w, 0, overlap - job->most * fminf(mine[AT_RADIUS], other[AT_RADIUS]),
                   rp_dem_owner(solver, a));
    }
}

/* (E11): a third of the trace of the stress, in the space of the packed material. */
static float pressure_of(const rp_dem *solver, size_t i, float squeeze)
{
    const rp_grains *p = solver->host.grains;
    double packed = rp_scene_materials(solver->host.scene)[p->material[i]].density;
    return squeeze * (float)packed / (3 * p->mass[i]);
}

void rp_dem_forces_on(const rp_dem_forces *job, rp_range range, rp_dem_force *loads)
{
    const rp_dem *solver = job->solver;
    const rp_grains *p = solver->host.grains;
    size_t begin = range.begin, block = rp_dem_block(range);
    uint32_t wall = solver->lists.wall_start[block], walls = solver->lists.wall_start[block + 1];
    RP_ASSERT(solver->lists.grains == p->count && solver->lists.spheres == solver->spheres);
    RP_ASSERT(RP_IS_ALIGNED(solver->rows));
    RP_ASSERT(wall <= walls && walls <= solver->lists.wall_count);
    block_load all;
    press_block(job, begin, range.end, &all);
    worst w = {rp_wide_largest(all.load), 0, begin};
    if (rp_wide_largest(all.excess) > 0) find_worst(job, block, &w);
    for (size_t i = begin; i < range.end; i++) {
        rp_dem_force *l = &loads[i - begin];
        *l = load_of(solver, i, (const float *)&all.rows[i - begin]);
        if (wall < walls) wall = add_walls(job, i, wall, walls, l, &w);
        p->pressure[i] = pressure_of(solver, i, l->squeeze);
    }
    job->loads[block] = w.load;
    job->excesses[block] = (rp_grain_value){w.excess, p->id[w.grain]};
}

rp_dem_field rp_dem_field_of(const rp_dem *solver, bool look)
{
    const rp_vec3 *period = &solver->period;
    rp_dem_field field = {.rows = solver->rows,
                          .pairs = solver->pairs,
                          .material_count = solver->material_count,
                          .period = {(float)period->x, (float)period->y, (float)period->z},
                          .periodic = period->x > 0 || period->y > 0 || period->z > 0,
                          .rules = {.hertz = solver->params.law == RP_DEM_HERTZ,
                                    .history = solver->history,
                                    .cohesive = solver->cohesive,
                                    .rolls = solver->rolls && !look, /* contacts tell no couples */
                                    .look = look,
                                    .dt = (float)solver->dt,
                                    .damping_most = (float)(DAMPING_MOST / solver->dt),
                                    .slip_damping = (float)solver->params.slip_damping,
                                    .rupture = (float)solver->params.rupture}};
    return field;
}

/* A step that was too long shows in overlaps before it shows in numbers that are none. */
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

/* The classes of entries that may touch by now, bridges included. Never fewer than before: an entry
 * that has been looked at must be so once more when it is open again, to be forgotten. */
static int classes_near(rp_dem *solver)
{
    solver->most_moved = fmax(solver->most_moved, solver->moved);
    double near = 2 * solver->most_moved;
    int classes = 1;
    while (classes < RP_DEM_CLASSES && near >= rp_dem_class_gap(solver, classes))
        classes++;
    return classes;
}

rp_code rp_dem_forces_begin(rp_dem_forces *job, rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count, blocks = rp_dem_blocks(count) + 1;
    size_t loads = blocks * sizeof *job->loads, excesses = blocks * sizeof *job->excesses;
    *job = (rp_dem_forces){.solver = solver,
                           .field = rp_dem_field_of(solver, false),
                           .loads = rp_arena_take(host->arena, loads),
                           .excesses = rp_arena_take(host->arena, excesses),
                           .most = (float)solver->params.overlap_most,
                           .classes = classes_near(solver)};
    if (!job->loads || !job->excesses) return rp_fail_memory(report, loads + excesses, "forces");
    return rp_couple_begin(host->couple, count, RP_DEM_BLOCK, ROWS, host->arena, report);
}

rp_code rp_dem_forces_end(const rp_dem_forces *job, double time, rp_report *report)
{
    rp_dem *solver = job->solver;
    size_t blocks = rp_dem_blocks(solver->host.grains->count);
    RP_TRY(rp_couple_finish(solver->host.couple));
    solver->load = (double)rp_reduce_largest(job->loads, blocks);
    return check_overlap(solver, rp_reduce_worst(job->excesses, blocks), time, report);
}
