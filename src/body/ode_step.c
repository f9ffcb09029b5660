/* Steps of rigid bodies by the Open Dynamics Engine (ODE); docs/theory/bodies.md (B1 …). ODE
 * reports errors through global handlers and may end the program: all calls that can do so are
 * guarded here. The engine has no memory: every step sets poses, velocities, masses and forces
 * again, so that a step can be repeated with other loads and a resumed run has the same bits. */
#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "body/ode.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* Systems of up to so many constraint rows are solved exactly (Dantzig's LCP solver, cubic time);
 * larger ones iteratively, by so many sweeps of projected Gauss-Seidel. */
#define EXACT_ROWS 160
#define SWEEPS 80
/* Allowed penetration of contacts, as a fraction of the smallest body, so that contacts persist
 * from step to step. */
#define SKIN 2e-3
/* Speed limit of the correction of overlaps, in units of the speed of a fall through the smallest
 * body. */
#define CORRECTION_SPEED 1.0

/* ODE has one random generator and one set of handlers for the whole process. */
static rp_lock ode_lock;
static rp_once initialized;
static _Thread_local char last_error[256];
static _Thread_local bool is_unreliable; /* the exact solver reported a singular system */

static _Thread_local jmp_buf escape;
static _Thread_local bool stepping; /* a jump to `escape` is allowed */

/* ODE ends the program when an error handler returns. Its exact solver calls the handler for
 * singular systems: then the step is abandoned by a long jump, and repeated with the iterative
 * solver. */
static void on_error(int number, const char *format, va_list arguments)
{
    (void)number;
    vsnprintf(last_error, sizeof last_error, format, arguments);
    if (stepping) longjmp(escape, 1);
}

static void on_message(int number, const char *format, va_list arguments)
{
    (void)number, (void)format, (void)arguments;
    is_unreliable = true;
}

static void initialize(void)
{
    dInitODE2(0);
    dSetErrorHandler(on_error);
    dSetDebugHandler(on_error);
    dSetMessageHandler(on_message);
}

bool rp_engine_is_there(void)
{
    return true;
}

static double smallest_body(const rp_scene *scene)
{
    double least = INFINITY;
    for (int i = 0; i < scene->bodies.count; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        if (spec->motion == RP_MOTION_DYNAMIC) least = fmin(least, rp_shape_extent(&spec->shape));
    }
    return isfinite(least) ? least : 1;
}

static void set_world_params(rp_engine *engine)
{
    double size = smallest_body(engine->scene);
    double gravity = fmax(rp_scene_gravity_max(engine->scene), 1);
    dWorldSetGravity(engine->world, 0, 0, 0); /* gravity is added as a force, with the true mass */
    dWorldSetERP(engine->world, 0.2);
    dWorldSetCFM(engine->world, 1e-10);
    dWorldSetContactSurfaceLayer(engine->world, SKIN * size);
    dWorldSetContactMaxCorrectingVel(engine->world, CORRECTION_SPEED * sqrt(2 * gravity * size));
    dWorldSetQuickStepNumIterations(engine->world, SWEEPS);
    dWorldSetAutoDisableFlag(engine->world, 0);
}

/* Computes mass, centre and inertia from the shape; a given mass scales both. */
static rp_mass mass_of(const rp_body_spec *spec)
{
    rp_mass mass;
    rp_shape_mass(&spec->shape, spec->density > 0 ? spec->density : 1, &mass);
    if (!(spec->mass > 0)) return mass;
    double factor = spec->mass / mass.mass;
    mass.mass = spec->mass;
    for (int k = 0; k < 6; k++)
        mass.inertia[k] *= factor;
    return mass;
}

/* ODE would end the program over such a mass. */
static rp_code check_mass(const rp_body_spec *spec, const rp_mass *mass, rp_report *report)
{
    if (rp_mass_is_sound(mass)) return RP_OK;
    const double *i = mass->inertia;
    return rp_fail(
        report, RP_ERROR_INPUT,
        "body '%s' cannot move: its mass is %.3g kg and its moments of inertia are %.3g, "
        "%.3g and %.3g kg m2; is its mesh a flat or broken solid?",
        spec->name, mass->mass, i[0], i[1], i[2]);
}

static rp_code add_body(rp_engine *engine, int i, rp_report *report)
{
    const rp_body_spec *spec = &rp_scene_bodies(engine->scene)[i];
    rp_solid *solid = &engine->solids[i];
    rp_drive drive = (rp_drive)engine->host.drives[i];
    if (drive == RP_DRIVE_ABSENT) return RP_OK;
    if (drive != RP_DRIVE_FIXED && spec->shape.kind != RP_SHAPE_PLANE) {
        solid->body = dBodyCreate(engine->world);
        if (!solid->body) return rp_fail_memory(report, sizeof(dMass), "rigid bodies");
        dBodySetFiniteRotationMode(solid->body, 1);
    }
    if (spec->motion == RP_MOTION_DYNAMIC) {
        solid->mass = mass_of(spec);
        RP_TRY(check_mass(spec, &solid->mass, report));
        rp_solid_set_mass(solid, solid->mass.mass, solid->mass.inertia);
    }
    if (solid->body && drive != RP_DRIVE_DYNAMIC) dBodySetKinematic(solid->body);
    return rp_engine_add_geom(engine, i, report);
}

