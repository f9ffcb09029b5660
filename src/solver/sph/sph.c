/* The two methods of granular SPH as the seam sees them: parameter tables, creation, time step
 * limit, saved state. */
#include "solver/sph/sph.h"
#include "base/report.h"
#include "math/elementary.h"
#include "solver/sph/constitutive.h"
#include "solver/sph/gradient.h"

#include <stdio.h>

#define REAL(member, ...) RP_KEY_REAL(rp_sph_params, member, #member, __VA_ARGS__)
#define SWITCH(member, ...) RP_KEY_SWITCH(rp_sph_params, member, #member, __VA_ARGS__)
#define ITERATIONS(preset_, help_)                                                                 \
    RP_KEY_COUNT(rp_sph_params, iterations, "iterations", preset_, 1, 100000, help_)
#define SLEEP(on)                                                                                  \
    SWITCH(sleeping, on, "let grains at rest sleep: they cost little until something moves them"), \
        REAL(sleep_speed, "1/s", "0.1", 0, 100,                                                    \
             "a grain slower than this many spacings in a second may sleep"),                      \
        REAL(sleep_time, "s", "0.25 s", 0, 1e6, "how long it must have been so slow")

static const rp_param frictional_params[] = {
    REAL(courant, "", "0.3", 0.01, 1,
         "CFL condition: how many spacings the fastest grain may move in a step"),
    REAL(fall, "", "0.1", 0.001, 1,
         "longest time step, as a fraction of the time in which a grain falls one spacing"),
    ITERATIONS("30",
               "largest number of iterations of the solve for pressure and friction; the next "
               "step continues from there"),
    REAL(tolerance, "1/s", "5e-5", 0, 1e3, "residual strain rate of the solve at rest"),
    REAL(flow_tolerance, "", "0.005", 0, 1,
         "residual strain rate of the solve in flow, as a fraction of speed over spacing"),
    REAL(correction, "", "0.5", 0, 1, "fraction of a compression that is removed in a step"),
    REAL(slack, "", "0.01", 0, 0.1, "dilation up to which sand keeps its pressure"),
    RP_KEY_REAL(rp_sph_params, compression_limit, "squeeze", "", "0.01", 0.001, 1000,
                "compression above which grains are moved apart (position correction)"),
    RP_KEY_WORD(
        rp_sph_params, scheme, "scheme", RP_SPH_SCHEME_WORDS, "accelerated",
        "iteration of the solve: accelerated projected gradient, or projected jacobi, which "
        "is slower, for comparison"),
    SWITCH(warm_start, "yes", "begin with the pressure and friction of the last step"),
    SWITCH(surface, "yes", "correct the density near the free surface"),
    SLEEP("no"),
};

static const rp_param pcisph_params[] = {
    REAL(courant, "", "0.3", 0.01, 1,
         "CFL condition: how many spacings the fastest grain may move in a step"),
    REAL(fall, "", "0.01", 0.001, 1,
         "longest time step, as a fraction of the time in which a grain falls one spacing"),
    ITERATIONS("3", "largest number of predictions and corrections; without thresholds the exact "
                    "number"),
    REAL(density_error, "", "0", 0, 1,
         "iterate until no grain is compressed by more than this; 0: a fixed number of iterations"),
    REAL(stress_change, "Pa", "inf", 0, INFINITY,
         "and until the friction stress of no grain changes by more than this"),
    SWITCH(surface, "no", "correct the density near the free surface"),
    SLEEP("yes"),
};

#define MATERIAL(member, ...) RP_KEY_REAL(rp_sph_material_params, member, #member, __VA_ARGS__)
#define WET_MATERIAL                                                                               \
    MATERIAL(cohesion, "Pa", "0 Pa", 0, 1e9, "tensile strength of the dry material"),              \
        MATERIAL(viscosity, "", "0.01", 0, 1e6,                                                    \
                 "viscous damping of velocity differences in the dry material; 0.01 for sand"),    \
        MATERIAL(wet_cohesion, "Pa", "1500 Pa", 0, 1e9,                                            \
                 "tensile strength at moisture 1; linear in the moisture in between"),             \
        MATERIAL(wet_viscosity, "", "0.3", 0, 1e6,                                                 \
                 "viscous damping at moisture 1; linear in the moisture in between")

