/* How full the neighborhood of each grain is, the gradients of its pairs (G1 to G4), and the
 * forces between pairs that do not depend on stress: viscosity (G16) and, in pcisph, cohesion
 * (G17a). */
#include "base/report.h"
#include "solver/sph/gradient.h"
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
/* (G16): spacings in the time to fall one: the difference of velocities beyond which grains that
 * hold each other lose no more; half of what weight adds in a step at rest. Weight drives the modes
 * that this takes away; without it they do no harm, and the loss would slow down what turns. */
#define GRASP 0.1f
#define DAMPING_MOST 0.5f
#define VISCOSITY_STEP 1e-3 /* s, the step for which viscosity is stated */
#define STUCK_SHARE 0.98f   /* of the yield stress; nearer to it a grain may be sliding */
/* (G9a): times to fall one spacing over which friction across the layers is averaged. */
#define AVERAGED 2.4
/* (G9a): spacings over which depth levels out below a surface. */
#define DEPTH_REACH 8.0

/* Sums over the pairs of one grain, eight at a time. */
typedef struct pair_sums {
    rp_wide fill, squares;          /* (G1); 1/m2 (G3) */
    rp_wide gx, gy, gz;             /* quanta (G3) */
    rp_wide rise_x, rise_y, rise_z; /* quanta, of depth (G9a) */
    rp_wide depth;                  /* weighted by the kernel (G9a) */
    rp_wide drag_x, drag_y, drag_z; /* m/s, viscosity */
    rp_wide pull_x, pull_y, pull_z; /* Pa m, cohesion (G17a) */
    rp_wide cohesion;               /* Pa, of pairs, weighted by the kernel (G17) */
    rp_wide stress;                 /* Pa, weighted by the kernel (G9); all pairs, by parts */
} pair_sums;

/* Those sums with their lanes added; the stress stays as it is. */
typedef struct grain_sums {
    float fill, squares, depth, cohesion;
    rp_float4 g, rise, drag, pull;
    rp_wide stress;
} grain_sums;

RP_WIDE_INLINE grain_sums add_lanes(const pair_sums *s)
{
    rp_wide a[8] = {s->gx, s->gy, s->gz, s->squares, s->rise_x, s->rise_y, s->rise_z, s->fill};
    rp_wide b[8] = {s->drag_x, s->drag_y, s->drag_z, s->depth,
                    s->pull_x, s->pull_y, s->pull_z, s->cohesion};
    rp_wide first = rp_wide_sums(a), second = rp_wide_sums(b);
    return (grain_sums){.fill = first[7],
                        .squares = first[3],
                        .depth = second[3],
                        .cohesion = second[7],
                        .g = {first[0], first[1], first[2], 0},
                        .rise = {first[4], first[5], first[6], 0},
                        .drag = {second[0], second[1], second[2], 0},
                        .pull = {second[4], second[5], second[6], 0},
                        .stress = s->stress};
}

/* What eight neighbors have to do with velocities and cohesion: `near` has their values in
 * columns, `own` the grain's; d is the way to it. */
RP_WIDE_INLINE void add_pair_forces(const rp_sph *solver, size_t i, const uint32_t *index,
                                    const rp_wide near[8], rp_wide own, const rp_wide d[3],
                                    rp_wide value, pair_sums *s)
{
    const rp_grains *p = solver->host.grains;
    rp_wide v[3];
    for (int a = 0; a < 3; a++)
        v[a] = near[RP_SPH_VELOCITY + a] - own[RP_SPH_VELOCITY + a];
    float grasp = GRASP * (float)(solver->spacing / solver->falling);
    rp_wide damping = rp_wide_min(near[RP_SPH_DAMPING], rp_wide_broadcast(own[RP_SPH_DAMPING]));
    rp_wide drag = value * rp_sph_damping(damping, v, grasp);
    if (solver->mixed) {
        rp_wide mass = rp_wide_gather(p->mass, index);
        drag *= 2 * mass / (mass + p->mass[i]);
    }
    s->drag_x += drag * v[0];
    s->drag_y += drag * v[1];
    s->drag_z += drag * v[2];
    if (!solver->cohesive) return;
    rp_wide pull =
        value * rp_wide_min(near[RP_SPH_COHESION], rp_wide_broadcast(own[RP_SPH_COHESION]));
    s->cohesion += pull;
    if (!solver->predictive) return;
    s->pull_x -= pull * d[0];
    s->pull_y -= pull * d[1];
    s->pull_z -= pull * d[2];
}

