/* A world: built from a scene, moved step by step; docs/theory/world.md. */
#include "world/world.h"
#include "base/report.h"

#include <stdio.h>
#include <string.h>

_Static_assert(RP_STEP_NUMBERS == RP_NUMBERS_MAX, "all numbers of a method are public");
_Static_assert(RP_STAGE_COUNT_MAX == RP_STAGES_MAX, "all stages of a method are public");

void rp_default_world_options_fill(rp_world_options *options, size_t size)
{
    rp_world_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

/* Steps that differ by less than this part of themselves are the same step. */
#define STEP_EPSILON 1e-9

/* Time that a step adds must show in the time it is added to. */
#define STEP_LEAST 1e-14
/* Scenes of more grains are reviewed without any: it should take no longer than a second or so. */
#define REVIEW_GRAINS 3e5
/* Steps from one look at a fixed step to the next. */
#define FIXED_STEP_CHECKS 50

static rp_code check_capabilities(const rp_scene *scene, const rp_solver_type *type,
                                  rp_report *report)
{
    unsigned can = type->capabilities;
    struct {
        bool wanted, can;
        const char *what;
    } needs[] = {
        {scene->domain.periodic != 0, can & RP_CAN_PERIODIC, "periodic axes"},
        {scene->emitters.count > 0, can & RP_CAN_EMIT, "emitters"},
        {scene->domain.open != 0, can & RP_CAN_REMOVE, "open sides"},
        {scene->output.contacts, type->contacts, "output: {contacts: yes}"},
    };
    rp_code code = RP_OK;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].wanted && !needs[i].can)
            code = rp_fail(report, RP_ERROR_UNSUPPORTED, "solver method '%s' cannot do %s",
                           type->name, needs[i].what);
    return code;
}

static rp_code create_threads(rp_world *world, const rp_world_options *options, rp_report *report)
{
    if (options->executor)
        return rp_threads_create_from(options->executor, &world->threads, report);
    return rp_threads_create(options->threads, &world->threads, report);
}

static rp_code create_streams(rp_world *world, rp_report *report)
{
    const rp_scene *scene = world->scene;
    size_t sources = (size_t)scene->sources.count;
    world->source_done = rp_allocate_zero(sources);
    if (!world->source_done) return rp_fail_memory(report, sources, "sources");
    for (int i = 0; i < scene->emitters.count; i++) {
        const rp_emitter_spec *spec = &rp_scene_emitters(scene)[i];
        if (!rp_reserve((void **)&world->streams, &world->stream_capacity, world->stream_count,
                        world->stream_count + 1, sizeof *world->streams))
            return rp_fail_memory(report, sizeof *world->streams, "emitters");
        rp_stream stream = {.spec = *spec, .since = spec->start};
        snprintf(stream.name, sizeof stream.name, "%s", spec->name);
        world->streams[world->stream_count++] = stream;
    }
    rp_streams_name(world);
    return RP_OK;
}

void rp_world_forget_step(rp_world *world)
{
    world->stats.max_speed = rp_grains_max_speed(&world->grains, world->threads);
    for (int i = 0; i < RP_NUMBERS_MAX; i++)
        world->stats.numbers[i] = NAN;
}

static rp_code create_solver(rp_world *world, rp_report *report)
{
    world->stages.names = world->type->stages;
    while (world->stages.names && world->stages.names[world->stages.count])
        world->stages.count++;
    RP_ASSERT(world->stages.count <= RP_STAGES_MAX);
    rp_world_forget_step(world);
    rp_host host = {.scene = world->scene,
                    .params = world->scene->method_params,
                    .grains = &world->grains,
                    .neighbor = world->neighbor,
                    .couple = world->couple,
                    .gravity = &world->gravity,
                    .external = &world->external,
                    .threads = world->threads,
                    .arena = &world->arena,
                    .stop = &world->stop,
                    .stats = &world->stats,
                    .stages = &world->stages};
    return world->type->create(&host, &world->solver, report);
}

rp_code rp_world_begin_solver(rp_world *world, rp_report *report)
{
    RP_TRY(rp_grains_begin_with(&world->grains, world->type->needs, report));
    if (rp_world_resolves_grains(world->scene))
        RP_TRY(rp_grains_add_shapes(&world->grains, rp_world_turns_grains(world->scene), report));
    return create_solver(world, report);
}

