/* Steps of a world: their order (W3), their length (W1, W2), and what a world does in them besides
 * the solver and the bodies: moisture (W9), removal of grains behind open sides, checks of the
 * numbers. docs/theory/world.md has the equations. */
#include "base/report.h"
#include "world/inside.h"

/* Steps whose lengths differ by less than this fraction are the same. */
#define STEP_EPSILON 1e-9
/* The time must change when a step is added to it: the least step as a fraction of the time. */
#define STEP_LEAST 1e-14
/* Number of steps between two checks of a fixed step. */
#define FIXED_STEP_CHECKS 50
/* Grains that one task of a parallel loop handles. */
#define BLOCK 4096

/* --- grains behind open sides ----------------------------------------------------------------- */

typedef struct outflow {
    const rp_grains *particles;
    const rp_domain_spec *domain;
    uint8_t *dead;
} outflow;

/* Marks grains behind open sides and returns their number. */
static double mark_outflow(void *context, rp_range range)
{
    const outflow *o = context;
    const rp_grains *p = o->particles;
    size_t count = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        const float at[3] = {p->x[i], p->y[i], p->z[i]};
        o->dead[i] = rp_scene_domain_has_left(o->domain, at);
        count += o->dead[i];
    }
    return (double)count;
}

static rp_code remove_outflow(rp_world *world, rp_report *report)
{
    rp_grains *p = &world->grains;
    if (!world->scene->domain.open || !p->count) return RP_OK;
    outflow o = {p, &world->scene->domain, rp_arena_take(&world->arena, p->count)};
    if (!o.dead) return rp_fail_memory(report, p->count, "marks of grains that leave");
    double count = rp_reduce_sum(p, world->threads, BLOCK, mark_outflow, &o);
    if (count > 0) rp_grains_remove(p, o.dead);
    world->removed += (uint64_t)count;
    return RP_OK;
}

/* --- the order of a step (W3) ----------------------------------------------------------------- */

/* Takes one step of known length; its order is that of (W3), from the third stage on. Emission and
 * the choice of the step length come before, in step_to. */
static rp_code take_step(rp_world *world, double dt, rp_report *report)
{
    /* 3. Regions of moisture wet and dry grains. */
    rp_world_update_moisture(world, dt);
    /* 4. Bodies get their velocities for this step; surfaces take them over. */
    rp_code code = rp_bodies_begin(world->bodies, world->time, dt, report);
    rp_couple_refresh(world->couple);
    /* 5. The solver moves the grains against these surfaces. Dynamic bodies are coupled to them
     *    within this call (B3). */
    if (code == RP_OK) code = world->type->step(world->solver, world->time, dt, report);
    /* 6. Bodies move to the end of the step, under the forces that the grains gave. */
    if (code == RP_OK) code = rp_bodies_finish(world->bodies, report);
    rp_couple_refresh(world->couple);
    /* 7. All positions and velocities must be finite. */
    if (code == RP_OK) code = rp_world_check_numbers(world, report);
    /* 8. Grains behind open sides are removed. */
    if (code == RP_OK) code = remove_outflow(world, report);
    world->external.disturbed = false;
    RP_TRY(code);
    world->time += dt;
    world->dt = dt;
    world->step++;
    return RP_OK;
}

/* --- the length of a step (W1), (W2) ---------------------------------------------------------- */

/* Returns the longest step for which grains and bodies are stable. */
static rp_step_limit stable_step(const rp_world *world)
{
    rp_step_limit limit = world->type->limit_dt(world->solver);
    double bodies = rp_bodies_limit_dt(world->bodies);
    return bodies < limit.dt
               ? (rp_step_limit){bodies, "the distance that a dynamic body travels in a step"}
               : limit;
}

/* A fixed step is the user's choice, but may be longer than is stable: a warning says so, once. */
static void check_fixed_step(rp_world *world)
{
    rp_step_limit limit = stable_step(world);
    if (world->warned || world->scene->time.step <= limit.dt) return;
    world->warned = true;
    rp_log(RP_LOG_WARNING, "at %.4g s time.step is %.3g s, the solver asks for %.3g s (%s)",
           world->time, world->scene->time.step, limit.dt, limit.reason);
}

/* (W1): the longest step allowed now, and what limits it. */
static rp_code longest_step(rp_world *world, rp_step_limit *limit, rp_report *report)
{
    const rp_time_spec *spec = &world->scene->time;
    if (spec->step > 0) {
        if (world->step % FIXED_STEP_CHECKS == 0) check_fixed_step(world);
        *limit = (rp_step_limit){spec->step, "time.step is fixed"};
        return RP_OK;
    }
    *limit = stable_step(world);
    if (limit->dt > spec->max_step) *limit = (rp_step_limit){spec->max_step, "time.max_step"};
    if (limit->dt >= spec->min_step) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s the step would have to be %.3g s (%s), below time.min_step = %.3g s",
                   world->time, limit->dt, limit->reason, spec->min_step);
}

