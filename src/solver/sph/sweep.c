/* From stresses to velocities (G6): the first half of an iteration of either solve. */
#include "solver/sph/sph.h"
#include "solver/sph/stress.h"

typedef struct sweep {
    rp_solver *solver;
    unsigned what; /* rp_sph_sweep bits */
} sweep;

/* The sum of stress times gradient over the pairs of grain i, by the gradient's components. The
 * neighbours come one by one: a stress is one load, its gradient three broadcasts, and this is
 * twice as fast as gathering each component of eight neighbours. */
RP_WIDE_INLINE void sum_stress(const rp_solver *solver, size_t i, rp_wide *x, rp_wide *y,
                               rp_wide *z)
{
    const rp_lists *lists = &solver->lists;
    const rp_sph_work *w = &solver->work;
    const uint32_t *index = lists->index + lists->start[i];
    const float *g = w->gradient + 3 * lists->start[i];
    uint32_t count = lists->count[i], n = 0;
    rp_wide ax = w->stress[i] * w->sum[i][0], ay = w->stress[i] * w->sum[i][1],
            az = w->stress[i] * w->sum[i][2];
    for (; n + RP_WIDE <= count; n += RP_WIDE, g += 3 * RP_WIDE)
        for (int k = 0; k < RP_WIDE; k++) {
            rp_wide stress = w->stress[index[n + k]];
            ax += stress * g[k];
            ay += stress * g[RP_WIDE + k];
            az += stress * g[2 * RP_WIDE + k];
        }
    uint32_t rest = count - n;
    for (uint32_t k = 0; k < rest; k++) {
        rp_wide stress = w->stress[index[n + k]];
        ax += stress * g[k];
        ay += stress * g[rest + k];
        az += stress * g[2 * rest + k];
    }
    *x = ax;
    *y = ay;
    *z = az;
}

RP_WIDE_KERNEL
static void velocity_range(void *context, size_t begin, size_t end)
{
    const sweep *s = context;
    const rp_solver *solver = s->solver;
    const rp_particles *p = solver->frame.particles;
    const rp_sph_work *w = &solver->work;
    for (size_t i = begin; i < end; i++) {
        if (p->asleep[i] && !(s->what & RP_SPH_SLEEPERS)) {
            w->velocity[i] = (rp_four){0};
            continue;
        }
        rp_wide x, y, z;
        sum_stress(solver, i, &x, &y, &z);
        rp_four force = {x[0] + y[3] + z[4] + x[6], x[3] + y[1] + z[5] + y[6],
                         x[4] + y[5] + z[2] + z[6], 0};
        w->velocity[i] = w->free[i] - solver->materials[p->material[i]].push * force;
    }
    if (s->what & RP_SPH_CONTACTS)
        rp_sph_contact_velocities(solver, begin / RP_SPH_BLOCK, w->velocity);
}

void rp_sph_velocities(rp_solver *solver, unsigned what)
{
    sweep s = {solver, what};
    rp_timer_start(&solver->timers[RP_SPH_VELOCITIES]);
    rp_parallel_for(solver->frame.threads, solver->frame.particles->count, RP_SPH_BLOCK,
                    velocity_range, &s);
    if (what & RP_SPH_CONTACTS) rp_sph_contact_answers(solver);
    rp_timer_stop(&solver->timers[RP_SPH_VELOCITIES]);
}

static void pack_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_sph_work *w = &solver->work;
    for (size_t i = begin; i < end; i++) {
        rp_wide s = {0};
        for (int k = 0; k < 6; k++)
            s[k] = solver->stress[k][i];
        s[6] = p->pressure[i];
        s[7] = sqrtf(rp_sph_norm2(s));
        w->stress[i] = s;
    }
}

void rp_sph_pack(rp_solver *solver)
{
    rp_parallel_for(solver->frame.threads, solver->frame.particles->count, RP_SPH_BLOCK, pack_range,
                    solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

static void unpack_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_sph_work *w = &solver->work;
    for (size_t i = begin; i < end; i++) {
        for (int k = 0; k < 6; k++)
            solver->stress[k][i] = w->stress[i][k];
        p->pressure[i] = w->stress[i][6];
    }
}

void rp_sph_unpack(rp_solver *solver)
{
    rp_parallel_for(solver->frame.threads, solver->frame.particles->count, RP_SPH_BLOCK,
                    unpack_range, solver);
}

static void forget_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    for (size_t i = begin; i < end; i++)
        if (!p->asleep[i]) solver->work.stress[i] = (rp_wide){0};
}

void rp_sph_forget(rp_solver *solver)
{
    rp_parallel_for(solver->frame.threads, solver->frame.particles->count, RP_SPH_BLOCK,
                    forget_range, solver);
    rp_sph_sync(solver, solver->work.stress, sizeof *solver->work.stress);
}

void rp_sph_sync(const rp_solver *solver, void *array, size_t element)
{
    const rp_particles *p = solver->frame.particles;
    char *to = (char *)array + p->count * element;
    for (size_t n = 0; n < p->ghosts; n++)
        memcpy(to + n * element, (char *)array + p->ghost_source[n] * element, element);
}
