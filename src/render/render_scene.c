/* The scene as rays meet it: all primitives in the BVH, as they are while the shutter is open, and
 * the surface (position, normal, reflectance) at a hit.
 *
 * The BVH holds five sets of primitives, in this order; hits say the set and the index in it:
 *
 *     static grains     spheres
 *     moving grains     spheres at two times: the shutter opens, the shutter closes
 *     bodies            triangles, at two times where any body moves
 *     fixed grains      spheres on rough surfaces, likewise
 *     force chains      capsules
 *
 * Planes are unbounded and few: they are intersected here, one by one. */
#include "base/memory.h"
#include "base/threads.h"
#include "render/inside.h"

#include <math.h>

#define CULL_SCALE 0.9 /* grain scale from which buried grains cannot be seen through gaps */
#define BODY_GLOSS 0.10
#define ROTATION_MAX 0.4               /* rad, of a body or grain in half of the exposure */
#define OFFSET_RADII 2e-3              /* of a grain's radius: offset of rays that start on it */
#define OFFSET_ROUNDING 4e-7           /* of the farthest coordinate: rounding error of floats */
#define REFLECTANCE_STEP (1 / 65535.0) /* value of 1 in a packed reflectance */
#define BLOCK ((size_t)1 << 14)
/* The ground fades into the haze between these distances from the centre, in bounding radii. */
#define HAZE_NEAR 3.0
#define HAZE_FAR 14.0

enum { SET_STATIC, SET_MOVING, SET_BODIES, SET_FIXED, SET_CHAINS };

/* --- spheres of grains ------------------------------------------------------------------------ */

static void put(rp_bvh_vertex to, rp_vec3 at, double radius)
{
    to[0] = (float)at.x;
    to[1] = (float)at.y;
    to[2] = (float)at.z;
    to[3] = (float)radius;
}

typedef struct filling {
    rp_render_scene *scene;
    double half;     /* s, of the exposure */
    uint32_t *first; /* of grains with shapes: the first sphere of each visible grain */
} filling;

static uint16_t to_steps(double part)
{
    return (uint16_t)(65535 * rp_clamp_unit(part) + 0.5);
}

static rp_packed_reflectance packed(const rp_grain_colours *colours, size_t grain)
{
    rp_grain_reflectance r = rp_grain_colours_reflectance(colours, grain);
    return (rp_packed_reflectance){
        {to_steps(r.albedo.x), to_steps(r.albedo.y), to_steps(r.albedo.z)}, to_steps(r.gloss)};
}

/* Half of the time for which a grain is seen to move, s. A grain that crosses the whole scene in a
 * frame is an error of the data, not a streak. */
static double half_of(const filling *f, rp_vec3 velocity)
{
    return fmin(f->half, f->scene->bounding_radius / rp_v3_length(velocity));
}

/* One sphere a grain. A moving one has two: as the shutter opens, and, behind all others, as it
 * closes. */
static void fill_spheres(void *context, rp_range range)
{
    const filling *f = context;
    rp_render_scene *s = f->scene;
    const rp_view *view = s->view;
    RP_ASSERT(range.end <= s->visible.count);
    for (size_t i = range.begin; i < range.end; i++) {
        uint32_t g = s->visible.grains[i];
        rp_vec3 at = rp_v3_sub(rp_v3(view->x[g], view->y[g], view->z[g]), s->centre);
        double radius = s->grain_radius * rp_grain_colours_size(&s->colours, g);
        s->reflectances[i] = packed(&s->colours, g);
        /* The visible set lists static grains first, so spheres are sorted the same way. */
        if (i < s->visible.static_count) {
            put(s->spheres[i], at, radius);
            continue;
        }
        rp_vec3 velocity = rp_v3(view->vx[g], view->vy[g], view->vz[g]);
        double half = half_of(f, velocity);
        put(s->spheres[i], rp_v3_madd(at, -half, velocity), radius);
        put(s->spheres[i + s->moving_count], rp_v3_madd(at, half, velocity), radius);
    }
}

/* The rotation by an angular velocity for some time, limited: points move along straight lines
 * between the two ends, which a larger rotation would show as shrinking (P2). */
static rp_quat rotation_in(rp_vec3 angular_velocity, double time)
{
    rp_vec3 rotation = rp_v3_scale(angular_velocity, time);
    double angle = rp_v3_length(rotation);
    if (angle > ROTATION_MAX) rotation = rp_v3_scale(rotation, ROTATION_MAX / angle);
    return rp_quat_exp(rotation);
}

