#include "render/scenery.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "render/dice.h"

#include <math.h>

#define DENSE 0.9 /* grain scale from which buried grains cannot be seen through gaps */
#define BODY_GLOSS 0.10
#define TURN_MOST 0.4      /* rad, of a body or grain in half of the exposure */
#define LIFT_PART 2e-3     /* of a grain's radius */
#define LIFT_ROUNDING 4e-7 /* of the farthest coordinate: what floats may be off by */
#define STEP (1 / 65535.0) /* of a tint */
#define BLOCK ((size_t)1 << 14)
/* The ground fades into the haze between these distances from the scene's middle, in its radii. */
#define GROUND_NEAR 3.0
#define GROUND_FAR 14.0

enum { SET_STILL, SET_MOVING, SET_BODIES, SET_FIXED, SET_CHAINS };

/* --- making ----------------------------------------------------------------------------------- */

static void put(rp_quad to, rp_vec3 at, double radius)
{
    to[0] = (float)at.x;
    to[1] = (float)at.y;
    to[2] = (float)at.z;
    to[3] = (float)radius;
}

typedef struct filling {
    rp_scenery *scenery;
    double half;     /* s, of the exposure */
    uint32_t *first; /* of single grains: the first sphere of each grain of the shell */
} filling;

static uint16_t to_step(double part)
{
    return (uint16_t)(65535 * rp_clamp_unit(part) + 0.5);
}

static rp_tint tint_of(const rp_grain_colours *colours, size_t grain)
{
    rp_grain_look look = rp_grain_look_of(colours, grain);
    return (rp_tint){{to_step(look.colour.x), to_step(look.colour.y), to_step(look.colour.z)},
                     to_step(look.gloss)};
}

/* Half of the time that a grain of the shell is seen to move. What crosses the whole scene in a
 * frame is a mistake, not a streak. */
static double half_of(const filling *f, rp_vec3 speed)
{
    return fmin(f->half, f->scenery->reach / rp_v3_length(speed));
}

/* Sphere i of the shell; one that moves as it begins, and behind all others as it ends. */
static void fill_spheres(void *context, rp_range range)
{
    const filling *f = context;
    rp_scenery *s = f->scenery;
    const rp_view *view = s->view;
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t g = s->shell.grains[i];
        rp_vec3 at = rp_v3_sub(rp_v3(view->x[g], view->y[g], view->z[g]), s->middle);
        double radius = s->radius * rp_colour_grain_size(&s->colours, g);
        s->tints[i] = tint_of(&s->colours, g);
        if (i < s->shell.still) {
            put(s->spheres[i], at, radius);
            continue;
        }
        rp_vec3 speed = rp_v3(view->vx[g], view->vy[g], view->vz[g]);
        double half = half_of(f, speed);
        put(s->spheres[i], rp_v3_madd(at, -half, speed), radius);
        put(s->spheres[i + s->moving], rp_v3_madd(at, half, speed), radius);
    }
}

/* A turn about a spin for a while, but no farther than straight ways of its points can show. */
static rp_quat turned_by(rp_vec3 spin, double time)
{
    rp_vec3 turn = rp_v3_scale(spin, time);
    double angle = rp_v3_length(turn);
    if (angle > TURN_MOST) turn = rp_v3_scale(turn, TURN_MOST / angle);
    return rp_quat_exp(turn);
}

/* The balls of the grain at place i of the shell, as they are `time` before or after the frame. */
static void put_balls(const filling *f, size_t i, double time, rp_quad *to)
{
    const rp_scenery *s = f->scenery;
    const rp_view *view = s->view;
    uint32_t g = s->shell.grains[i];
    rp_vec3 at = rp_v3_sub(rp_v3(view->x[g], view->y[g], view->z[g]), s->middle);
    rp_quat turn = rp_grain_turn(&s->shapes, g);
    if (time != 0) {
        rp_vec3 speed = rp_v3(view->vx[g], view->vy[g], view->vz[g]);
        at = rp_v3_madd(at, copysign(half_of(f, speed), time), speed);
        turn = rp_quat_mul(turned_by(rp_grain_spin(&s->shapes, g), time), turn);
    }
    int count = rp_grain_clump(&s->shapes, g)->count;
    for (int k = 0; k < count; k++) {
        rp_ball ball = rp_grain_ball(&s->shapes, g, k, turn);
        put(to[k], rp_v3_add(at, ball.centre), ball.radius);
        s->owners[f->first[i] + (uint32_t)k] = (uint32_t)i;
    }
}