void rp_world_end_solver(rp_world *world)
{
    rp_grains_end(&world->grains); /* first: some of its fields lie in the solver */
    if (world->solver) world->type->destroy(world->solver);
    world->solver = NULL;
    world->external = (rp_external){0}; /* arrays of the grains */
}

rp_code rp_world_check_sound(const rp_world *world, rp_report *report)
{
    if (!world->broken) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "a step or a load of this world failed before; restore a state or destroy it");
}

/* Everything a world owns, in the order in which each needs the ones before. */
static rp_code create_parts(rp_world *world, const rp_world_options *options, rp_report *report)
{
    const rp_scene *scene = world->scene;
    rp_period period = {scene->domain.periodic, scene->domain.low, scene->domain.high};
    rp_code code = create_threads(world, options, report);
    if (code == RP_OK) code = rp_neighbor_create(world->threads, &period, &world->neighbor, report);
    if (code == RP_OK) code = rp_bodies_create(scene, &world->bodies, report);
    if (code == RP_OK) rp_bodies_set_gravity(world->bodies, &world->gravity);
    if (code == RP_OK) code = rp_couple_create(scene, world->bodies, &world->couple, report);
    if (code == RP_OK) code = rp_world_begin_solver(world, report);
    if (code == RP_OK) code = create_streams(world, report);
    return code;
}

/* The first grains. */
static rp_code fill(rp_world *world, rp_report *report)
{
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_world_emit(world, report);
    if (code == RP_OK) rp_world_moisten(world, 0);
    rp_budget_enter(before);
    return code;
}

/* Everything that can be known to fail before a world is made. */
static rp_code check_scene(const rp_scene *scene, const rp_world_options *options,
                           rp_report *report)
{
    rp_bodies *bodies = NULL;
    rp_code code = check_capabilities(scene, rp_solver_find(scene->method->name), report);
    rp_code grains = rp_world_resolves_grains(scene) ? rp_world_check_grains(scene, report) : RP_OK;
    if (code == RP_OK) code = grains;
    rp_code memory = rp_world_check_memory(scene, options, report);
    if (code == RP_OK) code = memory;
    rp_code body = rp_bodies_create(scene, &bodies, report);
    rp_bodies_destroy(bodies);
    if (code == RP_OK) code = body;
    for (int i = 0; i < scene->emitters.count; i++) {
        const rp_emitter_spec *spec = &rp_scene_emitters(scene)[i];
        rp_code stream = rp_stream_check(scene, spec, report);
        if (stream == RP_OK) stream = rp_stream_check_step(scene, spec, report);
        if (code == RP_OK) code = stream;
    }
    return code;
}

/* A world before its first grain. */
static rp_code create_empty(const rp_scene *scene, const rp_world_options *options, rp_world **out,
                            rp_report *report)
{
    *out = NULL;
    const rp_solver_type *type = rp_solver_find(scene->method->name);
    RP_ASSERT(type);
    RP_TRY(check_scene(scene, options, report));

    rp_world *world = rp_allocate_zero(sizeof *world);
    if (!world) return rp_fail_memory(report, sizeof *world, "a world");
    world->scene = world->first_scene = scene;
    world->gravity.scene = scene;
    world->type = type;
    world->reason = "no step yet";
    world->most_grains = rp_world_most_grains(scene, options);
    world->budget.limit = rp_world_budget(options);
    world->stop = (rp_stop){options->stop, options->stop_user};
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = create_parts(world, options, report);
    rp_budget_enter(before);
    if (code == RP_OK)
        *out = world;
    else
        rp_world_destroy(world);
    return code;
}