/* The spheres of visible grain i, `time` before or after the frame, s. */
static void put_balls(const filling *f, size_t i, double time, rp_bvh_vertex *to)
{
    const rp_render_scene *s = f->scene;
    const rp_view *view = s->view;
    uint32_t g = s->visible.grains[i];
    rp_vec3 at = rp_v3_sub(rp_v3(view->x[g], view->y[g], view->z[g]), s->centre);
    rp_quat orientation = rp_grain_shapes_orientation(&s->shapes, g);
    /* At the ends of the exposure: translation and rotation of the rigid clump. */
    if (time != 0) {
        rp_vec3 velocity = rp_v3(view->vx[g], view->vy[g], view->vz[g]);
        at = rp_v3_madd(at, copysign(half_of(f, velocity), time), velocity);
        rp_vec3 spin = rp_grain_shapes_angular_velocity(&s->shapes, g);
        orientation = rp_quat_mul(rotation_in(spin, time), orientation);
    }
    int count = rp_grain_shapes_clump(&s->shapes, g)->count;
    for (int k = 0; k < count; k++) {
        rp_ball ball = rp_grain_shapes_ball(&s->shapes, g, k, orientation);
        put(to[k], rp_v3_add(at, ball.centre), ball.radius);
        /* Written twice for moving grains, with the same value. */
        s->sphere_grains[f->first[i] + (uint32_t)k] = (uint32_t)i;
    }
}

/* Grains with shapes: the spheres of each clump, at one or two times. */
static void fill_clumps(void *context, rp_range range)
{
    const filling *f = context;
    rp_render_scene *s = f->scene;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_bvh_vertex *to = s->spheres + f->first[i];
        bool moves = i >= s->visible.static_count;
        s->reflectances[i] = packed(&s->colours, s->visible.grains[i]);
        put_balls(f, i, moves ? -f->half : 0, to);
        if (moves) put_balls(f, i, f->half, to + s->moving_count);
    }
}

/* Counts the spheres of grains with shapes, and finds the first of each grain. */
static rp_code count_spheres(rp_render_scene *s, filling *f, rp_report *report)
{
    size_t total = 0, count = s->visible.count;
    f->first = rp_allocate(count * sizeof *f->first);
    if (!f->first && count)
        return rp_fail_memory(report, count * sizeof *f->first, "the grains of a picture");
    for (size_t i = 0; i < count; i++) {
        if (i == s->visible.static_count) s->static_count = total;
        f->first[i] = (uint32_t)total;
        total += (size_t)rp_grain_shapes_clump(&s->shapes, s->visible.grains[i])->count;
    }
    /* Without moving grains the loop never met the first of them. */
    if (s->visible.static_count == count) s->static_count = total;
    s->moving_count = total - s->static_count;
    if (total > UINT32_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%zu visible spheres: at most %u can be drawn",
                       total, UINT32_MAX);
    s->sphere_grain_bytes = total * sizeof *s->sphere_grains;
    s->sphere_grains = rp_allocate(s->sphere_grain_bytes);
    if (s->sphere_grains || !total) return RP_OK;
    return rp_fail_memory(report, s->sphere_grain_bytes, "the spheres of a picture");
}

static rp_code allocate_spheres(rp_render_scene *s, rp_report *report)
{
    s->sphere_bytes = (s->static_count + 2 * s->moving_count) * sizeof *s->spheres;
    s->reflectance_bytes = s->visible.count * sizeof *s->reflectances;
    s->spheres = rp_allocate(s->sphere_bytes);
    s->reflectances = rp_allocate(s->reflectance_bytes);
    if (s->spheres && s->reflectances) return RP_OK;
    return rp_fail_memory(report, s->sphere_bytes + s->reflectance_bytes,
                          "the spheres of a picture");
}