static rp_code create_parts(rp_engine *engine, rp_report *report)
{
    engine->world = dWorldCreate();
    engine->space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ);
    engine->contacts = dJointGroupCreate(0);
    if (!engine->world || !engine->space || !engine->contacts)
        return rp_fail_memory(report, sizeof *engine, "the rigid-body engine");
    set_world_params(engine);
    rp_code code = RP_OK;
    for (int i = 0; i < engine->count && code == RP_OK; i++)
        code = add_body(engine, i, report);
    RP_TRY(code);
    rp_engine_add_walls(engine);
    rp_engine_place(engine);
    return rp_engine_add_joints(engine, report);
}

/* Arrays that live as long as the engine. */
enum { SOLIDS, STATES, JOINTS, JOINT_FORCES, BROKEN };

static size_t bytes_of(const rp_engine *engine, int which)
{
    size_t bodies = (size_t)engine->count, joints = (size_t)engine->joint_count;
    const size_t all[] = {bodies * sizeof *engine->solids, bodies * sizeof *engine->start,
                          joints * sizeof *engine->joints, joints * sizeof *engine->joint_forces,
                          joints * sizeof *engine->broken};
    return all[which];
}

rp_code rp_engine_create(const rp_engine_host *host, const rp_body_state *states,
                         const uint8_t *broken, rp_engine **out, rp_report *report)
{
    *out = NULL;
    rp_once_run(&initialized, initialize);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    rp_engine *engine = rp_allocate_zero(sizeof *engine);
    if (!engine) return rp_fail_memory(report, sizeof *engine, "the rigid-body engine");
    engine->host = *host;
    engine->scene = host->scene;
    engine->source.scene = host->scene;
    engine->count = host->scene->bodies.count;
    engine->joint_count = host->scene->joints.count;
    engine->solids = rp_allocate_zero(bytes_of(engine, SOLIDS));
    engine->start = rp_allocate_zero(bytes_of(engine, STATES));
    engine->joints = rp_allocate_zero(bytes_of(engine, JOINTS));
    engine->joint_forces = rp_allocate_zero(bytes_of(engine, JOINT_FORCES));
    engine->broken = rp_allocate_zero(bytes_of(engine, BROKEN));
    rp_code code = RP_ERROR_MEMORY;
    if (engine->solids && engine->start && engine->joints && engine->joint_forces &&
        engine->broken) {
        memcpy(engine->start, states, bytes_of(engine, STATES));
        if (broken) memcpy(engine->broken, broken, bytes_of(engine, BROKEN));
        code = create_parts(engine, report);
    } else {
        rp_fail_memory(report, bytes_of(engine, SOLIDS), "the rigid-body engine");
    }
    if (code == RP_OK)
        *out = engine;
    else
        rp_engine_destroy(engine);
    return code;
}

void rp_engine_destroy(rp_engine *engine)
{
    if (!engine) return;
    if (engine->contacts) dJointGroupDestroy(engine->contacts);
    if (engine->space) dSpaceDestroy(engine->space);
    if (engine->world) dWorldDestroy(engine->world);
    for (int i = 0; engine->solids && i < engine->count; i++) {
        if (engine->solids[i].triangles) dGeomTriMeshDataDestroy(engine->solids[i].triangles);
        rp_mesh_destroy(engine->solids[i].made);
    }
    rp_release(engine->found, engine->found_capacity * sizeof *engine->found);
    rp_release(engine->body_contacts,
               engine->body_contact_capacity * sizeof *engine->body_contacts);
    rp_release(engine->solids, bytes_of(engine, SOLIDS));
    rp_release(engine->start, bytes_of(engine, STATES));
    rp_release(engine->joints, bytes_of(engine, JOINTS));
    rp_release(engine->joint_forces, bytes_of(engine, JOINT_FORCES));
    rp_release(engine->broken, bytes_of(engine, BROKEN));
    rp_release(engine, sizeof *engine);
}

static void apply_sleep(rp_engine *engine, const double *rest_time)
{
    for (int i = 0; i < engine->count; i++) {
        if (!rp_is_dynamic(engine, i)) continue;
        if (rest_time[i] > RP_BODY_SLEEP_TIME)
            dBodyDisable(engine->solids[i].body);
        else
            dBodyEnable(engine->solids[i].body);
    }
}

