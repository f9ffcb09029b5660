#include "couple/couple.h"
#include "base/log.h"
#include "math/trig.h"

#include <string.h>

struct rp_couple {
    rp_bodies *bodies;
    rp_surface *surfaces; /* of the bodies, then their images, then the walls */
    int count, capacity, body_count;
    bool dynamic;
    rp_load *rows;  /* borrowed from the step's arena: body_count sums per block */
    rp_load *loads; /* likewise, the sums of all rows */
    size_t blocks;
    rp_report *report; /* of the step in hand */
    rp_code code;      /* the first fault of an answer */
    bool begun;
};

static const rp_shape wall_shape = {.kind = RP_SHAPE_PLANE};

static rp_surface wall(const rp_domain_spec *domain, rp_vec3 foot, rp_vec3 inward)
{
    return (rp_surface){.shape = &wall_shape,
                        .pose = {foot, rp_quat_between(rp_v3(0, 0, 1), inward)},
                        .friction = domain->friction,
                        .restitution = domain->restitution,
                        .body = -1};
}

/* The images of a body across periodic sides; gives their number. */
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
                                 .body = body,
                                 .dynamic = spec->motion == RP_MOTION_DYNAMIC,
                                 .shift = rp_v3(i ? i * length.x : 0, j ? j * length.y : 0,
                                                k ? k * length.z : 0)};
            }
    return count;
}

/* Fills the surfaces and counts them; `surfaces` has room for the most there can be. */
static int fill_surfaces(const rp_scene *scene, rp_surface *surfaces)
{
    int count = scene->bodies.count;
    for (int i = 0; i < count; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        surfaces[i] = (rp_surface){.shape = &spec->shape,
                                   .friction = spec->friction,
                                   .restitution = spec->restitution,
                                   .body = i,
                                   .dynamic = spec->motion == RP_MOTION_DYNAMIC};
    }
    for (int i = 0; i < scene->bodies.count; i++)
        count += add_images(scene, i, surfaces + count);
    for (int side = 0; side < RP_SIDES; side++) {
        rp_vec3 foot, inward;
        if (rp_domain_wall(&scene->domain, side, &foot, &inward))
            surfaces[count++] = wall(&scene->domain, foot, inward);
    }
    return count;
}

static size_t surfaces_size(const rp_couple *couple)
{
    return (size_t)couple->capacity * sizeof *couple->surfaces;
}

rp_code rp_couple_create(const rp_scene *scene, rp_bodies *bodies, rp_couple **out,
                         rp_report *report)
{
    *out = NULL;
    rp_couple *couple = rp_allocate_zero(sizeof *couple);
    if (!couple) return rp_fail_memory(report, sizeof *couple, "the surfaces of bodies");
    int images = 1; /* the body's own place among them */
    for (int axis = 0; axis < 3; axis++)
        images *= scene->domain.periodic >> axis & 1 ? 3 : 1;
    couple->bodies = bodies;
    couple->body_count = rp_bodies_count(bodies);
    couple->capacity = images * couple->body_count + RP_SIDES;
    couple->surfaces = rp_allocate(surfaces_size(couple));
    if (!couple->surfaces) {
        rp_fail_memory(report, surfaces_size(couple), "the surfaces of bodies");
        rp_couple_destroy(couple);
        return RP_ERROR_MEMORY;
    }
    couple->count = fill_surfaces(scene, couple->surfaces);
    for (int i = 0; i < couple->body_count; i++)
        couple->dynamic = couple->dynamic || couple->surfaces[i].dynamic;
    rp_couple_refresh(couple);
    *out = couple;
    return RP_OK;
}

void rp_couple_destroy(rp_couple *couple)
{
    if (!couple) return;
    rp_release(couple->surfaces, surfaces_size(couple));
    rp_release(couple, sizeof *couple);
}

static rp_vec3 vec3_of(const double v[3])
{
    return rp_v3(v[0], v[1], v[2]);
}

void rp_couple_refresh(rp_couple *couple)
{
    const rp_body_state *states = rp_bodies_states(couple->bodies);
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        if (surface->body < 0) continue;
        const rp_body_state *state = &states[surface->body];
        const double *q = state->orientation;
        surface->pose.position = rp_v3_add(vec3_of(state->position), surface->shift);
        surface->pose.orientation = (rp_quat){q[0], q[1], q[2], q[3]};
        surface->velocity = vec3_of(state->velocity);
        surface->spin = vec3_of(state->angular_velocity);
    }
}

void rp_couple_move(rp_couple *couple, double dt)
{
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        if (surface->body < 0) continue;
        rp_pose *pose = &surface->pose;
        rp_quat turn = rp_quat_exp(rp_v3_scale(surface->spin, dt));
        pose->position = rp_v3_madd(pose->position, dt, surface->velocity);
        pose->orientation = rp_quat_normal(rp_quat_mul(turn, pose->orientation));
    }
}

bool rp_couple_is_dynamic(const rp_couple *couple)
{
    return couple->dynamic;
}

int rp_couple_count(const rp_couple *couple)
{
    return couple->count;
}

const rp_surface *rp_couple_surfaces(const rp_couple *couple)
{
    return couple->surfaces;
}

/* The speed of the fastest point of a shape that moves like this. */
static double speed_of(const rp_shape *shape, rp_vec3 velocity, rp_vec3 spin)
{
    rp_box3 box = rp_shape_bounds(shape);
    double arm = rp_v3_length(rp_v3_max(rp_v3_scale(box.low, -1), box.high));
    double turning = isfinite(arm) ? rp_v3_length(spin) * arm : 0;
    return rp_v3_length(velocity) + turning;
}

