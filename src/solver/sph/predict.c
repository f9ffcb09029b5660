/* The predictive-corrective solve of the paper (G18 to G21): every step begins without pressure and
 * friction; positions are predicted, and pressure grows with the density found there, friction with
 * the strain rate. Numbers in brackets are the paper's. */
#include "base/report.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

/* Sparse grains that are nearer than this many spacings come no nearer (G21); each iteration takes
 * this share of what is left of their approach. */
#define SPARSE_DISTANCE 0.5f
#define SPARSE_SHARE 0.25f
/* 1/s: compression is taken back at this rate at most. Without it, grains that start on one another
 * are shot apart, the step shrinks, and the same compression shoots faster still. */
#define RECOVERY 20.0f

typedef struct prediction {
    rp_sph *solver;
    rp_float4 *place;  /* m, predicted; with ghosts */
    rp_float4 *spring; /* m/s, what discrete forces add */
    double *worst;     /* compression of each block */
    double *moved;     /* Pa, largest change of stress of each block */
} prediction;

/* (9), relative to where each grain is now: ghosts' shifts are then those of their grains. */
static void place_range(void *context, rp_range range)
{
    const prediction *q = context;
    const rp_sph_work *w = &q->solver->work;
    float dt = (float)q->solver->dt;
    for (size_t i = range.begin; i < range.end; i++)
        q->place[i] = dt * w->velocity[i];
}

typedef struct found {
    float fill;           /* (8) at the predicted places */
    rp_float4 lx, ly, lz; /* velocity gradient */
    rp_float4 apart;      /* m/s, what parts sparse pairs */
} found;

/* What pair n of grain i adds; g is its gradient, 1/m. */
static void look_at(const prediction *q, size_t i, uint32_t n, rp_float4 g, found *f)
{
    const rp_sph *solver = q->solver;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float volume = (float)solver->volume, keep = SPARSE_DISTANCE * (float)solver->spacing;
    uint32_t j = solver->lists.index[solver->lists.start[i] + n];
    rp_float4 d = {p->x[i] - p->x[j], p->y[i] - p->y[j], p->z[i] - p->z[j], 0};
    d += q->place[i] - q->place[j];
    float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    rp_float4 v = w->velocity[j] - w->velocity[i];
    f->fill += volume * rp_kernel_value(solver->kernel, r);
    f->lx += v * g[0];
    f->ly += v * g[1];
    f->lz += v * g[2];
    float nearing = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
    if (r < keep && r > 0 && nearing > 0) f->apart += d * (SPARSE_SHARE * nearing / (r * r));
}

static found look(const prediction *q, size_t i)
{
    const rp_sph *solver = q->solver;
    const rp_lists *lists = &solver->lists;
    const int16_t *gradient = solver->work.gradient + 3 * lists->start[i];
    uint32_t count = lists->count[i];
    found f = {.fill = (float)solver->volume * rp_kernel_value(solver->kernel, 0)};
    rp_sph_piece g;
    for (uint32_t n = 0; n < count; n += RP_SPH_PIECE) {
        uint32_t here = count - n < RP_SPH_PIECE ? count - n : RP_SPH_PIECE;
        rp_sph_take_piece(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k++)
            look_at(q, i, n + k, solver->quantum * (rp_float4){g.x[k], g.y[k], g.z[k], 0}, &f);
    }
    return f;
}

/* (6), (11), (13) of one grain. */
static rp_wide corrected(const rp_sph *solver, size_t i, const found *f, rp_wide s)
{
    const rp_grains *p = solver->host.grains;
    const rp_sph_material *material = &solver->materials[p->material[i]];
    float dt = (float)solver->dt;
    float diagonal = 2 * material->push * (float)solver->lattice_squares; /* (7), (12) */
    float error = f->fill - 1, most = RECOVERY * dt, step = 3 / diagonal;
    error = error < most ? error : most;
    s[6] += error > 0 ? error / (diagonal * dt) : 0;
    s -= step * (rp_wide){f->lx[0],
                          f->ly[1],
                          f->lz[2],
                          0.5f * (f->ly[0] + f->lx[1]),
                          0.5f * (f->lz[0] + f->lx[2]),
                          0.5f * (f->lz[1] + f->ly[2]),
                          0,
                          0};
    return rp_sph_to_box(s, material->yield * s[6]);
}

static void correct_range(void *context, rp_range range)
{
    const prediction *q = context;
    const rp_sph *solver = q->solver;
    const rp_sph_work *w = &solver->work;
    double worst = 0, moved = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        if (solver->host.grains->asleep[i]) continue;
        found f = look(q, i);
        rp_wide before = w->stress[i], after = {0};
        q->spring[i] = (rp_float4){0};
        if (f.fill > 1)
            after = corrected(solver, i, &f, before);
        else
            q->spring[i] = f.apart;
        /* What is written here no other grain reads before the next sweep. */
        w->stress[i] = after;
        worst = fmax(worst, (double)f.fill - 1);
        moved = fmax(moved, sqrt((double)rp_sph_norm2(after - before)));
    }
    q->worst[range.begin / RP_SPH_BLOCK] = worst;
    q->moved[range.begin / RP_SPH_BLOCK] = moved;
}

static void spring_range(void *context, rp_range range)
{
    const prediction *q = context;
    for (size_t i = range.begin; i < range.end; i++)
        q->solver->work.free[i] += q->spring[i];
}

static double most_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, values[i]);
    return most;
}

static rp_code take_arrays(prediction *q, rp_report *report)
{
    const rp_host *host = &q->solver->host;
    size_t count = host->grains->count, all = rp_sph_roomy(count + host->grains->ghosts);
    size_t blocks = q->solver->work.blocks;
    q->place = rp_arena_take(host->arena, all * sizeof *q->place);
    q->spring = rp_arena_take(host->arena, count * sizeof *q->spring);
    q->worst = rp_arena_take(host->arena, blocks * sizeof *q->worst);
    q->moved = rp_arena_take(host->arena, blocks * sizeof *q->moved);
    if (q->place && q->spring && q->worst && q->moved) {
        memset(q->spring, 0, count * sizeof *q->spring);
        return RP_OK;
    }
    return rp_fail_memory(report, all * sizeof *q->place, "predicted positions");
}

/* Algorithm 1's loop: until both thresholds are met, or, without any, as often as asked for. */
rp_code rp_sph_predict(rp_sph *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    const rp_sph_params *params = &solver->params;
    rp_sph_work *w = &solver->work;
    size_t count = host->grains->count;
    prediction q = {.solver = solver};
    RP_TRY(take_arrays(&q, report));
    rp_sph_forget(solver);
    bool met = false;
    int64_t done = 0;
    for (; done < params->iterations && !met; done++) {
        if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
        rp_sph_velocities(solver, RP_SPH_CONTACTS);
        rp_sph_sync(solver, w->velocity, sizeof *w->velocity);
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, place_range, &q);
        rp_sph_sync(solver, q.place, sizeof *q.place);
        rp_stage_begin(host, "stresses");
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, correct_range, &q);
        rp_stage_end(host, "stresses");
        rp_parallel_for(host->threads, count, RP_SPH_BLOCK, spring_range, &q);
        rp_sph_sync(solver, w->stress, sizeof *w->stress);
        met = params->density_error > 0 && most_of(q.worst, w->blocks) < params->density_error &&
              most_of(q.moved, w->blocks) < params->stress_change;
    }
    rp_sph_unpack(solver);
    host->stats->numbers[RP_SPH_ITERATIONS] = (double)done;
    return RP_OK;
}
