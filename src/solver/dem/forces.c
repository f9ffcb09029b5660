/* Forces of all contacts, and what they do to the grains: a grain adds up what presses on its
 * spheres, is kicked and drifts for the second half of the step. Each contact is looked at from
 * both sides, which saves all waiting for each other; both find the same force, to the last bit. */
#include "base/report.h"
#include "solver/dem/meet.h"

/* Rows of forces on bodies are as many as blocks, but no more than this. */
#define ROWS_MAX 1024
/* Of a contact, in parts of m* over the step: explicit damping of more would not be stable. */
#define DAMPING_MOST 0.3

/* The worst of a block. */
typedef struct worst {
    float overlap; /* m */
    float excess;  /* m, beyond what is borne; 0: none */
    uint32_t grain;
} worst;

typedef struct force_job {
    rp_solver *solver;
    rp_dem_field field;
    worst *worst;
    size_t row_grains;
    float most; /* overlap in parts of the smaller radius */
    float near; /* m: gaps that were wider when lists were made are still open */
} force_job;

/* What presses on a grain. */
typedef struct sums {
    rp_dem_vec force, torque;
    rp_wide squeeze; /* N m, normal forces times levers */
    rp_wide overlap; /* m, the largest */
    rp_wide excess;  /* m, the largest overlap beyond what is borne */
} sums;

RP_WIDE_INLINE rp_dem_vec load_springs(const rp_dem_lists *lists, size_t at)
{
    return (rp_dem_vec){rp_wide_load(lists->spring[0] + at), rp_wide_load(lists->spring[1] + at),
                        rp_wide_load(lists->spring[2] + at)};
}

/* The lanes that are not of this sphere keep what they have. */
RP_WIDE_INLINE void store_springs(const rp_dem_lists *lists, size_t at, int lanes,
                                  rp_dem_vec spring, rp_dem_vec before)
{
    const rp_wide_int numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    rp_wide_int there = numbers < lanes;
    rp_wide_store(lists->spring[0] + at, rp_wide_select(there, spring.x, before.x));
    rp_wide_store(lists->spring[1] + at, rp_wide_select(there, spring.y, before.y));
    rp_wide_store(lists->spring[2] + at, rp_wide_select(there, spring.z, before.z));
}

RP_WIDE_INLINE void forget_springs(const rp_dem_lists *lists, size_t at, int lanes)
{
    rp_wide zero = rp_wide_all(0);
    store_springs(lists, at, lanes, (rp_dem_vec){zero, zero, zero}, load_springs(lists, at));
}

/* `low`: of the grain's middle, where arms begin; NULL when it is one sphere. */
RP_WIDE_INLINE void add_answer(const rp_dem_eight *e, const rp_dem_answer *a, const float *low,
                               float most, sums *s)
{
    rp_wide zero = rp_wide_all(0), lever = rp_dem_lever(e);
    rp_wide normal = rp_wide_select(e->held, a->normal, zero);
    rp_dem_vec force = rp_dem_madd(a->shear, -normal, e->n);
    s->force = rp_dem_add(s->force, force);
    s->torque = rp_dem_add(s->torque, rp_dem_cross(rp_dem_scale(e->n, lever), a->shear));
    s->torque = rp_dem_add(s->torque, a->torque);
    if (low) {
        rp_dem_vec arm = {e->low.x - low[0], e->low.y - low[1], e->low.z - low[2]};
        s->torque = rp_dem_add(s->torque, rp_dem_cross(arm, force));
    }
    rp_wide overlap = rp_wide_select(e->touching, e->overlap, zero);
    rp_wide smaller = rp_wide_min(e->other_radius, e->own_radius);
    s->squeeze += normal * lever;
    s->overlap = rp_wide_max(s->overlap, overlap);
    s->excess = rp_wide_max(s->excess, overlap - most * smaller);
}

/* One group of eight of a grain's entries. */
RP_WIDE_INLINE void add_group(const force_job *job, size_t grain, size_t at, int lanes,
                              unsigned bit, const float *low, sums *s)
{
    const rp_solver *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    const rp_dem_rules *rules = &job->field.rules;
    rp_dem_entries entries = rp_dem_entries_at(solver, grain, at, lanes);
    rp_dem_eight e;
    if (!rp_dem_look(&job->field, &entries, &e)) {
        if (rules->history && lists->live[grain] & bit) forget_springs(lists, at, lanes);
        if (bit < RP_DEM_LAST_GROUP) lists->live[grain] &= (uint8_t)~bit;
        return;
    }
    lists->live[grain] |= (uint8_t)bit;
    rp_dem_pairs pairs;
    rp_dem_meet m = rp_dem_meet_of(&job->field, &entries, &e, &pairs);
    if (rules->history) m.spring = load_springs(lists, at);
    rp_dem_answer a = rp_dem_respond(rules, &pairs, &m, e.touching);
    if (rules->history) store_springs(lists, at, lanes, a.spring, m.spring);
    add_answer(&e, &a, low, job->most, s);
}