rp_code rp_world_create(const rp_scene *scene, const rp_world_options *options, rp_world **out,
                        rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(scene, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_world *world;
    rp_world_options own = rp_default_world_options();
    RP_TAKE_OPTIONS(&own, options, report);
    RP_TRY(create_empty(scene, &own, &world, report));
    rp_code code = fill(world, report);
    if (code == RP_OK) {
        rp_world_refresh_view(world);
        *out = world;
    } else {
        rp_world_destroy(world);
    }
    return code;
}

void rp_world_destroy(rp_world *world)
{
    if (!world) return;
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_world_end_solver(world);
    rp_couple_destroy(world->couple);
    rp_bodies_destroy(world->bodies);
    rp_neighbor_destroy(world->neighbor);
    rp_release(world->streams, world->stream_capacity * sizeof *world->streams);
    rp_batch_end(&world->batch);
    rp_release(world->source_done, (size_t)world->scene->sources.count);
    rp_release(world->contacts.items, world->contacts.capacity * sizeof *world->contacts.items);
    rp_query_end(&world->query);
    rp_arena_destroy(&world->arena);
    rp_threads_destroy(world->threads);
    rp_world_end_additions(world);
    rp_budget_enter(before);
    rp_release(world, sizeof *world);
}

/* (W3): the order of a step, once its length is known. */
static rp_code take_step(rp_world *world, double dt, rp_report *report)
{
    rp_world_moisten(world, dt);
    rp_code code = rp_bodies_begin(world->bodies, world->time, dt, report);
    rp_couple_refresh(world->couple);
    if (code == RP_OK) code = world->type->step(world->solver, world->time, dt, report);
    if (code == RP_OK) code = rp_bodies_finish(world->bodies, report);
    rp_couple_refresh(world->couple);
    if (code == RP_OK) code = rp_world_check_numbers(world, report);
    if (code == RP_OK) code = rp_world_remove_leavers(world, report);
    world->external.disturbed = false;
    RP_TRY(code);
    world->time += dt;
    world->dt = dt;
    world->step++;
    return RP_OK;
}

/* The step that grains and bodies bear. */
static rp_step_limit bearable_step(const rp_world *world)
{
    rp_step_limit limit = world->type->limit_dt(world->solver);
    double bodies = rp_bodies_limit_dt(world->bodies);
    return bodies < limit.dt ? (rp_step_limit){bodies, "the dynamic bodies' way"} : limit;
}

/* A fixed step is the user's word, but may be longer than the solver bears: that is told, once. */
static void check_fixed_step(rp_world *world)
{
    rp_step_limit limit = bearable_step(world);
    if (world->warned || world->scene->time.step <= limit.dt) return;
    world->warned = true;
    rp_log(RP_LOG_WARNING, "at %.4g s time.step is %.3g s, the solver asks for %.3g s (%s)",
           world->time, world->scene->time.step, limit.dt, limit.reason);
}

/* (W1): the longest step allowed now, and why. */
static rp_code longest_step(rp_world *world, rp_step_limit *limit, rp_report *report)
{
    const rp_time_spec *spec = &world->scene->time;
    if (spec->step > 0) {
        if (world->step % FIXED_STEP_CHECKS == 0) check_fixed_step(world);
        *limit = (rp_step_limit){spec->step, "time.step is fixed"};
        return RP_OK;
    }
    *limit = bearable_step(world);
    if (limit->dt > spec->max_step) *limit = (rp_step_limit){spec->max_step, "time.max_step"};
    if (limit->dt >= spec->min_step) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC,
                   "at %.6g s the step would have to be %.3g s (%s), below time.min_step = %.3g s",
                   world->time, limit->dt, limit->reason, spec->min_step);
}

/* What the first step would be; known where its grains are. */
static rp_code review_step(rp_world *world, rp_report *warnings, rp_report *report)
{
    rp_step_limit limit, bearable = bearable_step(world);
    double step = world->scene->time.step;
    if (step > bearable.dt)
        (void)rp_fail_at(warnings, RP_OK, NULL, "time.step",
                         "is %.3g s, the solver asks for %.3g s (%s)", step, bearable.dt,
                         bearable.reason);
    return step > 0 ? RP_OK : longest_step(world, &limit, report);
}

rp_code rp_scene_review(const rp_scene *scene, const rp_world_options *options, rp_report *warnings,
                        rp_report *report)
{
    RP_NEED(scene, report);
    RP_ENTER();
    rp_world *world;
    rp_world_options own = rp_default_world_options();
    RP_TAKE_OPTIONS(&own, options, report);
    RP_TRY(create_empty(scene, &own, &world, report));
    rp_code code = rp_world_review(world, warnings, report);
    bool few = rp_scene_estimate(scene, &own).grains <= REVIEW_GRAINS;
    if (code == RP_OK && few) {
        code = fill(world, report);
        if (code == RP_OK) code = review_step(world, warnings, report);
    }
    rp_world_destroy(world);
    return code;
}

rp_code rp_world_step(rp_world *world, rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    uint64_t before = world->step;
    rp_code code = RP_OK;
    while (code == RP_OK && world->step == before) /* an event may be a rounding away */
        code = rp_world_step_toward(world, INFINITY, report);
    return code;
}

