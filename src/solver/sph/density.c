/* How full the neighbourhood of each grain is, the gradients of its pairs (G1 to G4), and the
 * forces between pairs that do not depend on stress: viscosity (G16) and cohesion (G17). */
#include "base/report.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

/* (G4): a grain on the flat free surface of a lattice lacks 0.150, and its gradient sum is 0.510 /
 * spacing; the lack of edges and corners follows with the square. */
#define SURFACE_SHARE 0.577f
#define SURFACE_LACK 0.150f
#define SURFACE_MOST 0.45f
/* Grains on the same spot have no direction to part in; pairs nearer than this many spacings are
 * taken to be so far. */
#define NEAREST 1e-3f
/* (G16): grains that hold each other lose this share of their velocity differences in a step: it
 * takes the modes that neither fill nor strain rate see. */
#define STUCK_DAMPING 0.5f
#define DAMPING_MOST 0.5f
#define VISCOSITY_STEP 1e-3 /* s, the step for which viscosity is stated */
#define STUCK_SHARE 0.98f   /* of the yield stress; nearer to it a grain may be sliding */
/* (G9a): times to fall one spacing over which it is averaged where pressure rises. */
#define AVERAGED 2.4

/* The gradients of a group of up to eight pairs: all x, then all y, then all z. */
RP_WIDE_INLINE void store_group(float *to, rp_wide gx, rp_wide gy, rp_wide gz, uint32_t count)
{
    if (count >= RP_WIDE) {
        rp_wide_store(to, gx);
        rp_wide_store(to + RP_WIDE, gy);
        rp_wide_store(to + 2 * RP_WIDE, gz);
        return;
    }
    memcpy(to, &gx, count * sizeof(float));
    memcpy(to + count, &gy, count * sizeof(float));
    memcpy(to + 2 * count, &gz, count * sizeof(float));
}

/* Sums over the pairs of one grain, eight at a time. */
typedef struct pair_sums {
    rp_wide fill, gx, gy, gz, squares; /* (G1, G3) */
    rp_wide pressure, stress;          /* Pa, weighted by the kernel (G9); all pairs, by parts */
    rp_wide rise_x, rise_y, rise_z;    /* Pa/m, of pressure (G9a) */
    rp_wide drag_x, drag_y, drag_z;    /* m/s, viscosity */
    rp_wide pull_x, pull_y, pull_z;    /* Pa m, cohesion */
} pair_sums;

/* What the pairs `index` of grain i have to do with velocities and cohesion. */
RP_WIDE_INLINE void add_pair_forces(const rp_solver *solver, size_t i, const uint32_t *index,
                                    rp_wide dx, rp_wide dy, rp_wide dz, rp_wide value, pair_sums *s)
{
    const rp_particles *p = solver->frame.particles;
    rp_wide drag = value * rp_wide_min(rp_wide_gather(solver->damping, index),
                                       rp_wide_all(solver->damping[i]));
    if (solver->mixed) {
        rp_wide mass = rp_wide_gather(p->mass, index);
        drag *= 2 * mass / (mass + p->mass[i]);
    }
    s->drag_x += drag * (rp_wide_gather(p->vx, index) - p->vx[i]);
    s->drag_y += drag * (rp_wide_gather(p->vy, index) - p->vy[i]);
    s->drag_z += drag * (rp_wide_gather(p->vz, index) - p->vz[i]);
    if (!solver->cohesive) return;
    rp_wide pull = value * rp_wide_min(rp_wide_gather(solver->cohesion, index),
                                       rp_wide_all(solver->cohesion[i]));
    s->pull_x -= pull * dx;
    s->pull_y -= pull * dy;
    s->pull_z -= pull * dz;
}

/* A stress moves each neighbour by that one's own mass (G10): without it, the step of heavy grains
 * among light ones is too long, and the solve diverges. Light ones at the rim of the support have
 * small gradients, but are moved by all the others' as well: they count by no less than `usual`. */