static rp_code add_grains(rp_render_scene *s, double exposure, rp_threads *threads,
                          rp_report *report)
{
    bool shapes = rp_grain_shapes_known(&s->shapes);
    filling f = {.scene = s, .half = 0.5 * exposure};
    rp_code code = RP_OK;
    s->static_count = s->visible.static_count;
    s->moving_count = s->visible.count - s->visible.static_count;
    if (shapes) code = count_spheres(s, &f, report);
    if (code == RP_OK) code = allocate_spheres(s, report);
    if (code == RP_OK)
        rp_parallel_for(threads, s->visible.count, BLOCK, shapes ? fill_clumps : fill_spheres, &f);
    rp_release(f.first, s->visible.count * sizeof *f.first);
    if (code == RP_OK)
        code = rp_ray_bvh_add_spheres(s->bvh, s->static_count, s->spheres, NULL, report);
    RP_TRY(code);
    /* One array: static, moving as the shutter opens, moving as it closes. */
    const rp_bvh_vertex *moving = (const rp_bvh_vertex *)s->spheres + s->static_count;
    return rp_ray_bvh_add_spheres(s->bvh, s->moving_count, moving, moving + s->moving_count,
                                  report);
}

/* --- bodies, fixed grains, chains ------------------------------------------------------------- */

/* A point of a body, `time` before or after the frame (P2). */
static rp_vec3 moved_by(const rp_body_state *body, rp_vec3 point, double time)
{
    rp_vec3 origin = rp_v3_from(body->position);
    rp_quat rotation = rotation_in(rp_v3_from(body->angular_velocity), time);
    rp_vec3 rotated = rp_quat_rotate(rotation, rp_v3_sub(point, origin));
    return rp_v3_madd(rp_v3_add(origin, rotated), time, rp_v3_from(body->velocity));
}

/* Bodies with velocities that are not finite are shown at rest. */
static bool is_moving(const rp_body_state *body)
{
    rp_vec3 v = rp_v3_from(body->velocity), w = rp_v3_from(body->angular_velocity);
    double sum = rp_v3_length(v) + rp_v3_length(w);
    return sum > 0 && isfinite(sum);
}

static bool any_body_moves(const rp_view *view)
{
    for (int i = 0; i < view->body_count; i++)
        if (is_moving(&view->bodies[i])) return true;
    return false;
}

static void fill_corners(rp_render_scene *s, rp_bvh_vertex *to, double time)
{
    for (size_t t = 0; t < s->meshes.triangle_count; t++) {
        const rp_render_triangle *triangle = &s->meshes.triangles[t];
        bool known = triangle->body >= 0 && triangle->body < s->view->body_count;
        const rp_body_state *body = known ? &s->view->bodies[triangle->body] : NULL;
        bool moves = time != 0 && body && is_moving(body);
        for (int k = 0; k < 3; k++) {
            rp_vec3 at = triangle->corner[k];
            put(to[3 * t + (size_t)k], rp_v3_sub(moves ? moved_by(body, at, time) : at, s->centre),
                0);
        }
    }
}

/* One set for all bodies: when any moves, the corners of all are given at both times. */
static rp_code add_bodies(rp_render_scene *s, double exposure, rp_report *report)
{
    bool moving = exposure > 0 && any_body_moves(s->view);
    s->corner_bytes = 3 * s->meshes.triangle_count * sizeof(rp_bvh_vertex);
    for (int end = 0; end < (moving ? 2 : 1); end++) {
        s->corners[end] = rp_allocate(s->corner_bytes);
        if (!s->corners[end]) return rp_fail_memory(report, s->corner_bytes, "bodies' surfaces");
        fill_corners(s, s->corners[end], moving ? (end - 0.5) * exposure : 0);
    }
    return rp_ray_bvh_add_triangles(s->bvh, s->meshes.triangle_count, s->corners[0], s->corners[1],
                                    report);
}

/* Fixed grains move with their bodies. `to` may be the array itself. */
static void move_fixed(rp_render_scene *s, rp_bvh_vertex *to, double time)
{
    for (size_t i = 0; i < s->fixed.count; i++) {
        int body = s->fixed.bodies[i];
        const float *from = s->fixed.spheres[i];
        rp_vec3 at = rp_v3_add(rp_v3((double)from[0], (double)from[1], (double)from[2]), s->centre);
        double radius = (double)from[3];
        if (body >= 0 && body < s->view->body_count && is_moving(&s->view->bodies[body]))
            at = moved_by(&s->view->bodies[body], at, time);
        put(to[i], rp_v3_sub(at, s->centre), radius);
    }
}

/* Fixed grains are shown where grains have shapes. The closing positions come first: the opening
 * ones overwrite those of the frame. */
