/* The predictive-corrective solve (PCISPH; G18 to G21) of Ihmsen, Wahl and Teschner, "A Lagrangian
 * framework for simulating granular material with high detail" (2013): every step begins with zero
 * pressure and friction; positions are predicted, then pressure is corrected by the density found
 * there, friction by the strain rate. Numbers in brackets are the paper's equations. */
#include "base/report.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"

/* (G21): sparse grains that are nearer than this many spacings approach no further; each iteration
 * removes this share of their approach. */
#define SPARSE_DISTANCE 0.5f
#define SPARSE_SHARE 0.25f
/* 1/s, the largest rate at which compression is removed. Without it, overlapping grains are shot
 * apart, the step shrinks, and the same compression accelerates them even more. */
#define RECOVERY 20.0f

typedef struct prediction {
    rp_sph *solver;
    rp_float4 *shift;    /* m, predicted displacement; with ghosts */
    rp_float4 *discrete; /* m/s, velocity change by discrete forces (G21) */
    double *compression; /* largest of each block */
    double *change;      /* Pa, largest change of stress of each block */
} prediction;

/* [9], relative to the present position: a ghost's shift is then that of its grain. */
static void predict_range(void *context, rp_range range)
{
    const prediction *q = context;
    const rp_sph_work *w = &q->solver->work;
    float dt = (float)q->solver->dt;
    for (size_t i = range.begin; i < range.end; i++)
        q->shift[i] = dt * w->velocity[i];
}

/* Sums over the neighbors of one grain. */
typedef struct found {
    float fraction;       /* [8] at the predicted positions */
    rp_float4 lx, ly, lz; /* 1/s, velocity gradient: columns d/dx, d/dy, d/dz */
    rp_float4 apart;      /* m/s, separates sparse pairs (G21) */
} found;

/* Adds pair n of grain i; g is its gradient, 1/m. */
static void add_pair(const prediction *q, size_t i, uint32_t n, rp_float4 g, found *f)
{
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float volume = (float)solver->volume, nearest = SPARSE_DISTANCE * (float)solver->spacing;
    uint32_t j = solver->lists.index[solver->lists.start[i] + n];
    rp_float4 d = {p->x[i] - p->x[j], p->y[i] - p->y[j], p->z[i] - p->z[j], 0};
    d += q->shift[i] - q->shift[j];
    float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    rp_float4 v = w->velocity[j] - w->velocity[i];
    f->fraction += volume * rp_kernel_value(solver->kernel, r);
    f->lx += v * g[0];
    f->ly += v * g[1];
    f->lz += v * g[2];
    float approach = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
    if (r < nearest && r > 0 && approach > 0) f->apart += d * (SPARSE_SHARE * approach / (r * r));
}

static found sum_neighbors(const prediction *q, size_t i)
{
    const rp_sph *solver = q->solver;
    const rp_lists *lists = &solver->lists;
    const int16_t *gradient = solver->work.gradient + 3 * lists->start[i];
    uint32_t count = lists->count[i];
    found f = {.fraction = (float)solver->volume * rp_kernel_value(solver->kernel, 0)};
    rp_sph_chunk g;
    for (uint32_t n = 0; n < count; n += RP_SPH_CHUNK) {
        uint32_t here = count - n < RP_SPH_CHUNK ? count - n : RP_SPH_CHUNK;
        rp_sph_load_gradients(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k++)
            add_pair(q, i, n + k, solver->quantum * (rp_float4){g.x[k], g.y[k], g.z[k], 0}, &f);
    }
    return f;
}