RP_WIDE_INLINE rp_wide in_own_mass(const rp_solver *solver, size_t i, const uint32_t *index,
                                   rp_wide squares)
{
    if (!solver->mixed) return squares;
    const rp_particles *p = solver->frame.particles;
    const rp_wide one = rp_wide_all(1);
    rp_wide ratio = p->mass[i] / rp_wide_gather(p->mass, index);
    rp_wide usual = rp_wide_sqrt(squares) * (float)solver->lattice_slope;
    return rp_wide_min(ratio, one) * squares +
           rp_wide_max(ratio - one, rp_wide_all(0)) * rp_wide_max(squares, usual);
}

/* (G9a): how pressure rises. */
RP_WIDE_INLINE void add_pressures(const rp_solver *solver, size_t i, const uint32_t *index,
                                  rp_wide value, rp_wide gx, rp_wide gy, rp_wide gz, pair_sums *s)
{
    const rp_particles *p = solver->frame.particles;
    rp_wide pressure = rp_wide_gather(p->pressure, index), rise = pressure - p->pressure[i];
    s->pressure += value * pressure;
    s->rise_x += rise * gx;
    s->rise_y += rise * gy;
    s->rise_z += rise * gz;
}

/* (G9a): the stresses of an even number of neighbours, each times its weight; in a loop of its own,
 * since the processor has no registers for more sums in the other. */
#define WEIGHED 64 /* at a time */
RP_WIDE_INLINE rp_wide weigh_stresses(const rp_wide *stress, const uint32_t *index,
                                      const float *weight, uint32_t count)
{
    rp_wide even = {0}, odd = {0};
    for (uint32_t k = 0; k < count; k += 2) {
        even += weight[k] * stress[index[k]];
        odd += weight[k + 1] * stress[index[k + 1]];
    }
    return even + odd;
}

RP_WIDE_INLINE pair_sums sum_pairs(const rp_solver *solver, size_t i)
{
    const rp_particles *p = solver->frame.particles;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    float *gradient = solver->work.gradient + 3 * lists->start[i];
    float volume = (float)solver->volume, nearest = NEAREST * (float)solver->spacing;
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t count = lists->count[i], waiting = 0;
    float weight[WEIGHED];
    pair_sums s = {0};
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        /* Behind the last neighbour the indices are any that exist; their share is nought. */
        rp_wide_int live = lanes < (float)(count - n);
        rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
        rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
        rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
        rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
        r = rp_wide_max(r, rp_wide_all(nearest));
        rp_wide value = volume * rp_kernel_value_wide(solver->kernel, r);
        rp_wide slope = volume * rp_kernel_slope_wide(solver->kernel, r) / r;
        value = rp_wide_select(live, value, rp_wide_all(0));
        slope = rp_wide_select(live, slope, rp_wide_all(0));
        rp_wide gx = slope * dx, gy = slope * dy, gz = slope * dz;
        store_group(gradient + 3 * n, gx, gy, gz, count - n);
        s.fill += value;
        add_pressures(solver, i, index + n, value, gx, gy, gz, &s);
        s.gx += gx;
        s.gy += gy;
        s.gz += gz;
        s.squares += in_own_mass(solver, i, index + n, gx * gx + gy * gy + gz * gz);
        add_pair_forces(solver, i, index + n, dx, dy, dz, value, &s);
        rp_wide_store(weight + waiting, value);
        waiting += RP_WIDE;
        if (waiting < WEIGHED && n + RP_WIDE < count) continue;
        s.stress +=
            weigh_stresses(solver->work.stress, index + n + RP_WIDE - waiting, weight, waiting);
        waiting = 0;
    }
    return s;
}

/* (G9): the mean pressure of a neighbourhood; on a surface, where all neighbours lie deeper, the
 * grain's own instead, or the topmost layers would get friction that their weight does not give. */
