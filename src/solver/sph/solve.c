/* The velocity-level solve (G5 to G11b): finds pressure and friction stress such that sand neither
 * compresses nor, inside its yield surface, shears. The unknowns are the stresses of all grains;
 * the velocities follow from them (G6), and the strain rates from the velocities (G7). Both maps
 * are transposes, so this is a constrained minimisation of kinetic energy, whose gradient is the
 * strain rate. It is solved by a projected gradient method with diagonal scaling (G10): a step
 * against the strain rate, a return mapping to the yield surface (G9), and, accelerated, an
 * extrapolation (Nesterov's momentum with adaptive restart, G11). The stresses of the step before
 * are the warm start (G11b).
 *
 * An iteration is two sweeps over all pairs: rp_sph_velocities, and step_stresses below. */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"

/* (G10): step lengths in units of the diagonal step. The largest eigenvalue of the scaled operator
 * is near 7 for packed grains; a gradient step must stay below two over it, an accelerated one
 * below one over it. Where grains overlap the eigenvalue grows with their number, so the step is
 * divided by the volume fraction. */
#define JACOBI_STEP 0.2f
#define ACCELERATED_STEP 0.14f

/* Lower bound of Q, in parts of a lattice's. Grains that overlap or barely touch have almost no
 * gradients: a full diagonal step would give them stresses that the next step, with other
 * gradients, turns into an explosion. */
#define MIN_SQUARES 0.1f

/* (G8): the shortest step by which compression is corrected, in parts of the step at rest. */
#define SHORTEST_CORRECTION 0.4
/* The first step has to find the stresses of all layers from zero: its iterations are limited by
 * this multiple. */
#define FIRST_STEP_ITERATIONS 4
/* (G11b): the warm start is scaled where its best share is below this. */
#define FULL_WARM_START 0.99
/* Bodies slower than this fraction of what gravity adds in two steps count as standing still. */
#define BODY_AT_REST 0.005

/* (G11a), where friction depends on the strain rate: the residual must be small against the rate
 * itself, and speed over spacing is that times the number of layers. */
#define RATE_DEPENDENT_GOAL 0.2

/* One double per block each, added in block order, so that threads do not matter. */
typedef struct block_sums {
    double *restart;  /* product of gradient and last move; positive: the momentum is wrong */
    double *residual; /* strain rates still to be removed, 1/s */
} block_sums;

typedef struct solve {
    rp_sph *solver;
    block_sums sums;
    float share;                /* step length in units of the diagonal step, w of (G10) */
    float momentum;             /* of the next extrapolation (G11) */
    float correction, recovery; /* 1/s, (G8): c, and the upper bound of c e */
} solve;

/* --- velocity gradients (G7) --- */

/* A velocity gradient: column d/dx, d/dy, d/dz of the velocity each. */
typedef struct columns {
    rp_float4 x, y, z;
} columns;

/* Adds velocity times gradient of four pairs of a chunk, from k on. */
RP_WIDE_INLINE void add_four_velocities(const rp_float4 *velocities, const uint32_t *index,
                                        const rp_sph_chunk *g, uint32_t k, columns *to)
{
    for (uint32_t n = k; n < k + 4; n++) {
        rp_float4 v = velocities[index[n]];
        to->x += v * g->x[n];
        to->y += v * g->y[n];
        to->z += v * g->z[n];
    }
}

/* Returns (G7) of grain i, in quanta of the gradient; built like sum_stress in time_step.c. */
RP_WIDE_INLINE columns sum_gradient(const rp_sph *solver, size_t i)
{
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const size_t start = lists->start[i];
    const uint32_t *index = lists->index + start;
    const int16_t *gradient = w->gradient + 3 * start;
    uint32_t count = lists->count[i];
    /* -v_i G_i^T */
    rp_float4 v = -w->velocity[i], own = w->gradient_sum[i];
    columns sum = {0 + v * own[0], 0 + v * own[1], 0 + v * own[2]};
    /* sum_j v_j g_ij^T */
    rp_sph_chunk g;
    for (uint32_t n = 0; n < count; n += RP_SPH_CHUNK) {
        uint32_t here = count - n < RP_SPH_CHUNK ? count - n : RP_SPH_CHUNK;
        rp_sph_load_gradients(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k += 4) {
            rp_sph_prefetch_line(index + n + k, RP_SPH_PREFETCH_PAIRS * sizeof *index);
            add_four_velocities(w->velocity, index + n, &g, k, &sum);
        }
    }
    return sum;
}

