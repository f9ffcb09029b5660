/* A world: created from a scene, viewed, queried, destroyed; docs/theory/world.md. Steps are in
 * stepping.c. */
#include "base/report.h"
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

_Static_assert(RP_STEP_NUMBERS == RP_NUMBERS_MAX, "all numbers of a method are public");
_Static_assert(RP_STAGE_COUNT_MAX == RP_STAGES_MAX, "all stages of a method are public");

void rp_default_world_options_fill(rp_world_options *options, size_t size)
{
    rp_world_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

/* Scenes of more grains are checked without creating any: that should take about a second at most.
 */
#define REVIEW_GRAINS 3e5

/* --- creation --------------------------------------------------------------------------------- */

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
        if (!rp_reserve((void **)&world->emitters, &world->emitter_capacity, world->emitter_count,
                        world->emitter_count + 1, sizeof *world->emitters))
            return rp_fail_memory(report, sizeof *world->emitters, "emitters");
        rp_emitter_state stream = {.spec = *spec, .since = spec->start};
        snprintf(stream.name, sizeof stream.name, "%s", spec->name);
        world->emitters[world->emitter_count++] = stream;
    }
    rp_emitters_name(world);
    return RP_OK;
}

void rp_world_reset_stats(rp_world *world)
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
    rp_world_reset_stats(world);
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
        RP_TRY(rp_grains_add_shapes(&world->grains, rp_world_orients_grains(world->scene), report));
    return create_solver(world, report);
}

void rp_world_end_solver(rp_world *world)
{
    rp_grains_end(&world->grains); /* first: some of its fields are owned by the solver */
    if (world->solver) world->type->destroy(world->solver);
    world->solver = NULL;
    world->external = (rp_external){0}; /* they were arrays of the grains */
}

rp_code rp_world_check_valid(const rp_world *world, rp_report *report)
{
    if (!world->invalid) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "a step or a load of this world failed before; restore a state or destroy it");
}

/* Creates all that a world owns, in the order of dependencies. */
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

/* Adds the first grains. */
static rp_code add_first_grains(rp_world *world, rp_report *report)
{
    rp_budget *before = rp_budget_enter(&world->budget);
    rp_code code = rp_world_emit(world, report);
    if (code == RP_OK) rp_world_update_moisture(world, 0);
    rp_budget_enter(before);
    return code;
}

/* Checks all that can fail before a world is created, so that all faults are reported together. */
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
        rp_code stream = rp_emitter_check(scene, spec, report);
        if (stream == RP_OK) stream = rp_emitter_check_step(scene, spec, report);
        if (code == RP_OK) code = stream;
    }
    return code;
}

/* Creates a world without grains. */
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
    rp_code code = add_first_grains(world, report);
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
    rp_release(world->emitters, world->emitter_capacity * sizeof *world->emitters);
    rp_position_list_end(&world->layer);
    rp_release(world->source_done, (size_t)world->scene->sources.count);
    rp_release(world->contacts.items, world->contacts.capacity * sizeof *world->contacts.items);

    rp_query_end(&world->query);
    rp_arena_destroy(&world->arena);
    rp_threads_destroy(world->threads);
    rp_world_end_additions(world);
    rp_budget_enter(before);
    rp_release(world, sizeof *world);
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
        code = add_first_grains(world, report);
        if (code == RP_OK) code = rp_world_check_first_step(world, warnings, report);
    }
    rp_world_destroy(world);
    return code;
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

/* Collects the solver's contacts of this instant, once per step. */
static rp_code collect_contacts(rp_world *world, rp_report *report)
{
    rp_contacts *contacts = &world->contacts;
    contacts->count = 0;
    /* An empty list (no contacts) is not the same as NULL (contacts are unknown). */
    if (!rp_reserve((void **)&contacts->items, &contacts->capacity, 0, 1, sizeof *contacts->items))
        return rp_fail_memory(report, sizeof *contacts->items, "contacts");
    RP_TRY(rp_world_check_valid(world, report));
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

rp_code rp_world_reserve_external(rp_world *world, rp_report *report)
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
    RP_TRY(rp_world_reserve_external(world, report));
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
