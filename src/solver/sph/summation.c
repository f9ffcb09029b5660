/* SPH summation over the neighbors of each grain: volume fraction and pair gradients (G1 to G4),
 * kernel means of stress, depth and cohesion, from which the yield scale (G9a, b), back stress
 * (G9c), rate-dependent friction (G9d, e) and tensile strength (G17) follow, and the pair forces
 * that do not depend on stress: viscosity (G16) and, in pcisph, cohesion (G17a). */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"

/* (G4): the kernel deficiency of a grain on the flat free surface of a lattice is 0.150, and its
 * gradient sum 0.510 / spacing; the deficiency of edges and corners grows with the square. */
#define DEFICIENCY_FACTOR 0.577f
#define SURFACE_DEFICIENCY 0.150f
#define DEFICIENCY_MAX 0.45f
/* Coincident grains have no direction to separate in: pairs nearer than this many spacings are
 * treated as if at this distance. */
#define NEAREST 1e-3f
/* (G16): spacings per fall time: the velocity difference beyond which grains inside the yield
 * surface lose no more; half of what weight adds in a step at rest. Weight drives the modes that
 * this damps; without weight they do no harm, and the loss would slow down rotation. */
#define SLIP_LIMIT 0.1f
#define DAMPING_MAX 0.5f
#define VISCOSITY_STEP 1e-3     /* s, the step for which viscosity is stated */
#define BELOW_YIELD_SHARE 0.98f /* of the yield stress; above it a grain may be sliding */
/* (G9a): fall times over which the layer stress ratio is averaged. */
#define AVERAGING_TIME 2.4
/* (G9a): spacings over which the depth field levels off below a surface. */
#define DEPTH_LENGTH 8.0

/* --- sums over pairs --- */

/* Sums over the pairs of one grain, eight lanes each. */
typedef struct pair_sums {
    rp_wide fraction, squares;      /* (G1); 1/m2 (G3) */
    rp_wide gx, gy, gz;             /* quanta (G3) */
    rp_wide down_x, down_y, down_z; /* quanta, gradient of depth (G9a) */
    rp_wide depth;                  /* weighted by the kernel (G9a) */
    rp_wide drag_x, drag_y, drag_z; /* m/s, viscosity */
    rp_wide pull_x, pull_y, pull_z; /* Pa m, cohesion (G17a) */
    rp_wide cohesion;               /* Pa, of pairs, weighted by the kernel (G17) */
    rp_wide stress;                 /* Pa, weighted by the kernel (G9); lanes are components */
} pair_sums;

/* The same with their lanes added. */
typedef struct grain_sums {
    float fraction, squares, depth, cohesion;
    rp_float4 g, down, drag, pull;
    rp_wide stress;
} grain_sums;

RP_WIDE_INLINE grain_sums add_lanes(const pair_sums *s)
{
    rp_wide a[8] = {s->gx, s->gy, s->gz, s->squares, s->down_x, s->down_y, s->down_z, s->fraction};
    rp_wide b[8] = {s->drag_x, s->drag_y, s->drag_z, s->depth,
                    s->pull_x, s->pull_y, s->pull_z, s->cohesion};
    rp_wide first = rp_wide_sums(a), second = rp_wide_sums(b);
    return (grain_sums){.fraction = first[7],
                        .squares = first[3],
                        .depth = second[3],
                        .cohesion = second[7],
                        .g = {first[0], first[1], first[2], 0},
                        .down = {first[4], first[5], first[6], 0},
                        .drag = {second[0], second[1], second[2], 0},
                        .pull = {second[4], second[5], second[6], 0},
                        .stress = s->stress};
}

/* Adds viscosity and cohesion of eight pairs: `near` has the packed values of the neighbors in
 * columns, `own` the grain's; d points from the neighbors to the grain, `value` is V W. */
