/* The table of the discrete element method for the seam: parameters, creation, memory estimate. */
#include "solver/dem/dem.h"
#include "base/report.h"

/* Moments of inertia that differ by less than this fraction are equal. */
#define ISOTROPIC 1e-6
/* The skin is a fraction of the mean diameter, but of no more than this many smallest diameters. */
#define SKIN_MOST 3

/* --- parameters --- */

#define REAL(member, ...) RP_KEY_REAL(rp_dem_params, member, #member, __VA_ARGS__)

static const rp_param params[] = {
    RP_KEY_WORD(rp_dem_params, law, "law", RP_DEM_LAW_WORDS, "hertz",
                "normal force: hertz, by young and poisson of the materials, or a linear spring"),
    RP_KEY_WORD(rp_dem_params, shear, "shear", RP_DEM_SHEAR_WORDS, "history",
                "friction: history, a spring that remembers how far a contact slipped and holds "
                "without creep, or viscous, which slows slip down and needs no memory"),
    REAL(stiffness, "N/m", "0 N/m", 0, 1e15, "of the linear spring; 0: by contact_time"),
    REAL(contact_time, "s", "1e-4 s", 1e-12, 10, "linear: how long two mean grains touch"),
    REAL(slip_damping, "", "1", 0, 100,
         "viscous: damping of slip, as a fraction of the critical one"),
    REAL(steps, "", "20", 4, 1e4, "time steps in the duration of a contact"),
    REAL(skin, "", "0.1", 0.01, 1,
         "skin of the Verlet lists, in mean diameters, of three times the smallest at most"),
    REAL(rupture, "", "0.2", 0, 1,
         "gap at which a liquid bridge ruptures, over the reduced radius"),
    REAL(overlap_most, "", "0.5", 0.001, 2,
         "overlap, as a fraction of the smaller radius, at which a run is stopped"),
};

#define MATERIAL(member, ...) RP_KEY_REAL(rp_dem_material_params, member, #member, __VA_ARGS__)

static const rp_param materials[] = {
    MATERIAL(rolling_friction, "", "0", 0, 10,
             "the torque that resists rolling, and that which resists twisting, is at most this "
             "times the force times the radius; of two materials the geometric mean counts; 0: "
             "grains roll freely"),
    MATERIAL(young, "Pa", "10 MPa", 1, 1e13,
             "Young's modulus of grains; the stiffer, the shorter the steps: real stone has 50 "
             "GPa, and 10 MPa does for most flows"),
    MATERIAL(poisson, "", "0.3", 0, 0.49, "Poisson's ratio of grains"),
    MATERIAL(surface_tension, "N/m", "0.072 N/m", 0, 10,
             "of the liquid between wet grains; 0.072 N/m for water"),
};

static const rp_param_table material_table =
    RP_TABLE(rp_dem_material_params, materials, "material", "single grains");

static const rp_param_table dem_table =
    RP_TABLE(rp_dem_params, params, "dem",
             "discrete elements: every grain on its own, of one sphere or several");

/* --- creation --- */

static void dem_destroy(void *state)
{
    rp_dem *solver = state;
    if (!solver) return;
    size_t count = (size_t)solver->material_count;
    rp_dem_release_arrays(solver);
    rp_lists_end(&solver->neighbors);
    if (solver->inertia)
        rp_release(solver->inertia,
                   (size_t)solver->host.scene->grains.count * sizeof *solver->inertia);
    if (solver->pairs) rp_release(solver->pairs, count * count * sizeof *solver->pairs);
    if (solver->wall_pairs)
        rp_release(solver->wall_pairs, (solver->wall_pair_count + 1) * sizeof *solver->wall_pairs);
    rp_release(solver, sizeof *solver);
}