/* A stress moves each neighbor by that one's own mass (G10): without it, the step of heavy grains
 * among light ones is too long, and the solve diverges. Light ones at the rim of the support have
 * small gradients, but are moved by all the others' as well: they count by no less than `usual`. */
RP_WIDE_INLINE rp_wide in_own_mass(const rp_sph *solver, size_t i, const uint32_t *index,
                                   rp_wide squares)
{
    if (!solver->mixed) return squares;
    const rp_grains *p = solver->host.grains;
    const rp_wide one = rp_wide_broadcast(1);
    rp_wide ratio = p->mass[i] / rp_wide_gather(p->mass, index);
    rp_wide usual = rp_wide_sqrt(squares) * (float)solver->lattice_slope;
    return rp_wide_min(ratio, one) * squares +
           rp_wide_max(ratio - one, rp_wide_broadcast(0)) * rp_wide_max(squares, usual);
}

/* (G9a): the stresses of neighbors in fours, each times its weight; in a loop of its own, since
 * the processor has no registers for more sums in the other. */
#define WEIGHED 64 /* at a time */
RP_WIDE_INLINE rp_wide weigh_stresses(const rp_wide *stress, const uint32_t *index,
                                      const float *weight, uint32_t count)
{
    rp_wide sums[4] = {0};
    for (uint32_t n = 0; n < count; n += 4)
        for (uint32_t k = 0; k < 4; k++)
            sums[k] += weight[n + k] * stress[index[n + k]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* The kernel's value and gradient, in quanta, of up to eight pairs that are d apart. */
RP_WIDE_INLINE rp_wide look_at_pairs(const rp_sph *solver, const rp_wide d[3], uint32_t count,
                                     rp_wide g[3])
{
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    /* Behind the last neighbor the indices are any that exist; their share is nought. */
    rp_wide_int live = lanes < (float)count;
    float volume = (float)solver->volume, nearest = NEAREST * (float)solver->spacing;
    rp_wide r = rp_wide_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    r = rp_wide_max(r, rp_wide_broadcast(nearest));
    /* One over the distance can be found while the slope is. */
    rp_wide inverse = volume / solver->quantum / r;
    rp_wide slope = rp_wide_select(live, inverse, rp_wide_broadcast(0));
    slope *= rp_kernel_slope_wide(solver->kernel, r);
    for (int a = 0; a < 3; a++)
        g[a] = rp_sph_whole(slope * d[a]);
    rp_wide value = volume * rp_kernel_value_wide(solver->kernel, r);
    return rp_wide_select(live, value, rp_wide_broadcast(0));
}

RP_WIDE_INLINE grain_sums sum_pairs(const rp_sph *solver, size_t i)
{
    const rp_sph_work *w = &solver->work;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    const float *depths = solver->depth;
    int16_t *gradient = w->gradient + 3 * lists->start[i];
    const rp_wide own = w->seen[i];
    uint32_t count = lists->count[i], waiting = 0;
    float weight[WEIGHED], quantum2 = solver->quantum * solver->quantum;
    pair_sums s = {0};
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        rp_wide near[8], d[3], g[3];
        rp_wide_transpose(w->seen, index + n, near);
        for (int a = 0; a < 3; a++)
            d[a] = own[a] - near[a];
        rp_wide value = look_at_pairs(solver, d, count - n, g);
        rp_sph_keep_group(gradient + 3 * n, g, count - n);
        rp_wide depth = rp_wide_gather(depths, index + n), rise = depth - depths[i]; /* (G9a) */
        s.fill += value;
        s.depth += value * depth;
        s.gx += g[0];
        s.gy += g[1];
        s.gz += g[2];
        s.rise_x += rise * g[0];
        s.rise_y += rise * g[1];
        s.rise_z += rise * g[2];
        rp_wide squares = quantum2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s.squares += in_own_mass(solver, i, index + n, squares);
        add_pair_forces(solver, i, index + n, near, own, d, value, &s);
        rp_wide_store(weight + waiting, value);
        waiting += RP_WIDE;
        if (waiting < WEIGHED && n + RP_WIDE < count) continue;
        s.stress += weigh_stresses(w->stress, index + n + RP_WIDE - waiting, weight, waiting);
        waiting = 0;
    }
    return add_lanes(&s);
}

/* Pa, of a grain by its moisture. */
static float cohesion_of(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const float *cohesion = solver->materials[p->material[i]].cohesion;
    return cohesion[0] + p->moisture[i] * (cohesion[1] - cohesion[0]);
}

/* (G1, G3, G4): fill and sums of gradients of a grain; gives what its fill lacks by a surface. */
RP_WIDE_INLINE float set_fill(const rp_sph *solver, size_t i, const grain_sums *s)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    rp_float4 g = solver->quantum * s->g;
    float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    float fill = (float)solver->volume * rp_kernel_value(solver->kernel, 0) + s->fill;
    float lack = SURFACE_SHARE * (float)(solver->spacing * solver->spacing) * square;
    float made_up = solver->params.surface ? fminf(lack, SURFACE_MOST) : 0;
    w->sum[i] = s->g;
    w->sum[i][3] = s->squares + square;
    float error = fill - 1 + made_up;
    /* (G17): taking compression back (G8) leaves stresses for ever where tension balances them. */
    w->free[i][RP_SPH_ERROR] = error > 0 && cohesion_of(solver, i) > 0 ? 0 : error;
    p->density[i] = fill * solver->materials[p->material[i]].density;
    return lack;
}