static rp_code add_fixed(rp_render_scene *s, double exposure, rp_threads *threads,
                         rp_report *report)
{
    rp_code code = RP_OK;
    if (rp_grain_shapes_known(&s->shapes))
        code = rp_fixed_grains_gather(&s->fixed, s->view, s->scene, s->centre, s->bounding_radius,
                                      threads, report);
    RP_TRY(code);
    if (s->fixed.count && exposure > 0 && any_body_moves(s->view)) {
        size_t bytes = s->fixed.count * sizeof *s->fixed_closing;
        s->fixed_closing = rp_allocate(bytes);
        if (!s->fixed_closing) return rp_fail_memory(report, bytes, "fixed grains");
        move_fixed(s, s->fixed_closing, exposure / 2);
        move_fixed(s, s->fixed.spheres, -exposure / 2);
    }
    return rp_ray_bvh_add_spheres(s->bvh, s->fixed.count, (const rp_bvh_vertex *)s->fixed.spheres,
                                  (const rp_bvh_vertex *)s->fixed_closing, report);
}

/* Last, so that pictures without chains have the same numbers of sets. */
static rp_code add_chains(rp_render_scene *s, rp_report *report)
{
    rp_code code = rp_force_chains_gather(&s->chains, &s->colours, s->centre, report);
    if (code != RP_OK || !s->chains.count) return code;
    return rp_ray_bvh_add_capsules(s->bvh, s->chains.count, s->chains.ends, report);
}

/* --- building --------------------------------------------------------------------------------- */

/* The centre and radius of the framed box: the same for all pictures of a film, so that shadows and
 * the haze do not change with the frame. */
static void place_centre(rp_render_scene *s, const rp_framing *framing)
{
    rp_box3 box = rp_framing_box(framing);
    s->centre = rp_v3_scale(rp_v3_add(box.low, box.high), 0.5);
    s->bounding_radius = fmax(0.5 * rp_v3_length(rp_v3_sub(box.high, box.low)), 1e-6);
}

/* Adds the five sets, in the order of the enum above. */
static rp_code add_primitives(rp_render_scene *s, double exposure, rp_threads *threads,
                              rp_report *report)
{
    rp_code code = rp_ray_bvh_create(rp_threads_count(threads), &s->bvh, report);
    if (code == RP_OK) code = add_grains(s, exposure, threads, report);
    if (code == RP_OK) code = add_bodies(s, exposure, report);
    if (code == RP_OK) code = add_fixed(s, exposure, threads, report);
    return code == RP_OK ? add_chains(s, report) : code;
}

rp_code rp_render_scene_build(rp_render_scene *s, const rp_view *view, const rp_scene *scene,
                              const rp_render_options *options, const rp_framing *framing,
                              const rp_render_scene_options *own, rp_threads *threads,
                              rp_report *report)
{
    double start = rp_clock();
    *s = (rp_render_scene){.view = view, .scene = scene};
    s->grain_radius = 0.5 * view->spacing * own->grain_scale;
    /* Which grains there are and how they look. */
    s->shapes = rp_grain_shapes_find(view, scene, own->grain_scale, threads);
    place_centre(s, framing);
    rp_visible_set_options visible = {.bounds = framing->bounds,
                                      .cull = own->grain_scale >= CULL_SCALE,
                                      .eye = own->eye,
                                      .near_distance = RP_GRAIN_SIZE_MAX * s->grain_radius,
                                      .exposure = own->exposure,
                                      .static_limit = RP_STATIC_DISPLACEMENT * s->grain_radius,
                                      .shapes =
                                          rp_grain_shapes_known(&s->shapes) ? &s->shapes : NULL};
    rp_code code = rp_grain_colours_choose(&s->colours, view, scene, options, report);
    if (code == RP_OK) code = rp_visible_set_find(&s->visible, view, &visible, threads, report);
    if (code == RP_OK) code = rp_render_meshes_gather(&s->meshes, view, scene, report);
    if (code == RP_OK) code = add_primitives(s, own->exposure, threads, report);
    /* All arrays are filled; Embree builds its hierarchy over them. */
    double gathered = rp_clock();
    if (code == RP_OK) code = rp_ray_bvh_build(s->bvh, report);
    s->gathering = gathered - start;
    s->building = rp_clock() - gathered;
    return code;
}

