/* What touches: every shape as one of the engine's geometries, contacts as joints of one step. Two
 * meshes are a case of their own: the engine's answer for them lets stacks sink, so the corners of
 * each are looked up in the distance field of the other. */
#include "base/memory.h"
#include "base/report.h"
#include "body/ode.h"

#include <stdlib.h>
#include <string.h>

/* Contacts of one pair at most. */
#define CONTACTS 32
/* Pieces of round shapes that the engine knows only as triangles. */
#define SEGMENTS 48
/* Between two rough surfaces; rough means that sand clings, which says nothing of solids. */
#define ROUGH_ON_ROUGH 1.0
/* How far contacts give way, in parts of what a body would move: too little to be seen, and enough
 * to tell apart the many contacts of one face. */
#define SOFT 1e-6
/* m/s: below this speed, or what gravity adds in two steps, nothing bounces. */
#define LEAST_BOUNCE 0.01

static rp_code add_triangles(rp_solid *solid, const rp_mesh *mesh, dGeomID *out, rp_report *report)
{
    solid->triangles = dGeomTriMeshDataCreate();
    if (!solid->triangles) return rp_fail_memory(report, sizeof *solid, "triangles of a body");
    dGeomTriMeshDataBuildDouble(solid->triangles, mesh->vertices, sizeof *mesh->vertices,
                                (int)mesh->vertex_count, mesh->triangles,
                                (int)(3 * mesh->triangle_count), sizeof *mesh->triangles);
    dGeomTriMeshDataPreprocess2(solid->triangles, 1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
    *out = dCreateTriMesh(NULL, solid->triangles, NULL, NULL, NULL);
    return RP_OK;
}

static rp_code make_geom(rp_solid *solid, const rp_shape *shape, dGeomID *out, rp_report *report)
{
    *out = NULL;
    switch (shape->kind) {
    case RP_SHAPE_PLANE:
        *out = dCreatePlane(NULL, 0, 0, 1, 0);
        return RP_OK;
    case RP_SHAPE_BOX:
        *out = dCreateBox(NULL, shape->size.x, shape->size.y, shape->size.z);
        return RP_OK;
    case RP_SHAPE_SPHERE:
        *out = dCreateSphere(NULL, shape->radius);
        return RP_OK;
    case RP_SHAPE_CYLINDER:
        *out = dCreateCylinder(NULL, shape->radius, shape->height);
        return RP_OK;
    case RP_SHAPE_CAPSULE:
        *out = dCreateCapsule(NULL, shape->radius, shape->height);
        return RP_OK;
    case RP_SHAPE_MESH:
        return add_triangles(solid, shape->mesh, out, report);
    case RP_SHAPE_CONE:
    case RP_SHAPE_FUNNEL: {
        rp_code code = rp_shape_tessellate(shape, SEGMENTS, 1, &solid->made, report);
        return code == RP_OK ? add_triangles(solid, solid->made, out, report) : code;
    }
    }
    RP_ASSERT(!"a shape of an unknown kind");
    return RP_ERROR_INPUT;
}

rp_code rp_engine_add_geom(rp_engine *engine, int body, rp_report *report)
{
    const rp_body_spec *spec = &rp_scene_bodies(engine->scene)[body];
    rp_solid *solid = &engine->solids[body];
    RP_TRY(make_geom(solid, &spec->shape, &solid->geom, report));
    if (!solid->geom) return rp_fail_memory(report, sizeof *solid, "geometries of bodies");
    dSpaceAdd(engine->space, solid->geom);
    dGeomSetData(solid->geom, (void *)(intptr_t)body);
    if (solid->body) {
        rp_vec3 c = solid->mass.centre;
        dGeomSetBody(solid->geom, solid->body);
        dGeomSetOffsetPosition(solid->geom, -c.x, -c.y, -c.z);
    } else if (spec->shape.kind != RP_SHAPE_PLANE) {
        rp_pose pose = rp_state_pose(&engine->start[body]);
        const dQuaternion q = {pose.orientation.w, pose.orientation.x, pose.orientation.y,
                               pose.orientation.z};
        dGeomSetPosition(solid->geom, pose.position.x, pose.position.y, pose.position.z);
        dGeomSetQuaternion(solid->geom, q);
    }
    return RP_OK;
}

void rp_engine_add_walls(rp_engine *engine)
{
    const rp_domain_spec *domain = &engine->scene->domain;
    for (int side = 0; side < RP_SIDES; side++) {
        rp_vec3 foot, inward;
        if (!rp_scene_domain_wall(domain, side, &foot, &inward)) continue;
        dGeomID wall =
            dCreatePlane(engine->space, inward.x, inward.y, inward.z, rp_v3_dot(inward, foot));
        dGeomSetData(wall, (void *)(intptr_t)(-1 - side));
    }
}

/* Negative for the walls of the domain. */
static int body_of(dGeomID geom)
{
    return (int)(intptr_t)dGeomGetData(geom);
}

static double friction_of(const rp_engine *engine, int body)
{
    return body < 0 ? engine->scene->domain.friction[-1 - body]
                    : rp_scene_bodies(engine->scene)[body].friction;
}

static double restitution_of(const rp_engine *engine, int body)
{
    return body < 0 ? engine->scene->domain.restitution
                    : rp_scene_bodies(engine->scene)[body].restitution;
}

/* 1/kg */
static double lightness_of(const rp_engine *engine, int body)
{
    return rp_is_dynamic(engine, body) ? 1 / engine->solids[body].mass.mass : 0;
}

/* (B1) */
static double pair_friction(double a, double b)
{
    if (isfinite(a) && isfinite(b)) return sqrt(a * b);
    if (isfinite(a)) return a;
    return isfinite(b) ? b : ROUGH_ON_ROUGH;
}

static rp_vec3 velocity_at(const rp_engine *engine, int body, const dReal *at)
{
    dVector3 v = {0, 0, 0};
    if (body >= 0 && engine->solids[body].body)
        dBodyGetPointVel(engine->solids[body].body, at[0], at[1], at[2], v);
    return rp_ode_vec3(v);
}

/* How a surface moves along itself beyond what the engine knows of its body: the belt, and the
 * motion of a plane, which has no body. */
static rp_vec3 running_at(const rp_engine *engine, int body, const dReal *at, rp_vec3 normal)
{
    if (body < 0) return rp_v3(0, 0, 0);
    const rp_body_state *state = &engine->start[body];
    rp_pose pose = rp_state_pose(state);
    rp_vec3 v = rp_quat_rotate(pose.orientation, rp_scene_bodies(engine->scene)[body].belt);
    if (!engine->solids[body].body) {
        rp_vec3 arm = rp_v3_sub(rp_ode_vec3(at), pose.position);
        v = rp_v3_add(v, rp_v3_add(rp_v3_from(state->velocity),
                                   rp_v3_cross(rp_v3_from(state->angular_velocity), arm)));
    }
    return rp_v3_madd(v, -rp_v3_dot(v, normal), normal);
}

static void set_axis(dContact *contact, rp_vec3 along)
{
    const double axis[3] = {along.x, along.y, along.z};
    contact->surface.mode |= dContactFDir1;
    memcpy(contact->fdir1, axis, sizeof axis);
}

/* (B2a): friction holds the bodies at `running` against each other, the first minus the second. The
 * engine wants it along its two axes of friction, the second of which is the normal times the
 * first; of a contact whose first has no body, normal and velocities are the other way round. */
static void set_running(const rp_engine *engine, int first, rp_vec3 running, dContact *contact)
{
    if (!(contact->surface.mode & dContactFDir1)) set_axis(contact, rp_v3_normalized(running));
    bool turned = first < 0 || !engine->solids[first].body;
    rp_vec3 v = rp_v3_scale(running, turned ? -1 : 1);
    rp_vec3 normal = rp_v3_scale(rp_ode_vec3(contact->geom.normal), turned ? -1 : 1);
    rp_vec3 axis = rp_v3(contact->fdir1[0], contact->fdir1[1], contact->fdir1[2]);
    contact->surface.mode |= dContactMotion1 | dContactMotion2;
    contact->surface.motion1 = rp_v3_dot(v, axis);
    contact->surface.motion2 = rp_v3_dot(v, rp_v3_cross(normal, axis));
}

static void surface_of(const rp_engine *engine, int first, int second, dContact *contact)
{
    const dReal *at = contact->geom.pos;
    rp_vec3 normal = rp_ode_vec3(contact->geom.normal);
    rp_vec3 running =
        rp_v3_sub(running_at(engine, second, at, normal), running_at(engine, first, at, normal));
    rp_vec3 slip = rp_v3_sub(velocity_at(engine, first, at), velocity_at(engine, second, at));
    double closing = -rp_v3_dot(slip, normal);
    slip = rp_v3_sub(rp_v3_madd(slip, closing, normal), running);
    double threshold = LEAST_BOUNCE + 2 * rp_v3_length(engine->gravity) * engine->dt;
    double bounce = sqrt(restitution_of(engine, first) * restitution_of(engine, second));
    double soft = SOFT * engine->dt * (lightness_of(engine, first) + lightness_of(engine, second));
    contact->surface.mode = dContactApprox1 | dContactSoftCFM | dContactSlip1 | dContactSlip2;
    contact->surface.soft_cfm = contact->surface.slip1 = contact->surface.slip2 = soft;
    contact->surface.mu = pair_friction(friction_of(engine, first), friction_of(engine, second));
    if (bounce > 0 && closing > threshold) {
        contact->surface.mode |= dContactBounce;
        contact->surface.bounce = bounce;
        contact->surface.bounce_vel = threshold;
    }
    /* The engine's friction is a square; with one axis along the slip it acts against it in full,
     * and across it not at all. */
    double speed = rp_v3_length(slip);
    if (speed > threshold) set_axis(contact, rp_v3_scale(slip, 1 / speed));
    if (rp_v3_length(running) > 0) set_running(engine, first, running, contact);
}

/* A surface that no dynamic body behind it moves, and that moves there. */
static bool carries(const rp_engine *engine, int body, const dContactGeom *geom)
{
    if (rp_is_dynamic(engine, body)) return false;
    rp_vec3 v = running_at(engine, body, geom->pos, rp_ode_vec3(geom->normal));
    return rp_v3_length(rp_v3_add(v, velocity_at(engine, body, geom->pos))) > 0;
}

static void keep(rp_engine *engine, int first, int second, const dContactGeom *geom)
{
    size_t count = engine->found_count;
    if (!rp_reserve((void **)&engine->found, &engine->found_capacity, count, count + 1,
                    sizeof *engine->found) ||
        !rp_reserve((void **)&engine->meetings, &engine->meeting_capacity, count, count + 1,
                    sizeof *engine->meetings)) {
        engine->short_of_memory = true;
        return;
    }
    dContact *contact = &engine->found[count];
    memset(contact, 0, sizeof *contact);
    contact->geom = *geom;
    surface_of(engine, first, second, contact);
    bool carried = carries(engine, first, geom) || carries(engine, second, geom);
    engine->meetings[count] =
        (rp_meeting){.first = first, .second = second, .carried = carried, .number = count};
    engine->found_count++;
}

static bool has_triangles(dGeomID geom)
{
    return dGeomGetClass(geom) == dTriMeshClass;
}

static rp_pose pose_of(const rp_engine *engine, int body)
{
    return rp_state_pose(&engine->start[body]);
}

/* Where to keep a contact of that depth: at the end, or, where it is full, in place of the
 * shallowest; -1 when that is no less deep. */
static int place_for(const dContactGeom *best, int count, double depth)
{
    if (count < CONTACTS) return count;
    int place = 0;
    for (int k = 1; k < CONTACTS; k++)
        if (best[k].depth < best[place].depth) place = k;
    return best[place].depth < depth ? place : -1;
}

/* The deepest corners of `corners` inside `field`: contacts that push `corners` out along the
 * field's normal. `swap` when the pair's first is the field. */
static void corners_in_field(rp_engine *engine, int corners, int field, bool swap)
{
    const rp_solid *solid = &engine->solids[corners];
    const rp_body_spec *specs = rp_scene_bodies(engine->scene);
    const rp_mesh *mesh = solid->made ? solid->made : specs[corners].shape.mesh;
    const rp_shape *shape = &specs[field].shape;
    rp_pose from = pose_of(engine, corners), to = pose_of(engine, field);
    rp_box3 bounds = rp_shape_bounds(shape);
    dContactGeom best[CONTACTS];
    int count = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        rp_vec3 at = rp_pose_to_world(from, mesh->vertices[v]), local = rp_pose_to_local(to, at), n;
        rp_vec3 out = rp_v3_max(rp_v3_sub(bounds.low, local), rp_v3_sub(local, bounds.high));
        if (out.x > 0 || out.y > 0 || out.z > 0) continue;
        double depth = -rp_shape_distance(shape, local, &n);
        if (depth < 0) continue;
        n = rp_v3_scale(rp_quat_rotate(to.orientation, n), swap ? -1 : 1);
        int place = place_for(best, count, depth);
        if (place < 0) continue;
        if (place == count) count++;
        best[place] = (dContactGeom){.pos = {at.x, at.y, at.z},
                                     .normal = {n.x, n.y, n.z},
                                     .depth = depth,
                                     .g1 = engine->solids[swap ? field : corners].geom,
                                     .g2 = engine->solids[swap ? corners : field].geom};
    }
    for (int k = 0; k < count; k++)
        keep(engine, swap ? field : corners, swap ? corners : field, &best[k]);
}