/* (G9): the mean pressure of a neighborhood; on a surface, where all neighbors lie deeper, the
 * grain's own instead, or the topmost layers would get friction that their weight does not give. */
static float pressure_around(float own, float self, float sum, float fill, float lack)
{
    float inside = lack < SURFACE_LACK ? 1 - lack / SURFACE_LACK : 0;
    return own + inside * ((self * own + sum) / fill - own);
}

/* (G9a): how near a grain is to lying on top, by what its fill lacks and where its neighbors are,
 * `in` (of any length). On a floor or beside a wall it lacks neighbors, too, but not upwards. */
static float openness(const rp_sph *solver, rp_float4 in, float lack)
{
    rp_vec3 g = solver->gravity, n = {in[0], in[1], in[2]};
    double whole = rp_v3_length(g) * rp_v3_length(n);
    double down = whole > 0 ? rp_v3_dot(g, n) / whole : 1;
    float share = (float)fmax(0, fmin(1, 2 * down));
    return share * fminf(1, lack / SURFACE_LACK);
}

/* (G9a): the depth of a grain in the next step, from that of all around it. */
static float next_depth(const rp_sph *solver, size_t i, float self, float lack, const grain_sums *s)
{
    double reach = DEPTH_REACH * solver->spacing;
    float kept = (float)(1 - solver->spread / (6 * reach * reach));
    float mean = (self * solver->depth[i] + s->depth) / (self + s->fill);
    return (1 - openness(solver, s->g, lack)) * (1 + kept * mean);
}

/* (G9c): a vector across the layers; what it leans by is never more than what friction holds, or
 * it could drive the sand. */
RP_WIDE_INLINE rp_float4 lean_of(const rp_sph *solver, size_t i, rp_float4 n)
{
    float tangent = solver->materials[solver->host.grains->material[i]].tangent;
    float lean = fminf(rp_sph_lean(tangent), tangent * solver->work.grip[i]);
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    return square > 0 ? n * sqrtf(1.5f * lean / square) : (rp_float4){0};
}

/* (G17): the tension that a grain bears; less where moist and dry sand meet. */
static float strength_of(const rp_sph *solver, size_t i, float self, const grain_sums *s)
{
    if (!solver->cohesive) return 0;
    float mean = (self * solver->work.seen[i][RP_SPH_COHESION] + s->cohesion) / (self + s->fill);
    return rp_sph_strength(mean, solver->work.free[i][RP_SPH_ERROR], (float)solver->params.slack);
}

/* (G9e): the moments of a grain's pair gradients, in the order of a stress; quanta times m. */
RP_WIDE_INLINE rp_wide moments_of(const rp_sph *solver, size_t i)
{
    const rp_wide *seen = solver->work.seen;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    uint32_t count = lists->count[i];
    rp_wide sums[8] = {0};
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        rp_wide near[8], d[3], g[3];
        rp_wide_transpose(seen, index + n, near);
        for (int a = 0; a < 3; a++)
            d[a] = seen[i][a] - near[a];
        look_at_pairs(solver, d, count - n, g);
        for (int a = 0; a < 3; a++)
            sums[a] -= g[a] * d[a];
        sums[3] -= g[0] * d[1];
        sums[4] -= g[0] * d[2];
        sums[5] -= g[1] * d[2];
    }
    return rp_wide_sums(sums);
}