rp_render_cost rp_render_scene_cost(const rp_render_scene *s)
{
    size_t own = s->sphere_bytes + s->sphere_grain_bytes + s->reflectance_bytes +
                 s->visible.count * sizeof *s->visible.grains +
                 (s->corners[1] ? 2 : 1) * s->corner_bytes +
                 s->meshes.triangle_capacity * sizeof *s->meshes.triangles;
    return (rp_render_cost){.gathering = s->gathering,
                            .building = s->building,
                            .grains = s->visible.count,
                            .bytes = own + rp_ray_bvh_bytes(s->bvh)};
}

/* The BVH goes first: it borrows the arrays. */
void rp_render_scene_release(rp_render_scene *s)
{
    rp_ray_bvh_destroy(s->bvh);
    rp_release(s->spheres, s->sphere_bytes);
    rp_release(s->sphere_grains, s->sphere_grain_bytes);
    rp_release(s->reflectances, s->reflectance_bytes);
    for (int end = 0; end < 2; end++)
        rp_release(s->corners[end], s->corner_bytes);
    rp_render_meshes_release(&s->meshes);
    rp_release(s->fixed_closing, s->fixed.count * sizeof *s->fixed_closing);
    rp_fixed_grains_release(&s->fixed);
    rp_force_chains_release(&s->chains);
    rp_visible_set_release(&s->visible);
    *s = (rp_render_scene){0};
}

/* --- surfaces of grains ----------------------------------------------------------------------- */

static rp_vec3 point_of(const rp_bvh_vertex q)
{
    return rp_v3((double)q[0], (double)q[1], (double)q[2]);
}

/* A wave of period 1 between -1 and 1, of parabolas: as good as a sine here, and quicker. */
static double wave_of(double phase)
{
    double t = phase - floor(phase) - 0.5;
    return 16 * t * (0.5 - fabs(t));
}

/* Bump mapping (P10): grains are not balls. Three waves across the surface, with directions and
 * phases from a hash of the grain, tilt the normal. */
static rp_vec3 bumped(rp_vec3 normal, uint32_t bits)
{
    rp_vec3 tilt = rp_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        /* Ten bits for each component of the wave vector, -1 to 1; eight for the phase. */
        bits = rp_sampler_hash(bits + 0x9e3779b9u);
        rp_vec3 wave = rp_v3((bits & 0x3ff) / 511.5 - 1, (bits >> 10 & 0x3ff) / 511.5 - 1,
                             (bits >> 20 & 0x3ff) / 511.5 - 1);
        double phase = 0.67 * rp_v3_dot(wave, normal) + (bits >> 24) / 256.0;
        tilt = rp_v3_madd(tilt, 0.30 * wave_of(phase), wave);
    }
    return rp_v3_normalized(rp_v3_add(normal, tilt));
}

/* The waves of a grain with an orientation rotate with it. */
static rp_vec3 bumped_normal(const rp_render_scene *s, rp_vec3 normal, size_t index)
{
    uint32_t grain = s->visible.grains[index], bits = s->view->id ? s->view->id[grain] : grain;
    if (!s->sphere_grains) return bumped(normal, bits);
    rp_quat orientation = rp_grain_shapes_orientation(&s->shapes, grain);
    rp_vec3 local = rp_quat_rotate(rp_quat_conj(orientation), normal);
    return rp_quat_rotate(orientation, bumped(local, bits));
}

/* Fills in the surface at a hit of a grain. `surface->offset` already has the share of rounding,
 * and `pixel` is the width of a pixel at distance 1. */
