/* Granular SPH's place in the seam. */
#include "base/report.h"
#include "solver/sph/sph.h"

#define REAL(member, preset_, low_, high_, help_)                                                  \
    {                                                                                              \
        .key = #member, .kind = RP_PARAM_REAL, .offset = offsetof(rp_sph_params, member),          \
        .unit = "", .preset = preset_, .low = low_, .high = high_, .help = help_                   \
    }
#define SWITCH(member, preset_, help_)                                                             \
    {                                                                                              \
        .key = #member, .kind = RP_PARAM_SWITCH, .offset = offsetof(rp_sph_params, member),        \
        .preset = preset_, .help = help_                                                           \
    }

static const rp_param params[] = {
    REAL(courant, "0.4", 0.01, 1, "how many spacings the fastest grain may move in a step"),
    {.key = "iterations",
     .kind = RP_PARAM_COUNT,
     .offset = offsetof(rp_sph_params, iterations),
     .preset = "100",
     .low = 1,
     .high = 10000,
     .help = "of the solve for pressure and friction, at most"},
    REAL(tolerance, "0.002", 0, 1, "left of the solve, in parts of what gravity does in a step"),
    REAL(correction, "0.2", 0, 1, "share of a density error that is taken back in a step"),
    {.key = "iteration",
     .kind = RP_PARAM_WORD,
     .offset = offsetof(rp_sph_params, iteration),
     .words = RP_SPH_ITERATION_WORDS,
     .preset = "accelerated",
     .help = "how it is solved"},
    SWITCH(warm_start, "yes", "begin with the pressure and friction of the last step"),
    SWITCH(surface, "yes", "correct the density near the free surface"),
};

const rp_param_table rp_frictional_table = {
    .name = "frictional",
    .help = "granular SPH: sand that rests at its angle of repose",
    .size = sizeof(rp_sph_params),
    .params = params,
    .count = sizeof params / sizeof *params,
};

static void sph_destroy(rp_solver *solver)
{
    if (!solver) return;
    rp_lists_end(&solver->lists);
    rp_release(solver, sizeof *solver);
}

static rp_code add_fields(rp_solver *solver, rp_report *report)
{
    static const char *const names[6] = {"stress_xx", "stress_yy", "stress_zz",
                                         "stress_xy", "stress_xz", "stress_yz"};
    rp_code code = RP_OK;
    for (int k = 0; k < 6 && code == RP_OK; k++)
        code = rp_particles_add_field(solver->frame.particles, names[k], "Pa", RP_F32,
                                      RP_FIELD_STATE | RP_FIELD_VISIBLE,
                                      (void **)&solver->stress[k], report);
    if (code == RP_OK) code = rp_particles_add_field(solver->frame.particles, "damping", "", RP_F32, RP_FIELD_GHOST, (void **)&solver->damping, report);
    if (code == RP_OK) code = rp_particles_add_field(solver->frame.particles, "rate", "1/s", RP_F32, RP_FIELD_STATE|RP_FIELD_GHOST, (void **)&solver->rate, report);
    return code;
}

static rp_code sph_create(const rp_frame *frame, rp_solver **out, rp_report *report)
{
    *out = NULL;
    rp_solver *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the SPH solver");
    double spacing = frame->scene->particles.spacing;
    solver->frame = *frame;
    solver->params = *(const rp_sph_params *)frame->params;
    solver->kernel = rp_kernel_of(2 * spacing);
    solver->spacing = spacing;
    solver->volume =
        spacing * spacing * spacing / rp_kernel_lattice_sum(solver->kernel, spacing);
    for (int i = 0; i < frame->scene->materials.count; i++) {
        const rp_material_spec *spec = &rp_scene_materials(frame->scene)[i];
        solver->materials[i] = (rp_sph_material){
            .yield = (float)(sqrt(2) * tan(spec->angle)),
            .density = (float)spec->density,
            .inverse_mass = (float)(1 / (spec->density * spacing * spacing * spacing))};
    }
    rp_code code = add_fields(solver, report);
    if (code == RP_OK)
        *out = solver;
    else
        sph_destroy(solver);
    return code;
}

static rp_step_limit sph_limit_dt(rp_solver *solver)
{
    const rp_scene *scene = solver->frame.scene;
    double way = solver->params.courant * scene->particles.spacing;
    double g = rp_v3_length(scene->gravity), v = solver->stats.max_speed;
    double grains = 2 * way / (v + sqrt(v * v + 2 * g * way) + 1e-30);
    double b = rp_couple_max_speed(solver->frame.couple);
    if (b * grains > way) return (rp_step_limit){way / b, "the fastest body's way"};
    return (rp_step_limit){grains, "the fastest grain's way"};
}

static void sph_view(const rp_solver *solver, rp_step_stats *stats)
{
    *stats = solver->stats;
}

static rp_code sph_save(const rp_solver *solver, rp_store *store, rp_report *report)
{
    (void)solver;
    (void)store;
    (void)report;
    return RP_OK;
}

static rp_code sph_load(rp_solver *solver, const rp_store *store, rp_report *report)
{
    (void)store;
    (void)report;
    (void)solver;
    return RP_OK;
}

const rp_solver_type rp_frictional_solver = {
    .name = "frictional",
    .capabilities = RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES,
    .params = &rp_frictional_table,
    .neighbours = 32,
    .bytes_each = 300,
    .create = sph_create,
    .destroy = sph_destroy,
    .limit_dt = sph_limit_dt,
    .step = rp_sph_step,
    .view = sph_view,
    .save = sph_save,
    .load = sph_load,
};
