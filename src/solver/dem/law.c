/* From materials to the constants of a contact, and to the step that contacts bear. What is found
 * here reaches the state, so nothing is used but what has the same bits on every machine. */
#include "base/report.h"
#include "math/elementary.h"
#include "solver/dem/dem.h"

/* A material that keeps nothing of its speed is damped as one that keeps this part. */
#define RESTITUTION_LEAST 0.01
#define BISECTIONS 50
/* Each is four times as near as the one before. */
#define MEANS 24
/* Damping of a Hertz contact over that of a linear one of the same restitution: sqrt(5) / 2. */
#define HERTZ_OVER_LINEAR 1.118033988749895
/* Duration of an elastic contact (Hertz 1882) in units of (m*^2 / (k^2 v))^(1/5), where the force
 * is k times the overlap to 3/2: 2.8683 in units of (m*^2 / (R* E*^2 v))^(1/5). */
#define HERTZ_TIME 3.2181

/* (E4): for how long a linear contact pushes, in units of sqrt(m* / k): 2 acos(z) / sqrt(1 - z^2),
 * where z is half the damping, and the same by acosh where z is above one. Both are one over
 * Borchardt's mean of z and 1. */
static double linear_lasts(double damping)
{
    double mean = damping / 2, root = 1;
    for (int i = 0; i < MEANS; i++) {
        mean = (mean + root) / 2;
        root = sqrt(mean * root);
    }
    return 2 / root;
}

static double linear_restitution(double damping)
{
    return rp_exp(-damping / 2 * linear_lasts(damping));
}

/* With y for the overlap to 5/4, Hertz's contact with Tsuji's damping is the linear one: v dv/dy =
 * -4/5 (y + a v). */