static void hit_grain(const rp_render_scene *s, const rp_ray *ray, const rp_bvh_hit *hit,
                      double pixel, rp_surface_hit *surface)
{
    /* From the hit to the sphere in `spheres`, and to its grain in the visible set. */
    size_t sphere_index = hit->set == SET_STATIC ? hit->index : s->static_count + hit->index;
    size_t visible_index = s->sphere_grains ? s->sphere_grains[sphere_index] : sphere_index;
    RP_ASSERT_DEBUG(sphere_index < s->static_count + s->moving_count &&
                    visible_index < s->visible.count);
    const float *sphere = s->spheres[sphere_index];
    /* The centre at the time of the ray: of a moving sphere `spheres` has the position at the end
     * of the exposure as well, `moving_count` places behind that at the start. */
    rp_vec3 centre = point_of(sphere);
    if (hit->set == SET_MOVING)
        centre = rp_v3_mix(centre, point_of(s->spheres[sphere_index + s->moving_count]), ray->time);
    double radius = (double)sphere[3];
    rp_vec3 hit_point = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    rp_vec3 normal = rp_v3_normalized(rp_v3_sub(hit_point, centre));
    const rp_packed_reflectance *packed = &s->reflectances[visible_index];
    surface->kind = RP_SURFACE_GRAIN;
    surface->offset += OFFSET_RADII * radius;
    /* On the sphere exactly: the distance along the ray has the rounding of a float. */
    surface->position = rp_v3_madd(centre, radius, normal);
    /* Bumps show where a grain is more than three pixels wide. */
    bool shows_bumps = radius > 1.5 * pixel * hit->distance;
    if (shows_bumps && !rp_grain_colours_are_false(&s->colours))
        normal = bumped_normal(s, normal, visible_index);
    surface->normal = normal;
    surface->albedo =
        rp_v3(REFLECTANCE_STEP * packed->albedo[0], REFLECTANCE_STEP * packed->albedo[1],
              REFLECTANCE_STEP * packed->albedo[2]);
    surface->gloss = REFLECTANCE_STEP * packed->gloss;
}

/* --- other surfaces --------------------------------------------------------------------------- */

/* True when a ray hits a triangle from inside its body. */
static bool from_inside(const rp_render_scene *s, const rp_ray *ray, const rp_bvh_hit *hit)
{
    rp_vec3 corner[3];
    for (size_t k = 0; k < 3; k++) {
        size_t at = 3 * (size_t)hit->index + k;
        /* At the time of the ray, as Embree interpolates them. */
        corner[k] = point_of(s->corners[0][at]);
        if (s->corners[1]) corner[k] = rp_v3_mix(corner[k], point_of(s->corners[1][at]), ray->time);
    }
    rp_vec3 face = rp_v3_cross(rp_v3_sub(corner[1], corner[0]), rp_v3_sub(corner[2], corner[0]));
    return rp_v3_dot(face, ray->direction) > 0;
}

/* Bodies have colours of their own, height fields that of their material. */
static rp_vec3 triangle_colour(const rp_scene *scene, const rp_render_triangle *triangle)
{
    if (triangle->body >= 0) return rp_v3_from(rp_scene_bodies(scene)[triangle->body].colour);
    return rp_render_material_colour(scene, triangle->material);
}

/* The shading normal is interpolated. The geometric normal decides on the side: near the silhouette
 * of a round body the shading normal may point away from the eye, and rays that start on the wrong
 * side see the light within. */
static void hit_body(const rp_render_scene *s, const rp_ray *ray, const rp_bvh_hit *hit,
                     rp_surface_hit *surface)
{
    RP_ASSERT_DEBUG(hit->index < s->meshes.triangle_count);
    const rp_render_triangle *triangle = &s->meshes.triangles[hit->index];
    rp_vec3 normal = rp_v3_scale(triangle->normal[0], 1 - hit->u - hit->v);
    normal = rp_v3_madd(normal, hit->u, triangle->normal[1]);
    normal = rp_v3_normalized(rp_v3_madd(normal, hit->v, triangle->normal[2]));
    if (from_inside(s, ray, hit)) normal = rp_v3_scale(normal, -1);
    surface->kind = RP_SURFACE_BODY;
    surface->normal = normal;
    surface->position = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    surface->albedo = triangle_colour(s->scene, triangle);
    surface->gloss = triangle->body >= 0 ? BODY_GLOSS : 0; /* sand is matt */
    surface->offset += 1e-5 * s->bounding_radius;
}

/* Like hit_grain, without bumps, in the colour of the body. */
static void hit_fixed(const rp_render_scene *s, const rp_ray *ray, const rp_bvh_hit *hit,
                      rp_surface_hit *surface)
{
    rp_vec3 centre = point_of(s->fixed.spheres[hit->index]);
    if (s->fixed_closing)
        centre = rp_v3_mix(centre, point_of(s->fixed_closing[hit->index]), ray->time);
    double radius = (double)s->fixed.spheres[hit->index][3];
    rp_vec3 met = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    int body = s->fixed.bodies[hit->index];
    surface->kind = RP_SURFACE_BODY;
    surface->normal = rp_v3_normalized(rp_v3_sub(met, centre));
    surface->position = rp_v3_madd(centre, radius, surface->normal);
    surface->albedo =
        rp_v3_from(body < 0 ? rp_render_floor_colour : rp_scene_bodies(s->scene)[body].colour);
    surface->gloss = BODY_GLOSS;
    surface->offset += OFFSET_RADII * radius;
}

