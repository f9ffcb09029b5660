/* The surfaces of a scene, and geometry and velocity of one of them at a point. */
#include "couple/surfaces.h"
#include "math/elementary.h"

/* m, along each axis: no grain is there, and squares of distances are still finite. */
#define FAR_OFF 1e12

static const rp_shape wall_shape = {.kind = RP_SHAPE_PLANE};

/* --- the surfaces of a scene --- */

static rp_surface wall(const rp_domain_spec *domain, int side, rp_vec3 foot, rp_vec3 inward)
{
    return (rp_surface){.shape = &wall_shape,
                        .pose = rp_scene_wall_pose(foot, inward),
                        .friction = domain->friction[side],
                        .restitution = domain->restitution,
                        .body = -1,
                        .side = side};
}

/* Adds the images of a body across periodic sides; returns their number. */
static int add_images(const rp_scene *scene, int body, rp_surface *surfaces)
{
    const rp_domain_spec *domain = &scene->domain;
    const rp_body_spec *spec = &rp_scene_bodies(scene)[body];
    rp_vec3 length = rp_v3_sub(domain->high, domain->low);
    int reach[3], count = 0;
    for (int axis = 0; axis < 3; axis++)
        reach[axis] = spec->shape.kind != RP_SHAPE_PLANE && (domain->periodic >> axis & 1);
    for (int k = -reach[2]; k <= reach[2]; k++)
        for (int j = -reach[1]; j <= reach[1]; j++)
            for (int i = -reach[0]; i <= reach[0]; i++) {
                if (!i && !j && !k) continue;
                surfaces[count++] =
                    (rp_surface){.shape = &spec->shape,
                                 .friction = spec->friction,
                                 .restitution = spec->restitution,
                                 .belt = spec->belt,
                                 .body = body,
                                 .dynamic = spec->motion == RP_MOTION_DYNAMIC,
                                 .shift = rp_v3(i ? i * length.x : 0, j ? j * length.y : 0,
                                                k ? k * length.z : 0)};
            }
    return count;
}

int rp_surfaces_capacity(const rp_scene *scene)
{
    int images = 1; /* the body itself among them */
    for (int axis = 0; axis < 3; axis++)
        images *= scene->domain.periodic >> axis & 1 ? 3 : 1;
    return images * scene->bodies.count + RP_SIDES;
}

static rp_surface surface_of(const rp_scene *scene, int body)
{
    const rp_body_spec *spec = &rp_scene_bodies(scene)[body];
    return (rp_surface){.shape = &spec->shape,
                        .friction = spec->friction,
                        .restitution = spec->restitution,
                        .belt = spec->belt,
                        .body = body,
                        .dynamic = spec->motion == RP_MOTION_DYNAMIC};
}

int rp_surfaces_fill(const rp_scene *scene, rp_surface *surfaces)
{
    int count = 0, first = scene->bodies.count - scene->late_bodies;
    for (int i = 0; i < first; i++)
        surfaces[count++] = surface_of(scene, i);
    for (int i = 0; i < first; i++)
        count += add_images(scene, i, surfaces + count);
    for (int side = 0; side < RP_SIDES; side++) {
        rp_vec3 foot, inward;
        if (rp_scene_domain_wall(&scene->domain, side, &foot, &inward))
            surfaces[count++] = wall(&scene->domain, side, foot, inward);
    }
    for (int i = first; i < scene->bodies.count; i++) {
        surfaces[count++] = surface_of(scene, i);
        count += add_images(scene, i, surfaces + count);
    }
    return count;
}

void rp_surfaces_refresh(rp_surface *surfaces, int count, const rp_body_state *states)
{
    for (int i = 0; i < count; i++) {
        rp_surface *surface = &surfaces[i];
        if (surface->body < 0) continue;
        const rp_body_state *state = &states[surface->body];
        const double *q = state->orientation;
        surface->pose.position = rp_v3_add(rp_v3_from(state->position), surface->shift);
        surface->pose.orientation = (rp_quat){q[0], q[1], q[2], q[3]};
        surface->velocity = rp_v3_from(state->velocity);
        surface->spin = rp_v3_from(state->angular_velocity);
    }
}

void rp_surface_vanish(rp_surface *surface)
{
    static const rp_shape point = {.kind = RP_SHAPE_SPHERE};
    surface->shape = &point;
    surface->pose.position = rp_v3(FAR_OFF, FAR_OFF, FAR_OFF);
}

/* --- motion --- */