static const rp_param frictional_materials[] = {
    MATERIAL(dynamic_angle, "deg", "", 0, 80,
             "friction angle in the limit of fast shear; where it is not given, friction does not "
             "depend "
             "on the shear rate"),
    MATERIAL(
        inertial_number, "", "0.279", 1e-6, 1e6,
        "with dynamic_angle: I0 of the mu(I) rheology, at which friction is half way from angle to "
        "dynamic_angle; the inertial number I is the shear rate times grain_diameter over the "
        "square root of "
        "(pressure over grain_density); 0.279 for glass beads"),
    MATERIAL(grain_diameter, "m", "", 1e-9, 1e3,
             "with dynamic_angle: diameter of the real grains, whatever the spacing is"),
    WET_MATERIAL,
};
static const rp_param pcisph_materials[] = {WET_MATERIAL};

/* dynamic_angle and grain_diameter belong together. */
static rp_param_fault check_material(const void *entry, const void *values)
{
    const double degree = 0.017453292519943295;
    const rp_material_spec *material = entry;
    const rp_sph_material_params *own = values;
    rp_param_fault fault = {0};
    if (own->dynamic_angle > 0 && !(own->dynamic_angle > material->angle)) {
        fault.key = "dynamic_angle";
        snprintf(fault.text, sizeof fault.text,
                 "friction grows with the rate from angle (%g deg) to dynamic_angle (%g deg), "
                 "which must be above it; without dynamic_angle it does not grow",
                 material->angle / degree, own->dynamic_angle / degree);
    } else if (own->dynamic_angle > 0 && !(own->grain_diameter > 0)) {
        fault.key = "grain_diameter";
        snprintf(fault.text, sizeof fault.text,
                 "with dynamic_angle the diameter of the real grains is needed: it says at which "
                 "shear rate friction grows");
    } else if (!(own->dynamic_angle > 0) && own->grain_diameter > 0) {
        fault.key = "grain_diameter";
        snprintf(fault.text, sizeof fault.text,
                 "it is used only where friction grows with the rate: give dynamic_angle, too, or "
                 "leave it out");
    }
    return fault;
}

static const rp_param_table frictional_material_table =
    RP_TABLE(rp_sph_material_params, frictional_materials, "material", "sand as a continuum",
             .check = check_material);
static const rp_param_table pcisph_material_table =
    RP_TABLE(rp_sph_material_params, pcisph_materials, "material", "sand as a continuum");

static const rp_param_table frictional_table =
    RP_TABLE(rp_sph_params, frictional_params, "frictional",
             "granular SPH: sand that rests at its angle of repose");
static const rp_param_table pcisph_table =
    RP_TABLE(rp_sph_params, pcisph_params, "pcisph",
             "granular SPH as published in 2013; its piles come to rest too flat");

static void sph_destroy(void *state)
{
    rp_sph *solver = state;
    if (!solver) return;
    rp_lists_end(&solver->lists);
    rp_release(solver, sizeof *solver);
}

/* Fields of the grains that live from step to step. Their names are those of saved files; in the
 * code "across" is layer_stress_ratio, "pressed" compression, "calm" rest_time. */
static rp_code add_fields(rp_sph *solver, rp_report *report)
{
    static const char *const names[6] = {"stress_xx", "stress_yy", "stress_zz",
                                         "stress_xy", "stress_xz", "stress_yz"};
    rp_grains *p = solver->host.grains;
    unsigned state = RP_FIELD_STATE | RP_FIELD_VISIBLE;
    rp_code code = RP_OK;
    for (int k = 0; k < 6 && code == RP_OK; k++)
        code = rp_grains_add_field(p, names[k], "Pa", RP_F32, state, (void **)&solver->stress[k],
                                   report);
    if (code == RP_OK)
        code = rp_grains_add_field(p, "depth", "", RP_F32, RP_FIELD_STATE, (void **)&solver->depth,
                                   report);
    if (code == RP_OK && !solver->predictive)
        code = rp_grains_add_field(p, "across", "", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->layer_stress_ratio, report);
    if (code == RP_OK && !solver->predictive)
        code = rp_grains_add_field(p, "pressed", "", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->compression, report);
    if (code == RP_OK && solver->rate_dependent)
        code = rp_grains_add_field(p, "fabric", "", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->fabric, report);
    if (code == RP_OK && solver->params.sleeping)
        code = rp_grains_add_field(p, "calm", "s", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->rest_time, report);
    return code;
}

