#include "validation/bodies.h"

#include "base/memory.h"
#include "base/report.h"
#include "world/world.h"

#include <math.h>

#define BLOCK 1024       /* grains per block of a thread */
#define REACH_SPACINGS 2 /* depths are exact up to this */

rp_mass rp_spec_mass(const rp_scene *scene, int body)
{
    const rp_body_spec *spec = &rp_scene_bodies(scene)[body];
    rp_mass mass;
    rp_shape_mass(&spec->shape, spec->density > 0 ? spec->density : 1, &mass);
    double factor = spec->mass > 0 ? spec->mass / mass.mass : 1;
    mass.mass *= factor;
    for (int k = 0; k < 6; k++)
        mass.inertia[k] *= factor;
    return mass;
}

static rp_vec3 vec3_of(const double v[3])
{
    return rp_v3(v[0], v[1], v[2]);
}

static rp_pose pose_of(const rp_body_state *state)
{
    const double *q = state->orientation;
    return (rp_pose){vec3_of(state->position), {q[0], q[1], q[2], q[3]}};
}

static rp_vec3 spin_momentum(const rp_mass *mass, rp_quat turn, rp_vec3 spin)
{
    const double *j = mass->inertia;
    rp_mat3 inertia = {{{j[0], j[3], j[4]}, {j[3], j[1], j[5]}, {j[4], j[5], j[2]}}};
    rp_vec3 local = rp_quat_rotate(rp_quat_conj(turn), spin);
    return rp_quat_rotate(turn, rp_m3_apply(inertia, local));
}

static void add_to(double sum[3], rp_vec3 v)
{
    sum[0] += v.x;
    sum[1] += v.y;
    sum[2] += v.z;
}

static void add_body(rp_sand_sums *sums, const rp_mass *mass, const rp_body_state *state)
{
    rp_pose pose = pose_of(state);
    rp_vec3 spin = vec3_of(state->angular_velocity);
    rp_vec3 arm = rp_quat_rotate(pose.orientation, mass->centre);
    rp_vec3 at = rp_v3_add(pose.position, arm);
    rp_vec3 v = rp_v3_add(vec3_of(state->velocity), rp_v3_cross(spin, arm));
    rp_vec3 turning = spin_momentum(mass, pose.orientation, spin);
    sums->mass += mass->mass;
    sums->kinetic += 0.5 * (mass->mass * rp_v3_dot(v, v) + rp_v3_dot(spin, turning));
    sums->momentum_size += mass->mass * rp_v3_length(v);
    add_to(sums->momentum, rp_v3_scale(v, mass->mass));
    add_to(sums->moment, rp_v3_scale(at, mass->mass));
    add_to(sums->angular, rp_v3_scale(rp_v3_cross(at, v), mass->mass));
    add_to(sums->angular, turning);
}

rp_sand_sums rp_all_sum(const rp_view *view, const rp_scene *scene)
{
    rp_sand_sums sums = rp_sand_sum(view);
    for (int i = 0; i < view->body_count; i++) {
        if (rp_scene_bodies(scene)[i].motion != RP_MOTION_DYNAMIC) continue;
        rp_mass mass = rp_spec_mass(scene, i);
        add_body(&sums, &mass, &view->bodies[i]);
    }
    return sums;
}

double rp_distance(const double a[3], const double b[3])
{
    return rp_v3_length(rp_v3_sub(vec3_of(a), vec3_of(b)));
}

rp_code rp_mean_force(rp_case_context *c, rp_trial *trial, int body, double time, double force[3])
{
    rp_bodies *bodies = trial->world->bodies;
    size_t bytes = (size_t)rp_bodies_count(bodies) * sizeof(rp_body_state);
    rp_body_state *means = rp_allocate(bytes);
    if (!means) return rp_fail_memory(c->report, bytes, "means of forces");
    rp_bodies_begin_mean(bodies);
    rp_code code = rp_case_run_to(c, trial->world, time, 1);
    rp_bodies_mean(bodies, means);
    for (int a = 0; a < 3; a++)
        force[a] = means[body].force[a];
    rp_release(means, bytes);
    return code;
}

/* One body, and a ball around it and its reach, which most grains are outside of. */
typedef struct dive {
    const rp_view *view;
    const rp_shape *shape;
    rp_pose pose;
    rp_vec3 middle; /* m, centre of the ball, in the world */
    double radius;  /* m; infinite for a plane */
} dive;

static dive dive_into(const rp_view *view, const rp_scene *scene, int body)
{
    dive d = {view, &rp_scene_bodies(scene)[body].shape, pose_of(&view->bodies[body]),
              .radius = INFINITY};
    if (d.shape->kind == RP_SHAPE_PLANE) return d;
    rp_box3 box = rp_shape_bounds(d.shape);
    d.middle = rp_pose_to_world(d.pose, rp_v3_scale(rp_v3_add(box.low, box.high), 0.5));
    d.radius = 0.5 * rp_v3_length(rp_v3_sub(box.high, box.low)) + REACH_SPACINGS * view->spacing;
    return d;
}

static double depth_of_range(void *context, rp_range range)
{
    const dive *d = context;
    double reach = REACH_SPACINGS * d->view->spacing;
    double deepest = -reach, square = d->radius * d->radius;
    for (size_t i = range.begin; i < range.end; i++) {
        rp_vec3 at = rp_v3(d->view->x[i], d->view->y[i], d->view->z[i]);
        rp_vec3 arm = rp_v3_sub(at, d->middle);
        if (rp_v3_dot(arm, arm) > square) continue;
        rp_vec3 local = rp_pose_to_local(d->pose, at);
        deepest = fmax(deepest, -rp_shape_distance_within(d->shape, local, reach, NULL));
    }
    return deepest;
}

rp_sunk rp_sunk_none(void)
{
    return (rp_sunk){.depth = -INFINITY, .body = -1};
}

void rp_sunk_update(rp_sunk *sunk, const rp_world *world, const rp_scene *scene)
{
    rp_view view;
    rp_world_view(world, &view);
    for (int i = 0; i < view.body_count; i++) {
        dive d = dive_into(&view, scene, i);
        double depth = rp_parallel_max(world->threads, view.count, BLOCK, depth_of_range, &d);
        if (depth > sunk->depth) *sunk = (rp_sunk){depth, view.time, i};
    }
}