/* [6], [11], [13]: returns the corrected stress of one grain. */
static rp_wide corrected(const rp_sph *solver, size_t i, const found *f, rp_wide s)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float dt = (float)solver->dt;
    float diagonal = 2 * material->mobility * (float)solver->lattice_squares; /* [7], [12] */
    float error = f->fraction - 1, most = RECOVERY * dt, step = 3 / diagonal;
    error = error < most ? error : most;
    /* Pressure by the error of density (G19), friction by the strain rate (G20). */
    s[6] += error > 0 ? error / (diagonal * dt) : 0;
    s -= step * (rp_wide){f->lx[0],
                          f->ly[1],
                          f->lz[2],
                          0.5f * (f->ly[0] + f->lx[1]),
                          0.5f * (f->lz[0] + f->lx[2]),
                          0.5f * (f->lz[1] + f->ly[2]),
                          0,
                          0};
    return rp_sph_clamp_components(s, material->yield * s[6]);
}

static void correct_range(void *context, rp_range range)
{
    const prediction *q = context;
    const rp_sph *solver = q->solver;
    const rp_sph_work *w = &solver->work;
    double compression = 0, change = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        if (solver->host.grains->asleep[i]) continue;
        found f = sum_neighbors(q, i);
        rp_wide before = w->stress[i], after = {0};
        q->discrete[i] = (rp_float4){0};
        if (f.fraction > 1)
            after = corrected(solver, i, &f, before);
        else
            q->discrete[i] = f.apart;
        /* Written here, and read by no other grain before the next sweep. */
        w->stress[i] = after;
        compression = fmax(compression, (double)f.fraction - 1);
        change = fmax(change, sqrt((double)rp_sph_norm2(after - before)));
    }
    q->compression[range.begin / RP_SPH_BLOCK] = compression;
    q->change[range.begin / RP_SPH_BLOCK] = change;
}

static void discrete_range(void *context, rp_range range)
{
    const prediction *q = context;
    for (size_t i = range.begin; i < range.end; i++)
        q->solver->work.free_velocity[i] += q->discrete[i];
}

static double largest_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

static rp_code take_arrays(prediction *q, rp_report *report)
{
    const rp_host *host = &q->solver->host;
    size_t count = host->grains->count, all = rp_sph_padded(count + host->grains->ghosts);
    size_t blocks = q->solver->work.blocks;
    q->shift = rp_arena_take(host->arena, all * sizeof *q->shift);
    q->discrete = rp_arena_take(host->arena, count * sizeof *q->discrete);
    q->compression = rp_arena_take(host->arena, blocks * sizeof *q->compression);
    q->change = rp_arena_take(host->arena, blocks * sizeof *q->change);
    if (q->shift && q->discrete && q->compression && q->change) {
        memset(q->discrete, 0, count * sizeof *q->discrete);
        return RP_OK;
    }
    return rp_fail_memory(report, all * sizeof *q->shift, "predicted positions");
}

/* The loop of algorithm 1: until both thresholds are met, or, without any, a fixed number of times.
 */
rp_code rp_sph_predict(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    const rp_sph_params *params = &solver->params;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    prediction q = {.solver = solver};
    RP_TRY(take_arrays(&q, report));
    rp_sph_clear_stress(solver);
    bool met = false;
    int64_t done = 0;
    for (; done < params->iterations && !met; done++) {
        if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
        /* Predicted velocities and positions [9, 15]. */
        rp_sph_velocities(solver, RP_SPH_CONTACTS);
        rp_sph_sync(solver, w->velocity, sizeof *w->velocity);
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, predict_range, &q);
        rp_sph_sync(solver, q.shift, sizeof *q.shift);
        /* Corrected stresses, and discrete forces between sparse grains. */
        rp_stage_begin(host, "stresses");
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, correct_range, &q);
        rp_stage_end(host, "stresses");
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, discrete_range, &q);
        rp_sph_sync(solver, w->stress, sizeof *w->stress);
        met = params->density_error > 0 &&
              largest_of(q.compression, w->blocks) < params->density_error &&
              largest_of(q.change, w->blocks) < params->stress_change;
    }
    rp_sph_store_stress(solver);
    host->stats->numbers[RP_SPH_ITERATIONS] = (double)done;
    return RP_OK;
}
