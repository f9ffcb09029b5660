/* The order of a step; docs/theory/granular-sph.md. */
#include "base/report.h"
#include "solver/sph/sph.h"

#define EARTH 9.81 /* m/s2; without gravity there is still a pace to average over */

#define WAY_MOST 1e4 /* spacings in a step */

/* Velocities without pressure and friction: what density.c left there are the pair forces. */
static void free_range(void *context, rp_range range)
{
    const rp_sph *solver = context;
    const rp_grains *p = solver->host.grains;
    const rp_external *external = solver->host.external;
    const rp_sph_work *w = &solver->work;
    float dt = (float)solver->dt;
    rp_four g = {(float)solver->gravity.x, (float)solver->gravity.y, (float)solver->gravity.z, 0};
    for (size_t i = range.begin; i < range.end; i++) {
        rp_four a = g, v = {p->vx[i], p->vy[i], p->vz[i], 0};
        if (external->any) a += (rp_four){external->ax[i], external->ay[i], external->az[i], 0};
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
        rp_four v = w->velocity[i], way = dt * v;
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

/* Ghosts keep their distance from the grains that they are images of. */
static void add_sources(const rp_grains *p, float share)
{
    for (size_t n = 0; n < p->ghosts; n++) {
        size_t from = p->ghost_source[n], to = p->count + n;
        p->x[to] += share * p->x[from];
        p->y[to] += share * p->y[from];
        p->z[to] += share * p->z[from];
    }
}

static void move(rp_sph *solver)
{
    const rp_host *host = &solver->host;
    add_sources(host->grains, -1);
    rp_parallel_for(host->threads, host->grains->count, RP_SPH_BLOCK, move_range, solver);
    add_sources(host->grains, 1);
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

/* Speeds that no step was meant for are the end of a run that went wrong: with a fixed step nothing
 * else stops it, and walls do not hold what rounding cannot tell from their place. */
static rp_code check_way(const rp_sph *solver, double time, rp_report *report)
{
    double speed = solver->stats.max_speed, spacings = speed * solver->dt / solver->spacing;
    if (spacings <= WAY_MOST) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s a grain moves %.3g spacings in a step of %.3g s (%.3g m/s): the step "
                   "is too long, or forces are too great",
                   time, spacings, solver->dt, speed);
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
        solver->stats.max_speed = solver->stats.iterations = 0;
        return p->count ? RP_OK : push_nothing(host, report);
    }

    solver->first = solver->slept.grains == 0;
    rp_code code = rp_sph_density(solver, report);
    if (code == RP_OK && rp_is_stopped(host->stop)) code = RP_INTERRUPTED;
    if (code != RP_OK) return code;
    rp_timer_start(&solver->timers[RP_SPH_TOUCH]);
    code = rp_sph_contacts(solver, report);
    rp_timer_stop(&solver->timers[RP_SPH_TOUCH]);
    if (code == RP_OK) code = rp_sph_part(solver, report);
    if (code != RP_OK) return code;
    rp_sph_contact_fill(solver);
    rp_parallel_for(host->threads, p->count, RP_SPH_BLOCK, free_range, solver);
    code = rp_sph_wake(solver, report);
    if (code != RP_OK) return code;
    code = solver->predictive ? rp_sph_predict(solver, report) : rp_sph_solve(solver, report);
    if (code != RP_OK) return code;
    if (!solver->predictive) rp_sph_ease(solver);
    rp_sph_velocities(solver, solver->predictive ? 0 : RP_SPH_WAYS);
    code = rp_sph_contact_forces(solver, report);
    if (code != RP_OK) return code;
    rp_sph_fall_asleep(solver);
    move(solver);
    rp_sph_part_again(solver);
    solver->stats.max_speed = rp_grains_max_speed(solver->host.grains, solver->host.threads);
    return check_way(solver, time, report);
}