static void fill_clumps(void *context, rp_range range)
{
    const filling *f = context;
    rp_scenery *s = f->scenery;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_quad *to = s->spheres + f->first[i];
        bool moves = i >= s->shell.still;
        s->tints[i] = tint_of(&s->colours, s->shell.grains[i]);
        put_balls(f, i, moves ? -f->half : 0, to);
        if (moves) put_balls(f, i, f->half, to + s->moving);
    }
}

/* Counts the spheres of single grains, and finds the first of each. */
static rp_code count_spheres(rp_scenery *s, filling *f, rp_report *report)
{
    size_t total = 0;
    f->first = rp_allocate(s->shell.count * sizeof *f->first);
    if (!f->first && s->shell.count)
        return rp_fail_memory(report, s->shell.count * sizeof *f->first, "the grains of a picture");
    for (size_t i = 0; i < s->shell.count; i++) {
        if (i == s->shell.still) s->still = total;
        f->first[i] = (uint32_t)total;
        total += (size_t)rp_grain_clump(&s->shapes, s->shell.grains[i])->count;
    }
    if (s->shell.still == s->shell.count) s->still = total;
    s->moving = total - s->still;
    if (total > UINT32_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%zu balls in sight: at most %u can be drawn", total,
                       UINT32_MAX);
    s->owner_bytes = total * sizeof *s->owners;
    s->owners = rp_allocate(s->owner_bytes);
    if (s->owners || !total) return RP_OK;
    return rp_fail_memory(report, s->owner_bytes, "the spheres of a picture");
}

static rp_code allocate_spheres(rp_scenery *s, rp_report *report)
{
    s->sphere_bytes = (s->still + 2 * s->moving) * sizeof *s->spheres;
    s->tint_bytes = s->shell.count * sizeof *s->tints;
    s->spheres = rp_allocate(s->sphere_bytes);
    s->tints = rp_allocate(s->tint_bytes);
    if (s->spheres && s->tints) return RP_OK;
    return rp_fail_memory(report, s->sphere_bytes + s->tint_bytes, "the spheres of a picture");
}

static rp_code add_grains(rp_scenery *s, double exposure, rp_threads *threads, rp_report *report)
{
    bool single = rp_grain_shapes_any(&s->shapes);
    filling f = {.scenery = s, .half = 0.5 * exposure};
    rp_code code = RP_OK;
    s->still = s->shell.still;
    s->moving = s->shell.count - s->shell.still;
    if (single) code = count_spheres(s, &f, report);
    if (code == RP_OK) code = allocate_spheres(s, report);
    if (code == RP_OK)
        rp_parallel_for(threads, s->shell.count, BLOCK, single ? fill_clumps : fill_spheres, &f);
    rp_release(f.first, s->shell.count * sizeof *f.first);
    if (code == RP_OK) code = rp_rays_add_spheres(s->rays, s->still, s->spheres, NULL, report);
    RP_TRY(code);
    const rp_quad *moving = (const rp_quad *)s->spheres + s->still;
    return rp_rays_add_spheres(s->rays, s->moving, moving, moving + s->moving, report);
}

/* Where a point of a body is a little earlier or later (P2). Between the two ends it goes straight
 * on, so that a body which turns too far in between would shrink: it is shown to turn less. */
static rp_vec3 carried(const rp_body_state *body, rp_vec3 point, double time)
{
    rp_vec3 origin = rp_v3_from(body->position);
    rp_quat turn = turned_by(rp_v3_from(body->angular_velocity), time);
    rp_vec3 turned = rp_quat_rotate(turn, rp_v3_sub(point, origin));
    return rp_v3_madd(rp_v3_add(origin, turned), time, rp_v3_from(body->velocity));
}

static bool moves(const rp_body_state *body)
{
    rp_vec3 v = rp_v3_from(body->velocity), w = rp_v3_from(body->angular_velocity);
    double sum = rp_v3_length(v) + rp_v3_length(w);
    return sum > 0 && isfinite(sum);
}

