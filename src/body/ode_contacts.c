/* Contacts between bodies: every shape becomes an ODE geometry, every contact a joint of one step.
 * Two meshes are a special case: ODE's contacts let stacks of them sink, so the vertices of each
 * are looked up in the signed distance field of the other. */
#include "base/memory.h"
#include "base/report.h"
#include "body/ode.h"

#include <stdlib.h>
#include <string.h>

/* Contacts of a pair, at most. */
#define CONTACTS 32
/* Segments of cones and funnels, which ODE knows only as triangles. */
#define SEGMENTS 48
/* Friction of two rough surfaces: rough describes sand on a surface, not solids. */
#define ROUGH_ON_ROUGH 1.0
/* Compliance of contacts (constraint force mixing), as a fraction of the bodies' own mobility:
 * invisible, and enough to make the many contacts of a flat face a regular system. */
#define COMPLIANCE 1e-6
/* Approach speed below which nothing bounces, m/s, besides what gravity adds in two steps. */
#define BOUNCE_SPEED_LEAST 0.01

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

/* Returns the body of a geometry; -1 - side for walls of the domain. */
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
static double inverse_mass_of(const rp_engine *engine, int body)
{
    return rp_is_dynamic(engine, body) ? 1 / engine->solids[body].mass.mass : 0;
}

/* (B1): geometric mean; rough counts as the other surface's friction. */
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

/* Returns the tangential velocity of a surface that ODE does not know from its body: that of a
 * belt, and the motion of a plane, which has no body in ODE. */
static rp_vec3 surface_velocity_at(const rp_engine *engine, int body, const dReal *at,
                                   rp_vec3 normal)
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

static void set_friction_axis(dContact *contact, rp_vec3 along)
{
    const double axis[3] = {along.x, along.y, along.z};
    contact->surface.mode |= dContactFDir1;
    memcpy(contact->fdir1, axis, sizeof axis);
}

/* (B2a): friction drives the pair towards the relative velocity `surface_motion`, the first minus
 * the second. ODE takes its components along two axes, the second of which is the normal times the
 * first; where the first body of a contact has no ODE body, normal and velocities are reversed. */
static void set_surface_motion(const rp_engine *engine, int first, rp_vec3 surface_motion,
                               dContact *contact)
{
    if (!(contact->surface.mode & dContactFDir1))
        set_friction_axis(contact, rp_v3_normalized(surface_motion));
    bool turned = first < 0 || !engine->solids[first].body;
    rp_vec3 v = rp_v3_scale(surface_motion, turned ? -1 : 1);
    rp_vec3 normal = rp_v3_scale(rp_ode_vec3(contact->geom.normal), turned ? -1 : 1);
    rp_vec3 axis = rp_v3(contact->fdir1[0], contact->fdir1[1], contact->fdir1[2]);
    contact->surface.mode |= dContactMotion1 | dContactMotion2;
    contact->surface.motion1 = rp_v3_dot(v, axis);
    contact->surface.motion2 = rp_v3_dot(v, rp_v3_cross(normal, axis));
}

/* Sets friction, compliance and restitution of a contact. */
static void set_surface(const rp_engine *engine, int first, int second, dContact *contact)
{
    const dReal *at = contact->geom.pos;
    rp_vec3 normal = rp_ode_vec3(contact->geom.normal);
    rp_vec3 surface_motion = rp_v3_sub(surface_velocity_at(engine, second, at, normal),
                                       surface_velocity_at(engine, first, at, normal));
    rp_vec3 slip = rp_v3_sub(velocity_at(engine, first, at), velocity_at(engine, second, at));
    double closing = -rp_v3_dot(slip, normal);
    slip = rp_v3_sub(rp_v3_madd(slip, closing, normal), surface_motion);
    double threshold = BOUNCE_SPEED_LEAST + 2 * rp_v3_length(engine->gravity) * engine->dt;
    double bounce = sqrt(restitution_of(engine, first) * restitution_of(engine, second));
    double compliance = COMPLIANCE * engine->dt *
                        (inverse_mass_of(engine, first) + inverse_mass_of(engine, second));
    contact->surface.mode = dContactApprox1 | dContactSoftCFM | dContactSlip1 | dContactSlip2;
    contact->surface.soft_cfm = contact->surface.slip1 = contact->surface.slip2 = compliance;
    contact->surface.mu = pair_friction(friction_of(engine, first), friction_of(engine, second));
    /* Restitution only above the threshold, so that bodies come to rest. */
    if (bounce > 0 && closing > threshold) {
        contact->surface.mode |= dContactBounce;
        contact->surface.bounce = bounce;
        contact->surface.bounce_vel = threshold;
    }
    /* (B2) ODE's friction is a pyramid. With one axis along the slip it acts against the motion
     * with its full size, and not across it. */
    double speed = rp_v3_length(slip);
    if (speed > threshold) set_friction_axis(contact, rp_v3_scale(slip, 1 / speed));
    if (rp_v3_length(surface_motion) > 0)
        set_surface_motion(engine, first, surface_motion, contact);
}