/* (W2): cuts a step so that even steps meet `target`. */
static double meet(double time, double target, double dt)
{
    if (!isfinite(target)) return dt;
    double left = target - time;
    double even = left / fmax(1, ceil(left / dt - STEP_EPSILON));
    return even < dt * (1 - STEP_EPSILON) ? even : dt;
}

/* Emits what is due, finds the step and takes it. */
static rp_code step_to(rp_world *world, double target, rp_report *report)
{
    rp_arena_reset(&world->arena);
    rp_step_limit limit;
    RP_TRY(rp_world_emit(world, report));
    RP_TRY(longest_step(world, &limit, report));
    double stop = fmin(target, rp_world_next_event(world));
    double least = STEP_LEAST * fmax(1, world->time);
    if (stop - world->time <= least) { /* an event and a frame a rounding apart */
        world->time = stop;
        return RP_OK;
    }
    double dt = meet(world->time, stop, limit.dt);
    if (!(dt > least))
        return rp_fail(report, RP_ERROR_NUMERIC,
                       "at %.9g s a step of %.3g s (%s) is too short to move on", world->time, dt,
                       limit.reason);
    world->reason = dt < limit.dt / 2 ? "the frame's end, or an event" : limit.reason;
    bool last = world->time + dt * (1 + STEP_EPSILON) >= stop;
    rp_code code = take_step(world, dt, report);
    if (code == RP_OK && last) world->time = stop;
    return code;
}

/* One step of a call that may take many: what the host program added stays. */
static rp_code step_within(rp_world *world, double target, rp_report *report)
{
    RP_TRY(rp_world_check_sound(world, report));
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_timer_start(&world->timer);
    rp_code code = step_to(world, target, report);
    rp_timer_stop(&world->timer);
    rp_budget_enter(before);
    world->broken = code != RP_OK;
    rp_world_refresh_view(world);
    return code;
}

/* The end of a call that steps: what the host program added for it has acted. */
static void end_stepping(rp_world *world)
{
    world->external.any = false;
    rp_bodies_clear_pushes(world->bodies);
}

rp_code rp_world_step_toward(rp_world *world, double target, rp_report *report)
{
    uint64_t before = world->step;
    rp_code code = step_within(world, target, report);
    if (code != RP_OK || world->step > before) end_stepping(world);
    return code;
}

/* Only forward, and to a time that is one. */
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

/* Steps are cut by where the world is and where it has to go, never by the clock: a target that is
 * given again after a pause leads to the same steps. */
