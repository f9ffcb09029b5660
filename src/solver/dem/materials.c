/* From materials to the constants of contacts: stiffness (E2), (E3), (E5), damping for a
 * restitution (E4), friction (E6), (E8) and surface tension (E9), for each pair of materials and
 * for each surface and material. The constants reach the state, so that only functions are used
 * that have the same bits on every machine. */
#include "base/report.h"
#include "math/elementary.h"
#include "solver/dem/dem.h"

/* Lower restitutions are taken as this one: zero would need infinite damping. */
#define RESTITUTION_LEAST 0.01
#define BISECTIONS 50
/* Iterations of Borchardt's mean: each divides the error by four. */
#define MEANS 24
/* Damping of a Hertz contact over that of a linear one of the same restitution: sqrt(5) / 2. */
#define HERTZ_OVER_LINEAR 1.118033988749895

/* --- damping for a restitution --- */

/* (E4): returns how long a linear contact repels, in units of sqrt(m* / k): 2 acos(z) / sqrt(1 -
 * z^2), where z is half the damping, and the same with acosh where z is above one (Schwager and
 * Poeschel 2007: until the force is zero, not until the overlap is). Both are two over Borchardt's
 * mean of z and 1. */
static double linear_duration(double damping)
{
    double mean = damping / 2, root = 1;
    for (int i = 0; i < MEANS; i++) {
        mean = (mean + root) / 2;
        root = sqrt(mean * root);
    }
    return 2 / root;
}

/* (E4): returns the restitution of a linear contact, e = exp(-z t). */
static double linear_restitution(double damping)
{
    return rp_exp(-damping / 2 * linear_duration(damping));
}

/* Bisection, since the restitution falls with the damping. With y for the overlap to the power of
 * 5/4, Hertz's contact with the damping of Tsuji and others (1992) obeys the equation of the linear
 * one: v dv/dy = -4/5 (y + a v). */
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

/* Fitted to simulated bounces of 12 to 100 steps that begin anywhere in a step: restitutions of 0.1
 * and more are then right within half a hundredth from 16 steps on. */
double rp_dem_step_correction_for(rp_dem_law law, double damping)
{
    return law == RP_DEM_HERTZ ? 1.28 + 0.9 * damping : 0.77 + 0.79 * damping;
}

/* --- pairs of materials --- */

/* What friction and restitution two surfaces have together. */
typedef struct coefficients {
    double friction, restitution, rolling_friction;
} coefficients;

/* Returns the geometric means of two materials, or what the scene's `contacts` say of the two. */
static coefficients coefficients_of(const rp_scene *scene, int a, int b)
{
    const rp_material_spec *materials = rp_scene_materials(scene);
    coefficients m = {sqrt(materials[a].friction * materials[b].friction),
                      sqrt(materials[a].restitution * materials[b].restitution),
                      sqrt(rp_dem_material_of(&materials[a])->rolling_friction *
                           rp_dem_material_of(&materials[b])->rolling_friction)};
    for (int i = 0; i < scene->contacts.count; i++) {
        const rp_contact_spec *c = &rp_scene_contacts(scene)[i];
        if (!((c->first == a && c->second == b) || (c->first == b && c->second == a))) continue;
        if (!isnan(c->friction)) m.friction = c->friction;
        if (!isnan(c->restitution)) m.restitution = c->restitution;
        if (!isnan(c->rolling_friction)) m.rolling_friction = c->rolling_friction;
    }
    return m;
}

/* (E2): returns the part of one side of 1/E*, 1/Pa. */
static double compliance_of(const rp_dem_material_params *m)
{
    return (1 - m->poisson * m->poisson) / m->young;
}

/* (E5): returns the part of one side of 1/G*, 1/Pa (Mindlin 1949). */
static double shear_compliance_of(const rp_dem_material_params *m)
{
    return 2 * (2 - m->poisson) * (1 + m->poisson) / m->young;
}

/* (E3): returns the stiffness given, or that for the contact time given, N/m. */
static double linear_stiffness(const rp_dem *solver, double mass, double damping)
{
    if (solver->params.stiffness > 0) return solver->params.stiffness;
    double part = linear_duration(damping) / solver->params.contact_time;
    return mass * part * part;
}

/* Returns the constants of a pair. `compliance` and `shear_compliance` are 1/E* and 1/G*, 1/Pa;
 * `mass` is m* of two mean grains, kg; `tension` in N/m. */
static rp_dem_pair pair_of(const rp_dem *solver, coefficients m, double compliance,
                           double shear_compliance, double mass, double tension)
{
    rp_dem_law law = (rp_dem_law)solver->params.law;
    double damping = rp_dem_damping_for(law, m.restitution);
    bool hertz = law == RP_DEM_HERTZ;
    double stiffness = hertz ? 4 / (3 * compliance) : linear_stiffness(solver, mass, damping);
    double shear_ratio = hertz ? 6 * compliance / shear_compliance : 2.0 / 7;
    return (rp_dem_pair){.stiffness = (float)stiffness,
                         .damping = (float)damping,
                         .shear_ratio = (float)shear_ratio,
                         .shear_damping = (float)(damping * sqrt(2.0 / 7 * shear_ratio)),
                         .friction = (float)m.friction,
                         .rolling_friction = (float)m.rolling_friction,
                         .tension = (float)tension,
                         .step_correction = (float)rp_dem_step_correction_for(law, damping)};
}

/* Fills the symmetric table of pairs of materials, and notes the stiffest. */
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
            double compliance = compliance_of(one) + compliance_of(other);
            double shear_compliance = shear_compliance_of(one) + shear_compliance_of(other);
            double wet = fmin(one->surface_tension, other->surface_tension);
            double density = sqrt(materials[a].grain_density * materials[b].grain_density);
            rp_dem_pair pair = pair_of(solver, coefficients_of(scene, a, b), compliance,
                                       shear_compliance, half * density, 4 * RP_PI * wet);
            solver->pairs[a * count + b] = solver->pairs[b * count + a] = pair;
            solver->stiffest = fmax(solver->stiffest, (double)pair.stiffness);
            if (!isfinite(pair.stiffness) || !(pair.stiffness > 0))
                return rp_fail(report, RP_ERROR_INPUT,
                               "materials '%s' and '%s' make contacts of stiffness %g",
                               materials[a].name, materials[b].name, (double)pair.stiffness);
        }
    return RP_OK;
}

/* Walls are rigid and flat: E* and R* are those of the grain alone, twice those of two grains. */
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
            coefficients surface = {rough ? m->friction : sqrt(m->friction * surfaces[s].friction),
                                    sqrt(m->restitution * surfaces[s].restitution),
                                    own->rolling_friction};
            rp_dem_pair pair =
                pair_of(solver, surface, compliance_of(own), shear_compliance_of(own),
                        solver->volume * m->grain_density, 4 * RP_PI * own->surface_tension);
            solver->wall_pairs[(size_t)s * (size_t)count + (size_t)a] = pair;
            solver->stiffest = fmax(solver->stiffest, (double)pair.stiffness);
        }
}

rp_code rp_dem_make_pairs(rp_dem *solver, rp_report *report)
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
