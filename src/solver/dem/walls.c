/* Wall contacts: spheres on solids, which are bodies and the walls of the domain. The contact law
 * is that of two spheres, one contact at a time. A solid is rigid and locally flat, so that R* is
 * the radius of the sphere and m* the mass of the grain; the grains that are fixed on a rough
 * surface are spheres (E9a). */
#include "base/report.h"
#include "solver/dem/contact_geometry.h"

#include <stdio.h>

/* Fixed grains that a sphere may be near, at most: each has an entry in the lists. */
#define FIXED_MOST 1000

/* --- geometry and law of one sphere on a solid --- */

/* Distance of a point from what it touches, and the outward normal. */
typedef struct touched {
    double distance; /* m */
    rp_vec3 normal;
} touched;

static bool touch_smooth(const rp_surface *solid, rp_vec3 at, double reach, touched *out)
{
    rp_touch touch;
    if (!rp_surface_touch(solid, at, reach, &touch)) return false;
    *out = (touched){touch.distance, touch.normal};
    return true;
}

static bool touch_fixed(const rp_surface *solid, rp_fixed_grain fixed, rp_vec3 at, double reach,
                        touched *out)
{
    rp_vec3 away = rp_v3_sub(at, rp_surface_fixed_position(solid, fixed, at));
    double length = rp_v3_length(away);
    *out = (touched){length - solid->rough->radius, rp_v3_scale(away, length > 0 ? 1 / length : 0)};
    return out->distance < reach;
}

/* Returns a position, high and low words. */
static rp_vec3 exact_position(const float *position)
{
    return rp_v3((double)position[POSITION_X] + (double)position[POSITION_LOW_X],
                 (double)position[POSITION_Y] + (double)position[POSITION_LOW_Y],
                 (double)position[POSITION_Z] + (double)position[POSITION_LOW_Z]);
}

bool rp_dem_find_wall_geometry(const rp_dem *solver, const rp_dem_sphere *sphere,
                               const rp_dem_wall *wall, rp_dem_wall_geometry *out)
{
    /* R* of sphere and solid, and how far a liquid bridge between them reaches. */
    const rp_surface *solid = &rp_couple_surfaces(solver->host.couple)[wall->surface];
    bool smooth = rp_dem_is_smooth(wall->fixed);
    double radius = (double)sphere->position[POSITION_RADIUS];
    double fixed = smooth ? 0 : solid->rough->radius;
    out->radius = smooth ? radius : radius * fixed / (radius + fixed);
    out->smaller = smooth ? radius : fmin(radius, fixed);
    double reach = radius;
    if (solver->cohesive) reach += solver->params.rupture * out->radius;
    rp_vec3 at = exact_position(sphere->position);
    touched touch;
    if (smooth ? !touch_smooth(solid, at, reach, &touch)
               : !touch_fixed(solid, wall->fixed, at, reach, &touch))
        return false;
    /* The point of contact is on the surface of the solid. */
    double overlap = radius - touch.distance, lever = touch.distance;
    out->n = rp_v3_scale(touch.normal, -1);
    out->overlap = overlap;
    out->point = rp_v3_madd(at, lever, out->n);
    /* Relative motion there. */
    const float *motion = sphere->motion;
    rp_vec3 spin = rp_v3(motion[MOTION_SPIN_X], motion[MOTION_SPIN_Y], motion[MOTION_SPIN_Z]);
    rp_vec3 own = rp_v3(motion[MOTION_X], motion[MOTION_Y], motion[MOTION_Z]);
    own = rp_v3_add(own, rp_v3_cross(spin, rp_v3_scale(out->n, lever)));
    out->v = rp_v3_sub(rp_surface_velocity(solid, out->point, out->n), own);
    out->spin = rp_v3_sub(spin, solid->spin);
    out->arm = rp_v3_add(rp_v3(sphere->arm[0], sphere->arm[1], sphere->arm[2]),
                         rp_v3_scale(out->n, lever));
    out->pair = solver->wall_pairs[(size_t)wall->surface * (size_t)solver->material_count +
                                   (size_t)motion[MOTION_MATERIAL]];
    return true;
}

