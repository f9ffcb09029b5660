/* Position correction: grains that are compressed are separated by displacements that give them no
 * velocity (G24), and compression at rest is relaxed in the same way (G8a). The solve works on
 * velocities: it removes compression over the following steps, and a single grain among thousands
 * hardly counts in its mean residual. So grains that start, are poured or land too close to others
 * are moved apart with those around them, as by a pressure; after Macklin and Mueller, "Position
 * based fluids" (2013), with a unilateral constraint. */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/sph.h"

/* Fraction of the limit down to which a compression is removed. */
#define TARGET 0.5f
/* Largest number of sweeps in a step; seldom more than two are needed. */
#define SWEEPS 8
/* Before the first step, where a packing was cut by walls: more sweeps, down to this fraction of
 * the limit. */
#define FIRST_SWEEPS 32
#define FIRST_LIMIT 0.25f
/* Where more than MANY of all grains are compressed, and a sweep leaves NO_PROGRESS of them so,
 * there is no free volume to move to: sand that is compressed as a whole is left to the solve.
 * Without weight the solve removes no compression (G8), and the sweeps go on. */
#define MANY 0.02
#define NO_PROGRESS 0.9
/* Relaxation factor: fraction of the step that would correct a grain if its neighbors did not move.
 */
#define RELAXATION 0.6f
/* (G8a): the same where all grains move at once, for a correction of one; more would oscillate. */
#define RELAXATION_AT_REST 0.4
/* (G8a): momentum: fraction of the accumulated compression of the step before. Smooth compression
 * of many layers has to diffuse out; with momentum that takes ten times fewer steps. */
#define MOMENTUM 0.9f
/* (G8a): the shortest step in which that much is relaxed, in parts of the step at rest. */
#define SHORTEST 0.4
/* Compression that a sweep removes at most, so that no grain jumps. */
#define MAX_REMOVED 0.03f
/* Lower bound of Q, as in the solve: overlapping grains have almost no gradients. */
#define MIN_SQUARES 0.1f

/* What a sweep does to a grain, in rings of neighbors: compressed grains are moved, their neighbors
 * are moved, and the volume fractions of the next ring change. 0: none of it. */
enum { COMPRESSED = 1, MOVED = 2, CHANGED = 3 };

typedef struct separation {
    const rp_sph *solver;
    rp_float4 *displacement; /* m; in the memory of the velocities, which are not in use here */
    float *multiplier;       /* kg m2, b of (G24); with ghosts */
    uint8_t *mark;           /* COMPRESSED, MOVED, CHANGED or 0 */
    float limit, target;     /* compression that is tolerated, and that is aimed at */
} separation;

static float fraction_of(const rp_sph *solver, size_t i)
{
    const rp_grains *p = solver->host.grains;
    return p->density[i] / solver->materials[p->material[i]].density;
}

/* Returns the multiplier in kg m2 that removes a compression of one: m / (phi Q). */
static float multiplier_of(const rp_sph *solver, size_t i)
{
    float least = MIN_SQUARES * (float)solver->lattice_squares;
    float squares = fraction_of(solver, i) * fmaxf(solver->work.gradient_sum[i][3], least);
    return solver->host.grains->mass[i] / squares;
}

/* --- relaxation of compression at rest (G8a) --- */

typedef struct relaxation {
    const rp_sph *solver;
    float share; /* of a compression, per step */
} relaxation;

static void relax_range(void *context, rp_range range)
{
    const relaxation *r = context;
    const rp_sph_work *w = &r->solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        bool asleep = r->solver->host.grains->asleep[i];
        float *sum = &r->solver->compression[i], error = w->free_velocity[i][RP_SPH_FRACTION_ERROR];
        *sum = asleep ? 0 : fmaxf(0, MOMENTUM * *sum + fminf(error, MAX_REMOVED));
        w->stress[i][RP_SPH_RELAXATION] = r->share * *sum * multiplier_of(r->solver, i);
    }
}

/* Short steps relax no more per second than those of sand at rest. Without weight nothing is
 * relaxed: at edges, where the volume fraction is an estimate (G4), a block at rest would drive
 * itself apart. */
void rp_sph_relax_compression(const rp_sph *solver)
{
    const rp_host *host = &solver->host;
    const rp_sph_params *params = &solver->params;
    double shortest = SHORTEST * params->fall * solver->fall_time;
    double share = RELAXATION_AT_REST * params->correction * fmin(1, solver->dt / shortest);
    relaxation r = {solver, solver->weightless ? 0 : (float)share};
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, relax_range, &r);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

/* --- separation of compressed grains (G24) --- */

/* Sets multipliers and marks of compressed grains; returns their number. */
static double compressed_range(void *context, rp_range range)
{
    const separation *q = context;
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    double count = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        float fraction = fraction_of(solver, i);
        bool compressed = fraction - 1 > q->limit && !p->asleep[i];
        float removed = RELAXATION * fminf(fraction - 1 - q->target, MAX_REMOVED);
        q->multiplier[i] = compressed ? removed * multiplier_of(solver, i) : 0;
        q->mark[i] = compressed ? COMPRESSED : 0;
        count += compressed;
    }
    return count;
}

/* Marks the neighbors of all grains marked `from` as the next ring, unless they have a mark. */
static void mark_ring(const separation *q, uint8_t from)
{
    const rp_grains *p = q->solver->host.grains;
    const rp_lists *lists = &q->solver->lists;
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        for (uint32_t n = 0; q->mark[i] == from && n < lists->count[i]; n++) {
            size_t j = rp_neighbor_own(p, index[n]);
            if (!q->mark[j]) q->mark[j] = (uint8_t)(from + 1);
        }
    }
}