/* (G9) or (G20): returns the largest friction stress at a pressure of one. */
static double yield_of(const rp_sph *solver, double angle)
{
    double sine = rp_sin(angle);
    return solver->predictive ? sqrt(2.0 / 3) * sine : sqrt(2) * sine / rp_cos(angle);
}

/* (G9d): rate-dependent friction, where the material has it. */
static void take_rate_law(rp_sph *solver, const rp_material_spec *spec, rp_sph_material *to)
{
    const rp_sph_material_params *own = spec->own;
    if (solver->predictive || !(own->dynamic_angle > 0)) return;
    to->dynamic_yield = (float)yield_of(solver, own->dynamic_angle);
    to->rate_scale =
        (float)(own->inertial_number / (own->grain_diameter * sqrt(2 * spec->grain_density)));
    solver->rate_dependent = true;
}

/* Constants of each material in single precision, and which features any of them needs. */
static void take_materials(rp_sph *solver)
{
    const rp_scene *scene = solver->host.scene;
    const rp_material_spec *specs = rp_scene_materials(scene);
    for (int i = 0; i < scene->materials.count; i++) {
        const rp_material_spec *spec = &specs[i];
        const rp_sph_material_params *own = spec->own;
        solver->materials[i] =
            (rp_sph_material){.yield = (float)yield_of(solver, spec->angle),
                              .tangent = (float)(rp_sin(spec->angle) / rp_cos(spec->angle)),
                              .cosine = (float)rp_cos(spec->angle),
                              .density = (float)spec->density,
                              .cohesion = {(float)own->cohesion, (float)own->wet_cohesion},
                              .viscosity = {(float)own->viscosity, (float)own->wet_viscosity}};
        take_rate_law(solver, spec, &solver->materials[i]);
        if (spec->density != specs[0].density) solver->mixed_densities = true;
        if (own->cohesion > 0 || own->wet_cohesion > 0) solver->cohesive = true;
        if (!solver->predictive && rp_sph_back_stress_ratio(solver->materials[i].tangent) > 0)
            solver->has_back_stress = true;
    }
}

/* Sums over a cubic lattice, which grains at rest resemble: Q0 of (G19), M of (G17a). */
static void take_lattice(rp_sph *solver)
{
    double spacing = solver->spacing, slopes = 0;
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++)
            for (int z = -2; z <= 2; z++) {
                float r = (float)(spacing * sqrt(x * x + y * y + z * z));
                double slope = solver->volume * (double)rp_kernel_slope(solver->kernel, r);
                double value = solver->volume * (double)rp_kernel_value(solver->kernel, r);
                if (r > 0) solver->lattice_squares += slope * slope;
                if (r > 0) slopes += fabs(slope);
                solver->second_moment += value * (double)(r * r);
            }
    solver->lattice_slope = solver->lattice_squares / slopes;
}

/* Creates the solver of either method. */
static rp_code create(const rp_host *host, bool predictive, void **out, rp_report *report)
{
    *out = NULL;
    rp_sph *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the SPH solver");
    double spacing = host->scene->particles.spacing;
    solver->host = *host;
    solver->params = *(const rp_sph_params *)host->params;
    solver->predictive = predictive;
    solver->kernel = rp_kernel_of(2 * spacing);
    solver->spacing = spacing;
    /* (G1): a packed lattice has volume fraction one. */
    solver->volume = spacing * spacing * spacing / rp_kernel_lattice_sum(solver->kernel, spacing);
    solver->quantum = rp_sph_quantum(solver->kernel, solver->volume);
    take_materials(solver);
    take_lattice(solver);
    rp_neighbor_borrow(host->neighbor, host->arena);
    /* Cells of the neighbor search as large as the support; more grains than fit are refused. */
    double cell = solver->kernel.support / spacing;
    rp_neighbor_limit_occupancy(host->neighbor, cell * cell * cell);
    rp_code code = add_fields(solver, report);
    if (code == RP_OK)
        *out = solver;
    else
        sph_destroy(solver);
    return code;
}