/* --- eight grains at once --- */

/* (G8): returns the rate at which the volume fraction may grow, 1/s; negative where it must shrink.
 * One of the two terms is zero. */
RP_WIDE_INLINE rp_wide allowed_growth(const solve *s, rp_wide error)
{
    const rp_wide none = {0};
    float slack = (float)s->solver->params.slack, per_dt = (float)(1 / s->solver->dt);
    rp_wide shrink = rp_wide_min(s->correction * rp_wide_max(error, none), none + s->recovery);
    return rp_wide_max(-(error + slack), none) * per_dt - shrink;
}

/* Eight grains, one in each lane: what follows the sum over a grain's pairs is a long chain of few
 * values, and takes as long for one grain as for eight. */
typedef struct group {
    uint32_t at[RP_WIDE]; /* their numbers; beyond the last grain the last one again */
    rp_wide_int awake;    /* mask of the lanes that count */
    rp_wide diagonal;     /* 1/(Pa s), q: strain rate per unit of its own stress */
    rp_wide yield, mean_pressure, allowed;
    rp_sph_cohesion cohesion; /* where some sand is cohesive (G17) */
    rp_wide back_stress[3];   /* where some sand has a back stress (G9c) */
    rp_sph_rate_law rate_law; /* where friction grows with the rate (G9d) */
    rp_wide gradient[9];      /* 1/s, of velocity x along x, y, z; of velocity y ... */
} group;

/* (G9d) of grain i in lane k; where friction does not grow, that of the fastest flow is the yield
 * stress. */
RP_WIDE_INLINE void load_rate_law(const rp_sph *solver, size_t i, int k, group *to)
{
    const rp_sph_material *material = &solver->materials[solver->host.grains->material[i]];
    bool grows = material->dynamic_yield > 0;
    const rp_sph_rate_friction none = {0}, own = grows ? solver->work.rate_friction[i] : none;
    to->rate_law.dynamic_yield[k] =
        grows ? material->dynamic_yield * solver->work.yield_scale[i] : to->yield[k];
    to->rate_law.rate_scale[k] = own.rate_scale;
    to->rate_law.drag[k] = own.drag;
    to->rate_law.fabric[k] = own.fabric;
}

/* Loads the eight grains from `begin` on, and sums the velocity gradients of those awake. */
RP_WIDE_INLINE void load_group(const solve *s, size_t begin, size_t end, bool plain,
                               rp_sph_prefetch *halo, group *to)
{
    const rp_sph *solver = s->solver;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float least = MIN_SQUARES * (float)solver->lattice_squares;
    rp_wide error, fraction;
    for (int k = 0; k < RP_WIDE; k++) {
        size_t i = begin + (size_t)k < end ? begin + (size_t)k : end - 1;
        const rp_sph_material *material = &solver->materials[p->material[i]];
        float squares = w->gradient_sum[i][3] > least ? w->gradient_sum[i][3] : least;
        columns l = {0};
        bool awake = begin + (size_t)k < end && !p->asleep[i];
        if (awake) rp_sph_prefetch_rows(halo, w->velocity, sizeof *w->velocity, i);
        if (awake) l = sum_gradient(solver, i);
        to->at[k] = (uint32_t)i;
        to->awake[k] = awake ? -1 : 0;
        fraction[k] = p->density[i] / material->density;
        to->diagonal[k] = material->mobility * squares;
        to->yield[k] = material->yield * w->yield_scale[i];
        to->mean_pressure[k] = w->mean_pressure[i];
        if (!plain) to->cohesion.strength[k] = w->tensile_strength[i];
        if (!plain) to->cohesion.cosine[k] = material->cosine;
        for (int a = 0; a < 3 && w->back_stress; a++)
            to->back_stress[a][k] = w->back_stress[i][a];
        if (!plain && w->rate_friction) load_rate_law(solver, i, k, to);
        error[k] = w->velocity[i][RP_SPH_FRACTION_ERROR];
        for (int a = 0; a < 3; a++) {
            to->gradient[3 * a][k] = solver->quantum * l.x[a];
            to->gradient[3 * a + 1][k] = solver->quantum * l.y[a];
            to->gradient[3 * a + 2][k] = solver->quantum * l.z[a];
        }
    }
    to->diagonal *= rp_wide_max(fraction, rp_wide_broadcast(1));
    to->allowed = allowed_growth(s, error);
}

