/* The order of a step; docs/theory/dem.md. */
#include "base/report.h"
#include "solver/dem/meet.h"

/* Steps longer than this part of a contact's time do not see it. */
#define STEP_MOST 0.5
/* Diameters of the smallest grain that a grain may move in a step. Steps are such that none does:
 * one that does was shot away within this step, and what it flew through has not seen it. */
#define TRAVEL_MOST 2

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

static rp_code begin_step(rp_dem *solver, double time, double dt, rp_report *report)
{
    const rp_host *host = &solver->host;
    solver->dt = dt;
    solver->gravity = rp_gravity_at(host->gravity, time + dt / 2);
    RP_TRY(check_step(solver, time, dt, report));
    rp_couple_move(host->couple, dt / 2); /* forces are those half way */
    solver->body_moved += rp_couple_max_motion(host->couple) * dt;
    if (rp_couple_is_disturbed(host->couple)) solver->body_moved = INFINITY; /* lists are void */
    return RP_OK;
}

static void drift(rp_dem *solver)
{
    rp_stage_begin(&solver->host, "move");
    rp_dem_drift(solver);
    rp_stage_end(&solver->host, "move");
}

static rp_code update_lists(rp_dem *solver, rp_report *report)
{
    if (!rp_dem_lists_are_stale(solver)) return RP_OK;
    rp_stage_begin(&solver->host, "lists");
    rp_code code = rp_dem_make_lists(solver, report);
    rp_stage_end(&solver->host, "lists");
    return code;
}

static void force_kick_drift_block(void *context, rp_range block)
{
    const rp_dem_forces *forces = context;
    rp_dem_force f[RP_DEM_BLOCK];
    rp_dem_forces_on(forces, block, f);        /* f = f(x) */
    rp_dem_kick(forces->solver, block, f);     /* v += dt f / m */
    rp_dem_drift_block(forces->solver, block); /* x += dt / 2 v */
}

/* The three stages follow each other within each block: what presses on its grains is still in the
 * cache when they are kicked. No block waits for another, since rows show where all grains were
 * half way. */
static rp_code force_kick_drift(rp_dem *solver, double time, rp_report *report)
{
    const rp_host *host = &solver->host;
    rp_dem_forces forces;
    rp_stage_begin(&solver->host, "forces");
    rp_code code = rp_dem_forces_begin(&forces, solver, report);
    if (code == RP_OK) {
        rp_couple_for(host->couple, host->threads, force_kick_drift_block, &forces);
        code = rp_dem_forces_end(&forces, time, report);
    }
    rp_stage_end(&solver->host, "forces");
    solver->seen = code == RP_OK;
    return code;
}

static rp_code end_step(rp_dem *solver, double time, rp_report *report)
{
    const rp_host *host = &solver->host;
    host->stats->max_speed = rp_grains_max_speed(host->grains, host->threads);
    host->stats->numbers[RP_DEM_DISPLACEMENT] = solver->moved;
    return rp_grains_check_travel(host->grains, host->stats->max_speed, time, solver->dt,
                                  TRAVEL_MOST * solver->smallest,
                                  "forces are too great for its mass", report);
}

/* (E1): drift, kick, drift. */
rp_code rp_dem_step(void *state, double time, double dt, rp_report *report)
{
    rp_dem *solver = state;
    RP_TRY(begin_step(solver, time, dt, report));
    drift(solver); /* x += dt / 2 v */
    rp_code code = update_lists(solver, report);
    if (code == RP_OK && rp_is_stopped(solver->host.stop)) code = RP_INTERRUPTED;
    if (code == RP_OK) code = force_kick_drift(solver, time, report); /* v += dt f / m, x += … */
    return code == RP_OK ? end_step(solver, time, report) : code;
}
