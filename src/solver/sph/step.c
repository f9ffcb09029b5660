/* The order of a step; docs/theory/granular-sph.md. */
#include "base/report.h"
#include "solver/sph/sph.h"

#define EARTH 9.81 /* m/s2; without gravity there is still a pace to average over */
/* Spacings that a grain may move in a step. Faster ones are the end of a run that went wrong: with
 * a fixed step nothing else stops it, and walls do not hold what rounding cannot tell from their
 * place. */
#define TRAVEL_MOST 1e4

/* Velocities without pressure and friction: what density.c left there are the pair forces. */
static void free_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_external *external = solver->host.external;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    rp_float4 g = {(float)solver->gravity.x, (float)solver->gravity.y, (float)solver->gravity.z, 0};
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 a = g, v = {p->vx[i], p->vy[i], p->vz[i], 0};
        if (external->any) a += (rp_float4){external->ax[i], external->ay[i], external->az[i], 0};
        w->free[i] += v + dt * a;
    }
}

/* (G15), and what eases compression (G8a). */
static void move_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_float4 v = w->velocity[i], way = dt * v;
        if (w->way) way += w->way[i];
        p->vx[i] = v[0];
        p->vy[i] = v[1];
        p->vz[i] = v[2];
        p->x[i] += way[0];
        p->y[i] += way[1];
        p->z[i] += way[2];
    }
    rp_sph_contact_positions(solver, range.begin / RP_SPH_BLOCK);
}

static void move(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    rp_neighbor_ghosts_detach(host->grains);
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, move_range, solver);
    rp_neighbor_ghosts_attach(host->grains);
}

static void prepare(rp_sph *solver, double time, double dt)
{
    const rp_scene *scene = solver->host.scene;
    double spacing = solver->spacing;
    solver->dt = dt;
    solver->gravity = rp_gravity_at(solver->host.gravity, time + dt / 2);
    solver->falling = sqrt(2 * spacing / fmax(rp_gravity_max(solver->host.gravity), EARTH));
    solver->weightless = !(rp_v3_length(solver->gravity) > 0);
    for (int i = 0; i < scene->materials.count; i++) {
        double mass = rp_scene_materials(scene)[i].density * spacing * spacing * spacing;
        solver->materials[i].push = (float)(dt * solver->volume / mass);
    }
}

/* Bodies feel no grains any more; where all of them sleep, they feel what they felt before. */
static rp_code push_nothing(const rp_host *host, rp_report *report)
{
    rp_code code = rp_couple_begin(host->couple, 0, 1, 1, host->arena, report);
    return code == RP_OK ? rp_couple_finish(host->couple) : code;
}

rp_code rp_sph_step(void *state, double time, double dt, rp_report *report)
{
    rp_sph *solver = state;
    const rp_host *host = &solver->host;
    rp_grains *p = host->grains;
    prepare(solver, time, dt);
    if (!p->count || rp_sph_all_asleep(solver)) {
        host->stats->max_speed = host->stats->numbers[RP_SPH_ITERATIONS] = 0;
        return p->count ? RP_OK : push_nothing(host, report);
    }

    solver->first = solver->slept.grains == 0;
    RP_TRY(rp_sph_density(solver, report));
    if (rp_is_stopped(host->stop)) RP_TRY(RP_INTERRUPTED);
    rp_stage_begin(host, "contacts");
    rp_code code = rp_sph_contacts(solver, report);
    rp_stage_end(host, "contacts");
    if (code == RP_OK) code = rp_sph_part(solver, report);
    RP_TRY(code);
    rp_sph_contact_fill(solver);
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, free_range, solver);
    RP_TRY(rp_sph_wake(solver, report));
    RP_TRY(solver->predictive ? rp_sph_predict(solver, report) : rp_sph_solve(solver, report));
    if (!solver->predictive) rp_sph_ease(solver);
    rp_sph_velocities(solver, solver->predictive ? 0 : RP_SPH_WAYS);
    RP_TRY(rp_sph_contact_forces(solver, report));
    rp_sph_fall_asleep(solver);
    move(solver);
    rp_sph_part_again(solver);
    host->stats->max_speed = rp_grains_max_speed(p, host->threads);
    return rp_grains_check_travel(p, host->stats->max_speed, time, dt,
                                  TRAVEL_MOST * solver->spacing,
                                  "the step is too long, or forces are too great", report);
}