RP_WIDE_INLINE void add_pair_forces(const rp_sph *solver, size_t i, const uint32_t *index,
                                    const rp_wide near[8], rp_wide own, const rp_wide d[3],
                                    rp_wide value, pair_sums *s)
{
    const rp_grains *p = solver->host.grains;
    /* (G16): the smaller damping of both grains, on their velocity difference. */
    rp_wide v[3];
    for (int a = 0; a < 3; a++)
        v[a] = near[RP_SPH_VELOCITY + a] - own[RP_SPH_VELOCITY + a];
    float slip_limit = SLIP_LIMIT * (float)(solver->spacing / solver->fall_time);
    rp_wide damping = rp_wide_min(near[RP_SPH_DAMPING], rp_wide_broadcast(own[RP_SPH_DAMPING]));
    rp_wide drag = value * rp_sph_damping(damping, v, slip_limit);
    if (solver->mixed_densities) {
        rp_wide mass = rp_wide_gather(p->mass, index);
        drag *= 2 * mass / (mass + p->mass[i]);
    }
    s->drag_x += drag * v[0];
    s->drag_y += drag * v[1];
    s->drag_z += drag * v[2];
    /* (G17, G17a): the smaller cohesion of both. */
    if (!solver->cohesive) return;
    rp_wide pull =
        value * rp_wide_min(near[RP_SPH_COHESION], rp_wide_broadcast(own[RP_SPH_COHESION]));
    s->cohesion += pull;
    if (!solver->predictive) return;
    s->pull_x -= pull * d[0];
    s->pull_y -= pull * d[1];
    s->pull_z -= pull * d[2];
}

/* (G3): returns |g|^2 of eight pairs weighted by m_i / m_j, since a stress moves each neighbor by
 * that one's mass (G10): without it, the step of heavy grains among light ones is too long, and the
 * solve diverges. Light neighbors at the rim of the kernel support have small gradients, but are
 * moved by those of all other grains, too: they count by no less than `usual`. */
RP_WIDE_INLINE rp_wide mass_weighted(const rp_sph *solver, size_t i, const uint32_t *index,
                                     rp_wide squares)
{
    if (!solver->mixed_densities) return squares;
    const rp_grains *p = solver->host.grains;
    const rp_wide one = rp_wide_broadcast(1);
    rp_wide ratio = p->mass[i] / rp_wide_gather(p->mass, index);
    rp_wide usual = rp_wide_sqrt(squares) * (float)solver->lattice_slope;
    return rp_wide_min(ratio, one) * squares +
           rp_wide_max(ratio - one, rp_wide_broadcast(0)) * rp_wide_max(squares, usual);
}

/* (G9a): returns the sum of the neighbors' stresses times their weights, `count` a multiple of
 * four; in a loop of its own, since the other one has no registers left for more sums. */