static void fill_corners(rp_scenery *s, rp_quad *to, double time)
{
    for (size_t t = 0; t < s->solids.triangle_count; t++) {
        const rp_solid_triangle *triangle = &s->solids.triangles[t];
        bool known = triangle->body >= 0 && triangle->body < s->view->body_count;
        const rp_body_state *body = known ? &s->view->bodies[triangle->body] : NULL;
        bool moved = time != 0 && body && moves(body);
        for (int k = 0; k < 3; k++) {
            rp_vec3 at = triangle->corner[k];
            put(to[3 * t + (size_t)k], rp_v3_sub(moved ? carried(body, at, time) : at, s->middle),
                0);
        }
    }
}

static bool any_body_moves(const rp_view *view)
{
    for (int i = 0; i < view->body_count; i++)
        if (moves(&view->bodies[i])) return true;
    return false;
}

static rp_code add_bodies(rp_scenery *s, double exposure, rp_report *report)
{
    bool moving = exposure > 0 && any_body_moves(s->view);
    s->corner_bytes = 3 * s->solids.triangle_count * sizeof(rp_quad);
    for (int end = 0; end < (moving ? 2 : 1); end++) {
        s->corners[end] = rp_allocate(s->corner_bytes);
        if (!s->corners[end]) return rp_fail_memory(report, s->corner_bytes, "bodies' surfaces");
        fill_corners(s, s->corners[end], moving ? (end - 0.5) * exposure : 0);
    }
    return rp_rays_add_triangles(s->rays, s->solids.triangle_count, s->corners[0], s->corners[1],
                                 report);
}

/* Fixed grains are there where single grains are. As they begin, and as they end where bodies move.
 */
static void carry_fixed(rp_scenery *s, rp_quad *to, double time)
{
    for (size_t i = 0; i < s->fixed.count; i++) {
        int body = s->fixed.bodies[i];
        const float *from = s->fixed.balls[i];
        rp_vec3 at = rp_v3_add(rp_v3((double)from[0], (double)from[1], (double)from[2]), s->middle);
        double radius = (double)from[3];
        if (body >= 0 && body < s->view->body_count && moves(&s->view->bodies[body]))
            at = carried(&s->view->bodies[body], at, time);
        put(to[i], rp_v3_sub(at, s->middle), radius);
    }
}

static rp_code add_fixed(rp_scenery *s, double exposure, rp_threads *threads, rp_report *report)
{
    rp_code code = RP_OK;
    if (rp_grain_shapes_any(&s->shapes))
        code = rp_fixed_gather(&s->fixed, s->view, s->scene, s->middle, s->reach, threads, report);
    RP_TRY(code);
    if (s->fixed.count && exposure > 0 && any_body_moves(s->view)) {
        size_t bytes = s->fixed.count * sizeof *s->fixed_end;
        s->fixed_end = rp_allocate(bytes);
        if (!s->fixed_end) return rp_fail_memory(report, bytes, "fixed grains");
        carry_fixed(s, s->fixed_end, exposure / 2);
        carry_fixed(s, s->fixed.balls, -exposure / 2);
    }
    return rp_rays_add_spheres(s->rays, s->fixed.count, (const rp_quad *)s->fixed.balls,
                               (const rp_quad *)s->fixed_end, report);
}

static rp_code add_chains(rp_scenery *s, rp_report *report)
{
    rp_code code = rp_chains_gather(&s->chains, &s->colours, s->middle, report);
    if (code != RP_OK || !s->chains.count) return code;
    return rp_rays_add_tubes(s->rays, s->chains.count, s->chains.ends, report);
}

static void place_middle(rp_scenery *s, const rp_framing *framing)
{
    rp_box3 box = rp_framing_box(framing);
    s->middle = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    s->reach = fmax(0.5 * rp_v3_length(rp_v3_sub(box.high, box.low)), 1e-6);
}