static void meet(void *context, dGeomID a, dGeomID b)
{
    if (body_of(a) < body_of(b)) { /* always the same way round, walls last */
        dGeomID other = a;
        a = b;
        b = other;
    }
    rp_engine *engine = context;
    int first = body_of(a), second = body_of(b);
    if (!rp_is_dynamic(engine, first) && !rp_is_dynamic(engine, second)) return;
    dBodyID one = dGeomGetBody(a), two = dGeomGetBody(b);
    if (one && two && dAreConnectedExcluding(one, two, dJointTypeContact)) return;
    if (has_triangles(a) && has_triangles(b)) {
        corners_in_field(engine, first, second, false);
        corners_in_field(engine, second, first, true);
        return;
    }
    dContactGeom found[CONTACTS];
    int count = dCollide(a, b, CONTACTS, found, sizeof *found);
    for (int i = 0; i < count; i++)
        keep(engine, first, second, &found[i]);
}

static int by_bodies(const void *a, const void *b)
{
    const rp_meeting *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

rp_code rp_engine_collide(rp_engine *engine, rp_report *report)
{
    dJointGroupEmpty(engine->contacts);
    engine->found_count = 0;
    engine->short_of_memory = false;
    dSpaceCollide(engine->space, engine, meet);
    if (engine->short_of_memory)
        return rp_fail_memory(report, engine->found_count * sizeof *engine->found,
                              "contacts of bodies");
    /* The order in which pairs are found depends on the steps before; results must not. */
    if (engine->found_count)
        qsort(engine->meetings, engine->found_count, sizeof *engine->meetings, by_bodies);
    for (size_t n = 0; n < engine->found_count; n++) {
        const dContact *contact = &engine->found[engine->meetings[n].number];
        dJointID joint = dJointCreateContact(engine->world, engine->contacts, contact);
        dJointSetFeedback(joint, &engine->meetings[n].force);
        dJointAttach(joint, dGeomGetBody(contact->geom.g1), dGeomGetBody(contact->geom.g2));
    }
    return RP_OK;
}