#define WEIGHTS 64 /* capacity */
_Static_assert(WEIGHTS % RP_WIDE == 0, "weights are stored in groups of eight");
RP_WIDE_INLINE rp_wide sum_weighted_stress(const rp_wide *stress, const uint32_t *index,
                                           const float *weight, uint32_t count)
{
    rp_wide sums[4] = {0};
    for (uint32_t n = 0; n < count; n += 4)
        for (uint32_t k = 0; k < 4; k++)
            sums[k] += weight[n + k] * stress[index[n + k]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Returns V W of up to eight pairs at the distance vectors d, and their gradients V grad W in
 * quanta, g. */
RP_WIDE_INLINE rp_wide evaluate_kernel(const rp_sph *solver, const rp_wide d[3], uint32_t count,
                                       rp_wide g[3])
{
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    /* Behind the last neighbor the indices are any valid ones; they contribute zero. */
    rp_wide_int live = lanes < (float)count;
    float volume = (float)solver->volume, nearest = NEAREST * (float)solver->spacing;
    rp_wide r = rp_wide_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    r = rp_wide_max(r, rp_wide_broadcast(nearest));
    /* The division does not depend on the slope, so both are computed at the same time. */
    rp_wide inverse = volume / solver->quantum / r;
    rp_wide slope = rp_wide_select(live, inverse, rp_wide_broadcast(0));
    slope *= rp_kernel_slope_wide(solver->kernel, r);
    for (int a = 0; a < 3; a++)
        g[a] = rp_sph_quantize(slope * d[a]);
    rp_wide value = volume * rp_kernel_value_wide(solver->kernel, r);
    return rp_wide_select(live, value, rp_wide_broadcast(0));
}

/* All sums of grain i; stores its pair gradients. */
RP_WIDE_INLINE grain_sums sum_pairs(const rp_sph *solver, size_t i)
{
    const rp_sph_work *w = &solver->work;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    const float *depths = solver->depth;
    int16_t *gradient = w->gradient + 3 * lists->start[i];
    const rp_wide own = w->packed[i];
    uint32_t count = lists->count[i], waiting = 0;
    float weight[WEIGHTS], quantum2 = solver->quantum * solver->quantum;
    pair_sums s = {0};
    RP_ASSERT_DEBUG(lists->start[i] + count <= lists->extent);
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        /* Eight neighbors, transposed; kernel and gradients. */
        rp_wide near[8], d[3], g[3];
        rp_wide_transpose(w->packed, index + n, near);
        for (int a = 0; a < 3; a++)
            d[a] = own[a] - near[a];
        rp_wide value = evaluate_kernel(solver, d, count - n, g);
        rp_sph_store_gradients(gradient + 3 * n, g, count - n);
        /* (G1), G of (G3), and the gradient of depth (G9a). */
        rp_wide depth = rp_wide_gather(depths, index + n), deeper = depth - depths[i];
        s.fraction += value;
        s.depth += value * depth;
        s.gx += g[0];
        s.gy += g[1];
        s.gz += g[2];
        s.down_x += deeper * g[0];
        s.down_y += deeper * g[1];
        s.down_z += deeper * g[2];
        rp_wide squares = quantum2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s.squares += mass_weighted(solver, i, index + n, squares);
        add_pair_forces(solver, i, index + n, near, own, d, value, &s);
        /* Kernel values are collected, and stresses summed when the buffer is full. */
        rp_wide_store(weight + waiting, value);
        waiting += RP_WIDE;
        if (waiting < WEIGHTS && n + RP_WIDE < count) continue;
        s.stress += sum_weighted_stress(w->stress, index + n + RP_WIDE - waiting, weight, waiting);
        waiting = 0;
    }
    return add_lanes(&s);
}

/* --- what follows from the sums, for one grain --- */

/* Returns the cohesion in Pa at the grain's moisture. */
static float cohesion_of(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const float *cohesion = solver->materials[p->material[i]].cohesion;
    return cohesion[0] + p->moisture[i] * (cohesion[1] - cohesion[0]);
}

/* (G1, G3, G4): sets density, gradient sums and the error of the volume fraction of a grain.
 * Returns its kernel deficiency by a free surface. */
RP_WIDE_INLINE float set_fraction(const rp_sph *solver, size_t i, const grain_sums *s)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    rp_float4 g = solver->quantum * s->g;
    float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    float fraction = (float)solver->volume * rp_kernel_value(solver->kernel, 0) + s->fraction;
    float deficiency = DEFICIENCY_FACTOR * (float)(solver->spacing * solver->spacing) * square;
    float made_up = solver->params.surface ? fminf(deficiency, DEFICIENCY_MAX) : 0;
    w->gradient_sum[i] = s->g;
    w->gradient_sum[i][3] = s->squares + square;
    float error = fraction - 1 + made_up;
    /* (G17): removing compression (G8) would leave stresses for ever where tension balances them.
     */
    w->free_velocity[i][RP_SPH_FRACTION_ERROR] =
        error > 0 && cohesion_of(solver, i) > 0 ? 0 : error;
    p->density[i] = fraction * solver->materials[p->material[i]].density;
    return deficiency;
}

/* (G9): returns the mean pressure of a neighborhood; on a surface, where all neighbors are deeper,
 * the grain's own instead, or the topmost layers would get friction that their weight does not
 * give.
 */
static float mean_pressure_of(float own, float self, float sum, float fraction, float deficiency)
{
    float inside = deficiency < SURFACE_DEFICIENCY ? 1 - deficiency / SURFACE_DEFICIENCY : 0;
    return own + inside * ((self * own + sum) / fraction - own);
}