rp_code rp_scenery_make(rp_scenery *scenery, const rp_view *view, const rp_scene *scene,
                        const rp_paint_options *options, const rp_framing *framing,
                        const rp_scenery_wish *wish, rp_threads *threads, rp_report *report)
{
    double start = rp_clock();
    *scenery = (rp_scenery){.view = view, .scene = scene};
    scenery->radius = 0.5 * view->spacing * wish->grain_scale;
    scenery->shapes = rp_grain_shapes_find(view, scene, wish->grain_scale, threads);
    place_middle(scenery, framing);
    rp_shell_wish grains = {.bounds = framing->bounds,
                            .hide = wish->grain_scale >= DENSE,
                            .eye = wish->eye,
                            .clear = RP_GRAIN_SIZE_MOST * scenery->radius,
                            .exposure = wish->exposure,
                            .still = RP_SHELL_STILL * scenery->radius,
                            .shapes =
                                rp_grain_shapes_any(&scenery->shapes) ? &scenery->shapes : NULL};
    rp_code code = rp_grain_colours_choose(&scenery->colours, view, scene, options, report);
    if (code == RP_OK) code = rp_shell_find(&scenery->shell, view, &grains, threads, report);
    if (code == RP_OK) code = rp_solids_gather(&scenery->solids, view, scene, report);
    if (code == RP_OK) code = rp_rays_create(rp_threads_count(threads), &scenery->rays, report);
    if (code == RP_OK) code = add_grains(scenery, wish->exposure, threads, report);
    if (code == RP_OK) code = add_bodies(scenery, wish->exposure, report);
    if (code == RP_OK) code = add_fixed(scenery, wish->exposure, threads, report);
    if (code == RP_OK) code = add_chains(scenery, report);
    double gathered = rp_clock();
    if (code == RP_OK) code = rp_rays_build(scenery->rays, report);
    scenery->gathering = gathered - start;
    scenery->building = rp_clock() - gathered;
    return code;
}

rp_paint_cost rp_scenery_cost(const rp_scenery *s)
{
    size_t own = s->sphere_bytes + s->owner_bytes + s->tint_bytes +
                 s->shell.count * sizeof *s->shell.grains +
                 (s->corners[1] ? 2 : 1) * s->corner_bytes +
                 s->solids.triangle_capacity * sizeof *s->solids.triangles;
    return (rp_paint_cost){.gathering = s->gathering,
                           .building = s->building,
                           .grains = s->shell.count,
                           .bytes = own + rp_rays_bytes(s->rays)};
}

void rp_scenery_release(rp_scenery *scenery)
{
    rp_rays_destroy(scenery->rays);
    rp_release(scenery->spheres, scenery->sphere_bytes);
    rp_release(scenery->owners, scenery->owner_bytes);
    rp_release(scenery->tints, scenery->tint_bytes);
    for (int end = 0; end < 2; end++)
        rp_release(scenery->corners[end], scenery->corner_bytes);
    rp_solids_release(&scenery->solids);
    rp_release(scenery->fixed_end, scenery->fixed.count * sizeof *scenery->fixed_end);
    rp_fixed_release(&scenery->fixed);
    rp_chains_release(&scenery->chains);
    rp_shell_release(&scenery->shell);
    *scenery = (rp_scenery){0};
}

/* --- looking ---------------------------------------------------------------------------------- */

/* The nearest plane before `*distance`, or NULL; `*distance` becomes its own. */
static const rp_solid_plane *plane_before(const rp_scenery *s, rp_vec3 origin, rp_vec3 direction,
                                          double *distance)
{
    const rp_solid_plane *nearest = NULL;
    rp_vec3 from = rp_v3_add(origin, s->middle);
    for (size_t i = 0; i < s->solids.plane_count; i++) {
        const rp_solid_plane *plane = &s->solids.planes[i];
        double height = rp_v3_dot(rp_v3_sub(from, plane->point), plane->normal);
        double sinking = -rp_v3_dot(direction, plane->normal);
        if (!(height > 0) || !(sinking > 1e-9) || !(height < *distance * sinking)) continue;
        *distance = height / sinking;
        nearest = plane;
    }
    return nearest;
}

static rp_vec3 from_quad(const rp_quad q)
{
    return rp_v3((double)q[0], (double)q[1], (double)q[2]);
}

/* A wave of period 1 between -1 and 1, of parabolas: as good as a sine here, and quicker. */
static double wave_of(double phase)
{
    double t = phase - floor(phase) - 0.5;
    return 16 * t * (0.5 - fabs(t));
}