double rp_couple_max_speed(const rp_couple *couple)
{
    double most = 0;
    for (int i = 0; i < couple->body_count; i++) {
        const rp_surface *surface = &couple->surfaces[i];
        most = fmax(most, speed_of(surface->shape, surface->velocity, surface->spin));
    }
    return most;
}

bool rp_surface_may_touch(const rp_surface *surface, rp_vec3 point, double reach)
{
    return rp_shape_may_be_near(surface->shape, rp_pose_to_local(surface->pose, point), reach);
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
    /* Deep inside, which is rare, it is no more than a bound. */
    if (distance < -reach) distance = rp_shape_distance(surface->shape, local, &normal);
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    touch->distance = distance;
    touch->normal = rp_quat_rotate(surface->pose.orientation, normal);
    touch->velocity = rp_v3_add(surface->velocity, rp_v3_cross(surface->spin, arm));
    return true;
}

double rp_surface_friction(const rp_surface *surface, const rp_material_spec *material)
{
    if (isfinite(surface->friction)) return sqrt(material->friction * surface->friction);
    return rp_sin(material->angle) / rp_cos(material->angle);
}

rp_code rp_couple_begin(rp_couple *couple, size_t blocks, rp_arena *arena, rp_report *report)
{
    size_t row = (size_t)couple->body_count * sizeof(rp_load), bytes = blocks * row;
    couple->rows = rp_arena_take(arena, bytes);
    couple->loads = rp_arena_take(arena, row);
    if (!couple->rows || !couple->loads)
        return rp_fail_memory(report, bytes + row, "forces on bodies");
    memset(couple->rows, 0, bytes);
    couple->blocks = blocks;
    couple->report = report;
    couple->code = RP_OK;
    couple->begun = true;
    return RP_OK;
}

static rp_load *row_of(rp_couple *couple, size_t block, int body)
{
    RP_ASSERT(couple->begun && block < couple->blocks && body < couple->body_count);
    return &couple->rows[block * (size_t)couple->body_count + (size_t)body];
}

void rp_couple_push(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                    rp_vec3 force)
{
    if (surface->body < 0) return;
    rp_load *sum = row_of(couple, block, surface->body);
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    sum->force = rp_v3_add(sum->force, force);
    sum->torque = rp_v3_add(sum->torque, rp_v3_cross(arm, force));
}

void rp_couple_hold(rp_couple *couple, size_t block, const rp_surface *surface, rp_vec3 point,
                    double mass)
{
    if (!surface->dynamic) return;
    rp_load *sum = row_of(couple, block, surface->body);
    rp_vec3 arm = rp_v3_sub(point, surface->pose.position);
    const double second[6] = {arm.x * arm.x, arm.y * arm.y, arm.z * arm.z,
                              arm.x * arm.y, arm.x * arm.z, arm.y * arm.z};
    sum->mass += mass;
    sum->moment = rp_v3_madd(sum->moment, mass, arm);
    for (int k = 0; k < 6; k++)
        sum->second[k] += mass * second[k];
}

static void add_load(rp_load *sum, const rp_load *part)
{
    sum->force = rp_v3_add(sum->force, part->force);
    sum->torque = rp_v3_add(sum->torque, part->torque);
    sum->mass += part->mass;
    sum->moment = rp_v3_add(sum->moment, part->moment);
    for (int k = 0; k < 6; k++)
        sum->second[k] += part->second[k];
}

/* In the order of the rows. */
static void add_rows(rp_couple *couple)
{
    size_t bodies = (size_t)couple->body_count;
    memset(couple->loads, 0, bodies * sizeof *couple->loads);
    for (size_t block = 0; block < couple->blocks; block++)
        for (size_t i = 0; i < bodies; i++)
            add_load(&couple->loads[i], &couple->rows[block * bodies + i]);
}

double rp_couple_answer(rp_couple *couple)
{
    RP_ASSERT(couple->begun);
    add_rows(couple);
    memset(couple->rows, 0, couple->blocks * (size_t)couple->body_count * sizeof *couple->rows);
    rp_code code = rp_bodies_answer(couple->bodies, couple->loads, couple->report);
    if (couple->code == RP_OK) couple->code = code;
    const rp_body_state *states = rp_bodies_states(couple->bodies);
    double most = 0;
    for (int i = 0; i < couple->count; i++) {
        rp_surface *surface = &couple->surfaces[i];
        if (!surface->dynamic) continue;
        rp_vec3 velocity = vec3_of(states[surface->body].velocity);
        rp_vec3 spin = vec3_of(states[surface->body].angular_velocity);
        most = fmax(most, speed_of(surface->shape, rp_v3_sub(velocity, surface->velocity),
                                   rp_v3_sub(spin, surface->spin)));
        surface->velocity = velocity;
        surface->spin = spin;
    }
    return most;
}

rp_code rp_couple_finish(rp_couple *couple)
{
    RP_ASSERT(couple->begun);
    rp_body_state *states = rp_bodies_states(couple->bodies);
    add_rows(couple);
    for (int i = 0; i < couple->body_count; i++) {
        memcpy(states[i].force, &couple->loads[i].force, sizeof states[i].force);
        memcpy(states[i].torque, &couple->loads[i].torque, sizeof states[i].torque);
    }
    couple->rows = couple->loads = NULL;
    couple->blocks = 0;
    couple->begun = false;
    return couple->code;
}