/* The camera may be inside a capsule: the normal then points inwards. */
static void hit_chain(const rp_render_scene *s, const rp_ray *ray, const rp_bvh_hit *hit,
                      rp_surface_hit *surface)
{
    surface->kind = RP_SURFACE_CHAIN;
    surface->position = rp_v3_madd(ray->origin, hit->distance, ray->direction);
    surface->normal = rp_force_chains_normal(&s->chains, hit->index, surface->position);
    if (rp_v3_dot(surface->normal, ray->direction) > 0)
        surface->normal = rp_v3_scale(surface->normal, -1);
    surface->albedo = rp_grain_colours_of_value(&s->colours, (double)s->chains.forces[hit->index]);
    surface->offset += OFFSET_RADII * rp_force_chains_radius(&s->chains, hit->index);
}

/* The nearest plane before `*distance`, or NULL; `*distance` becomes its own. Planes are one-sided
 * (P9): a ray hits them from above only. */
static const rp_render_plane *plane_before(const rp_render_scene *s, rp_vec3 origin,
                                           rp_vec3 direction, double *distance)
{
    const rp_render_plane *nearest = NULL;
    rp_vec3 from = rp_v3_add(origin, s->centre);
    for (size_t i = 0; i < s->meshes.plane_count; i++) {
        const rp_render_plane *plane = &s->meshes.planes[i];
        /* Both above the plane and on the way down; in this form without a division. */
        double height = rp_v3_dot(rp_v3_sub(from, plane->point), plane->normal);
        double descent = -rp_v3_dot(direction, plane->normal);
        if (!(height > 0) || !(descent > 1e-9) || !(height < *distance * descent)) continue;
        *distance = height / descent;
        nearest = plane;
    }
    return nearest;
}

static void hit_plane(const rp_render_scene *s, const rp_ray *ray, const rp_render_plane *plane,
                      double distance, rp_surface_hit *surface)
{
    surface->kind = RP_SURFACE_PLANE;
    surface->normal = plane->normal;
    surface->position = rp_v3_madd(ray->origin, distance, ray->direction);
    surface->albedo = plane->colour;
    surface->haze = rp_smoothstep(HAZE_NEAR * s->bounding_radius, HAZE_FAR * s->bounding_radius,
                                  rp_v3_length(surface->position));
}

/* --- rays ------------------------------------------------------------------------------------- */

rp_surface_hit rp_render_scene_intersect(const rp_render_scene *s, rp_ray *ray, double pixel)
{
    /* Planes first: the nearest one limits the traversal of the BVH. */
    const rp_render_plane *plane = plane_before(s, ray->origin, ray->direction, &ray->far);
    double distance = ray->far;
    rp_bvh_hit hit;
    rp_surface_hit surface = {.kind = RP_SURFACE_NONE, .distance = distance};
    if (rp_ray_bvh_intersect(s->bvh, ray, &hit)) {
        /* Every surface adds its own offset to that of rounding. */
        surface.distance = hit.distance;
        surface.offset = OFFSET_ROUNDING * (s->bounding_radius + hit.distance);
        if (hit.set == SET_BODIES)
            hit_body(s, ray, &hit, &surface);
        else if (hit.set == SET_FIXED)
            hit_fixed(s, ray, &hit, &surface);
        else if (hit.set == SET_CHAINS)
            hit_chain(s, ray, &hit, &surface);
        else
            hit_grain(s, ray, &hit, pixel, &surface);
    } else if (plane) {
        surface.offset = OFFSET_ROUNDING * (s->bounding_radius + distance);
        hit_plane(s, ray, plane, distance, &surface);
    }
    return surface;
}

bool rp_render_scene_occluded(const rp_render_scene *s, const rp_surface_hit *surface,
                              rp_vec3 direction, double distance, double time)
{
    rp_ray ray = {.origin = rp_v3_madd(surface->position, surface->offset, surface->normal),
                  .direction = direction,
                  .far = distance,
                  .time = time};
    /* Planes are cheaper than the BVH. */
    double limit = distance;
    if (plane_before(s, ray.origin, direction, &limit)) return true;
    return rp_ray_bvh_occluded(s->bvh, &ray);
}