static float pressure_around(float own, float self, float sum, float fill, float lack)
{
    float inside = lack < SURFACE_LACK ? 1 - lack / SURFACE_LACK : 0;
    return own + inside * ((self * own + sum) / fill - own);
}

/* (G9a, G9b), and what they need to remember. */
RP_WIDE_INLINE float grip_of(const rp_solver *solver, size_t i, float self, const pair_sums *s)
{
    const float lately =
        solver->work.changed ? 0 : (float)fmin(1, solver->dt / (AVERAGED * solver->falling));
    const rp_sph_material *material = &solver->materials[solver->frame.particles->material[i]];
    const float rise[3] = {rp_wide_sum(s->rise_x), rp_wide_sum(s->rise_y), rp_wide_sum(s->rise_z)};
    rp_wide mean = s->stress + self * solver->work.stress[i];
    rp_four n = {0};
    for (int k = 0; k < 3; k++) {
        solver->deeper[k][i] += lately * (rise[k] - solver->deeper[k][i]);
        n[k] = solver->deeper[k][i];
    }
    solver->across[i] += lately * (rp_sph_across(mean, n) - solver->across[i]);
    return rp_sph_grip(mean, solver->across[i], material->tangent);
}

RP_WIDE_KERNEL
static void fill_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_sph_work *w = &solver->work;
    float self = (float)solver->volume * rp_kernel_value(solver->kernel, 0);
    float share = SURFACE_SHARE * (float)(solver->spacing * solver->spacing);
    float pull = solver->cohesive ? (float)(6 / solver->spread) : 0;
    for (size_t i = begin; i < end; i++) {
        if (w->changed && !w->changed[i]) continue;
        pair_sums s = sum_pairs(solver, i);
        const rp_sph_material *material = &solver->materials[p->material[i]];
        float gx = rp_wide_sum(s.gx), gy = rp_wide_sum(s.gy), gz = rp_wide_sum(s.gz);
        float square = gx * gx + gy * gy + gz * gz;
        float fill = self + rp_wide_sum(s.fill);
        float lack = solver->params.surface ? share * square : 0;
        w->sum[i] = (rp_four){gx, gy, gz, rp_wide_sum(s.squares) + square};
        w->around[i] =
            pressure_around(p->pressure[i], self, rp_wide_sum(s.pressure), fill, share * square);
        if (!solver->predictive) w->grip[i] = grip_of(solver, i, self, &s);
        w->error[i] = fill - 1 + (lack < SURFACE_MOST ? lack : SURFACE_MOST);
        w->free[i] = (rp_four){rp_wide_sum(s.drag_x), rp_wide_sum(s.drag_y), rp_wide_sum(s.drag_z)};
        w->free[i] +=
            pull * material->push *
            (rp_four){rp_wide_sum(s.pull_x), rp_wide_sum(s.pull_y), rp_wide_sum(s.pull_z)};
        p->density[i] = fill * material->density;
    }
}

/* (G16): grains inside the yield surface hold each other; the others flow. */
static void property_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    float per_step = (float)(solver->dt / VISCOSITY_STEP);
    for (size_t i = begin; i < end; i++) {
        const rp_sph_material *material = &solver->materials[p->material[i]];
        float wet = p->moisture[i], norm2 = 0;
        for (int k = 0; k < 6; k++)
            norm2 += (k < 3 ? 1 : 2) * solver->stress[k][i] * solver->stress[k][i];
        float most = STUCK_SHARE * material->yield * p->pressure[i];
        float flowing =
            material->viscosity[0] + wet * (material->viscosity[1] - material->viscosity[0]);
        flowing *= per_step;
        bool stuck = !solver->predictive && norm2 < most * most;
        solver->damping[i] = stuck && flowing < STUCK_DAMPING ? STUCK_DAMPING
                             : flowing < DAMPING_MOST         ? flowing
                                                              : DAMPING_MOST;
        if (solver->cohesive)
            solver->cohesion[i] =
                material->cohesion[0] + wet * (material->cohesion[1] - material->cohesion[0]);
    }
}