rp_code rp_world_check_first_step(rp_world *world, rp_report *warnings, rp_report *report)
{
    rp_step_limit limit, stable = stable_step(world);
    double step = world->scene->time.step;
    if (step > stable.dt)
        (void)rp_fail_at(warnings, RP_OK, NULL, "time.step",
                         "is %.3g s, the solver asks for %.3g s (%s)", step, stable.dt,
                         stable.reason);
    return step > 0 ? RP_OK : longest_step(world, &limit, report);
}

/* (W2): shortens a step so that steps of equal length end exactly at `target`. */
static double divide_evenly(double time, double target, double dt)
{
    if (!isfinite(target)) return dt;
    double remaining = target - time;
    double even = remaining / fmax(1, ceil(remaining / dt - STEP_EPSILON));
    return even < dt * (1 - STEP_EPSILON) ? even : dt;
}

/* End of a region of moisture, s. It is always computed from the same numbers, so that the step
 * that ends there can be recognized by equality. */
static double end_of_region(const rp_moisture_spec *region)
{
    return region->start + region->duration;
}

/* Returns when the next source, emitter or region of moisture begins, or a region ends, s; infinity
 * when nothing of this kind will happen. */
static double next_event(const rp_world *world)
{
    const rp_scene *scene = world->scene;
    double next = INFINITY;
    for (int i = 0; i < scene->sources.count; i++)
        if (!world->source_done[i]) next = fmin(next, rp_scene_sources(scene)[i].at);
    for (size_t i = 0; i < world->emitter_count; i++)
        next = fmin(next, rp_emitter_next_event(&world->emitters[i], world->time));
    for (int i = 0; i < scene->moisture.count; i++) {
        const rp_moisture_spec *region = &rp_scene_moisture(scene)[i];
        if (region->start > world->time) next = fmin(next, region->start);
        if (end_of_region(region) > world->time) next = fmin(next, end_of_region(region));
    }
    return next;
}

/* Emits what is due, chooses the length of the step and takes it. */
static rp_code step_to(rp_world *world, double target, rp_report *report)
{
    rp_arena_reset(&world->arena);
    rp_step_limit limit;
    /* 1. Sources and emitters add the grains that are due. */
    RP_TRY(rp_world_emit(world, report));
    /* 2. The length of the step: what solver and bodies allow, cut at the next event or frame. */
    RP_TRY(longest_step(world, &limit, report));
    double stop = fmin(target, next_event(world));
    double least = STEP_LEAST * fmax(1, world->time);
    /* An event and a frame may differ by rounding only: then no step is taken between them. */
    if (stop - world->time <= least) {
        world->time = stop;
        return RP_OK;
    }
    double dt = divide_evenly(world->time, stop, limit.dt);
    if (!(dt > least))
        return rp_fail(report, RP_ERROR_NUMERIC,
                       "at %.9g s a step of %.3g s (%s) is too short to change the time",
                       world->time, dt, limit.reason);
    world->reason = dt < limit.dt / 2 ? "the end of a frame, or an event" : limit.reason;
    /* The last step sets the time to `stop` itself: a sum of steps would miss it by rounding. */
    bool last = world->time + dt * (1 + STEP_EPSILON) >= stop;
    rp_code code = take_step(world, dt, report);
    if (code == RP_OK && last) world->time = stop;
    return code;
}

/* --- calls that step -------------------------------------------------------------------------- */