/* (G10): one diagonal step of the stresses s against the strain rates; pressure against the trace,
 * friction stress against the deviator. */
RP_WIDE_INLINE void gradient_step(const group *g, float share, bool plain, rp_wide s[8])
{
    const rp_wide *l = g->gradient;
    rp_wide trace = l[0] + l[4] + l[8], step = share / g->diagonal;
    for (int a = 0; a < 3; a++)
        s[a] += step * (trace - 3 * l[4 * a]);
    s[3] -= step * 1.5f * (l[1] + l[3]);
    s[4] -= step * 1.5f * (l[2] + l[6]);
    s[5] -= step * 1.5f * (l[5] + l[7]);
    s[6] = plain ? s[6] - step * (trace + g->allowed)
                 : rp_sph_pressure_step(s[6], step, trace, g->allowed);
}

/* Returns the inner product of two stresses; off-diagonal components count twice. */
RP_WIDE_INLINE rp_wide product(const rp_wide a[8], const rp_wide b[8])
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) +
           2 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]) + a[6] * b[6];
}

/* Loads the last projected iterates of eight grains, which are inside the yield surface and the
 * warm start of the next step, from the fields of the grains. Beyond the last grain the fields have
 * capacity to be read. */
RP_WIDE_INLINE void load_iterate(const rp_sph *solver, size_t i, rp_wide to[8])
{
    for (int c = 0; c < 6; c++)
        to[c] = rp_wide_load(solver->stress[c] + i);
    to[6] = rp_wide_load(solver->host.grains->pressure + i);
    to[7] = rp_wide_broadcast(0);
}

/* Stores the first `count` of eight new iterates there. */
RP_WIDE_INLINE void store_iterate(const rp_sph *solver, size_t i, uint32_t count,
                                  const rp_wide from[8])
{
    for (int c = 0; c < 7; c++) {
        float *field = c < 6 ? solver->stress[c] : solver->host.grains->pressure;
        if (count == RP_WIDE)
            rp_wide_store(field + i, from[c]);
        else
            memcpy(field + i, &from[c], count * sizeof *field);
    }
}

/* Transposes `count` rows to eight columns, or back; the last row again where there are fewer. */
RP_WIDE_INLINE void transpose_rows(const rp_wide *rows, uint32_t count, rp_wide to[8])
{
    uint32_t index[RP_WIDE];
    for (uint32_t k = 0; k < RP_WIDE; k++)
        index[k] = k < count ? k : count - 1;
    rp_wide_transpose(rows, index, to);
}

/* --- the stress sweep --- */

/* Stores the stresses and residuals of eight grains, columns back to rows; sleepers keep theirs. */
RP_WIDE_INLINE void store_group(const solve *s, const group *g, const rp_wide to[8],
                                rp_wide remaining)
{
    const rp_sph_work *w = &s->solver->work;
    rp_wide rows[8];
    transpose_rows(to, RP_WIDE, rows);
    for (int k = 0; k < RP_WIDE; k++)
        if (g->awake[k]) w->stress[g->at[k]] = rows[k];
    for (int k = 0; k < RP_WIDE && w->residual; k++)
        if (g->awake[k]) w->residual[g->at[k]] = remaining[k] / s->share;
}

/* Projected gradient step (G10, G9) of the stresses of a block. Sand is `plain` where none is
 * cohesive (G17) and friction does not grow with the rate (G9d); the caller passes a constant, so
 * that plain sand needs no registers for those. */