double rp_dem_damping_for(rp_dem_law law, double restitution)
{
    if (restitution >= 1) return 0;
    double wanted = fmax(restitution, RESTITUTION_LEAST), low = 0, high = 1;
    while (linear_restitution(high) > wanted)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (linear_restitution(middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return (law == RP_DEM_HERTZ ? HERTZ_OVER_LINEAR : 1) * (low + high) / 2;
}

/* Found by bounces in 12 to 100 steps that begin anywhere in a step: with these, restitutions of
 * 0.1 and more come out within half a hundredth from 16 steps on. */
double rp_dem_lag_for(rp_dem_law law, double damping)
{
    return law == RP_DEM_HERTZ ? 1.28 + 0.9 * damping : 0.77 + 0.79 * damping;
}

/* The properties of two materials that touch; those of a contact entry count before theirs. */
typedef struct meeting {
    double friction, restitution, rolling;
} meeting;

static meeting meeting_of(const rp_scene *scene, int a, int b)
{
    const rp_material_spec *materials = rp_scene_materials(scene);
    meeting m = {sqrt(materials[a].friction * materials[b].friction),
                 sqrt(materials[a].restitution * materials[b].restitution),
                 sqrt(rp_dem_material_of(&materials[a])->rolling_friction *
                      rp_dem_material_of(&materials[b])->rolling_friction)};
    for (int i = 0; i < scene->contacts.count; i++) {
        const rp_contact_spec *c = &rp_scene_contacts(scene)[i];
        if (!((c->first == a && c->second == b) || (c->first == b && c->second == a))) continue;
        if (!isnan(c->friction)) m.friction = c->friction;
        if (!isnan(c->restitution)) m.restitution = c->restitution;
        if (!isnan(c->rolling_friction)) m.rolling = c->rolling_friction;
    }
    return m;
}

/* 1/E* of one side (E2). */
static double softness(const rp_dem_material_params *m)
{
    return (1 - m->poisson * m->poisson) / m->young;
}

/* 1/G* of one side, for Mindlin's spring (E5). */
static double shear_softness(const rp_dem_material_params *m)
{
    return 2 * (2 - m->poisson) * (1 + m->poisson) / m->young;
}

/* (E3): the linear stiffness for the contact time that is asked for. */
static double linear_stiffness(const rp_dem *solver, double mass, double damping)
{
    if (solver->params.stiffness > 0) return solver->params.stiffness;
    double part = linear_lasts(damping) / solver->params.contact_time;
    return mass * part * part;
}

/* `soft` and `soft_shear` are 1/E* and 1/G*; `mass` is m* of two mean grains. */
static rp_dem_pair pair_of(const rp_dem *solver, meeting m, double soft, double soft_shear,
                           double mass, double tension)
{
    rp_dem_law law = (rp_dem_law)solver->params.law;
    double damping = rp_dem_damping_for(law, m.restitution);
    bool hertz = law == RP_DEM_HERTZ;
    double stiffness = hertz ? 4 / (3 * soft) : linear_stiffness(solver, mass, damping);
    double shear = hertz ? 6 * soft / soft_shear : 2.0 / 7;
    return (rp_dem_pair){.stiffness = (float)stiffness,
                         .damping = (float)damping,
                         .shear = (float)shear,
                         .slip = (float)(damping * sqrt(2.0 / 7 * shear)),
                         .friction = (float)m.friction,
                         .rolling = (float)m.rolling,
                         .tension = (float)tension,
                         .lag = (float)rp_dem_lag_for(law, damping)};
}

static rp_code fill_pairs(rp_dem *solver, rp_report *report)
{
    const rp_scene *scene = solver->host.scene;
    const rp_material_spec *materials = rp_scene_materials(scene);
    int count = solver->material_count;
    double half = solver->volume / 2; /* of a mean grain: m* is half its mass */
    for (int a = 0; a < count; a++)
        for (int b = a; b < count; b++) {
            const rp_dem_material_params *one = rp_dem_material_of(&materials[a]);
            const rp_dem_material_params *other = rp_dem_material_of(&materials[b]);
            double soft = softness(one) + softness(other);
            double shear = shear_softness(one) + shear_softness(other);
            double wet = fmin(one->surface_tension, other->surface_tension);
            double density = sqrt(materials[a].grain_density * materials[b].grain_density);
            rp_dem_pair pair = pair_of(solver, meeting_of(scene, a, b), soft, shear, half * density,
                                       4 * RP_PI * wet);
            solver->pairs[a * count + b] = solver->pairs[b * count + a] = pair;
            solver->stiffest = fmax(solver->stiffest, (double)pair.stiffness);
            if (!isfinite(pair.stiffness) || !(pair.stiffness > 0))
                return rp_fail(report, RP_ERROR_INPUT,
                               "materials '%s' and '%s' make contacts of stiffness %g",
                               materials[a].name, materials[b].name, (double)pair.stiffness);
        }
    return RP_OK;
}

/* Walls are rigid and flat: E* and R* are the grain's own, twice those of two grains. */
static void fill_wall_pairs(rp_dem *solver)
{
    const rp_scene *scene = solver->host.scene;
    const rp_material_spec *materials = rp_scene_materials(scene);
    const rp_surface *surfaces = rp_couple_surfaces(solver->host.couple);
    int count = solver->material_count;
    for (int s = 0; s < rp_couple_count(solver->host.couple); s++)
        for (int a = 0; a < count; a++) {
            const rp_material_spec *m = &materials[a];
            const rp_dem_material_params *own = rp_dem_material_of(m);
            bool rough = !isfinite(surfaces[s].friction);
            meeting with = {rough ? m->friction : sqrt(m->friction * surfaces[s].friction),
                            sqrt(m->restitution * surfaces[s].restitution), own->rolling_friction};
            rp_dem_pair pair =
                pair_of(solver, with, softness(own), shear_softness(own),
                        solver->volume * m->grain_density, 4 * RP_PI * own->surface_tension);
            solver->wall_pairs[(size_t)s * (size_t)count + (size_t)a] = pair;
            solver->stiffest = fmax(solver->stiffest, (double)pair.stiffness);
        }
}

rp_code rp_dem_take_materials(rp_dem *solver, rp_report *report)
{
    const rp_scene *scene = solver->host.scene;
    size_t count = (size_t)scene->materials.count;
    size_t walls = count * (size_t)rp_couple_count(solver->host.couple);
    solver->material_count = (int)count;
    solver->wall_pair_count = walls;
    solver->pairs = rp_allocate_zero(count * count * sizeof *solver->pairs);
    solver->wall_pairs = rp_allocate_zero((walls + 1) * sizeof *solver->wall_pairs);
    if (!solver->pairs || !solver->wall_pairs)
        return rp_fail_memory(report, (count * count + walls) * sizeof *solver->pairs,
                              "pairs of materials");
    rp_code code = fill_pairs(solver, report);
    if (code == RP_OK) fill_wall_pairs(solver);
    return code;
}

/* m* of the two lightest grains. */
static double least_mass(const rp_dem *solver)
{
    return solver->least_mass / 2;
}

double rp_dem_contact_time(const rp_dem *solver, double speed)
{
    double mass = least_mass(solver);
    if (solver->params.law == RP_DEM_LINEAR) return RP_PI * sqrt(mass / solver->stiffest);
    double k = solver->stiffest * sqrt(solver->least_radius / 2);
    return HERTZ_TIME * rp_fifth_root(mass * mass / (k * k * speed));
}

/* Lists hold for half their slack: nothing may go further in a step. */
static double way_of_a_step(const rp_dem *solver)
{
    return solver->slack / 4;
}

double rp_dem_body_limit(const rp_dem *solver, int *body, double *speed)
{
    *body = rp_couple_fastest(solver->host.couple, speed);
    return *body < 0 ? INFINITY : way_of_a_step(solver) / *speed;
}

/* (E10) */
rp_step_limit rp_dem_limit_dt(void *state)
{
    rp_dem *solver = state;
    double gravity = rp_gravity_max(solver->host.gravity);
    double speed = fmax(rp_grains_max_speed(solver->host.grains, solver->host.threads),
                        sqrt(gravity * solver->diameter));
    rp_step_limit limit = {rp_dem_contact_time(solver, fmax(speed, 1e-3 * solver->diameter)) /
                               solver->params.steps,
                           "contact time: at the fastest grain's speed"};
    if (solver->params.law == RP_DEM_LINEAR) {
        limit.reason = "contact time: of the linear spring";
    } else if (solver->load > 0) {
        double k_over_mass = 1.5 * solver->stiffest * sqrt(solver->load);
        double loaded = RP_PI / sqrt(k_over_mass) / solver->params.steps;
        if (loaded < limit.dt)
            limit = (rp_step_limit){loaded, "contact time: of the most loaded contact"};
    }
    int body;
    double body_speed, body_limit = rp_dem_body_limit(solver, &body, &body_speed);
    if (speed * limit.dt > way_of_a_step(solver))
        limit = (rp_step_limit){way_of_a_step(solver) / speed, "speed: the fastest grain's way"};
    if (body_limit < limit.dt) limit = (rp_step_limit){body_limit, "speed: the fastest body's way"};
    return limit;
}