rp_pose rp_surface_pose_after(const rp_surface *surface, double dt)
{
    rp_pose pose = surface->pose;
    if (surface->body < 0) return pose;
    rp_quat turn = rp_quat_exp(rp_v3_scale(surface->spin, dt));
    pose.position = rp_v3_madd(pose.position, dt, surface->velocity);
    pose.orientation = rp_quat_normalized(rp_quat_mul(turn, pose.orientation));
    return pose;
}

rp_vec3 rp_surface_velocity(const rp_surface *surface, rp_vec3 point, rp_vec3 normal)
{
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    rp_vec3 own = rp_v3_add(surface->velocity, rp_v3_cross(surface->spin, arm));
    if (!(rp_v3_dot(surface->belt, surface->belt) > 0)) return own;
    rp_vec3 belt = rp_quat_rotate(surface->pose.orientation, surface->belt);
    return rp_v3_add(own, rp_v3_madd(belt, -rp_v3_dot(belt, normal), normal));
}

/* --- distance --- */

bool rp_surface_may_touch(const rp_surface *surface, rp_vec3 point, double reach)
{
    return rp_shape_may_be_near(surface->shape, rp_pose_to_local(surface->pose, point), reach);
}

/* Returns an upper bound of how far any point of a surface within `reach` of `point` moves in `dt`,
 * m.
 */
static double displacement_near(const rp_surface *surface, rp_vec3 point, double reach, double dt)
{
    double arm = rp_v3_length(rp_v3_sub(point, surface->pose.position)) + reach;
    return dt * (rp_v3_length(surface->velocity) + rp_v3_length(surface->spin) * arm);
}

int rp_surfaces_near(const rp_surface *surfaces, rp_surface_list from, rp_vec3 point, double reach,
                     double dt, int *near, int capacity)
{
    int found = 0;
    for (int n = 0; n < from.count; n++) {
        int k = from.index ? from.index[n] : n;
        const rp_surface *surface = &surfaces[k];
        double more = surface->rough ? surface->rough->radius : 0;
        if (dt > 0) more += displacement_near(surface, point, reach, dt);
        if (!rp_surface_may_touch(surface, point, reach + more)) continue;
        if (found < capacity) near[found] = k;
        found++;
    }
    return found;
}

bool rp_surface_touch(const rp_surface *surface, rp_vec3 point, double reach, rp_touch *touch)
{
    rp_vec3 local = rp_pose_to_local(surface->pose, point), normal;
    /* Meshes are slow to search, and most grains are nowhere near. */
    if (surface->shape->kind == RP_SHAPE_MESH &&
        !rp_shape_may_be_near(surface->shape, local, reach))
        return false;
    double distance = rp_shape_distance_within(surface->shape, local, reach, &normal);
    if (!(distance < reach)) return false;
    /* Deep inside, which is rare, that was only a bound: find the distance itself. */
    if (distance < -reach) distance = rp_shape_distance(surface->shape, local, &normal);
    touch->distance = distance;
    touch->normal = rp_quat_rotate(surface->pose.orientation, normal);
    touch->velocity = rp_surface_velocity(surface, point, touch->normal);
    return true;
}

/* --- fixed grains --- */

void rp_surface_fixed_near(const rp_surface *surface, rp_vec3 point, double reach,
                           rp_fixed_grain_visit *visit, void *user)
{
    rp_vec3 local = rp_pose_to_local(surface->pose, point);
    if (surface->rough && rp_shape_may_be_near(surface->shape, local, reach))
        rp_rough_surface_near(surface->rough, local, reach, visit, user);
}

rp_vec3 rp_surface_fixed_position(const rp_surface *surface, rp_fixed_grain fixed, rp_vec3 point)
{
    rp_vec3 local = rp_pose_to_local(surface->pose, point);
    return rp_pose_to_world(surface->pose, rp_rough_surface_place(surface->rough, fixed, local));
}

double rp_surface_fixed_gap(const rp_surface *surface, rp_vec3 point, double near)
{
    if (!surface->rough) return near;
    rp_vec3 local = rp_pose_to_local(surface->pose, point);
    if (!rp_shape_may_be_near(surface->shape, local, near + surface->rough->radius)) return near;
    return rp_rough_surface_gap(surface->rough, local, near);
}

double rp_surface_friction(const rp_surface *surface, const rp_material_spec *material)
{
    if (isfinite(surface->friction)) return sqrt(material->friction * surface->friction);
    return rp_sin(material->angle) / rp_cos(material->angle);
}