/* (G16): the share of velocity differences that grains lose in a step while they flow. */
static float flowing_damping(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float dry = material->viscosity[0], wet = material->viscosity[1];
    float flowing = (dry + p->moisture[i] * (wet - dry)) * (float)(solver->dt / VISCOSITY_STEP);
    return flowing < DAMPING_MOST ? flowing : DAMPING_MOST;
}

/* (G9d, G9e): what the friction of a flow is made of besides that of the grain's own stress; the
 * fabric is averaged as (G9a) is. */
RP_WIDE_INLINE rp_sph_flow flow_of(const rp_sph *solver, size_t i, float self, const grain_sums *s)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    const float lately = (float)fmin(1, solver->dt / (AVERAGED * solver->falling));
    rp_wide moments = solver->quantum * moments_of(solver, i);
    rp_wide mean = s->stress + self * solver->work.stress[i];
    float around = mean[6] / (self + s->fill), own = solver->work.stress[i][6];
    float now = around > 0 ? rp_sph_fabric(moments, mean, own / around) : 0;
    float seen = rp_sph_moment(moments, s->rise);
    float *fabric = &solver->fabric[i];
    *fabric += lately * (now - *fabric);
    double spread = flowing_damping(solver, i) * solver->spread / (6 * solver->dt); /* m2/s */
    return (rp_sph_flow){.pace = material->pace * seen * sqrtf(seen),
                         .drag = 2 * material->density * (float)spread,
                         .fabric = *fabric > 0 ? *fabric * solver->work.grip[i] : 0};
}

/* (G9a, G9b), and what they need to remember. */
RP_WIDE_INLINE float grip_of(const rp_sph *solver, size_t i, float self, const grain_sums *s)
{
    const float lately = (float)fmin(1, solver->dt / (AVERAGED * solver->falling));
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    rp_wide mean = s->stress + self * solver->work.stress[i];
    mean[6] += solver->work.strength[i] * (self + s->fill); /* (G17): friction's limit has both */
    solver->across[i] += lately * (rp_sph_across(mean, s->rise) - solver->across[i]);
    float grip = rp_sph_grip(mean, solver->across[i], material->tangent);
    return rp_sph_moist_grip(grip, solver->work.around[i], solver->work.strength[i]);
}

RP_WIDE_KERNEL
static void fill_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float self = (float)solver->volume * rp_kernel_value(solver->kernel, 0);
    float pull = solver->predictive ? (float)(6 / solver->spread) : 0;
    RP_ASSERT(rp_sph_block(solver, range) < w->blocks);
    RP_ASSERT(RP_IS_ALIGNED(w->seen) && RP_IS_ALIGNED(w->sum) && RP_IS_ALIGNED(w->gradient));
    rp_sph_ahead seen = rp_sph_look_ahead(w, range.begin), stress = seen;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_sph_ask_ahead(&seen, w->seen, sizeof *w->seen, i);
        rp_sph_ask_ahead(&stress, w->stress, sizeof *w->stress, i);
        grain_sums s = sum_pairs(solver, i);
        w->free[i] = s.drag + pull * solver->materials[p->material[i]].push * s.pull;
        float lack = set_fill(solver, i, &s);
        w->around[i] = pressure_around(p->pressure[i], self, s.stress[6], self + s.fill, lack);
        w->strength[i] = strength_of(solver, i, self, &s);
        w->depth[i] = next_depth(solver, i, self, lack, &s);
        if (!solver->predictive) w->grip[i] = grip_of(solver, i, self, &s);
        if (w->flow) w->flow[i] = flow_of(solver, i, self, &s);
        if (w->lean) w->lean[i] = lean_of(solver, i, s.rise);
    }
}