/* Stones are not balls: waves across the surface, others on each grain, tilt it this way and that.
 */
static rp_vec3 roughened(rp_vec3 normal, uint32_t bits)
{
    rp_vec3 tilt = rp_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        bits = rp_mix_bits(bits + 0x9e3779b9u);
        rp_vec3 wave = rp_v3((bits & 0x3ff) / 511.5 - 1, (bits >> 10 & 0x3ff) / 511.5 - 1,
                             (bits >> 20 & 0x3ff) / 511.5 - 1);
        double phase = 0.67 * rp_v3_dot(wave, normal) + (bits >> 24) / 256.0;
        tilt = rp_v3_madd(tilt, 0.30 * wave_of(phase), wave);
    }
    return rp_v3_normalized(rp_v3_add(normal, tilt));
}

/* The waves of a grain turn with it. */
static rp_vec3 rough_normal(const rp_scenery *s, rp_vec3 normal, size_t place)
{
    uint32_t grain = s->shell.grains[place], bits = s->view->id ? s->view->id[grain] : grain;
    if (!s->owners) return roughened(normal, bits);
    rp_quat turn = rp_grain_turn(&s->shapes, grain);
    return rp_quat_rotate(turn, roughened(rp_quat_rotate(rp_quat_conj(turn), normal), bits));
}

static void see_grain(const rp_scenery *s, const rp_ray *ray, const rp_hit *hit, double pixel,
                      rp_scenery_hit *surface)
{
    size_t at = hit->set == SET_STILL ? hit->index : s->still + hit->index;
    size_t place = s->owners ? s->owners[at] : at;
    const float *sphere = s->spheres[at];
    rp_vec3 centre = from_quad(sphere);
    if (hit->set == SET_MOVING)
        centre = rp_v3_mix(centre, from_quad(s->spheres[at + s->moving]), ray->time);
    double radius = (double)sphere[3];
    rp_vec3 met = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    rp_vec3 normal = rp_v3_normalized(rp_v3_sub(met, centre));
    const rp_tint *tint = &s->tints[place];
    surface->kind = RP_SEES_GRAIN;
    surface->lift += LIFT_PART * radius;
    surface->position = rp_v3_madd(centre, radius, normal);
    bool near = radius > 1.5 * pixel * hit->distance;
    if (near && !rp_grain_colours_chart(&s->colours)) normal = rough_normal(s, normal, place);
    surface->normal = normal;
    surface->colour = rp_v3(STEP * tint->colour[0], STEP * tint->colour[1], STEP * tint->colour[2]);
    surface->gloss = STEP * tint->gloss;
}

/* Whether a ray meets a triangle from the inner side of its body. */
static bool from_within(const rp_scenery *s, const rp_ray *ray, const rp_hit *hit)
{
    rp_vec3 corner[3];
    for (size_t k = 0; k < 3; k++) {
        size_t place = 3 * (size_t)hit->index + k;
        corner[k] = from_quad(s->corners[0][place]);
        if (s->corners[1])
            corner[k] = rp_v3_mix(corner[k], from_quad(s->corners[1][place]), ray->time);
    }
    rp_vec3 face = rp_v3_cross(rp_v3_sub(corner[1], corner[0]), rp_v3_sub(corner[2], corner[0]));
    return rp_v3_dot(face, ray->direction) > 0;
}

static rp_vec3 solid_colour(const rp_scene *scene, const rp_solid_triangle *triangle)
{
    if (triangle->body >= 0) return rp_v3_from(rp_scene_bodies(scene)[triangle->body].colour);
    return rp_colour_of_material(scene, triangle->material);
}

/* The face tells which side it is, not the smooth normal: near the rim of a round body that one
 * may turn away from the eye, and rays that start on the wrong side see the light within. */
