/* The null solver's place in the seam. */
#include "solver/null/null.h"
#include "base/report.h"
#include "solver/null/physics.h"

static const rp_param params[] = {
    {.key = "courant",
     .kind = RP_PARAM_REAL,
     .offset = offsetof(rp_null_params, courant),
     .unit = "",
     .preset = "0.4",
     .low = 0.01,
     .high = 1,
     .help = "how many spacings the fastest grain may move in a step"},
    {.key = "density",
     .kind = RP_PARAM_SWITCH,
     .offset = offsetof(rp_null_params, density),
     .preset = "no",
     .help = "list the neighbours of every grain and sum its density (slow where grains heap up)"},
};

const rp_param_table rp_null_table = {
    .name = "null",
    .help = "free flight and bounces; grains do not see each other",
    .size = sizeof(rp_null_params),
    .params = params,
    .count = sizeof params / sizeof *params,
};

static void null_destroy(void *state)
{
    rp_null *solver = state;
    if (!solver) return;
    rp_lists_end(&solver->lists);
    rp_release(solver, sizeof *solver);
}

static rp_code null_create(const rp_host *host, void **out, rp_report *report)
{
    *out = NULL;
    rp_null *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the null solver");
    double spacing = host->scene->particles.spacing;
    solver->host = *host;
    solver->params = *(const rp_null_params *)host->params;
    solver->kernel = rp_kernel_of(2 * spacing);
    solver->density_factor = (float)(1 / rp_kernel_lattice_sum(solver->kernel, spacing));
    solver->radius = spacing / 2;
    solver->stats.density_error = -1;
    *out = solver;
    return RP_OK;
}

static rp_step_limit null_limit_dt(void *state)
{
    rp_null *solver = state;
    const rp_scene *scene = solver->host.scene;
    double distance = solver->params.courant * scene->particles.spacing;
    double grains = rp_null_travel_time(
        distance, rp_grains_max_speed(solver->host.grains, solver->host.threads),
        rp_gravity_max(solver->host.gravity));
    double bodies = rp_null_travel_time(distance, rp_couple_max_speed(solver->host.couple), 0);
    if (bodies < grains) return (rp_step_limit){bodies, "the fastest body's way"};
    return (rp_step_limit){grains, "the fastest grain's way"};
}

static rp_code null_view(const void *state, rp_step_stats *stats, rp_contacts *contacts,
                         rp_report *report)
{
    const rp_null *solver = state;
    (void)contacts;
    (void)report;
    *stats = solver->stats;
    return RP_OK;
}

/* The grains are all the state there is, and the host saves those. */
static rp_code null_save(const void *state, rp_store *store, rp_report *report)
{
    const rp_null *solver = state;
    (void)solver;
    (void)store;
    (void)report;
    return RP_OK;
}

static rp_code null_load(void *state, const rp_store *store, rp_report *report)
{
    rp_null *solver = state;
    (void)store;
    (void)report;
    solver->stats =
        (rp_step_stats){.max_speed = rp_grains_max_speed(solver->host.grains, solver->host.threads),
                        .density_error = -1};
    return RP_OK;
}

const rp_solver_type rp_null_solver = {
    .name = "null",
    .capabilities = RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES,
    .params = &rp_null_table,
    .neighbours = 32,
    .bytes_each = 0,
    .create = null_create,
    .destroy = null_destroy,
    .limit_dt = null_limit_dt,
    .step = rp_null_step,
    .view = null_view,
    .save = null_save,
    .load = null_load,
};