/* Adds fields to the table of grains. Their names are those of recorded files. */
static rp_code add_fields(rp_dem *solver, rp_report *report)
{
    static const char *const spins[3] = {"spin_x", "spin_y", "spin_z"};
    static const char *const lows[3] = {"low_x", "low_y", "low_z"};
    rp_grains *p = solver->host.grains;
    p->bare_ghosts = true; /* lists name the grains that ghosts are images of */
    rp_code code = RP_OK;
    for (int k = 0; k < 3 && code == RP_OK; k++) {
        code = rp_grains_add_field(p, spins[k], "rad/s", RP_F32, RP_FIELD_STATE | RP_FIELD_VISIBLE,
                                   (void **)&solver->spin[k], report);
        if (code == RP_OK)
            code = rp_grains_add_field(p, lows[k], "m", RP_F32, RP_FIELD_STATE,
                                       (void **)&solver->position_low[k], report);
    }
    static const char *const drives[3] = {"drive_x", "drive_y", "drive_z"};
    for (int k = 0; k < 3 && code == RP_OK; k++)
        code = rp_grains_add_field(p, drives[k], "m/s2", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->acceleration[k], report);
    static const char *const turns[4] = {"turn_low_w", "turn_low_x", "turn_low_y", "turn_low_z"};
    for (int k = 0; k < 4 && code == RP_OK && !solver->single; k++)
        code = rp_grains_add_field(p, turns[k], "", RP_F32, RP_FIELD_STATE,
                                   (void **)&solver->orientation_low[k], report);
    if (code == RP_OK)
        code = rp_grains_add_field(p, "slot", "", RP_U32, RP_FIELD_STATE, (void **)&solver->slot,
                                   report);
    return code;
}

/* Finds the moments of inertia of each kind of grains. */
static rp_code find_inertia(rp_dem *solver, rp_report *report)
{
    size_t count = (size_t)solver->host.scene->grains.count;
    solver->inertia = rp_allocate_zero(count * sizeof *solver->inertia);
    if (!solver->inertia) return rp_fail_memory(report, count * sizeof *solver->inertia, "grains");
    for (size_t i = 0; i < count; i++) {
        const rp_clump *clump = &solver->kinds[i].clump;
        const double *m = clump->inertia;
        solver->inertia[i].isotropic =
            fabs(m[0] - m[1]) <= ISOTROPIC * m[0] && fabs(m[0] - m[2]) <= ISOTROPIC * m[0];
        for (int a = 0; a < 3; a++)
            solver->inertia[i].moment[a] = m[a] / clump->volume;
    }
    return RP_OK;
}

/* Finds the mean, least and greatest sizes and masses of all kinds of grains. */
static void find_sizes(rp_dem *solver)
{
    const rp_scene *scene = solver->host.scene;
    double density = INFINITY, shares = 0, mean = 0;
    solver->kinds = rp_scene_grains(scene);
    solver->single = true;
    solver->smallest = solver->least_radius = solver->least_mass = INFINITY;
    for (int i = 0; i < scene->materials.count; i++)
        density = fmin(density, rp_scene_materials(scene)[i].grain_density);
    for (int i = 0; i < scene->grains.count; i++) {
        const rp_grain_spec *kind = &solver->kinds[i];
        double size = kind->smallest;
        if (kind->clump.count > 1) solver->single = false;
        solver->largest = fmax(solver->largest, kind->largest);
        solver->smallest = fmin(solver->smallest, kind->smallest);
        for (int b = 0; b < kind->clump.count; b++)
            solver->least_radius = fmin(solver->least_radius, kind->clump.balls[b].radius * size);
        solver->least_mass =
            fmin(solver->least_mass, density * kind->clump.volume * size * size * size);
        shares += kind->share;
        mean += kind->share * kind->diameter;
        solver->volume += kind->share * kind->clump.volume * kind->cube;
    }
    solver->diameter = mean / shares;
    solver->volume /= shares;
}

/* Returns whether the scene ever makes grains wet. */
static bool is_ever_wet(const rp_scene *scene)
{
    bool wet = scene->moisture.count > 0;
    for (int i = 0; i < scene->sources.count; i++)
        wet = wet || rp_scene_sources(scene)[i].moisture > 0;
    for (int i = 0; i < scene->emitters.count; i++)
        wet = wet || rp_scene_emitters(scene)[i].moisture > 0;
    return wet;
}

static bool has_rolling(const rp_scene *scene)
{
    bool rolls = false;
    for (int i = 0; i < scene->materials.count; i++)
        rolls = rolls || rp_dem_material_of(&rp_scene_materials(scene)[i])->rolling_friction > 0;
    for (int i = 0; i < scene->contacts.count; i++) /* NaN where it is not given */
        rolls = rolls || rp_scene_contacts(scene)[i].rolling_friction > 0;
    return rolls;
}

/* Finds the periods. A grain must never touch another one and its periodic image. */
static rp_code find_period(rp_dem *solver, rp_report *report)
{
    const rp_domain_spec *domain = &solver->host.scene->domain;
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    const double lengths[3] = {length.x, length.y, length.z};
    double *periods[3] = {&solver->period.x, &solver->period.y, &solver->period.z};
    for (int a = 0; a < 3; a++) {
        if (!(domain->periodic >> a & 1)) continue;
        *periods[a] = lengths[a];
        double least = 2 * (solver->reach.part * solver->largest + solver->skin);
        if (lengths[a] < least)
            return rp_fail(report, RP_ERROR_INPUT,
                           "domain: along %c it is periodic and %g m long; grains of %g m need at "
                           "least %g m",
                           'x' + a, lengths[a], solver->largest, least);
    }
    return RP_OK;
}

