/* The null solver's place in the seam. */
#include "solver/null/null.h"
#include "base/report.h"
#include "solver/null/physics.h"

#define NEIGHBOURS 32 /* within two spacings */

static const rp_param params[] = {
    RP_KEY_REAL(rp_null_params, courant, "courant", "", "0.4", 0.01, 1,
                "how many spacings the fastest grain may move in a step"),
    RP_KEY_SWITCH(
        rp_null_params, density, "density", "no",
        "list the neighbours of every grain and sum its density (slow where grains heap up)"),
};

static const rp_param_table null_table = {
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

static double null_estimate(const rp_scene *scene, double spheres)
{
    const rp_null_params *own = scene->method_params;
    (void)spheres;
    return rp_neighbor_bytes_each(own->density ? NEIGHBOURS : 0);
}

static const rp_number_spec numbers[] = {
    [RP_NULL_DENSITY_ERROR] = {"density_error", "", "mean compression; with density: yes"},
    {0},
};
static const char *const stages[] = {"fly", "bounce", "sort", "density", NULL};

const rp_solver_type rp_null_solver = {
    .name = "null",
    .capabilities = RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES,
    .needs = RP_NEEDS_DENSITY | RP_NEEDS_MOISTURE,
    .scene = {.params = &null_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = null_estimate,
    .create = null_create,
    .destroy = null_destroy,
    .limit_dt = null_limit_dt,
    .step = rp_null_step,
};