RP_WIDE_INLINE void step_stresses(const solve *s, size_t begin, size_t end, bool plain)
{
    RP_ASSERT(s->share > 0 && end <= s->solver->host.grains->capacity);
    const rp_sph_work *w = &s->solver->work;
    double restart = 0, residual = 0;
    rp_sph_prefetch halo = rp_sph_prefetch_begin(w, begin);
    for (size_t i = begin; i < end; i += RP_WIDE) {
        group g;
        rp_wide from[8], to[8], back[8], moved[8], none = rp_wide_broadcast(0);
        /* Strain rates of eight grains; the extrapolated iterate `from`, and the last one. */
        load_group(s, i, end, plain, &halo, &g);
        rp_wide_transpose(w->stress, g.at, from);
        load_iterate(s->solver, i, moved);
        /* A step down the gradient, and back to the yield surface. */
        memcpy(to, from, sizeof to);
        gradient_step(&g, s->share, plain, to);
        const bool grows = !plain && w->rate_friction;
        if (grows) g.rate_law.step = 3 * s->share / g.diagonal;
        rp_sph_return_to_yield(to, g.yield, g.mean_pressure, plain ? NULL : &g.cohesion,
                               w->back_stress ? g.back_stress : NULL, grows ? &g.rate_law : NULL);
        /* The projected gradient is the residual; its product with the move since the last iterate
         * tells whether the momentum still leads downhill. */
        for (int c = 0; c < 7; c++) {
            back[c] = from[c] - to[c];
            moved[c] = to[c] - moved[c];
        }
        rp_wide remaining = rp_wide_sqrt(product(back, back)) * g.diagonal;
        rp_wide against = product(back, moved) * g.diagonal;
        residual += (double)rp_wide_sum(rp_wide_select(g.awake, remaining, none));
        restart += (double)rp_wide_sum(rp_wide_select(g.awake, against, none));
        store_group(s, &g, to, remaining);
    }
    size_t block = begin / RP_SPH_BLOCK;
    s->sums.restart[block] = restart;
    s->sums.residual[block] = residual / (double)s->share;
}

RP_WIDE_KERNEL
static void plain_range(void *context, rp_range range)
{
    const solve *s = context;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    RP_ASSERT(!s->solver->work.rate_friction && !s->solver->cohesive);
    step_stresses(s, range.begin, range.end, true);
}

RP_WIDE_KERNEL
static void stress_range(void *context, rp_range range)
{
    const solve *s = context;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    step_stresses(s, range.begin, range.end, false);
}

/* (G11): extrapolates beyond the new stresses, along the last move; the new ones become the last
 * iterate. */
RP_WIDE_KERNEL
static void extrapolate_range(void *context, rp_range range)
{
    const solve *s = context;
    rp_wide *stress = s->solver->work.stress;
    RP_ASSERT(rp_sph_block(s->solver, range) < s->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i += RP_WIDE) {
        uint32_t count = range.end - i < RP_WIDE ? (uint32_t)(range.end - i) : RP_WIDE;
        rp_wide to[8], last[8], rows[8];
        transpose_rows(stress + i, count, to);
        load_iterate(s->solver, i, last);
        store_iterate(s->solver, i, count, to);
        for (int c = 0; c < 7; c++)
            last[c] = to[c] + s->momentum * (to[c] - last[c]);
        last[7] = to[7];
        transpose_rows(last, RP_WIDE, rows);
        for (uint32_t k = 0; k < count; k++)
            stress[i + k] = rows[k];
    }
}

/* --- tolerances, from the speed of the sand --- */

/* One component of the velocities without stress. */
typedef struct component {
    const rp_float4 *velocity;
    int axis;
    double mean; /* m/s, to be subtracted */
} component;

static double sum_of_range(void *context, rp_range range)
{
    const component *c = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++)
        sum += (double)c->velocity[i][c->axis];
    return sum;
}

static double squares_of_range(void *context, rp_range range)
{
    const component *c = context;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        double v = (double)c->velocity[i][c->axis] - c->mean;
        sum += v * v;
    }
    return sum;
}

/* Returns the root mean square of the velocity about its mean, m/s: sand that is carried along as a
 * whole is at rest. */