/* (G9a): returns o, how close a grain is to lying on top, by its kernel deficiency and by where its
 * neighbors are, `in` (of any length). On a floor or beside a wall neighbors are missing, too, but
 * not above. */
static float openness(const rp_sph *solver, rp_float4 in, float deficiency)
{
    rp_vec3 g = solver->gravity, n = {in[0], in[1], in[2]};
    double whole = rp_v3_length(g) * rp_v3_length(n);
    double down = whole > 0 ? rp_v3_dot(g, n) / whole : 1;
    float share = (float)fmax(0, fmin(1, 2 * down));
    return share * fminf(1, deficiency / SURFACE_DEFICIENCY);
}

/* (G9a): returns the depth of a grain in the next step, from that of its neighborhood. */
static float next_depth(const rp_sph *solver, size_t i, float self, float deficiency,
                        const grain_sums *s)
{
    double length = DEPTH_LENGTH * solver->spacing;
    float decay = (float)(1 - solver->second_moment / (6 * length * length));
    float mean = (self * solver->depth[i] + s->depth) / (self + s->fraction);
    return (1 - openness(solver, s->g, deficiency)) * (1 + decay * mean);
}

/* (G9c): returns the scaled axis of the back stress, along the layer normal n. The back stress
 * never exceeds the yield stress, or it could drive the sand. */
RP_WIDE_INLINE rp_float4 back_stress_of(const rp_sph *solver, size_t i, rp_float4 n)
{
    float tangent = solver->materials[solver->host.grains->material[i]].tangent;
    float ratio = fminf(rp_sph_back_stress_ratio(tangent), tangent * solver->work.yield_scale[i]);
    float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    return square > 0 ? n * sqrtf(1.5f * ratio / square) : (rp_float4){0};
}

/* (G17): returns the tensile strength in Pa; less where moist and dry sand meet. */
static float strength_of(const rp_sph *solver, size_t i, float self, const grain_sums *s)
{
    if (!solver->cohesive) return 0;
    float mean =
        (self * solver->work.packed[i][RP_SPH_COHESION] + s->cohesion) / (self + s->fraction);
    return rp_sph_tensile_strength(mean, solver->work.free_velocity[i][RP_SPH_FRACTION_ERROR],
                                   (float)solver->params.slack);
}

/* (G9e): returns the moments A of a grain's pair gradients, in the order of a stress; quanta m. */
RP_WIDE_INLINE rp_wide moments_of(const rp_sph *solver, size_t i)
{
    const rp_wide *packed = solver->work.packed;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    uint32_t count = lists->count[i];
    rp_wide sums[8] = {0};
    for (uint32_t n = 0; n < count; n += RP_WIDE) {
        rp_wide near[8], d[3], g[3];
        rp_wide_transpose(packed, index + n, near);
        for (int a = 0; a < 3; a++)
            d[a] = packed[i][a] - near[a];
        evaluate_kernel(solver, d, count - n, g);
        for (int a = 0; a < 3; a++)
            sums[a] -= g[a] * d[a];
        sums[3] -= g[0] * d[1];
        sums[4] -= g[0] * d[2];
        sums[5] -= g[1] * d[2];
    }
    return rp_wide_sums(sums);
}

/* (G16): returns the fraction of velocity differences that grains lose in a step while they flow.
 */
static float flow_damping(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float dry = material->viscosity[0], wet = material->viscosity[1];
    float damping = (dry + p->moisture[i] * (wet - dry)) * (float)(solver->dt / VISCOSITY_STEP);
    return damping < DAMPING_MAX ? damping : DAMPING_MAX;
}

/* (G9d, G9e): returns the terms of rate-dependent friction; the fabric is averaged in time like the
 * layer stress ratio of (G9a). */