/* Finds skin and reach of the lists. The smallest grains are the most numerous and the fastest: a
 * skin of a mean diameter that large ones raise would give them too many neighbors. R* of a pair is
 * at most a quarter of the sum of both radii. */
static void find_reach(rp_dem *solver)
{
    double size = fmin(solver->diameter, SKIN_MOST * solver->smallest);
    solver->skin = solver->params.skin * size;
    solver->bridge = solver->cohesive ? solver->params.rupture : 0;
    solver->reach = (rp_reach){.smallest = solver->smallest,
                               .largest = solver->largest,
                               .part = 1 + solver->bridge / 4,
                               .skin = solver->skin};
    solver->multilevel = rp_reach_is_wide(&solver->reach);
}

static rp_code dem_create(const rp_host *host, void **out, rp_report *report)
{
    *out = NULL;
    rp_dem *solver = rp_allocate_zero(sizeof *solver);
    if (!solver) return rp_fail_memory(report, sizeof *solver, "the DEM solver");
    solver->host = *host;
    solver->params = *(const rp_dem_params *)host->params;
    solver->has_history = solver->params.shear == RP_DEM_HISTORY;
    find_sizes(solver);
    solver->cohesive = is_ever_wet(host->scene);
    find_reach(solver);
    solver->rolls = has_rolling(host->scene);
    if (solver->has_history)
        solver->history_columns = solver->rolls ? RP_DEM_HISTORY_COLUMNS : ROLLING_X;
    rp_code code = find_period(solver, report);
    if (code == RP_OK) code = rp_dem_lay_fixed_grains(solver, report);
    if (code == RP_OK) code = find_inertia(solver, report);
    if (code == RP_OK) code = rp_dem_make_pairs(solver, report);
    if (code == RP_OK) code = add_fields(solver, report);
    if (code == RP_OK) {
        double cell = (solver->reach.part * solver->largest + solver->skin) / solver->smallest;
        rp_neighbor_borrow(host->neighbor, &solver->history_arena);
        rp_neighbor_limit_occupancy(host->neighbor, cell * cell * cell);
        *out = solver;
    } else {
        dem_destroy(solver);
    }
    return code;
}

/* --- the table --- */

/* Of the fields of a grain. */
#define BYTES_EACH (14 * 4)
/* A sphere takes its row, its origin, five entries with history, and what arrays have to spare: 176
 * bytes, and 80 more with the history of rolling. Measured in settled beds: 168 for single spheres,
 * 172 for tetrahedra. The latter have fewer contacts, but numbers of spheres, and extra memory for
 * the history that is saved while lists are built. */
static double dem_estimate(const rp_scene *scene, double spheres)
{
    size_t entry = 6 + 4 * (has_rolling(scene) ? RP_DEM_HISTORY_COLUMNS : ROLLING_X);
    size_t sphere = (64 + 12 + 5 * entry) * 17 / 16;
    return rp_neighbor_bytes_each(0) + BYTES_EACH + spheres * (double)sphere;
}

static const rp_number_spec numbers[] = {
    [RP_DEM_DISPLACEMENT] = {"list_displacement", "m",
                             "largest displacement of a sphere since the lists were built"},
    {0},
};
/* move: first drift, rows. lists: sorting, lists, history. forces: contact forces, kick, drift. */
static const char *const stages[] = {"move", "lists", "forces", NULL};

const rp_solver_type rp_dem_solver = {
    .name = "dem",
    .capabilities =
        RP_CAN_PERIODIC | RP_CAN_EMIT | RP_CAN_REMOVE | RP_CAN_PUSH_BODIES | RP_CAN_SHAPE,
    .needs = RP_NEEDS_DENSITY | RP_NEEDS_PRESSURE | RP_NEEDS_MOISTURE,
    .scene = {.params = &dem_table, .materials = &material_table},
    .numbers = numbers,
    .stages = stages,
    .estimate = dem_estimate,
    .create = dem_create,
    .destroy = dem_destroy,
    .limit_dt = rp_dem_limit_dt,
    .step = rp_dem_step,
    .contacts = rp_dem_contacts,
    .save = rp_dem_save,
    .load = rp_dem_load,
};