/* True when a surface that does not belong to a dynamic body moves at the contact. */
static bool is_conveying(const rp_engine *engine, int body, const dContactGeom *geom)
{
    if (rp_is_dynamic(engine, body)) return false;
    rp_vec3 v = surface_velocity_at(engine, body, geom->pos, rp_ode_vec3(geom->normal));
    return rp_v3_length(rp_v3_add(v, velocity_at(engine, body, geom->pos))) > 0;
}

/* Adds a contact to the list of the step. */
static void add_contact(rp_engine *engine, int first, int second, const dContactGeom *geom)
{
    size_t count = engine->found_count;
    if (!rp_reserve((void **)&engine->found, &engine->found_capacity, count, count + 1,
                    sizeof *engine->found) ||
        !rp_reserve((void **)&engine->body_contacts, &engine->body_contact_capacity, count,
                    count + 1, sizeof *engine->body_contacts)) {
        engine->short_of_memory = true;
        return;
    }
    dContact *contact = &engine->found[count];
    memset(contact, 0, sizeof *contact);
    contact->geom = *geom;
    set_surface(engine, first, second, contact);
    bool conveyed = is_conveying(engine, first, geom) || is_conveying(engine, second, geom);
    engine->body_contacts[count] =
        (rp_body_contact){.first = first, .second = second, .conveyed = conveyed, .number = count};
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

/* Returns the slot for a contact of that depth: at the end, or, where the list is full, in place of
 * the shallowest; -1 when that is no shallower. */
static int slot_for(const dContactGeom *best, int count, double depth)
{
    if (count < CONTACTS) return count;
    int place = 0;
    for (int k = 1; k < CONTACTS; k++)
        if (best[k].depth < best[place].depth) place = k;
    return best[place].depth < depth ? place : -1;
}

/* Finds the deepest vertices of one mesh inside the signed distance field of another: contacts that
 * push the vertices out along the gradient. `swap`: the first body of the pair is that of the
 * field. */
static void vertices_in_sdf(rp_engine *engine, int vertices_of, int sdf_of, bool swap)
{
    const rp_solid *solid = &engine->solids[vertices_of];
    const rp_body_spec *specs = rp_scene_bodies(engine->scene);
    const rp_mesh *mesh = solid->made ? solid->made : specs[vertices_of].shape.mesh;
    const rp_shape *shape = &specs[sdf_of].shape;
    rp_pose from = pose_of(engine, vertices_of), to = pose_of(engine, sdf_of);
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
        int place = slot_for(best, count, depth);
        if (place < 0) continue;
        if (place == count) count++;
        best[place] = (dContactGeom){.pos = {at.x, at.y, at.z},
                                     .normal = {n.x, n.y, n.z},
                                     .depth = depth,
                                     .g1 = engine->solids[swap ? sdf_of : vertices_of].geom,
                                     .g2 = engine->solids[swap ? vertices_of : sdf_of].geom};
    }
    for (int k = 0; k < count; k++)
        add_contact(engine, swap ? sdf_of : vertices_of, swap ? vertices_of : sdf_of, &best[k]);
}

/* Called by ODE for each pair of geometries whose bounding boxes overlap. */
static void collide_pair(void *context, dGeomID a, dGeomID b)
{
    if (body_of(a) < body_of(b)) { /* a fixed order of the pair, walls last */
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
        vertices_in_sdf(engine, first, second, false);
        vertices_in_sdf(engine, second, first, true);
        return;
    }
    dContactGeom found[CONTACTS];
    int count = dCollide(a, b, CONTACTS, found, sizeof *found);
    for (int i = 0; i < count; i++)
        add_contact(engine, first, second, &found[i]);
}

static int by_bodies(const void *a, const void *b)
{
    const rp_body_contact *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

rp_code rp_engine_collide(rp_engine *engine, rp_report *report)
{
    dJointGroupEmpty(engine->contacts);
    engine->found_count = 0;
    engine->short_of_memory = false;
    dSpaceCollide(engine->space, engine, collide_pair);
    if (engine->short_of_memory)
        return rp_fail_memory(report, engine->found_count * sizeof *engine->found,
                              "contacts of bodies");
    /* ODE finds pairs in an order that depends on earlier steps; the order of contacts must not,
     * since it affects rounding. */
    if (engine->found_count)
        qsort(engine->body_contacts, engine->found_count, sizeof *engine->body_contacts, by_bodies);
    for (size_t n = 0; n < engine->found_count; n++) {
        const dContact *contact = &engine->found[engine->body_contacts[n].number];
        dJointID joint = dJointCreateContact(engine->world, engine->contacts, contact);
        dJointSetFeedback(joint, &engine->body_contacts[n].force);
        dJointAttach(joint, dGeomGetBody(contact->geom.g1), dGeomGetBody(contact->geom.g2));
    }
    return RP_OK;
}