RP_WIDE_INLINE rp_wide_vec3 spread_floats(const float v[3])
{
    return (rp_wide_vec3){rp_wide_broadcast(v[0]), rp_wide_broadcast(v[1]),
                          rp_wide_broadcast(v[2])};
}

/* All eight lanes hold the same contact, and the first is read. */
RP_WIDE_KERNEL
void rp_dem_wall_contact_law(const rp_dem_contact_options *options, const rp_dem_sphere *sphere,
                             const rp_dem_wall_geometry *geometry,
                             const float history[RP_DEM_HISTORY_COLUMNS], rp_dem_wall_force *out)
{
    rp_dem_wide_pair pair = rp_dem_wide_pair_all(&geometry->pair);
    rp_dem_contact_state c = {.n = rp_wide_v3_broadcast(geometry->n),
                              .v = rp_wide_v3_broadcast(geometry->v),
                              .spin = rp_wide_v3_broadcast(geometry->spin),
                              .overlap = rp_wide_broadcast((float)geometry->overlap),
                              .radius = rp_wide_broadcast((float)geometry->radius),
                              .inverse_mass =
                                  rp_wide_broadcast(sphere->position[POSITION_INVERSE_MASS]),
                              .moisture = rp_wide_broadcast(sphere->motion[MOTION_MOISTURE]),
                              .tangential = spread_floats(history),
                              .rolling = spread_floats(history + ROLLING_X),
                              .twisting = rp_wide_broadcast(history[TWISTING])};
    rp_dem_contact_force f = rp_dem_contact_law(options, &pair, &c, c.overlap > 0);
    out->normal = (double)f.normal[0];
    out->shear = rp_wide_v3_first_lane(&f.shear);
    out->torque = rp_wide_v3_first_lane(&f.torque);
    const float after[RP_DEM_HISTORY_COLUMNS] = {
        f.tangential.x[0], f.tangential.y[0], f.tangential.z[0], f.rolling.x[0],
        f.rolling.y[0],    f.rolling.z[0],    f.twisting[0]};
    memcpy(out->history, after, sizeof after);
}

/* --- lists of spheres that may touch a solid before the lists are built again --- */

typedef struct wall_job {
    rp_dem *solver;
    rp_surface_list *near; /* surfaces near each block */
    bool write;            /* false: only count */
} wall_job;

/* Returns a ball that contains whatever the spheres of some grains can reach. */
static rp_ball ball_of(const void *context, rp_range range)
{
    const rp_dem *solver = context;
    rp_box3 box = rp_box3_empty();
    double largest = 0;
    size_t end = rp_dem_first_sphere(solver, range.end);
    for (size_t s = rp_dem_first_sphere(solver, range.begin); s < end; s++) {
        rp_dem_sphere_position sphere = rp_dem_sphere_position_of(solver, s);
        largest = fmax(largest, (double)sphere.position[POSITION_RADIUS]);
        box = rp_box3_add(box, exact_position(sphere.position));
    }
    rp_ball ball = rp_couple_ball_of_box(box);
    ball.radius += rp_dem_wall_reach(solver, largest);
    return ball;
}

/* The walls of a block, while they are counted or written. */
typedef struct listing {
    rp_dem_wall *walls; /* NULL: they are only counted */
    uint32_t next;      /* index of the next wall */
    uint32_t sphere;    /* whose walls are added */
    int32_t surface;    /* whose walls are added */
} listing;

/* Adds a contact with a fixed grain, or with the surface itself. */
static void add_wall(void *user, rp_fixed_grain fixed, rp_vec3 position)
{
    listing *l = user;
    (void)position;
    if (l->walls)
        l->walls[l->next] =
            (rp_dem_wall){.sphere = l->sphere, .surface = l->surface, .fixed = fixed};
    l->next++;
}