/* One step of a call that may take many: forces that the host program added stay. */
static rp_code step_within(rp_world *world, double target, rp_report *report)
{
    RP_TRY(rp_world_check_valid(world, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_timer_start(&world->timer);
    rp_code code = step_to(world, target, report);
    rp_timer_stop(&world->timer);
    rp_budget_enter(before);
    world->invalid = code != RP_OK;
    rp_world_refresh_view(world);
    return code;
}

/* At the end of a call that steps: the forces that the host program added for it have acted. */
static void end_stepping(rp_world *world)
{
    world->external.any = false;
    rp_bodies_clear_wrenches(world->bodies);
}

rp_code rp_world_step_toward(rp_world *world, double target, rp_report *report)
{
    uint64_t before = world->step;
    rp_code code = step_within(world, target, report);
    if (code != RP_OK || world->step > before) end_stepping(world);
    return code;
}

rp_code rp_world_step(rp_world *world, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    uint64_t before = world->step;
    rp_code code = RP_OK;
    /* An event that differs from the present time by rounding takes a call, but no step. */
    while (code == RP_OK && world->step == before)
        code = rp_world_step_toward(world, INFINITY, report);
    return code;
}

/* The target must be a finite time that has not passed. */
static rp_code check_target(const rp_world *world, double time, rp_report *report)
{
    if (!isfinite(time))
        return rp_fail(report, RP_ERROR_INPUT, "a world cannot run to time %g s", time);
    if (time < world->time)
        return rp_fail(report, RP_ERROR_INPUT,
                       "a world at %.9g s cannot run back to %.9g s; restore a snapshot instead",
                       world->time, time);
    return RP_OK;
}

/* The lengths of steps depend on the world and its target, never on the clock: a target that is
 * given again after a pause leads to the same steps. */
rp_code rp_world_advance(rp_world *world, double time, double seconds, double *reached,
                         rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    if (reached) *reached = world->time;
    RP_TRY(check_target(world, time, report));
    if (isnan(seconds))
        return rp_fail(report, RP_ERROR_INPUT, "a budget of %g s of wall-clock time is no number",
                       seconds);
    rp_code code = RP_OK;
    double start = rp_clock(), now = start, last = 0;
    while (code == RP_OK && world->time < time) {
        /* The next step is expected to take as long as the last one; the first is always taken. */
        if (now > start && now - start + last > seconds) break;
        code = step_within(world, time, report);
        double end = rp_clock();
        last = end - now;
        now = end;
    }
    end_stepping(world);
    if (reached) *reached = world->time;
    return code;
}

rp_code rp_world_run_to(rp_world *world, double time, rp_report *report)
{
    RP_NEED(world, report);
    return rp_world_advance(world, time, INFINITY, NULL, report);
}

/* --- moisture (W9) ---------------------------------------------------------------------------- */

/* A step ends at the end of a region except for rounding, by less than this fraction of it. */
#define END_EPSILON 1e-9

/* Returns the fraction of the missing moisture that a step of `dt` adds. Equal steps of a shrinking
 * remainder give a linear change. The last step adds all of it, and so does an update at the end
 * itself: a region without duration consists of nothing else. */
static double moisture_fraction(const rp_moisture_spec *region, double time, double dt)
{
    double remaining = end_of_region(region) - time;
    if (time < region->start || remaining < 0) return 0;
    return dt >= remaining * (1 - END_EPSILON) ? 1 : dt / remaining;
}

typedef struct wetting {
    const rp_grains *particles;
    const rp_moisture_spec *region;
    float fraction;
} wetting;

static bool is_inside(const rp_moisture_spec *region, rp_vec3 at)
{
    return region->everywhere ||
           rp_shape_contains(&region->shape, rp_pose_to_local(region->pose, at));
}

static void wet_range(void *context, rp_range range)
{
    const wetting *w = context;
    const rp_grains *p = w->particles;
    float value = (float)w->region->value;
    for (size_t i = range.begin; i < range.end; i++) {
        if (p->moisture[i] == value) continue; /* most grains, most of the time */
        if (!is_inside(w->region, rp_v3(p->x[i], p->y[i], p->z[i]))) continue;
        p->moisture[i] =
            w->fraction < 1 ? p->moisture[i] + w->fraction * (value - p->moisture[i]) : value;
    }
}

/* Moisture belongs to the grain: it stays when the region ends or the grain leaves it. Regions have
 * no state of their own, so that a resumed run needs none. */
void rp_world_update_moisture(rp_world *world, double dt)
{
    const rp_scene *scene = world->scene;
    for (int i = 0; world->grains.moisture && i < scene->moisture.count; i++) {
        const rp_moisture_spec *region = &rp_scene_moisture(scene)[i];
        wetting w = {&world->grains, region, (float)moisture_fraction(region, world->time, dt)};
        if (!(w.fraction > 0)) continue;
        rp_parallel_for(world->threads, world->grains.count, BLOCK, wet_range, &w);
    }
}

/* --- finite numbers --------------------------------------------------------------------------- */

/* Counts grains with a number that is not finite: its difference with itself is NaN, not 0. */
static double count_not_finite(void *context, rp_range range)
{
    const rp_grains *p = context;
    int count = 0;
    for (size_t i = range.begin; i < range.end; i++) {
        float zero = (p->x[i] - p->x[i]) + (p->y[i] - p->y[i]) + (p->z[i] - p->z[i]) +
                     (p->vx[i] - p->vx[i]) + (p->vy[i] - p->vy[i]) + (p->vz[i] - p->vz[i]);
        count += zero != 0;
    }
    return count;
}

/* Reports the first number that is not finite. */
static rp_code fail_not_finite(const rp_world *world, rp_report *report)
{
    const rp_grains *p = &world->grains;
    const float *arrays[] = {p->x, p->y, p->z, p->vx, p->vy, p->vz};
    static const char *const names[] = {"x", "y", "z", "velocity_x", "velocity_y", "velocity_z"};
    for (size_t i = 0; i < p->count; i++)
        for (int f = 0; f < 6; f++)
            if (!isfinite(arrays[f][i]))
                return rp_fail(report, RP_ERROR_NUMERIC,
                               "at %.6g s grain %u has %s = %g; the last good frame is kept. A "
                               "smaller time.max_step may help",
                               world->time, p->id[i], names[f], (double)arrays[f][i]);
    return RP_OK;
}

rp_code rp_world_check_numbers(const rp_world *world, rp_report *report)
{
    const rp_grains *p = &world->grains;
    if (rp_reduce_sum(p, world->threads, BLOCK, count_not_finite, (void *)p) == 0) return RP_OK;
    return fail_not_finite(world, report);
}