RP_WIDE_INLINE void add_entries(const force_job *job, size_t grain, sums *s)
{
    const rp_solver *solver = job->solver;
    const rp_dem_lists *lists = &solver->lists;
    int count = lists->count[grain];
    const float low[3] = {solver->low[0][grain], solver->low[1][grain], solver->low[2][grain]};
    /* What is not among the eight nearest cannot touch before somebody has moved so far; what did
     * touch a step ago must be looked at once more, to be forgotten. */
    if (count > RP_WIDE && job->near < lists->beyond[grain] && lists->live[grain] < 2)
        count = RP_WIDE;
    unsigned bit = 1;
    for (int n = 0; n < count; n += RP_WIDE) {
        int lanes = count - n < RP_WIDE ? count - n : RP_WIDE;
        add_group(job, grain, lists->start[grain] + (size_t)n, lanes, bit,
                  solver->single ? NULL : low, s);
        if (bit < RP_DEM_LAST_GROUP) bit *= 2;
    }
}

/* What presses on a grain, in numbers. */
typedef struct load {
    float force[3], torque[3]; /* N; N m about its middle */
    float squeeze;             /* N m */
    float overlap, excess;     /* m */
} load;

/* (E1): v += dt a, the spin likewise, then the second half of the drift. */
static void kick(const rp_solver *solver, size_t i, const load *l)
{
    const rp_particles *p = solver->frame.particles;
    const rp_external *external = solver->frame.external;
    float dt = (float)solver->dt, inverse = 1 / p->mass[i];
    float ax = l->force[0] * inverse + (float)solver->gravity.x;
    float ay = l->force[1] * inverse + (float)solver->gravity.y;
    float az = l->force[2] * inverse + (float)solver->gravity.z;
    if (external->any) {
        ax += external->ax[i];
        ay += external->ay[i];
        az += external->az[i];
    }
    p->vx[i] += dt * ax;
    p->vy[i] += dt * ay;
    p->vz[i] += dt * az;
    const float a[3] = {ax, ay, az};
    for (int k = 0; k < 3; k++) /* smoothed: what goes to and fro would feed on itself */
        solver->drive[k][i] = 0.5f * (solver->drive[k][i] + a[k]);
    if (solver->single) { /* 2/5 m r^2 */
        float turn = dt * 10 * inverse / (p->diameter[i] * p->diameter[i]);
        solver->spin[0][i] += turn * l->torque[0];
        solver->spin[1][i] += turn * l->torque[1];
        solver->spin[2][i] += turn * l->torque[2];
    } else {
        const float impulse[3] = {dt * l->torque[0], dt * l->torque[1], dt * l->torque[2]};
        rp_dem_twist_grain(solver, i, impulse);
    }
    /* (E11): a third of the trace of the stress, in the space of the packed material. */
    double packed = rp_scene_materials(solver->frame.scene)[p->material[i]].density;
    p->pressure[i] = l->squeeze * (float)packed / (3 * p->mass[i]);
    rp_dem_drift_grain(solver, i, dt / 2);
}

static void add_wall(const force_job *job, size_t block, const rp_dem_self *self, rp_dem_wall *wall,
                     load *l)
{
    rp_solver *solver = job->solver;
    rp_dem_press press;
    if (!rp_dem_press_of(solver, self, wall->surface, &press)) {
        memset(wall->spring, 0, sizeof wall->spring);
        return;
    }
    rp_dem_pressed back;
    rp_dem_press_back(&job->field.rules, self, &press, wall->spring, &back);
    memcpy(wall->spring, back.spring, sizeof wall->spring);
    rp_vec3 force = rp_v3_madd(back.shear, -back.normal, press.n);
    rp_vec3 torque = rp_v3_add(back.torque, rp_v3_cross(press.arm, force));
    rp_couple_push(solver->frame.couple, block,
                   &rp_couple_surfaces(solver->frame.couple)[wall->surface], press.point,
                   rp_v3_scale(force, -1));
    const double parts[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int a = 0; a < 3; a++) {
        l->force[a] += (float)parts[a];
        l->torque[a] += (float)parts[a + 3];
    }
    float overlap = (float)fmax(press.overlap, 0);
    float excess = overlap - job->most * self->at[AT_RADIUS];
    l->squeeze += (float)back.normal * self->at[AT_RADIUS];
    l->overlap = overlap > l->overlap ? overlap : l->overlap;
    l->excess = excess > l->excess ? excess : l->excess;
}

RP_WIDE_INLINE load load_of(const sums *s)
{
    const rp_wide columns[RP_WIDE] = {s->force.x,  s->force.y,  s->force.z, s->torque.x,
                                      s->torque.y, s->torque.z, s->squeeze, rp_wide_all(0)};
    rp_wide sum = rp_wide_sums(columns);
    return (load){.force = {sum[0], sum[1], sum[2]},
                  .torque = {sum[3], sum[4], sum[5]},
                  .squeeze = sum[6],
                  .overlap = rp_wide_most(s->overlap),
                  .excess = rp_wide_most(s->excess)};
}

