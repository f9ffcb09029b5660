/* Grains and surfaces: new grains are placed outside, moving ones stay there. */
#include "detail/inside.h"

/* Passes over all surfaces until none is met any more; corners take two or three. */
#define PASSES 4
/* Steps towards a surface before it counts as reached. */
#define TRACE_STEPS 24
/* What has been lifted clear counts as clear, rounding or not, so that a second look finds nothing
 * to do. */
#define CLEARED 0.999

void rp_detail_surfaces_near(const rp_detail *detail, const rp_surface_list *from, rp_vec3 middle,
                             double support, rp_surface_list *out)
{
    const rp_coarse_field *field = &detail->field;
    rp_surface_list all = {.count = field->surface_count};
    out->count = rp_surfaces_near(field->surfaces, from ? *from : all, middle, support, field->dt,
                                  out->index, field->surface_count);
}

/* A way relative to a surface, in its frame. */
typedef struct relative_path {
    const rp_shape *shape;
    rp_vec3 from, to;
    double length, clearance;
} relative_path;

/* The share of the way that is free, by steps as long as the distance (Hart 1996, sphere tracing);
 * 1: all of it. Where it ends, `*normal` is that of the surface. */
static double trace_free_share(const relative_path *p, double distance, rp_vec3 *normal)
{
    double share = 0;
    for (int i = 0; i < TRACE_STEPS && share < 1; i++) {
        if (distance <= p->clearance * 0.5) return share;
        share += fmax(distance - 0.25 * p->clearance, 0.1 * p->clearance) / p->length;
        if (share >= 1) return 1;
        rp_vec3 at = rp_v3_madd(p->from, share, rp_v3_sub(p->to, p->from));
        distance = rp_shape_distance(p->shape, at, normal);
    }
    return fmin(share, 1);
}

/* Where the way from a clump's middle to a new grain of it meets a surface, the grain is mirrored
 * at that place, so that it is on the clump's side of a plate, however thin; true when it was. */
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
    rp_vec3 met = rp_v3_madd(p.from, share, displacement);
    double side = rp_shape_distance(p.shape, met, &normal);
    side += rp_v3_dot(rp_v3_sub(p.to, met), normal);
    if (side >= CLEARED * clearance) return false;
    p.to = rp_v3_madd(p.to, fmax(-side, clearance) - side, normal);
    *at = rp_pose_to_world(surface->pose, p.to);
    return true;
}

/* Out of one surface: what is inside is mirrored, what is too close pushed; true when it was. */
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
    return moved ? middle : at; /* wedged in: the clump itself is outside */
}

/* Along the surface from where it was met, and clear of it. */
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

/* The end of a way in the surface's frame that stays outside; false when nothing is in the way. */
static bool clear_end(const relative_path *p, rp_vec3 *end, rp_vec3 *normal)
{
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

/* What a contact leaves of the velocity: nothing into the surface, less along it. */
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

/* A contact that moves a grain by less than this, in clearances, does not move it. */
#define STILL 1e-3

bool rp_detail_collide(const rp_detail *detail, const rp_surface_list *near,
                       rp_detail_motion *motion)
{
    bool met = false, again = true;
    for (int pass = 0; pass < PASSES && again; pass++) {
        again = false;
        for (int i = 0; i < near->count; i++)
            again |= collide_with(detail, near->index[i], motion);
        met |= again;
    }
    rp_vec3 displacement = rp_v3_sub(motion->end, motion->start);
    if (met && rp_v3_length(displacement) < STILL * detail->clearance) motion->end = motion->start;
    return met;
}