/* Adds the solid itself, then the grains that are fixed on it, where the sphere may touch them. */
static void add_near(const rp_dem *solver, listing *l)
{
    const rp_surface *surface = &rp_couple_surfaces(solver->host.couple)[l->surface];
    rp_dem_sphere_position sphere = rp_dem_sphere_position_of(solver, l->sphere);
    rp_vec3 at = exact_position(sphere.position);
    double radius = (double)sphere.position[POSITION_RADIUS];
    double reach = rp_dem_wall_reach(solver, radius);
    rp_touch touch;
    if (rp_surface_touch(surface, at, reach, &touch)) add_wall(l, RP_DEM_SMOOTH, at);
    if (surface->rough)
        rp_surface_fixed_near(surface, at, reach + surface->rough->radius, add_wall, l);
}

static void wall_range(void *context, rp_range range)
{
    const wall_job *job = context;
    rp_dem *solver = job->solver;
    size_t block = rp_dem_block_of(range);
    uint32_t *start = &solver->lists.wall_start[block];
    listing l = {.walls = job->write ? solver->lists.walls : NULL, .next = job->write ? *start : 0};
    size_t from = rp_dem_first_sphere(solver, range.begin),
           to = rp_dem_first_sphere(solver, range.end);
    const rp_surface_list *near = &job->near[block];
    for (size_t s = from; s < to && near->count; s++)
        for (int k = 0; k < near->count; k++) {
            l.sphere = (uint32_t)s;
            l.surface = near->index[k];
            add_near(solver, &l);
        }
    if (!job->write) *start = l.next;
}

/* Counts the walls of each block, makes room for all, and writes them. */
static rp_code list_walls(wall_job *job, size_t count, rp_report *report)
{
    rp_dem *solver = job->solver;
    rp_dem_lists *lists = &solver->lists;
    size_t blocks = rp_dem_blocks(count), total = 0;
    job->write = false;
    rp_parallel_for(solver->host.threads, count, RP_DEM_BLOCK, wall_range, job);
    for (size_t b = 0; b < blocks; b++) {
        uint32_t here = lists->wall_start[b];
        lists->wall_start[b] = (uint32_t)total;
        total += here;
    }
    lists->wall_start[blocks] = (uint32_t)total;
    if (!rp_dem_reserve_walls(lists, total))
        return rp_fail_memory(report, total * sizeof *lists->walls, "contacts with solids");
    lists->wall_count = total;
    job->write = true;
    rp_parallel_for(solver->host.threads, count, RP_DEM_BLOCK, wall_range, job);
    return RP_OK;
}

rp_code rp_dem_build_wall_lists(rp_dem *solver, rp_report *report)
{
    const rp_host *host = &solver->host;
    wall_job job = {.solver = solver};
    size_t count = solver->lists.grains, mark = rp_arena_mark(host->arena);
    rp_couple_search search = {count, RP_DEM_BLOCK, ball_of, solver};
    rp_code code =
        rp_couple_near(host->couple, &search, host->threads, host->arena, &job.near, report);
    if (code == RP_OK) code = list_walls(&job, count, report);
    rp_arena_return(host->arena, mark);
    return code;
}

/* --- fixed grains of rough surfaces (E9a) --- */

/* Checks how many fixed grains of a surface the largest sphere may be near, and that it never
 * touches a fixed grain and its periodic image. */
static rp_code check_fixed(const rp_dem *solver, const char *key, const rp_roughness *roughness,
                           rp_report *report)
{
    double period = roughness->period > 0 ? roughness->period : 2 * roughness->radius;
    double reach = rp_dem_wall_reach(solver, solver->largest / 2) + roughness->radius;
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

rp_code rp_dem_lay_fixed_grains(rp_dem *solver, rp_report *report)
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
    return rp_couple_lay_fixed_grains(solver->host.couple, scene,
                                      rp_dem_wall_reach(solver, solver->largest / 2),
                                      solver->host.threads, report);
}