/* Returns the displacement of one grain: -sum_j (b_i + b_j) g_ij / m_i. */
RP_WIDE_INLINE rp_float4 displacement_of(const separation *q, size_t i)
{
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const uint32_t *index = lists->index + lists->start[i];
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7}, none = {0};
    rp_wide x = none, y = none, z = none;
    for (uint32_t n = 0; n < lists->count[i]; n += RP_WIDE) {
        rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
        rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
        rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
        rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
        rp_wide_int live = (lanes < (float)(lists->count[i] - n)) & (r > 0);
        /* (b_i + b_j) V dW/dr / r, times the distance vector. */
        rp_wide push =
            (rp_wide_gather(q->multiplier, index + n) + q->multiplier[i]) * (float)solver->volume;
        push = rp_wide_select(live, push * rp_kernel_slope_wide(solver->kernel, r) / r, none);
        x += push * dx;
        y += push * dy;
        z += push * dz;
    }
    rp_float4 displacement =
        (rp_float4){rp_wide_sum(x), rp_wide_sum(y), rp_wide_sum(z), 0} / -p->mass[i];
    return rp_sph_limit_displacement(displacement, (float)solver->spacing);
}

RP_WIDE_KERNEL
static void displacement_range(void *context, rp_range range)
{
    const separation *q = context;
    const rp_grains *p = q->solver->host.grains;
    bool any = false;
    RP_ASSERT(rp_sph_block(q->solver, range) < q->solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i++) {
        bool moved = (q->mark[i] == COMPRESSED || q->mark[i] == MOVED) && !p->asleep[i];
        q->displacement[i] = moved ? displacement_of(q, i) : (rp_float4){0};
        any |= moved;
    }
    if (any) rp_sph_contact_displacements(q->solver, range.begin / RP_SPH_BLOCK, q->displacement);
}

static void displace_range(void *context, rp_range range)
{
    const separation *q = context;
    const rp_grains *p = q->solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++) {
        p->x[i] += q->displacement[i][0];
        p->y[i] += q->displacement[i][1];
        p->z[i] += q->displacement[i][2];
    }
}

/* Sweeps until no grain is compressed beyond the limit. */
static void separate(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    const rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    int sweeps = solver->first_step ? FIRST_SWEEPS : SWEEPS;
    float limit = (float)solver->params.compression_limit * (solver->first_step ? FIRST_LIMIT : 1);
    separation q = {solver, w->velocity, w->multiplier, w->mark, limit, TARGET * limit};
    double before = INFINITY;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double compressed =
            rp_reduce_sum(host->grains, host->threads, RP_SPH_BLOCK, compressed_range, &q);
        if (!(compressed > 0)) break;
        bool in_vain = compressed > MANY * (double)count && compressed > NO_PROGRESS * before;
        if (in_vain && !solver->weightless && !solver->first_step) break;
        before = compressed;
        rp_sph_sync(solver, q.multiplier, sizeof *q.multiplier);
        mark_ring(&q, COMPRESSED);
        mark_ring(&q, MOVED);
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, displacement_range, &q);
        /* Ghosts are displaced like the grains that they are copies of. */
        rp_sph_sync(solver, q.displacement, sizeof *q.displacement);
        rp_parallel_for(host->threads, count + host->grains->ghosts, RP_SPH_BLOCK, displace_range,
                        &q);
        rp_sph_summation_update(solver, q.mark);
    }
}

rp_code rp_sph_separate(rp_sph *solver, rp_report *report)
{
    rp_arena *arena = solver->host.arena;
    const rp_grains *p = solver->host.grains;
    rp_sph_work *w = &solver->work;
    size_t all = rp_sph_padded(p->count + p->ghosts);
    if (solver->predictive) return RP_OK;
    w->multiplier = rp_arena_take(arena, all * sizeof *w->multiplier);
    w->mark = rp_arena_take(arena, all);
    if (!w->multiplier || !w->mark)
        return rp_fail_memory(report, all * sizeof *w->multiplier, "the separation of grains");
    separate(solver);
    return RP_OK;
}

/* --- density after the move (G25) --- */

/* Sums the volume fraction at the present positions over the neighbors at the start of the step:
 * grains that have come near since then are still at the rim of the kernel support. */
RP_WIDE_KERNEL
static void moved_density_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_lists *lists = &solver->lists;
    const rp_wide lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    float volume = (float)solver->volume, self = rp_kernel_value(solver->kernel, 0);
    RP_ASSERT(rp_sph_block(solver, range) < solver->work.blocks);
    for (size_t i = range.begin; i < range.end; i++) {
        const uint32_t *index = lists->index + lists->start[i];
        uint32_t count = lists->count[i];
        rp_wide sum = {0};
        for (uint32_t n = 0; n < count; n += RP_WIDE) {
            rp_wide_int live = lanes < (float)(count - n);
            rp_wide dx = p->x[i] - rp_wide_gather(p->x, index + n);
            rp_wide dy = p->y[i] - rp_wide_gather(p->y, index + n);
            rp_wide dz = p->z[i] - rp_wide_gather(p->z, index + n);
            rp_wide r = rp_wide_sqrt(dx * dx + dy * dy + dz * dz);
            rp_wide value = rp_kernel_value_wide(solver->kernel, r);
            sum += rp_wide_select(live, value, rp_wide_broadcast(0));
        }
        float fraction = volume * (self + rp_wide_sum(sum));
        p->density[i] = fraction * solver->materials[p->material[i]].density;
    }
}

void rp_sph_separate_moved(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    if (solver->predictive) return;
    rp_stage_begin(host, "density");
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, moved_density_range, solver);
    rp_stage_end(host, "density");
    rp_sph_report_density_error(solver);
    solver->first_step = false;
    separate(solver);
}
