/* From stresses to velocities (G6): the first half of an iteration of either solve. */
#include "math/wide.h"
#include "solver/sph/gradient.h"
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

typedef struct sweep {
    rp_sph *solver;
    unsigned what; /* rp_sph_sweep bits */
} sweep;

/* Four pairs of a piece, from k on. */
RP_WIDE_INLINE void add_four(const rp_wide *stresses, const uint32_t *index, const rp_sph_piece *g,
                             uint32_t k, rp_wide_vec3 *to)
{
    for (uint32_t n = k; n < k + 4; n++) {
        rp_wide stress = stresses[index[n]];
        to->x += stress * g->x[n];
        to->y += stress * g->y[n];
        to->z += stress * g->z[n];
    }
}

/* The sum of stress times gradient over the pairs of grain i, in quanta of the gradient. The
 * neighbors come one by one: a stress is one load, its gradient three broadcasts, and this is
 * twice as fast as gathering each component of eight neighbors. They come in fours, the last ones
 * with whoever is listed behind them and nought: processors cannot guess how many there are. Sums
 * that begin with plus zero never become minus zero, so that adding nought changes no bit. */
RP_WIDE_INLINE rp_wide_vec3 sum_stress(const rp_sph *solver, size_t i)
{
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const size_t start = lists->start[i];
    const uint32_t *index = lists->index + start;
    const int16_t *gradient = w->gradient + 3 * start;
    uint32_t count = lists->count[i];
    rp_float4 own = w->sum[i];
    rp_wide_vec3 sum = {0 + w->stress[i] * own[0], 0 + w->stress[i] * own[1],
                        0 + w->stress[i] * own[2]};
    rp_sph_piece g;
    for (uint32_t n = 0; n < count; n += RP_SPH_PIECE) {
        uint32_t here = count - n < RP_SPH_PIECE ? count - n : RP_SPH_PIECE;
        rp_sph_take_piece(gradient + 3 * n, here, &g);
        for (uint32_t k = 0; k < here; k += 4) {
            rp_sph_ask_for(index + n + k, RP_SPH_PAIRS_AHEAD * sizeof *index);
            add_four(w->stress, index + n, &g, k, &sum);
        }
    }
    return sum;
}

/* (G8a): where what eases compression moves a grain. */
RP_WIDE_INLINE rp_float4 way_of(const rp_sph *solver, size_t i, const rp_wide_vec3 *s)
{
    rp_float4 sum = {s->x[RP_SPH_EASE], s->y[RP_SPH_EASE], s->z[RP_SPH_EASE], 0};
    return rp_sph_no_further(sum * (-solver->quantum / solver->host.grains->mass[i]),
                             (float)solver->spacing);
}

RP_WIDE_KERNEL
static void velocity_range(void *context, rp_range range)
{
    const sweep *job = context;
    const rp_sph *solver = job->solver;
    size_t block = rp_sph_block(solver, range);
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    RP_ASSERT(RP_IS_ALIGNED(w->velocity) && RP_IS_ALIGNED(w->free));
    RP_ASSERT(!(job->what & RP_SPH_WAYS) || w->way);
    rp_sph_ahead ahead = rp_sph_look_ahead(w, range.begin);
    for (size_t i = range.begin; i < range.end; i++) {
        if (p->asleep[i] && !(job->what & RP_SPH_SLEEPERS)) {
            w->velocity[i] = (rp_float4){0};
            if (job->what & RP_SPH_WAYS) w->way[i] = (rp_float4){0};
            continue;
        }
        rp_sph_ask_ahead(&ahead, w->stress, sizeof *w->stress, i);
        rp_wide_vec3 s = sum_stress(solver, i);
        rp_float4 force = {s.x[0] + s.y[3] + s.z[4] + s.x[6], s.x[3] + s.y[1] + s.z[5] + s.y[6],
                           s.x[4] + s.y[5] + s.z[2] + s.z[6], 0};
        float push = solver->quantum * solver->materials[p->material[i]].push;
        w->velocity[i] = w->free[i] - push * force;
        if (job->what & RP_SPH_WAYS) w->way[i] = way_of(solver, i, &s);
    }
    if (job->what & RP_SPH_CONTACTS) rp_sph_contact_velocities(solver, block, w->velocity);
}

void rp_sph_velocities(rp_sph *solver, unsigned what)
{
    sweep s = {solver, what};
    rp_stage_begin(&solver->host, "velocities");
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK, velocity_range,
                    &s);
    if (what & RP_SPH_CONTACTS) rp_sph_contact_answers(solver);
    rp_stage_end(&solver->host, "velocities");
}

static void pack_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_wide s = {0};
        for (int k = 0; k < 6; k++)
            s[k] = solver->stress[k][i];
        s[6] = p->pressure[i];
        s[7] = sqrtf(rp_sph_norm2(s));
        w->stress[i] = s;
    }
}

void rp_sph_pack(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK, pack_range,
                    solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

static void unpack_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    for (size_t i = range.begin; i < range.end; i++) {
        for (int k = 0; k < 6; k++)
            solver->stress[k][i] = w->stress[i][k];
        p->pressure[i] = w->stress[i][6];
    }
}

void rp_sph_unpack(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK, unpack_range,
                    solver);
}

static void forget_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    for (size_t i = range.begin; i < range.end; i++)
        if (!p->asleep[i]) solver->work.stress[i] = (rp_wide){0};
}

void rp_sph_forget(rp_sph *solver)
{
    rp_parallel_for(solver->host.threads, solver->host.grains->count, RP_SPH_BLOCK, forget_range,
                    solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}
