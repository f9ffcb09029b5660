/* Collision of fine grains with surfaces: new grains are placed outside (D3), moving ones stay
 * outside (D12). The path of a grain relative to a surface is traced by steps as long as the
 * distance to it (sphere tracing: J. C. Hart, The Visual Computer 12, 1996), so that grains do not
 * pass through bodies, however thin. */
#include "detail/inside.h"

/* Passes over all surfaces until none is touched any more; corners take two or three. */
#define PASSES 4
/* Steps of sphere tracing before the surface counts as reached. */
#define TRACE_STEPS 24
/* A grain that was lifted to the clearance counts as clear in spite of rounding, in clearances. */
#define CLEARED 0.999

void rp_detail_surfaces_near(const rp_detail *detail, const rp_surface_list *from, rp_vec3 middle,
                             double support, rp_surface_list *out)
{
    const rp_coarse_field *field = &detail->field;
    rp_surface_list all = {.count = field->surface_count};
    out->count = rp_surfaces_near(field->surfaces, from ? *from : all, middle, support, field->dt,
                                  out->index, field->surface_count);
}

/* The straight path of a grain in the frame of a surface, m. */
typedef struct relative_path {
    const rp_shape *shape;
    rp_vec3 from, to;
    double length, clearance;
} relative_path;

/* Traces the path and returns the share of it that is free; 1: all of it. `distance` is that at its
 * start. Where the path ends, `*normal` is that of the surface. */
static double trace_free_share(const relative_path *p, double distance, rp_vec3 *normal)
{
    double share = 0;
    for (int i = 0; i < TRACE_STEPS && share < 1; i++) {
        if (distance <= p->clearance * 0.5) return share;
        /* A little less than the distance, and at least a tenth of the clearance, so that grazing
         * paths advance. */
        share += fmax(distance - 0.25 * p->clearance, 0.1 * p->clearance) / p->length;
        if (share >= 1) return 1;
        rp_vec3 at = rp_v3_madd(p->from, share, rp_v3_sub(p->to, p->from));
        distance = rp_shape_distance(p->shape, at, normal);
    }
    return fmin(share, 1);
}

/* Mirrors a new fine grain where the path from its coarse grain hits a surface, so that it is on
 * the coarse grain's side of a plate, however thin; true when it was moved. */
static bool mirror_on_path(const rp_surface *surface, double clearance, rp_vec3 middle, rp_vec3 *at)
{
    relative_path p = {.shape = surface->shape,
                       .from = rp_pose_to_local(surface->pose, middle),
                       .to = rp_pose_to_local(surface->pose, *at),
                       .clearance = clearance};
    rp_vec3 displacement = rp_v3_sub(p.to, p.from), normal;
    p.length = rp_v3_length(displacement);
    double before = rp_shape_distance(p.shape, p.from, &normal);
    double after = rp_shape_distance(p.shape, p.to, NULL);
    if (before <= 0 || (after > 0 && before + after > p.length)) return false;
    double share = trace_free_share(&p, before, &normal);
    if (share >= 1) return false;
    rp_vec3 hit = rp_v3_madd(p.from, share, displacement);
    /* Distance of the wanted position from the tangent plane at the hit. */
    double side = rp_shape_distance(p.shape, hit, &normal);
    side += rp_v3_dot(rp_v3_sub(p.to, hit), normal);
    if (side >= CLEARED * clearance) return false;
    p.to = rp_v3_madd(p.to, fmax(-side, clearance) - side, normal);
    *at = rp_pose_to_world(surface->pose, p.to);
    return true;
}

/* Moves a point out of one surface: mirrored where it is inside, lifted where it is too close; true
 * when it was moved. */
static bool push_out(const rp_surface *surface, double clearance, double support, rp_vec3 *at)
{
    rp_touch touch;
    if (!rp_surface_touch(surface, *at, support, &touch) || touch.distance >= CLEARED * clearance)
        return false;
    double wanted = fmax(-touch.distance, clearance);
    *at = rp_v3_madd(*at, wanted - touch.distance, touch.normal);
    return true;
}

rp_vec3 rp_detail_place_outside(const rp_detail *detail, const rp_surface_list *near,
                                rp_vec3 middle, rp_vec3 at)
{
    bool moved = near->count > 0;
    for (int pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (int i = 0; i < near->count; i++) {
            const rp_surface *surface = &detail->field.surfaces[near->index[i]];
            moved |= mirror_on_path(surface, detail->clearance, middle, &at);
            moved |= push_out(surface, detail->clearance, detail->support, &at);
        }
    }
    return moved ? middle : at; /* wedged in: the coarse grain itself is outside */
}