rp_code rp_world_advance(rp_world *world, double time, double seconds, double *reached,
                         rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    if (reached) *reached = world->time;
    RP_TRY(check_target(world, time, report));
    if (isnan(seconds))
        return rp_fail(report, RP_ERROR_INPUT, "a budget of %g s of wall time is no number",
                       seconds);
    rp_code code = RP_OK;
    double start = rp_clock(), now = start, last = 0;
    while (code == RP_OK && world->time < time) {
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

double rp_world_time(const rp_world *world)
{
    return world ? world->time : 0;
}

void rp_world_refresh_view(rp_world *world)
{
    rp_view *view = &world->view;
    memset(view, 0, sizeof *view);
    view->time = world->time;
    view->step = world->step;
    view->dt = world->dt;
    view->spacing = world->scene->particles.spacing;
    rp_grains_view(&world->grains, world->fields, view);
    view->bodies = rp_bodies_states(world->bodies);
    view->body_count = rp_bodies_count(world->bodies);
    view->bodies_absent = rp_bodies_absent(world->bodies);
    view->grids = world->grids;
    bool has_grids = world->type->grids && world->solver;
    view->grid_count = has_grids ? world->type->grids(world->solver, world->grids) : 0;
    RP_ASSERT(view->grid_count >= 0 && view->grid_count <= RP_GRIDS_MAX);
    world->query_is_made = false;
}

void rp_world_view(const rp_world *world, rp_view *view)
{
    if (!view) return;
    *view = world ? world->view : (rp_view){0};
}

/* The solver's contacts of this instant; asked for once, however often they are wanted. */
static rp_code collect_contacts(rp_world *world, rp_report *report)
{
    rp_contacts *contacts = &world->contacts;
    contacts->count = 0;
    /* No contacts are an empty list, which is not the same as none that are known. */
    if (!rp_reserve((void **)&contacts->items, &contacts->capacity, 0, 1, sizeof *contacts->items))
        return rp_fail_memory(report, sizeof *contacts->items, "contacts");
    RP_TRY(rp_world_check_sound(world, report));
    RP_TRY(world->type->contacts(world->solver, contacts, report));
    world->view.contacts = contacts->items;
    world->view.contact_count = contacts->count;
    return RP_OK;
}

rp_code rp_world_contacts(rp_world *world, rp_view *view, rp_report *report)
{
    RP_NEED(world, report);
    RP_NEED(view, report);
    RP_ENTER();
    rp_code code = RP_OK;
    rp_budget *before = rp_budget_enter(&world->budget);
    if (world->type->contacts && !world->view.contacts) code = collect_contacts(world, report);
    rp_budget_enter(before);
    *view = world->view;
    return code;
}

rp_code rp_world_query(rp_world *world, const rp_query **out, rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(world, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_code code = RP_OK;
    rp_budget *before = rp_budget_enter(&world->budget);
    if (!world->query_is_made)
        code = rp_query_build(&world->query, world->scene, &world->view,
                              rp_couple_surfaces(world->couple), rp_couple_count(world->couple),
                              report);
    rp_budget_enter(before);
    world->query_is_made = code == RP_OK;
    if (code == RP_OK) *out = &world->query;
    return code;
}

rp_step_info rp_world_step_info(const rp_world *world)
{
    if (!world) return (rp_step_info){0};
    RP_ENTER();
    rp_step_info info = {.dt = world->dt,
                         .reason = world->reason,
                         .max_speed = world->stats.max_speed,
                         .removed = world->removed,
                         .seconds = world->timer.total};
    const rp_number_spec *spec = world->type->numbers;
    for (; spec && spec->name; spec++) {
        RP_ASSERT(info.number_count < RP_STEP_NUMBERS);
        double value = world->stats.numbers[info.number_count];
        info.numbers[info.number_count++] =
            (rp_step_number){spec->name, spec->unit, spec->help, value};
    }
    return info;
}

double rp_step_info_number(const rp_step_info *info, const char *name)
{
    if (!info || !name) return NAN;
    for (int i = 0; i < info->number_count && i < RP_STEP_NUMBERS; i++)
        if (strcmp(info->numbers[i].name, name) == 0) return info->numbers[i].value;
    return NAN;
}

int rp_world_stages(const rp_world *world, rp_stage_time *stages, int capacity)
{
    if (!world) return 0;
    const rp_stages *own = &world->stages;
    for (int i = 0; stages && i < own->count && i < capacity; i++)
        stages[i] = (rp_stage_time){own->names[i], own->timers[i].total, own->timers[i].calls};
    return own->count;
}

rp_code rp_world_need_external(rp_world *world, rp_report *report)
{
    struct {
        const char *name;
        float **array;
    } fields[] = {{"external_x", &world->external.ax},
                  {"external_y", &world->external.ay},
                  {"external_z", &world->external.az}};
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_grains_reserve(&world->grains, 1, report);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        if (!*fields[i].array)
            code = rp_grains_add_field(&world->grains, fields[i].name, "m/s2", RP_F32, 0,
                                       (void **)fields[i].array, report);
    rp_budget_enter(before);
    return code;
}

rp_code rp_world_add_force(rp_world *world, size_t index, double fx, double fy, double fz,
                           rp_report *report)
{
    RP_NEED(world, report);
    RP_ENTER();
    const rp_grains *p = &world->grains;
    if (index >= p->count)
        return rp_fail(report, RP_ERROR_INPUT, "grain %zu: the world has %zu", index, p->count);
    if (!isfinite(fx) || !isfinite(fy) || !isfinite(fz))
        return rp_fail(report, RP_ERROR_INPUT, "force on grain %zu is not finite", index);
    rp_external *external = &world->external;
    RP_TRY(rp_world_need_external(world, report));
    if (!external->any) {
        memset(external->ax, 0, p->count * sizeof(float));
        memset(external->ay, 0, p->count * sizeof(float));
        memset(external->az, 0, p->count * sizeof(float));
        external->any = true;
    }
    external->ax[index] += (float)(fx / p->mass[index]);
    external->ay[index] += (float)(fy / p->mass[index]);
    external->az[index] += (float)(fz / p->mass[index]);
    return RP_OK;
}