RP_WIDE_INLINE rp_sph_rate_friction rate_friction_of(const rp_sph *solver, size_t i, float self,
                                                     const grain_sums *s)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    const float blend = (float)fmin(1, solver->dt / (AVERAGING_TIME * solver->fall_time));
    rp_wide moments = solver->quantum * moments_of(solver, i);
    rp_wide mean = s->stress + self * solver->work.stress[i];
    float around = mean[6] / (self + s->fraction), own = solver->work.stress[i][6];
    float now = around > 0 ? rp_sph_fabric_friction(moments, mean, own / around) : 0;
    float resolved = rp_sph_moment_along(moments, s->down);
    float *fabric = &solver->fabric[i];
    *fabric += blend * (now - *fabric);
    /* m2/s, the kinematic viscosity that damping amounts to, nu of (G9e, ii). */
    double viscosity = flow_damping(solver, i) * solver->second_moment / (6 * solver->dt);
    return (rp_sph_rate_friction){.rate_scale = material->rate_scale * resolved * sqrtf(resolved),
                                  .drag = 2 * material->density * (float)viscosity,
                                  .fabric =
                                      *fabric > 0 ? *fabric * solver->work.yield_scale[i] : 0};
}

/* (G9a, G9b): returns the yield scale; updates the time average of the layer stress ratio. */
RP_WIDE_INLINE float yield_scale_of(const rp_sph *solver, size_t i, float self, const grain_sums *s)
{
    const float blend = (float)fmin(1, solver->dt / (AVERAGING_TIME * solver->fall_time));
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    rp_wide mean = s->stress + self * solver->work.stress[i];
    /* (G17): friction is limited by pressure and tensile strength. */
    mean[6] += solver->work.tensile_strength[i] * (self + s->fraction);
    float *ratio = &solver->layer_stress_ratio[i];
    *ratio += blend * (rp_sph_layer_stress_ratio(mean, s->down) - *ratio);
    float scale = rp_sph_yield_scale(mean, *ratio, material->tangent);
    return rp_sph_cohesive_yield_scale(scale, solver->work.mean_pressure[i],
                                       solver->work.tensile_strength[i]);
}

/* --- the summation sweep --- */

RP_WIDE_KERNEL
static void summation_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float self = (float)solver->volume * rp_kernel_value(solver->kernel, 0);
    float pull = solver->predictive ? (float)(6 / solver->second_moment) : 0;
    RP_ASSERT(rp_sph_block(solver, range) < w->blocks);
    RP_ASSERT(RP_IS_ALIGNED(w->packed) && RP_IS_ALIGNED(w->gradient_sum));
    RP_ASSERT(RP_IS_ALIGNED(w->gradient));
    rp_sph_prefetch packed = rp_sph_prefetch_begin(w, range.begin), stress = packed;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_sph_prefetch_rows(&packed, w->packed, sizeof *w->packed, i);
        rp_sph_prefetch_rows(&stress, w->stress, sizeof *w->stress, i);
        grain_sums s = sum_pairs(solver, i);
        /* Velocity change by pair forces; time_step.c adds the rest of v*. */
        w->free_velocity[i] = s.drag + pull * solver->materials[p->material[i]].mobility * s.pull;
        float deficiency = set_fraction(solver, i, &s);
        w->mean_pressure[i] =
            mean_pressure_of(p->pressure[i], self, s.stress[6], self + s.fraction, deficiency);
        w->tensile_strength[i] = strength_of(solver, i, self, &s);
        w->next_depth[i] = next_depth(solver, i, self, deficiency, &s);
        /* The order matters: the last two use the yield scale. */
        if (!solver->predictive) w->yield_scale[i] = yield_scale_of(solver, i, self, &s);
        if (w->rate_friction) w->rate_friction[i] = rate_friction_of(solver, i, self, &s);
        if (w->back_stress) w->back_stress[i] = back_stress_of(solver, i, s.down);
    }
}

/* Lists the halo of each block. A direct-mapped table of recently met rows removes most duplicates.
 */