/* Wakes bodies on a conveying surface: they are not at rest, however slow they are. */
static void wake_conveyed(const rp_engine *engine, double *rest_time)
{
    for (size_t n = 0; n < engine->found_count; n++) {
        const rp_body_contact *contact_pair = &engine->body_contacts[n];
        const int both[2] = {contact_pair->first, contact_pair->second};
        for (int k = 0; k < 2 && contact_pair->conveyed; k++) {
            if (!rp_is_dynamic(engine, both[k]) || !isfinite(rest_time[both[k]])) continue;
            rest_time[both[k]] = 0;
            dBodyEnable(engine->solids[both[k]].body);
        }
    }
}

void rp_engine_set_gravity(rp_engine *engine, const rp_gravity *gravity)
{
    engine->source = *gravity;
}

/* Poses, joints, sleep and contacts of a step; velocities are predicted afterwards. */
rp_code rp_engine_begin(rp_engine *engine, const rp_body_state *states, double *rest_time,
                        double time, double dt, rp_report *report)
{
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    engine->time = time;
    engine->dt = dt;
    engine->gravity = rp_gravity_at(&engine->source, time + dt / 2);
    memcpy(engine->start, states, bytes_of(engine, STATES));
    rp_engine_place(engine);
    /* Joints let go at their time; motors and limits get their present values. */
    rp_engine_release_joints(engine, rest_time);
    rp_engine_set_joint_params(engine);
    apply_sleep(engine, rest_time);
    rp_code code = rp_engine_collide(engine, report);
    if (code == RP_OK) wake_conveyed(engine, rest_time);
    return code;
}

static int rows_of(const rp_engine *engine)
{
    int rows = 3 * (int)engine->found_count;
    for (int i = 0; i < engine->joint_count; i++)
        rows += engine->joints[i] ? 6 : 0;
    return rows;
}

/* ODE ends the program over numbers that are not finite: they are caught before. */
static rp_code check_loads(const rp_engine *engine, const rp_load *loads,
                           const rp_body_state *states, rp_report *report)
{
    for (int i = 0; i < engine->count; i++) {
        const rp_body_state *s = &states[i];
        double sum = 0;
        for (int a = 0; a < 3; a++)
            sum += s->force[a] + s->torque[a] + s->velocity[a] + s->angular_velocity[a];
        if (loads)
            sum += rp_v3_dot(loads[i].force, loads[i].torque) + loads[i].mass + loads[i].second[0] +
                   loads[i].second[1] + loads[i].second[2];
        if (!isfinite(sum))
            return rp_fail(report, RP_ERROR_NUMERIC,
                           "at %.6g s a force on body '%s', or its velocity, is not finite",
                           engine->time, rp_scene_bodies(engine->scene)[i].name);
    }
    return RP_OK;
}

/* Takes one step of ODE; false when it failed. */
static bool step_once(rp_engine *engine, bool exact)
{
    int stepped = 0;
    stepping = true;
    if (setjmp(escape) == 0)
        stepped = exact ? dWorldStep(engine->world, engine->dt)
                        : dWorldQuickStep(engine->world, engine->dt);
    stepping = false;
    return stepped != 0;
}

static rp_code step_world(rp_engine *engine, bool exact, rp_report *report)
{
    last_error[0] = 0;
    is_unreliable = false;
    rp_lock_take(&ode_lock);
    dRandSetSeed(1);
    bool stepped = step_once(engine, exact);
    rp_lock_give(&ode_lock);
    if (!stepped && exact) is_unreliable = true;
    if (stepped || is_unreliable) return RP_OK;
    return rp_fail(report, RP_ERROR_NUMERIC, "at %.6g s the rigid-body engine fails: %s",
                   engine->time, last_error[0] ? last_error : "out of memory");
}

/* Converts ODE's velocity of the centre of mass to that of the body's origin. */
static void read_velocity(const rp_solid *solid, rp_vec3 middle, rp_body_state *state)
{
    rp_vec3 w = rp_ode_vec3(dBodyGetAngularVel(solid->body));
    rp_vec3 v = rp_v3_sub(rp_ode_vec3(dBodyGetLinearVel(solid->body)), rp_v3_cross(w, middle));
    const double velocity[3] = {v.x, v.y, v.z}, spin[3] = {w.x, w.y, w.z};
    memcpy(state->velocity, velocity, sizeof velocity);
    memcpy(state->angular_velocity, spin, sizeof spin);
}

/* Sets up and takes a step, exactly where the system is small, iteratively where it is large or the
 * exact solver failed. Without loads the forces in `states` are used. */
