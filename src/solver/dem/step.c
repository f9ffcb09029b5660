/* The order of a step; docs/theory/dem.md. */
#include "base/report.h"
#include "solver/dem/dem.h"

/* Steps longer than this part of a contact's time do not see it. */
#define STEP_MOST 0.5
/* Diameters of the smallest grain that a grain may go in a step. */
#define WAY_MOST 2

/* The step was found before bodies took the speeds that they have in it. */
static rp_code fail_by_body(const rp_dem *solver, int body, double speed, double time, double dt,
                            double good, rp_report *report)
{
    return rp_fail(
        report, RP_ERROR_NUMERIC,
        "at %.6g s the body '%s' goes at %.3g m/s, too fast for a step of %.3g s; let it "
        "start more gently, or make steps %.2g s at most (time.max_step, or time.step "
        "where that is given)",
        time, rp_scene_bodies(solver->host.scene)[body].name, speed, dt, good);
}

static rp_code check_step(rp_dem *solver, double time, double dt, rp_report *report)
{
    double good = rp_dem_limit_dt(solver).dt, most = good * solver->params.steps * STEP_MOST, speed;
    int body;
    if (dt <= most) return RP_OK;
    if (rp_dem_body_limit(solver, &body, &speed) <= good)
        return fail_by_body(solver, body, speed, time, dt, good, report);
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s a step of %.3g s is too long for contacts that last %.3g s; leave "
                   "time.step out, or make it %.2g s at most",
                   time, dt, good * solver->params.steps, good);
}

static uint32_t fastest(const rp_grains *p)
{
    size_t most = 0;
    double square = -1;
    for (size_t i = 0; i < p->count; i++) {
        rp_vec3 v = rp_v3(p->vx[i], p->vy[i], p->vz[i]);
        if (rp_v3_dot(v, v) <= square) continue;
        square = rp_v3_dot(v, v);
        most = i;
    }
    return p->id[most];
}

/* Steps are such that nobody goes far; who does was shot away within this one, and what it flew
 * through has not seen it. */
static rp_code check_way(const rp_dem *solver, double time, rp_report *report)
{
    double speed = solver->stats.max_speed, way = speed * solver->dt;
    if (!(way > WAY_MOST * solver->smallest)) return RP_OK;
    return rp_fail(
        report, RP_ERROR_NUMERIC,
        "at %.6g s grain %u goes at %.3g m/s, %.3g m in a step of %.3g s: forces are too "
        "great for its mass",
        time, fastest(solver->host.grains), speed, way, solver->dt);
}

rp_code rp_dem_step(void *state, double time, double dt, rp_report *report)
{
    rp_dem *solver = state;
    const rp_host *host = &solver->host;
    solver->dt = dt;
    solver->gravity = rp_gravity_at(host->gravity, time + dt / 2);
    rp_code code = check_step(solver, time, dt, report);
    if (code != RP_OK) return code;
    rp_couple_move(host->couple, dt / 2); /* forces are those half way */
    solver->body_moved += rp_couple_max_motion(host->couple) * dt;
    if (rp_couple_is_disturbed(host->couple)) solver->body_moved = INFINITY; /* lists are void */

    rp_timer_start(&solver->timers[RP_DEM_MOVE]);
    rp_dem_drift(solver);
    rp_timer_stop(&solver->timers[RP_DEM_MOVE]);
    if (rp_dem_lists_are_stale(solver)) {
        rp_timer_start(&solver->timers[RP_DEM_LISTS]);
        code = rp_dem_make_lists(solver, report);
        rp_timer_stop(&solver->timers[RP_DEM_LISTS]);
        if (code != RP_OK) return code;
    }
    if (rp_is_stopped(host->stop)) return RP_INTERRUPTED;
    rp_timer_start(&solver->timers[RP_DEM_FORCES]);
    code = rp_dem_forces(solver, time, report);
    rp_timer_stop(&solver->timers[RP_DEM_FORCES]);
    solver->seen = code == RP_OK;
    solver->stats.max_speed = rp_grains_max_speed(host->grains, host->threads);
    return code == RP_OK ? check_way(solver, time, report) : code;
}