static rp_dem_self self_of(const rp_solver *solver, size_t grain, size_t sphere)
{
    rp_dem_self self;
    memcpy(self.at, &solver->place[sphere], sizeof self.at);
    memcpy(self.go, &solver->motion[sphere], sizeof self.go);
    for (int a = 0; a < 3; a++) /* a single sphere's is exactly zero */
        self.arm[a] = solver->single ? 0 : self.at[AT_LOW_X + a] - solver->low[a][grain];
    return self;
}

/* The walls of the spheres from `wall` on that belong to this grain. */
static uint32_t add_walls(const force_job *job, size_t i, uint32_t wall, uint32_t end, load *l)
{
    const rp_solver *solver = job->solver;
    rp_dem_wall *walls = solver->lists.walls;
    size_t behind = rp_dem_first(solver, i + 1);
    for (; wall < end && walls[wall].sphere < behind; wall++) {
        rp_dem_self self = self_of(solver, i, walls[wall].sphere);
        add_wall(job, i / job->row_grains, &self, &walls[wall], l);
    }
    return wall;
}

static void note_worst(worst *w, const load *l, size_t grain)
{
    if (l->overlap > w->overlap) w->overlap = l->overlap;
    if (!(l->excess > w->excess)) return;
    w->excess = l->excess;
    w->grain = (uint32_t)grain;
}

RP_WIDE_KERNEL
static void force_block(const force_job *job, size_t begin, size_t end)
{
    const rp_solver *solver = job->solver;
    size_t block = begin / RP_DEM_BLOCK;
    uint32_t wall = solver->lists.wall_start[block], walls = solver->lists.wall_start[block + 1];
    worst w = {0, 0, (uint32_t)begin};
    rp_wide zero = rp_wide_all(0);
    for (size_t i = begin; i < end; i++) {
        sums s = {{zero, zero, zero}, {zero, zero, zero}, zero, zero, zero};
        add_entries(job, i, &s);
        load l = load_of(&s);
        if (wall < walls) wall = add_walls(job, i, wall, walls, &l);
        note_worst(&w, &l, i);
        kick(solver, i, &l);
    }
    job->worst[block] = w;
}

static void force_range(void *context, size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at += RP_DEM_BLOCK)
        force_block(context, at, end - at < RP_DEM_BLOCK ? end : at + RP_DEM_BLOCK);
}

rp_dem_field rp_dem_field_of(const rp_solver *solver, bool look)
{
    const rp_vec3 *period = &solver->period;
    rp_dem_field field = {.place = solver->place,
                          .motion = solver->motion,
                          .pairs = solver->pairs,
                          .material_count = solver->material_count,
                          .period = {(float)period->x, (float)period->y, (float)period->z},
                          .periodic = period->x > 0 || period->y > 0 || period->z > 0,
                          .rules = {.hertz = solver->params.law == RP_DEM_HERTZ,
                                    .history = solver->history,
                                    .cohesive = solver->cohesive,
                                    .rolls = solver->rolls,
                                    .look = look,
                                    .dt = (float)solver->dt,
                                    .damping_most = (float)(DAMPING_MOST / solver->dt),
                                    .slip_damping = (float)solver->params.slip_damping,
                                    .rupture = (float)solver->params.rupture}};
    return field;
}

/* A step that was too long shows in overlaps before it shows in numbers that are none. */
static rp_code check_worst(rp_solver *solver, const worst *w, double time, rp_report *report)
{
    if (!(w->excess > 0)) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s grain %u overlaps another, or a solid, by %.3g m more than %.3g of "
                   "the smaller radius: grains start on one another, a body crushes them, the step "
                   "of %.3g s is too long, or 'young' is too low",
                   time, solver->frame.particles->id[w->grain], (double)w->excess,
                   solver->params.overlap_most, solver->dt);
}

rp_code rp_dem_forces(rp_solver *solver, double time, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    size_t count = frame->particles->count, blocks = (count + RP_DEM_BLOCK - 1) / RP_DEM_BLOCK;
    force_job job = {.solver = solver,
                     .field = rp_dem_field_of(solver, false),
                     .worst = rp_arena_take(frame->arena, (blocks + 1) * sizeof(worst)),
                     .row_grains = RP_DEM_BLOCK * (blocks / ROWS_MAX + 1),
                     .most = (float)solver->params.overlap_most,
                     .near = (float)(2 * solver->moved)};
    if (solver->cohesive) /* bridges reach out */
        job.near += (float)(solver->params.rupture * solver->largest / 4);
    if (!job.worst) return rp_fail_memory(report, blocks * sizeof(worst), "forces");
    size_t rows = (count + job.row_grains - 1) / job.row_grains;
    rp_code code = rp_couple_begin(frame->couple, rows, frame->arena, report);
    if (code != RP_OK) return code;
    rp_parallel_for(frame->threads, count, job.row_grains, force_range, &job);
    code = rp_couple_finish(frame->couple);
    if (code != RP_OK) return code;
    worst most = {0};
    for (size_t b = 0; b < blocks; b++) {
        if (job.worst[b].overlap > most.overlap) most.overlap = job.worst[b].overlap;
        if (!(job.worst[b].excess > most.excess)) continue;
        most.excess = job.worst[b].excess;
        most.grain = job.worst[b].grain;
    }
    solver->overlap = (double)most.overlap;
    return check_worst(solver, &most, time, report);
}