static void see_body(const rp_scenery *s, const rp_ray *ray, const rp_hit *hit,
                     rp_scenery_hit *surface)
{
    const rp_solid_triangle *triangle = &s->solids.triangles[hit->index];
    rp_vec3 normal = rp_v3_scale(triangle->normal[0], 1 - hit->u - hit->v);
    normal = rp_v3_madd(normal, hit->u, triangle->normal[1]);
    normal = rp_v3_normalized(rp_v3_madd(normal, hit->v, triangle->normal[2]));
    if (from_within(s, ray, hit)) normal = rp_v3_scale(normal, -1);
    surface->kind = RP_SEES_BODY;
    surface->normal = normal;
    surface->position = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    surface->colour = solid_colour(s->scene, triangle);
    surface->gloss = triangle->body >= 0 ? BODY_GLOSS : 0; /* sand is matt */
    surface->lift += 1e-5 * s->reach;
}

static void see_fixed(const rp_scenery *s, const rp_ray *ray, const rp_hit *hit,
                      rp_scenery_hit *surface)
{
    rp_vec3 centre = from_quad(s->fixed.balls[hit->index]);
    if (s->fixed_end) centre = rp_v3_mix(centre, from_quad(s->fixed_end[hit->index]), ray->time);
    double radius = (double)s->fixed.balls[hit->index][3];
    rp_vec3 met = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    int body = s->fixed.bodies[hit->index];
    surface->kind = RP_SEES_BODY;
    surface->normal = rp_v3_normalized(rp_v3_sub(met, centre));
    surface->position = rp_v3_madd(centre, radius, surface->normal);
    surface->colour =
        rp_v3_from(body < 0 ? rp_floor_colour : rp_scene_bodies(s->scene)[body].colour);
    surface->gloss = BODY_GLOSS;
    surface->lift += LIFT_PART * radius;
}

static void see_chain(const rp_scenery *s, const rp_ray *ray, const rp_hit *hit,
                      rp_scenery_hit *surface)
{
    surface->kind = RP_SEES_CHAIN;
    surface->position = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    surface->normal = rp_chains_normal(&s->chains, hit->index, surface->position);
    if (rp_v3_dot(surface->normal, ray->direction) > 0)
        surface->normal = rp_v3_scale(surface->normal, -1);
    surface->colour = rp_colour_of_value(&s->colours, (double)s->chains.forces[hit->index]);
    surface->lift += LIFT_PART * rp_chains_radius(&s->chains, hit->index);
}

static void see_plane(const rp_scenery *s, const rp_ray *ray, const rp_solid_plane *plane,
                      double distance, rp_scenery_hit *surface)
{
    surface->kind = RP_SEES_PLANE;
    surface->normal = plane->normal;
    surface->position = rp_v3_madd(ray->origin, distance, ray->direction);
    surface->colour = plane->colour;
    surface->faded = rp_smooth_step(GROUND_NEAR * s->reach, GROUND_FAR * s->reach,
                                    rp_v3_length(surface->position));
}

rp_scenery_hit rp_scenery_look(const rp_scenery *s, rp_ray *ray, double pixel)
{
    const rp_solid_plane *plane = plane_before(s, ray->origin, ray->direction, &ray->far);
    double distance = ray->far;
    rp_hit hit;
    rp_scenery_hit surface = {.kind = RP_SEES_NOTHING, .distance = distance};
    if (rp_rays_meet(s->rays, ray, &hit)) {
        surface.distance = hit.distance;
        surface.lift = LIFT_ROUNDING * (s->reach + hit.distance);
        if (hit.set == SET_BODIES)
            see_body(s, ray, &hit, &surface);
        else if (hit.set == SET_FIXED)
            see_fixed(s, ray, &hit, &surface);
        else if (hit.set == SET_CHAINS)
            see_chain(s, ray, &hit, &surface);
        else
            see_grain(s, ray, &hit, pixel, &surface);
    } else if (plane) {
        surface.lift = LIFT_ROUNDING * (s->reach + distance);
        see_plane(s, ray, plane, distance, &surface);
    }
    return surface;
}

bool rp_scenery_hides(const rp_scenery *s, const rp_scenery_hit *surface, rp_vec3 direction,
                      double distance, double time)
{
    rp_ray ray = {.origin = rp_v3_madd(surface->position, surface->lift, surface->normal),
                  .direction = direction,
                  .far = distance,
                  .time = time};
    double limit = distance;
    if (plane_before(s, ray.origin, direction, &limit)) return true;
    return rp_rays_blocked(s->rays, &ray);
}
