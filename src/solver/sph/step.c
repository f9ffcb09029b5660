/* One step of granular SPH. */
#include "solver/sph/sph.h"
#include <stdlib.h>

static void free_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_external *external = solver->frame.external;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    rp_four g = {(float)solver->gravity.x, (float)solver->gravity.y, (float)solver->gravity.z, 0};
    for (size_t i = begin; i < end; i++) {
        rp_four a = g, v = {p->vx[i], p->vy[i], p->vz[i], 0};
        if (external->any) a += (rp_four){external->ax[i], external->ay[i], external->az[i], 0};
        w->free[i] = v + dt * a + w->free[i];
    }
}

static void move_range(void *context, size_t begin, size_t end)
{
    const rp_solver *solver = context;
    const rp_particles *p = solver->frame.particles;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    for (size_t i = begin; i < end; i++) {
        rp_four v = w->velocity[i];
        p->vx[i] = v[0];
        p->vy[i] = v[1];
        p->vz[i] = v[2];
        p->x[i] += dt * v[0] + w->shift[i][0];
        p->y[i] += dt * v[1] + w->shift[i][1];
        p->z[i] += dt * v[2] + w->shift[i][2];
    }
    size_t block = begin / RP_SPH_BLOCK;
    for (uint32_t c = w->contact_start[block]; c < w->contact_start[block + 1]; c++) {
        const rp_sph_contact *k = &w->contacts[c];
        if (k->gap >= 0) continue;
        float out = -k->gap < 0.1f * (float)solver->spacing ? -k->gap : 0.1f * (float)solver->spacing;
        p->x[k->grain] += out * k->nx;
        p->y[k->grain] += out * k->ny;
        p->z[k->grain] += out * k->nz;
    }
}

static double speed_of_range(void *context, size_t begin, size_t end)
{
    const rp_particles *p = context;
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        most = v2 > most ? v2 : most;
    }
    return sqrt((double)most);
}

rp_code rp_sph_step(rp_solver *solver, double time, double dt, rp_report *report)
{
    const rp_frame *frame = &solver->frame;
    rp_particles *p = frame->particles;
    solver->time = time;
    solver->dt = dt;
    solver->gravity = frame->scene->gravity;
    if (!p->count) return RP_OK;
    rp_code code = rp_sph_density(solver, report);
    if (code != RP_OK) return code;
    code = rp_sph_contacts(solver, report);
    if (code != RP_OK) return code;
    rp_parallel_for(frame->threads, p->count, RP_SPH_BLOCK, free_range, solver);
    code = rp_sph_solve(solver, report);
    if (code != RP_OK) return code;
    rp_parallel_for(frame->threads, p->count, RP_SPH_BLOCK, move_range, solver);
    solver->stats.max_speed = rp_parallel_max(frame->threads, p->count, RP_SPH_BLOCK, speed_of_range, p);
    return RP_OK;
}