#define RECENT 1024
static void halo_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_lists *lists = &solver->lists;
    RP_ASSERT(range.begin / RP_SPH_BLOCK < solver->work.blocks);
    rp_sph_halo *to = &solver->work.halo[range.begin / RP_SPH_BLOCK];
    uint32_t recent[RECENT], found = 0;
    memset(recent, 0xff, sizeof recent);
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        for (uint32_t n = 0; n < lists->count[i] && found < RP_SPH_HALO_ROWS; n++) {
            /* Two rows share a cache line. Written always, counted if new: no branch. */
            uint32_t row = index[n] & ~1U, *slot = &recent[row / 2 % RECENT];
            bool inside = row / RP_SPH_BLOCK == range.begin / RP_SPH_BLOCK;
            to->row[found] = row;
            found += !inside && *slot != row;
            *slot = row;
        }
    }
    to->count = found;
}

/* Returns whether a grain is inside its yield surface (G9), as it would be without cohesion. In
 * sand with a back stress the limit is lower, and compression along the layers is not friction: it
 * is subtracted from the stress (G9a, G9c). */
static bool is_below_yield(const rp_sph *solver, size_t i)
{
    if (solver->predictive) return false;
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float pressure = fmaxf(p->pressure[i], 0), norm2 = 0;
    float most = BELOW_YIELD_SHARE * material->yield * pressure;
    for (int k = 0; k < 6; k++)
        norm2 += (k < 3 ? 1 : 2) * solver->stress[k][i] * solver->stress[k][i];
    if (rp_sph_back_stress_ratio(material->tangent) > 0) {
        float ratio = solver->layer_stress_ratio[i];
        norm2 -= 1.5f * ratio * ratio * pressure * pressure;
        most *= fminf(1, rp_sph_layer_pressure_ratio(ratio, material->tangent));
    }
    return norm2 < most * most;
}

/* (G16): returns the damping of a grain, with RP_SPH_BELOW_YIELD added inside the yield surface. */
static float damping_of(const rp_sph *solver, size_t i)
{
    float flow = flow_damping(solver, i);
    return !solver->weightless && is_below_yield(solver, i) ? RP_SPH_BELOW_YIELD + flow : flow;
}

static void pack_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++) {
        solver->work.packed[i] = (rp_wide){
            p->x[i],  p->y[i],  p->z[i],  damping_of(solver, i),
            p->vx[i], p->vy[i], p->vz[i], cohesion_of(solver, i),
        };
    }
}

/* Packs the values that neighbors read; ghosts have positions of their own. */
static void pack(const rp_sph *solver)
{
    const rp_grains *p = solver->host.grains;
    rp_wide *packed = solver->work.packed;
    rp_parallel_for(solver->host.threads, p->count, RP_SPH_BLOCK, pack_range, (void *)solver);
    rp_sph_sync(solver, packed, sizeof *packed);
    for (size_t i = p->count; i < p->count + p->ghosts; i++) {
        packed[i][0] = p->x[i];
        packed[i][1] = p->y[i];
        packed[i][2] = p->z[i];
    }
}

static rp_code take_arrays(rp_sph *solver, rp_report *report)
{
    const rp_grains *p = solver->host.grains;
    rp_arena *arena = solver->host.arena;
    rp_sph_work *w = &solver->work;
    bool frictional = !solver->predictive;
    size_t all = rp_sph_padded(p->count + p->ghosts), pairs = rp_sph_padded(solver->lists.extent);
    w->blocks = (p->count + RP_SPH_BLOCK - 1) / RP_SPH_BLOCK;
    w->halo = rp_arena_take(arena, w->blocks * sizeof *w->halo);
    w->stress = rp_arena_take(arena, all * sizeof *w->stress);
    w->free_velocity = rp_arena_take(arena, p->count * sizeof *w->free_velocity);
    w->gradient_sum = rp_arena_take(arena, p->count * sizeof *w->gradient_sum);
    w->mean_pressure = rp_arena_take(arena, p->count * sizeof *w->mean_pressure);
    w->yield_scale = rp_arena_take(arena, p->count * sizeof *w->yield_scale);
    w->back_stress =
        solver->has_back_stress ? rp_arena_take(arena, p->count * sizeof *w->back_stress) : NULL;
    w->rate_friction =
        solver->rate_dependent ? rp_arena_take(arena, p->count * sizeof *w->rate_friction) : NULL;
    w->gradient = rp_arena_take(arena, (3 * pairs + 2 * RP_WIDE) * sizeof *w->gradient);
    w->displacement = frictional ? rp_arena_take(arena, p->count * sizeof *w->displacement) : NULL;
    w->tensile_strength = rp_arena_take(arena, p->count * sizeof *w->tensile_strength);
    if (!w->halo || !w->stress || !w->free_velocity || !w->gradient_sum || !w->mean_pressure ||
        !w->tensile_strength || !w->yield_scale || !w->gradient ||
        (solver->has_back_stress && !w->back_stress) || (frictional && !w->displacement) ||
        (solver->rate_dependent && !w->rate_friction))
        return rp_fail_memory(report, 3 * pairs * sizeof *w->gradient,
                              "the gradients of all pairs");
    return RP_OK;
}