/* Rows that have been met lately are known again by their last digits. */
#define KNOWN 1024
static void outside_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_lists *lists = &solver->lists;
    RP_ASSERT(range.begin / RP_SPH_BLOCK < solver->work.blocks);
    rp_sph_outside *to = &solver->work.outside[range.begin / RP_SPH_BLOCK];
    uint32_t known[KNOWN], found = 0;
    memset(known, 0xff, sizeof known);
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        for (uint32_t n = 0; n < lists->count[i] && found < RP_SPH_OUTSIDE; n++) {
            uint32_t row = index[n] & ~1U, *as = &known[row / 2 % KNOWN];
            bool inside = row / RP_SPH_BLOCK == range.begin / RP_SPH_BLOCK;
            to->row[found] = row;
            found += !inside && *as != row;
            *as = row;
        }
    }
    to->count = found;
}

/* Whether a grain is inside its yield surface (G9), as it would be without cohesion. In sand that
 * leans the limit is lower, and what squeezes it along its layers is no friction: it takes no part
 * of what may be borne (G9a, G9c). */
static bool is_stuck(const rp_sph *solver, size_t i)
{
    if (solver->predictive) return false;
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float pressure = fmaxf(p->pressure[i], 0), norm2 = 0;
    float most = STUCK_SHARE * material->yield * pressure;
    for (int k = 0; k < 6; k++)
        norm2 += (k < 3 ? 1 : 2) * solver->stress[k][i] * solver->stress[k][i];
    if (rp_sph_lean(material->tangent) > 0) {
        float across = solver->across[i];
        norm2 -= 1.5f * across * across * pressure * pressure;
        most *= fminf(1, rp_sph_pressed(across, material->tangent));
    }
    return norm2 < most * most;
}

/* (G16): grains inside the yield surface hold each other; the others flow. */
static float damping_of(const rp_sph *solver, size_t i)
{
    float flowing = flowing_damping(solver, i);
    return !solver->weightless && is_stuck(solver, i) ? RP_SPH_STUCK + flowing : flowing;
}

static void see_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++) {
        solver->work.seen[i] = (rp_wide){
            p->x[i],  p->y[i],  p->z[i],  damping_of(solver, i),
            p->vx[i], p->vy[i], p->vz[i], cohesion_of(solver, i),
        };
    }
}

/* What others see of each grain; ghosts are somewhere else than the grains they are images of. */
static void see(const rp_sph *solver)
{
    const rp_grains *p = solver->host.grains;
    rp_wide *seen = solver->work.seen;
    rp_parallel_for(solver->host.threads, p->count, RP_SPH_BLOCK, see_range, (void *)solver);
    rp_sph_sync(solver, seen, sizeof *seen);
    for (size_t i = p->count; i < p->count + p->ghosts; i++) {
        seen[i][0] = p->x[i];
        seen[i][1] = p->y[i];
        seen[i][2] = p->z[i];
    }
}

static rp_code take_arrays(rp_sph *solver, rp_report *report)
{
    const rp_grains *p = solver->host.grains;
    rp_arena *arena = solver->host.arena;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_roomy(p->count + p->ghosts), pairs = rp_sph_roomy(solver->lists.extent);
    w->blocks = (p->count + RP_SPH_BLOCK - 1) / RP_SPH_BLOCK;
    w->outside = rp_arena_take(arena, w->blocks * sizeof *w->outside);
    w->stress = rp_arena_take(arena, all * sizeof *w->stress);
    w->free = rp_arena_take(arena, p->count * sizeof *w->free);
    w->sum = rp_arena_take(arena, p->count * sizeof *w->sum);
    w->around = rp_arena_take(arena, p->count * sizeof *w->around);
    w->grip = rp_arena_take(arena, p->count * sizeof *w->grip);
    w->lean = solver->leaning ? rp_arena_take(arena, p->count * sizeof *w->lean) : NULL;
    w->flow = solver->inertial ? rp_arena_take(arena, p->count * sizeof *w->flow) : NULL;
    w->gradient = rp_arena_take(arena, (3 * pairs + 2 * RP_WIDE) * sizeof *w->gradient);
    w->way = solver->predictive ? NULL : rp_arena_take(arena, p->count * sizeof *w->way);
    w->strength = rp_arena_take(arena, p->count * sizeof *w->strength);
    if (!w->outside || !w->stress || !w->free || !w->sum || !w->around || !w->strength ||
        !w->grip || !w->gradient || (solver->leaning && !w->lean) ||
        (!solver->predictive && !w->way) || (solver->inertial && !w->flow))
        return rp_fail_memory(report, 3 * pairs * sizeof *w->gradient,
                              "the gradients of all pairs");
    return RP_OK;
}

/* What the sums over pairs are made of is needed no longer when they are there, and gives its room
 * to the velocities. */