static double rms_speed(const rp_sph *solver)
{
    rp_threads *threads = solver->host.threads;
    const rp_grains *p = solver->host.grains;
    double squares = 0;
    for (int axis = 0; axis < 3; axis++) {
        component c = {.velocity = solver->work.free_velocity, .axis = axis};
        c.mean = rp_reduce_mean(p, threads, RP_SPH_BLOCK, sum_of_range, &c);
        squares += rp_reduce_sum(p, threads, RP_SPH_BLOCK, squares_of_range, &c);
    }
    return sqrt(squares / rp_reduce_count(p));
}

/* Returns the speed that gravity gives in two steps, m/s: v* of sand at rest is not faster. */
static double rest_speed(const rp_sph *solver)
{
    return 2 * rp_v3_length(solver->gravity) * solver->dt;
}

static bool bodies_move(const rp_sph *solver)
{
    return rp_couple_max_speed(solver->host.couple) > BODY_AT_REST * rest_speed(solver);
}

/* (G8): sets the rate at which the solve removes compression. Only in sand that moves, by its rms
 * speed, faster than sand at rest, or where bodies move: they compress few grains, which the mean
 * residual does not show. The rate is by the step, but by none shorter than a fraction of the step
 * at rest, or short steps would throw grains about. All of it is removed in no less than the time
 * to fall one spacing: otherwise grains that start on top of each other would be shot apart, the
 * step would shrink with their speed, and the remainder would be shot faster still. What is removed
 * becomes velocity, and only weight stops it again: without weight nothing is removed. */
static void set_correction(solve *s, double speed)
{
    const rp_sph *solver = s->solver;
    double shortest = SHORTEST_CORRECTION * solver->params.fall * solver->fall_time;
    double share = fmax(0, fmin(1, speed / rest_speed(solver) - 1));
    if (bodies_move(solver)) share = 1;
    s->correction = (float)(share * solver->params.correction / fmax(solver->dt, shortest));
    s->recovery = (float)(1 / sqrt(2 * solver->spacing / rp_v3_length(solver->gravity)));
}

/* (G11a): returns the mean residual strain rate to iterate down to, 1/s: small for sand at rest,
 * larger for sand that flows fast, and continuous in between: where few grains fall on many at
 * rest, the rms speed is in between. */
static double goal_of(const rp_sph *solver, double speed)
{
    double rest = rest_speed(solver), moving = speed < rest ? speed / rest : 1;
    double flow = moving * speed / solver->spacing;
    if (solver->rate_dependent) flow *= RATE_DEPENDENT_GOAL;
    return solver->params.tolerance + solver->params.flow_tolerance * flow;
}

/* --- the iteration --- */

/* One iteration, which begins with the velocities of the current stresses. Returns the mean
 * residual, 1/s. `weight` is t_k of (G11), one after a restart. */
static double iterate(solve *s, double goal, double *weight, bool last)
{
    rp_sph *solver = s->solver;
    const rp_host *host = &solver->host;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    /* Projected gradient step of all stresses (G7 to G10). */
    rp_sph_sync(solver, w->velocity, sizeof *w->velocity);
    rp_stage_begin(host, "stresses");
    bool plain = !solver->cohesive && !solver->rate_dependent;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, plain ? plain_range : stress_range, s);
    rp_stage_end(host, "stresses");
    double residual = rp_reduce_blocks(s->sums.residual, w->blocks) / rp_reduce_count(host->grains);
    /* A heavy body stands on a few grains, which are lost in the mean of all. */
    if (w->residual) residual = fmax(residual, rp_sph_residual_at_bodies(solver));
    /* Restart of the momentum (G11); none in the last iteration, which must end inside the yield
     * surface. */
    if (rp_reduce_blocks(s->sums.restart, w->blocks) > 0) *weight = 1;
    double next = 0.5 * (1 + sqrt(1 + 4 * *weight * *weight));
    bool final = last || residual < goal || solver->params.scheme == RP_SPH_JACOBI;
    s->momentum = final ? 0 : (float)((*weight - 1) / next);
    *weight = next;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, extrapolate_range, s);
    rp_sph_sync(solver, w->stress, sizeof *w->stress);
    return residual;
}

/* --- the warm start (G11b) --- */

/* The change of velocities by the stresses of the step before. */
typedef struct warm_start {
    const rp_sph *solver;
    bool squares; /* sum m dv^2, J; else sum m dv . v, v = v* + dv */
    float share;  /* factor of the stresses */
} warm_start;