/* Returns the end of the path after sliding: the rest after the hit goes along the surface. */
static rp_vec3 slide(const relative_path *p, double share, rp_vec3 normal)
{
    rp_vec3 displacement = rp_v3_sub(p->to, p->from), at = rp_v3_madd(p->from, share, displacement);
    rp_vec3 rest = rp_v3_scale(displacement, 1 - share);
    double into = rp_v3_dot(rest, normal);
    if (into < 0) rest = rp_v3_madd(rest, -into, normal);
    return rp_v3_add(at, rest);
}

static rp_vec3 lift(const relative_path *p, rp_vec3 at, rp_vec3 *normal)
{
    double distance = rp_shape_distance(p->shape, at, normal);
    return distance < p->clearance ? rp_v3_madd(at, p->clearance - distance, *normal) : at;
}

/* Finds the end of a path that stays outside of the surface; false when the path is clear. */
static bool clear_end(const relative_path *p, rp_vec3 *end, rp_vec3 *normal)
{
    /* Two tests without tracing: the end is farther from the surface than the path is long, or the
     * balls of free space around both ends cover the path. */
    double after = rp_shape_distance_within(p->shape, p->to, p->clearance + p->length, normal);
    if (after >= p->clearance + p->length) return false;
    double before = rp_shape_distance(p->shape, p->from, normal);
    double enough = CLEARED * p->clearance;
    if (before > 0 && after >= enough && before + after > p->length) return false;
    *end = p->to;
    if (before > 0 && p->length > 0) {
        double share = trace_free_share(p, before, normal);
        if (share < 1)
            *end = slide(p, share, *normal);
        else if (after >= enough)
            return false;
    }
    *end = lift(p, *end, normal);
    return true;
}

/* Returns the velocity after a contact, m/s: no part into the surface, and Coulomb friction reduces
 * the part along it. */
static rp_vec3 velocity_after_contact(const rp_detail *detail, const rp_surface *surface,
                                      rp_vec3 normal, const rp_detail_motion *motion)
{
    rp_vec3 own = rp_surface_velocity(surface, motion->end, normal);
    rp_vec3 relative = rp_v3_sub(motion->velocity, own);
    double into = rp_v3_dot(relative, normal);
    if (into >= 0) return motion->velocity;
    rp_vec3 along = rp_v3_madd(relative, -into, normal);
    double speed = rp_v3_length(along);
    double friction =
        rp_surface_friction(surface, &rp_scene_materials(detail->scene)[motion->material]);
    double keeps = speed > 0 ? fmax(0, 1 + friction * into / speed) : 0;
    return rp_v3_madd(own, keeps, along);
}

static bool collide_with(const rp_detail *detail, int index, rp_detail_motion *motion)
{
    const rp_surface *surface = &detail->field.surfaces[index];
    rp_pose pose = detail->field.ends[index];
    relative_path p = {.shape = surface->shape,
                       .from = rp_pose_to_local(surface->pose, motion->start),
                       .to = rp_pose_to_local(pose, motion->end),
                       .clearance = detail->clearance};
    p.length = rp_v3_length(rp_v3_sub(p.to, p.from));
    rp_vec3 end, normal;
    if (!rp_shape_may_be_near(p.shape, p.to, p.clearance + p.length)) return false;
    if (!clear_end(&p, &end, &normal)) return false;
    motion->end = rp_pose_to_world(pose, end);
    normal = rp_quat_rotate(pose.orientation, normal);
    motion->velocity = velocity_after_contact(detail, surface, normal, motion);
    return true;
}

/* A grain that a contact moves by less than this, in clearances, stays where it was. */
#define STILL 1e-3

bool rp_detail_collide(const rp_detail *detail, const rp_surface_list *near,
                       rp_detail_motion *motion)
{
    bool touched = false, again = true;
    for (int pass = 0; pass < PASSES && again; pass++) {
        again = false;
        for (int i = 0; i < near->count; i++)
            again |= collide_with(detail, near->index[i], motion);
        touched |= again;
    }
    rp_vec3 displacement = rp_v3_sub(motion->end, motion->start);
    if (touched && rp_v3_length(displacement) < STILL * detail->clearance)
        motion->end = motion->start;
    return touched;
}