static rp_code frictional_create(const rp_host *host, void **out, rp_report *report)
{
    return create(host, false, out, report);
}

static rp_code pcisph_create(const rp_host *host, void **out, rp_report *report)
{
    return create(host, true, out, report);
}

/* (G23): the shortest of the limits by free fall and by the CFL condition. */
static rp_step_limit sph_limit_dt(void *state)
{
    rp_sph *solver = state;
    const rp_sph_params *params = &solver->params;
    double distance = params->courant * solver->spacing,
           gravity = rp_gravity_max(solver->host.gravity);
    double speed = rp_grains_max_speed(solver->host.grains, solver->host.threads),
           body = rp_couple_max_speed(solver->host.couple);
    rp_step_limit limit = {INFINITY, "nothing moves"};
    if (gravity > 0)
        limit = (rp_step_limit){params->fall * sqrt(2 * solver->spacing / gravity),
                                "acceleration: a fraction of the time to fall one spacing"};
    if (speed * limit.dt > distance)
        limit = (rp_step_limit){distance / speed, "speed: CFL condition of the fastest grain"};
    if (body * limit.dt > distance)
        limit = (rp_step_limit){distance / body, "speed: CFL condition of the fastest body"};
    return limit;
}

/* The state of sleep is saved, or a resumed run would compute steps that the first one skipped. */
static rp_code sph_save(const void *state, rp_store *store, rp_report *report)
{
    const rp_sph *solver = state;
    return rp_store_put(store, "sph/slept", "", RP_F64, &solver->last, RP_SPH_LAST_STEP_DOUBLES,
                        report);
}

static rp_code sph_load(void *state, const rp_store *store, rp_report *report)
{
    rp_sph *solver = state;
    return rp_store_get(store, "sph/slept", RP_F64, &solver->last, RP_SPH_LAST_STEP_DOUBLES,
                        report);
}

#define CAN (RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES)
/* Bytes of fields and of the arrays of a step (see rp_sph_work): nine fields; stresses; packed
 * values and then velocities with pcisph's predictions; v* and gradient sums; four numbers; three
 * shorts of each pair; a share of the halo; multiplier and mark of the separation. */
#define NEIGHBOURS 32
#define HALO_EACH (sizeof(rp_sph_halo) / RP_SPH_BLOCK)
#define BYTES_EACH (9 * 4 + 32 + 3 * 16 + 2 * 16 + 4 * 4 + 3 * 2 * NEIGHBOURS + HALO_EACH + 4 + 1)

static double sph_estimate(const rp_scene *scene, double spheres)
{
    (void)scene;
    (void)spheres;
    return rp_neighbor_bytes_each(NEIGHBOURS) + BYTES_EACH;
}

static const rp_number_spec numbers[] = {
    [RP_SPH_DENSITY_ERROR] = {"density_error", "",
                              "mean compression: mean of max(0, density / packed density - 1)"},
    [RP_SPH_ITERATIONS] = {"iterations", "", "iterations of the solve for pressure and friction"},
    {0},
};
/* order: cell order, ghosts. lists: neighbor lists. density: volume fraction, gradients and forces
 * of pairs. contacts: with solids. velocities: sweeps from stresses to velocities, one more than
 * iterations. stresses: sweeps from velocities to stresses. */
static const char *const stages[] = {"order",      "lists",    "density", "contacts",
                                     "velocities", "stresses", NULL};

const rp_solver_type rp_frictional_solver = {
    .name = "frictional",
    .capabilities = CAN,
    .needs = RP_NEEDS_ALL,
    .scene = {.params = &frictional_table, .materials = &frictional_material_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = sph_estimate,
    .create = frictional_create,
    .destroy = sph_destroy,
    .limit_dt = sph_limit_dt,
    .step = rp_sph_step,
    .save = sph_save,
    .load = sph_load,
};

const rp_solver_type rp_pcisph_solver = {
    .name = "pcisph",
    .capabilities = CAN,
    .needs = RP_NEEDS_ALL,
    .scene = {.params = &pcisph_table, .materials = &pcisph_material_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = sph_estimate,
    .create = pcisph_create,
    .destroy = sph_destroy,
    .limit_dt = sph_limit_dt,
    .step = rp_sph_step,
    .save = sph_save,
    .load = sph_load,
};