static double change_of_range(void *context, rp_range range)
{
    const warm_start *s = context;
    const rp_sph_work *w = &s->solver->work;
    const float *mass = s->solver->host.grains->mass;
    double sum = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 change = w->velocity[i] - w->free_velocity[i],
                  by = s->squares ? change : w->velocity[i];
        rp_float4 product = change * by;
        sum += (double)mass[i] * ((double)product[0] + (double)product[1] + (double)product[2]);
    }
    return sum;
}

static void scale_range(void *context, rp_range range)
{
    const warm_start *s = context;
    for (size_t i = range.begin; i < range.end; i++)
        if (!s->solver->host.grains->asleep[i]) s->solver->work.stress[i] *= s->share;
}

/* (G11b): scales the warm start by the factor that leaves the least kinetic energy. After an impact
 * the stresses are those of the impact, and the iterations of a step may be too few to remove them:
 * weightless sand would be thrown back, and sand with weight would lose the stress that carries the
 * weight, but keep the one that presses against walls. Where bodies move, their work makes energy
 * no measure, and all stress is kept. Begins and ends with the velocities of the stresses. */
static void scale_warm_start(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    size_t count = host->grains->count;
    if (bodies_move(solver)) return;
    warm_start s = {.solver = solver};
    /* d/df of the energy at f = 1: positive where less stress leaves less energy. */
    double slope = rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, change_of_range, &s);
    if (!(slope > 0)) return;
    s.squares = true;
    double squares = rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, change_of_range, &s);
    double share = fmax(1 - slope / squares, 0);
    if (share > FULL_WARM_START) return;
    s.share = (float)share;
    rp_parallel_for(host->threads, count, RP_SPH_BLOCK, scale_range, &s);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
    rp_sph_store_stress(solver);
    rp_sph_velocities(solver, RP_SPH_CONTACTS);
}

/* Sets the initial stresses, from the step before or zero, and computes their velocities. */
static void begin_stresses(rp_sph *solver)
{
    if (!solver->params.warm_start) {
        rp_sph_clear_stress(solver);
        rp_sph_store_stress(solver);
    }
    rp_sph_velocities(solver, RP_SPH_CONTACTS);
    if (solver->params.warm_start) scale_warm_start(solver);
}

/* Allocates the residual of each grain, which only dynamic bodies need. */
static rp_code allocate_residual(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t bytes = host->grains->count * sizeof *solver->work.residual;
    solver->work.residual = NULL;
    if (!rp_couple_is_dynamic(host->couple)) return RP_OK;
    float *residual = solver->work.residual = rp_arena_take(host->arena, bytes);
    if (!residual) return rp_fail_memory(report, bytes, "residuals of the solve");
    memset(residual, 0, bytes);
    return RP_OK;
}

rp_code rp_sph_solve(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    size_t bytes = solver->work.blocks * sizeof(double);
    RP_ASSERT(solver->dt > 0 && solver->work.blocks > 0);
    solve s = {.solver = solver,
               .sums = {rp_arena_take(host->arena, bytes), rp_arena_take(host->arena, bytes)},
               .share = solver->params.scheme == RP_SPH_JACOBI ? JACOBI_STEP : ACCELERATED_STEP};
    if (!s.sums.restart || !s.sums.residual)
        return rp_fail_memory(report, bytes, "sums of the solve");
    RP_TRY(allocate_residual(solver, report));
    /* Warm start (G11b), rate of correction (G8), tolerance (G11a). */
    begin_stresses(solver);
    double speed = rms_speed(solver);
    set_correction(&s, speed);
    double goal = goal_of(solver, speed), weight = 1, residual = INFINITY;
    /* Iterate to the tolerance; the next step continues from the last stresses. */
    int64_t done = 0;
    int64_t most = solver->params.iterations * (solver->first_step ? FIRST_STEP_ITERATIONS : 1);
    for (; done < most && !(residual < goal); done++) {
        if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
        if (done) rp_sph_velocities(solver, RP_SPH_CONTACTS);
        residual = iterate(&s, goal, &weight, done + 1 == most);
    }
    solver->host.stats->numbers[RP_SPH_ITERATIONS] = (double)done;
    return RP_OK;
}