/* The summation sweep. The packed values are needed no longer afterwards; the velocities take their
 * memory. */
static rp_code sum_all(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    const rp_grains *p = host->grains;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_padded(p->count + p->ghosts), mark = rp_arena_mark(host->arena);
    w->packed = rp_arena_take(host->arena, all * sizeof *w->packed);
    w->next_depth = rp_arena_take(host->arena, p->count * sizeof *w->next_depth);
    if (!w->packed || !w->next_depth)
        return rp_fail_memory(report, all * sizeof *w->packed, "values that neighbors read");
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, halo_range, solver);
    rp_sph_load_stress(solver);
    pack(solver);
    rp_sph_sync(solver, solver->depth, sizeof *solver->depth);
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, summation_range, solver);
    memcpy(solver->depth, w->next_depth, p->count * sizeof *w->next_depth);
    rp_arena_return(host->arena, mark);
    w->packed = NULL;
    w->next_depth = NULL;
    w->velocity = rp_arena_take(host->arena, all * sizeof *w->velocity);
    if (!w->velocity) return rp_fail_memory(report, all * sizeof *w->velocity, "velocities");
    return RP_OK;
}

/* --- the same again for some grains, after a position correction --- */

typedef struct update {
    const rp_sph *solver;
    const uint8_t *changed; /* not 0: to be recomputed */
} update;

/* (G1 to G4) of one grain at its present position. */
RP_WIDE_INLINE void update_fraction(const rp_sph *solver, size_t i)
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
        rp_wide g[3], value = evaluate_kernel(solver, d, lists->count[i] - n, g);
        rp_sph_store_gradients(w->gradient + 3 * (lists->start[i] + n), g, lists->count[i] - n);
        s.fraction += value;
        s.gx += g[0];
        s.gy += g[1];
        s.gz += g[2];
        rp_wide squares = quantum2 * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s.squares += mass_weighted(solver, i, index + n, squares);
    }
    grain_sums sums = add_lanes(&s);
    set_fraction(solver, i, &sums);
}

RP_WIDE_KERNEL
static void update_range(void *context, rp_range range)
{
    const update *job = context;
    RP_ASSERT(rp_sph_block(job->solver, range) < job->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i++)
        if (job->changed[i]) update_fraction(job->solver, i);
}

void rp_sph_summation_update(rp_sph *solver, const uint8_t *changed)
{
    const rp_host *host = &solver->host;
    update job = {solver, changed};
    rp_stage_begin(host, "density");
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, update_range, &job);
    rp_stage_end(host, "density");
    rp_sph_report_density_error(solver);
}

/* --- the stages up to the summation --- */

/* Own grains in cell order, and their ghosts. */
static rp_code order(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    RP_TRY(rp_neighbor_sort(host->neighbor, p, solver->kernel.support, report));
    return rp_neighbor_ghosts(host->neighbor, p, solver->kernel.support, report);
}

rp_code rp_sph_summation(rp_sph *solver, rp_report *report)
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
    rp_stage_begin(host, "density");
    code = sum_all(solver, report);
    rp_stage_end(host, "density");
    RP_TRY(code);
    rp_sph_report_density_error(solver);
    return RP_OK;
}
