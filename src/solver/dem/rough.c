/* Rough surfaces: what their fixed grains ask of a scene (E9a). */
#include "base/report.h"
#include "solver/dem/dem.h"

#include <stdio.h>

/* Fixed grains that a sphere may lie on: each has an entry in the lists. */
#define FIXED_MOST 1000

/* Fixed grains that the largest sphere may be near on a surface. */
static rp_code check_fixed(const rp_dem *solver, const char *key, const rp_roughness *roughness,
                           rp_report *report)
{
    double period = roughness->period > 0 ? roughness->period : 2 * roughness->radius;
    double reach = rp_dem_reach(solver, solver->largest / 2) + roughness->radius;
    double near = RP_PI * (reach * reach - solver->largest * solver->largest / 4) / period / period;
    const double periods[3] = {solver->period.x, solver->period.y, solver->period.z};
    if (!(roughness->radius > 0)) return RP_OK;
    if (!(near <= FIXED_MOST))
        return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                          "grains of %g m would lie on about %.0f fixed grains each, and %d are "
                          "the most; raise the period, which is %g m, or lower the radius",
                          solver->largest, near, FIXED_MOST, period);
    for (int a = 0; a < 3; a++)
        if (periods[a] > 0 && periods[a] < 2 * reach)
            return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                              "along %c the domain is periodic and %g m long; with these fixed "
                              "grains it needs at least %g m",
                              'x' + a, periods[a], 2 * reach);
    return RP_OK;
}

rp_code rp_dem_roughen(rp_dem *solver, rp_report *report)
{
    const rp_scene *scene = solver->host.scene;
    char key[160];
    rp_code code = check_fixed(solver, "domain.roughness", &scene->domain.roughness.grains, report);
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++) {
        const rp_body_spec *body = &rp_scene_bodies(scene)[i];
        snprintf(key, sizeof key, "bodies.%s.roughness", body->name);
        code = check_fixed(solver, key, &body->roughness, report);
    }
    RP_TRY(code);
    return rp_couple_roughen(solver->host.couple, scene, rp_dem_reach(solver, solver->largest / 2),
                             solver->host.threads, report);
}