static rp_code fill(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    const rp_grains *p = host->grains;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_roomy(p->count + p->ghosts), mark = rp_arena_mark(host->arena);
    w->seen = rp_arena_take(host->arena, all * sizeof *w->seen);
    w->depth = rp_arena_take(host->arena, p->count * sizeof *w->depth);
    if (!w->seen || !w->depth)
        return rp_fail_memory(report, all * sizeof *w->seen, "what grains see");
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, outside_range, solver);
    rp_sph_pack(solver);
    see(solver);
    rp_sph_sync(solver, solver->depth, sizeof *solver->depth);
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, fill_range, solver);
    memcpy(solver->depth, w->depth, p->count * sizeof *w->depth);
    rp_arena_return(host->arena, mark);
    w->seen = NULL;
    w->depth = NULL;
    w->velocity = rp_arena_take(host->arena, all * sizeof *w->velocity);
    if (!w->velocity) return rp_fail_memory(report, all * sizeof *w->velocity, "velocities");
    return RP_OK;
}

static double compression(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += fmax(0, p->density[i] / solver->materials[p->material[i]].density - 1);
    return sum;
}

void rp_sph_tell_error(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    host->stats->numbers[RP_SPH_DENSITY_ERROR] =
        rp_reduce_mean(host->grains, host->threads, RP_SPH_BLOCK, compression, solver);
}

/* Own grains in cell order, and their ghosts. */
static rp_code order(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    RP_TRY(rp_neighbor_sort(host->neighbor, p, solver->kernel.support, report));
    return rp_neighbor_ghosts(host->neighbor, p, solver->kernel.support, report);
}

typedef struct again {
    const rp_sph *solver;
    const uint8_t *changed; /* not 0: to be looked at */
} again;

/* (G1 to G4) of one grain where it is now, with gradients as they are kept. */
RP_WIDE_INLINE void fill_again(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    float quantum2 = solver->quantum * solver->quantum;
    pair_sums s = {0};
    RP_ASSERT_DEBUG(lists->start[i] + lists->count[i] <= lists->extent);
    for (uint32_t n = 0; n < lists->count[i]; n += RP_WIDE) {
        rp_wide d[3] = {p->x[i] - rp_wide_gather(p->x, index + n),
                        p->y[i] - rp_wide_gather(p->y, index + n),
                        p->z[i] - rp_wide_gather(p->z, index + n)};
        rp_wide g[3], value = look_at_pairs(solver, d, lists->count[i] - n, g);
        rp_sph_keep_group(w->gradient + 3 * (lists->start[i] + n), g, lists->count[i] - n);
        s.fill += value;
        s.gx += g[0];
        s.gy += g[1];
        s.gz += g[2];
        rp_wide squares = quantum2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s.squares += in_own_mass(solver, i, index + n, squares);
    }
    grain_sums sums = add_lanes(&s);
    set_fill(solver, i, &sums);
}

RP_WIDE_KERNEL
static void again_range(void *context, rp_range range)
{
    const again *job = context;
    RP_ASSERT(rp_sph_block(job->solver, range) < job->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i++)
        if (job->changed[i]) fill_again(job->solver, i);
}

void rp_sph_density_again(rp_sph *solver, const uint8_t *changed)
{
    const rp_host *host = &solver->host;
    again job = {solver, changed};
    rp_stage_begin(host, "fill");
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, again_range, &job);
    rp_stage_end(host, "fill");
    rp_sph_tell_error(solver);
}

rp_code rp_sph_density(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    rp_stage_begin(host, "order");
    rp_code code = order(solver, report);
    rp_stage_end(host, "order");
    if (code == RP_OK && rp_is_stopped(host->stop)) code = RP_INTERRUPTED;
    RP_TRY(code);
    rp_stage_begin(host, "lists");
    code = rp_neighbor_lists(host->neighbor, p, solver->kernel.support, &solver->lists, report);
    rp_stage_end(host, "lists");
    if (code == RP_OK && rp_is_stopped(host->stop)) code = RP_INTERRUPTED;
    if (code == RP_OK) code = take_arrays(solver, report);
    RP_TRY(code);
    rp_stage_begin(host, "fill");
    code = fill(solver, report);
    rp_stage_end(host, "fill");
    RP_TRY(code);
    rp_sph_tell_error(solver);
    return RP_OK;
}