static rp_code load_and_step(rp_engine *engine, const rp_load *loads, const rp_body_state *states,
                             rp_report *report)
{
    bool exact = rows_of(engine) <= EXACT_ROWS;
    RP_TRY(check_loads(engine, loads, states, report));
    rp_engine_load(engine, loads, states);
    rp_code code = step_world(engine, exact, report);
    if (code != RP_OK || !exact || !is_unreliable) return code;
    rp_engine_load(engine, loads, states);
    return step_world(engine, false, report);
}

/* Predicts velocities under given loads: a full step of which only the velocities are kept. */
rp_code rp_engine_predict(rp_engine *engine, const rp_load *loads, rp_body_state *states,
                          rp_report *report)
{
    rp_code code = load_and_step(engine, loads, states, report);
    for (int i = 0; i < engine->count; i++) {
        if (!rp_is_dynamic(engine, i)) continue;
        const rp_solid *solid = &engine->solids[i];
        read_velocity(solid, solid->middle, &states[i]);
        rp_solid_set_mass(solid, solid->mass.mass, solid->mass.inertia);
    }
    return code;
}

static void read_pose(const rp_solid *solid, rp_body_state *state)
{
    memcpy(state->orientation, dBodyGetQuaternion(solid->body), sizeof state->orientation);
    rp_quat orientation = rp_state_pose(state).orientation;
    rp_vec3 centre = rp_quat_rotate(orientation, solid->mass.centre);
    rp_vec3 at = rp_v3_sub(rp_ode_vec3(dBodyGetPosition(solid->body)), centre);
    const double position[3] = {at.x, at.y, at.z};
    memcpy(state->position, position, sizeof position);
    read_velocity(solid, centre, state);
}

static bool is_asleep(const rp_engine *engine, int body)
{
    return rp_is_dynamic(engine, body) && !dBodyIsEnabled(engine->solids[body].body);
}

/* Adds the reaction of a contact or joint to a body; ODE gives torques about the centre of mass,
 * states hold them about the origin. */
static void add_reaction(const rp_engine *engine, int body, const dReal *force, const dReal *torque,
                         rp_body_state *states)
{
    if (!rp_is_dynamic(engine, body) || is_asleep(engine, body)) return;
    rp_quat orientation = rp_state_pose(&engine->start[body]).orientation;
    rp_vec3 centre = rp_quat_rotate(orientation, engine->solids[body].mass.centre);
    rp_vec3 f = rp_ode_vec3(force);
    rp_vec3 t = rp_v3_add(rp_ode_vec3(torque), rp_v3_cross(centre, f));
    const double forces[3] = {f.x, f.y, f.z}, torques[3] = {t.x, t.y, t.z};
    for (int a = 0; a < 3; a++) {
        states[body].contact_force[a] += forces[a];
        states[body].contact_torque[a] += torques[a];
    }
}

/* In ODE the only body of a joint is always its first one. */
static void add_pair(const rp_engine *engine, int first, int second, const dJointFeedback *f,
                     rp_body_state *states)
{
    if (first < 0 || !engine->solids[first].body) {
        add_reaction(engine, second, f->f1, f->t1, states);
        return;
    }
    add_reaction(engine, first, f->f1, f->t1, states);
    add_reaction(engine, second, f->f2, f->t2, states);
}

static void read_reactions(const rp_engine *engine, rp_body_state *states)
{
    for (int i = 0; i < engine->count; i++) {
        if (is_asleep(engine, i)) continue; /* its last reaction still holds */
        memset(states[i].contact_force, 0, sizeof states[i].contact_force);
        memset(states[i].contact_torque, 0, sizeof states[i].contact_torque);
    }
    for (size_t n = 0; n < engine->found_count; n++) {
        const rp_body_contact *contact_pair = &engine->body_contacts[n];
        add_pair(engine, contact_pair->first, contact_pair->second, &contact_pair->force, states);
    }
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (engine->joints[i])
            add_pair(engine, spec->body, spec->other, &engine->joint_forces[i], states);
    }
}

/* Takes the step for good, with true masses and the final forces of the grains (B5). */
rp_code rp_engine_finish(rp_engine *engine, rp_body_state *states, rp_report *report)
{
    rp_code code = load_and_step(engine, NULL, states, report);
    for (int i = 0; i < engine->count; i++)
        if (rp_is_dynamic(engine, i)) read_pose(&engine->solids[i], &states[i]);
    read_reactions(engine, states);
    rp_engine_read_joint_loads(engine);
    rp_engine_break_joints(engine);
    return code;
}

void rp_engine_read_joint(rp_engine *engine, const rp_body_state *states, int joint,
                          double *position, double *rate)
{
    memcpy(engine->start, states, bytes_of(engine, STATES));
    rp_engine_place(engine);
    rp_joint_motion_of(engine, joint, position, rate);
}

const uint8_t *rp_engine_broken(const rp_engine *engine)
{
    return engine->broken;
}

rp_mass rp_engine_mass(const rp_engine *engine, int body)
{
    return engine->solids[body].mass;
}