static rp_code take_arrays(rp_solver *solver, rp_report *report)
{
    const rp_particles *p = solver->frame.particles;
    rp_arena *arena = solver->frame.arena;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_roomy(p->count + p->ghosts), pairs = rp_sph_roomy(solver->lists.total);
    w->stress = rp_arena_take(arena, all * sizeof *w->stress);
    w->solution = rp_arena_take(arena, p->count * sizeof *w->solution);
    w->velocity = rp_arena_take(arena, all * sizeof *w->velocity);
    w->free = rp_arena_take(arena, p->count * sizeof *w->free);
    w->sum = rp_arena_take(arena, p->count * sizeof *w->sum);
    w->error = rp_arena_take(arena, p->count * sizeof *w->error);
    w->around = rp_arena_take(arena, p->count * sizeof *w->around);
    w->grip = rp_arena_take(arena, p->count * sizeof *w->grip);
    w->gradient = rp_arena_take(arena, (3 * pairs + RP_WIDE) * sizeof *w->gradient);
    if (!w->stress || !w->solution || !w->velocity || !w->free || !w->sum || !w->error ||
        !w->around || !w->grip || !w->gradient)
        return rp_fail_memory(report, 3 * pairs * sizeof *w->gradient,
                              "the gradients of all pairs");
    return RP_OK;
}

static double compression(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += fmax(0, p->density[i] / solver->materials[p->material[i]].density - 1);
    return sum;
}

void rp_sph_tell_error(rp_solver *solver)
{
    const rp_frame *frame = &solver->frame;
    size_t count = frame->particles->count;
    double sum = rp_parallel_sum(frame->threads, count, RP_SPH_BLOCK, compression, solver);
    solver->stats.density_error = sum / (double)count;
}

/* Own grains in cell order, their damping and cohesion, and ghosts that have them, too. */
static rp_code order(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_particles *p = frame->particles;
    rp_code code = rp_neighbor_sort(frame->neighbor, p, solver->kernel.support, report);
    if (code != RP_OK) return code;
    rp_parallel_for(frame->threads, p->count, RP_SPH_BLOCK, property_range, solver);
    return rp_neighbor_ghosts(frame->neighbor, p, solver->kernel.support, report);
}

/* Fill, gradients and pair forces of all grains, or of those that changed. */
static void fill(rp_solver *solver, const uint8_t *changed)
{
    const rp_frame *frame = &solver->frame;
    size_t count = frame->particles->count;
    solver->work.changed = changed;
    rp_timer_start(&solver->timers[RP_SPH_FILL]);
    if (!changed) rp_sph_pack(solver);
    rp_parallel_for(frame->threads, count, RP_SPH_BLOCK, fill_range, solver);
    rp_timer_stop(&solver->timers[RP_SPH_FILL]);
    rp_sph_tell_error(solver);
}

void rp_sph_density_again(rp_solver *solver, const uint8_t *changed)
{
    fill(solver, changed);
}

rp_code rp_sph_density(rp_solver *solver, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_particles *p = frame->particles;
    rp_timer *timers = solver->timers;
    rp_timer_start(&timers[RP_SPH_ORDER]);
    rp_code code = order(solver, report);
    rp_timer_stop(&timers[RP_SPH_ORDER]);
    if (code != RP_OK) return code;
    rp_timer_start(&timers[RP_SPH_LISTS]);
    code = rp_neighbor_lists(frame->neighbor, p, solver->kernel.support, &solver->lists, report);
    rp_timer_stop(&timers[RP_SPH_LISTS]);
    if (code == RP_OK) code = take_arrays(solver, report);
    if (code != RP_OK) return code;
    fill(solver, NULL);
    return RP_OK;
}
