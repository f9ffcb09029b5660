/* What a step of ODE starts from: poses, masses and forces. Grains that a body holds are added to
 * its mass, so that the coupling iteration (B3) converges; docs/theory/bodies.md. */
#include "body/ode.h"

#include <string.h>

/* Tolerance of positive definiteness, relative to the trace. */
#define ROUNDING 1e-12

/* True when ODE accepts this inertia tensor (Sylvester's criterion): it ends the program over one
 * that is not positive definite, as rounding leaves that of grains in a row. */
static bool is_positive(const double i[6])
{
    double xx = i[0], minor = i[0] * i[1] - i[3] * i[3];
    double all = i[0] * (i[1] * i[2] - i[5] * i[5]) - i[3] * (i[3] * i[2] - i[5] * i[4]) +
                 i[4] * (i[3] * i[5] - i[1] * i[4]);
    double size = i[0] + i[1] + i[2];
    return xx > ROUNDING * size && minor > ROUNDING * size * size &&
           all > ROUNDING * size * size * size;
}

/* A tensor that is not positive definite is replaced by its trace times the identity, which is an
 * upper bound. */
void rp_solid_set_mass(const rp_solid *solid, double mass, const double inertia[6])
{
    double trace = inertia[0] + inertia[1] + inertia[2];
    const double round[6] = {trace, trace, trace, 0, 0, 0};
    if (!is_positive(inertia)) inertia = round;
    dMass m;
    dMassSetParameters(&m, mass, 0, 0, 0, inertia[0], inertia[1], inertia[2], inertia[3],
                       inertia[4], inertia[5]);
    dBodySetMass(solid->body, &m);
}

/* Places ODE's centre of mass at an arm from the body's origin, in the world's axes, and sets its
 * velocity accordingly. */
static void place_centre(rp_engine *engine, int i, rp_vec3 arm)
{
    rp_solid *solid = &engine->solids[i];
    const rp_body_state *state = &engine->start[i];
    const double *v = state->velocity, *w = state->angular_velocity;
    rp_vec3 at = rp_v3_add(rp_state_pose(state).position, arm);
    rp_vec3 turning = rp_v3_cross(rp_v3(w[0], w[1], w[2]), arm);
    dBodySetPosition(solid->body, at.x, at.y, at.z);
    dBodySetLinearVel(solid->body, v[0] + turning.x, v[1] + turning.y, v[2] + turning.z);
    solid->middle = arm;
}

void rp_solid_place(const rp_solid *solid, rp_pose pose)
{
    if (!solid->body) return;
    const dQuaternion q = {pose.orientation.w, pose.orientation.x, pose.orientation.y,
                           pose.orientation.z};
    rp_vec3 at = rp_pose_to_world(pose, solid->mass.centre);
    dBodySetQuaternion(solid->body, q);
    dBodySetPosition(solid->body, at.x, at.y, at.z);
}

static void place_body(rp_engine *engine, int i)
{
    rp_solid *solid = &engine->solids[i];
    const rp_body_state *state = &engine->start[i];
    rp_pose pose = rp_state_pose(state);
    const double *w = state->angular_velocity;
    if (!solid->body) {
        if (solid->geom && dGeomGetClass(solid->geom) == dPlaneClass) {
            rp_vec3 n = rp_quat_rotate(pose.orientation, rp_v3(0, 0, 1));
            dGeomPlaneSetParams(solid->geom, n.x, n.y, n.z, rp_v3_dot(n, pose.position));
        }
        return;
    }
    dBodySetQuaternion(solid->body, state->orientation);
    dBodySetAngularVel(solid->body, w[0], w[1], w[2]);
    place_centre(engine, i, rp_quat_rotate(pose.orientation, solid->mass.centre));
}

void rp_engine_place(rp_engine *engine)
{
    for (int i = 0; i < engine->count; i++)
        place_body(engine, i);
}

/* Returns the inertia tensor of the held grains about a point at `c` from the body's origin, from
 * their moments about the origin (parallel axis theorem). */
static rp_mat3 held_inertia(const rp_load *load, rp_vec3 c)
{
    const double *s = load->second, m = load->mass;
    rp_vec3 d = load->moment;
    double xx = s[0] - 2 * c.x * d.x + m * c.x * c.x, yy = s[1] - 2 * c.y * d.y + m * c.y * c.y;
    double zz = s[2] - 2 * c.z * d.z + m * c.z * c.z;
    double xy = s[3] - c.x * d.y - c.y * d.x + m * c.x * c.y;
    double xz = s[4] - c.x * d.z - c.z * d.x + m * c.x * c.z;
    double yz = s[5] - c.y * d.z - c.z * d.y + m * c.y * c.z;
    return (rp_mat3){{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
}

/* Adds a tensor, given in the world's axes, to one in the body's axes. */
static void add_tensor(rp_mat3 world, rp_mat3 turn, double factor, double inertia[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    rp_mat3 local = rp_m3_mul(rp_m3_transpose(turn), rp_m3_mul(world, turn));
    for (int k = 0; k < 6; k++)
        inertia[k] += factor * local.m[at[k][0]][at[k][1]];
}

/* The acceleration of the last prediction: (U - U_0) / dt of (B3). */
typedef struct acceleration {
    rp_vec3 move, turn; /* m/s2 of the origin; rad/s2 */
} acceleration;

static rp_vec3 acceleration_at(const acceleration *c, rp_vec3 arm)
{
    return rp_v3_add(c->move, rp_v3_cross(c->turn, arm));
}

static void add_force(const rp_solid *solid, rp_vec3 force, rp_vec3 torque)
{
    dBodyAddForce(solid->body, force.x, force.y, force.z);
    dBodyAddTorque(solid->body, torque.x, torque.y, torque.z);
}

/* (B3) for a body without joints: body and held grains become one rigid body about their common
 * centre of mass (K* = K), and the force K (U - U_0) / dt is added. `force` acts at the body's own
 * centre of mass. */
static void add_held_mass_free(rp_engine *engine, int i, const rp_load *load, rp_vec3 force,
                               const acceleration *c)
{
    rp_solid *solid = &engine->solids[i];
    rp_mat3 turn = rp_quat_matrix(rp_state_pose(&engine->start[i]).orientation);
    double mass = solid->mass.mass, all = mass + load->mass;
    rp_vec3 centre = solid->middle;
    rp_vec3 centre_of_mass = rp_v3_scale(rp_v3_madd(load->moment, mass, centre), 1 / all);
    rp_vec3 d = rp_v3_sub(centre, centre_of_mass);
    const rp_load own = {.mass = mass,
                         .second = {mass * d.x * d.x, mass * d.y * d.y, mass * d.z * d.z,
                                    mass * d.x * d.y, mass * d.x * d.z, mass * d.y * d.z}};
    /* Inertia of the body and of the grains about the common centre of mass. */
    rp_mat3 grains = held_inertia(load, centre_of_mass);
    double inertia[6];
    memcpy(inertia, solid->mass.inertia, sizeof inertia);
    add_tensor(held_inertia(&own, rp_v3(0, 0, 0)), turn, 1, inertia);
    add_tensor(grains, turn, 1, inertia);
    rp_solid_set_mass(solid, all, inertia);
    place_centre(engine, i, centre_of_mass);
    /* The force and torque that K (U - U_0) / dt amounts to. */
    rp_vec3 moment = rp_v3_madd(load->moment, -load->mass, centre_of_mass),
            move = acceleration_at(c, centre_of_mass);
    add_force(solid, rp_v3_madd(rp_v3_cross(c->turn, moment), load->mass, move),
              rp_v3_add(rp_v3_cross(moment, move), rp_m3_apply(grains, c->turn)));
    add_force(solid, rp_v3(0, 0, 0), rp_v3_cross(d, force));
}

/* (B3) for a body with joints, whose centre of mass must stay, since joints are fixed to it: K* is
 * twice the diagonal blocks of K, an upper bound; the mixed moments are left out. */
static void add_held_mass_joined(rp_engine *engine, int i, const rp_load *load,
                                 const acceleration *c)
{
    const rp_solid *solid = &engine->solids[i];
    rp_mat3 turn = rp_quat_matrix(rp_state_pose(&engine->start[i]).orientation);
    rp_mat3 grains = held_inertia(load, solid->middle);
    double inertia[6];
    memcpy(inertia, solid->mass.inertia, sizeof inertia);
    add_tensor(grains, turn, 2, inertia);
    rp_solid_set_mass(solid, solid->mass.mass + 2 * load->mass, inertia);
    add_force(solid, rp_v3_scale(acceleration_at(c, solid->middle), 2 * load->mass),
              rp_v3_scale(rp_m3_apply(grains, c->turn), 2));
}

static rp_vec3 rate(const double a[3], const double b[3], double dt)
{
    return rp_v3((a[0] - b[0]) / dt, (a[1] - b[1]) / dt, (a[2] - b[2]) / dt);
}

static bool is_joined(const rp_engine *engine, int body)
{
    for (int i = 0; i < engine->joint_count; i++) {
        const rp_joint_spec *spec = &rp_scene_joints(engine->scene)[i];
        if (engine->joints[i] && (spec->body == body || spec->other == body)) return true;
    }
    return false;
}

/* Adds gravity, the loads from grains, forces of the host program, and the mass of held grains. */
static void load_body(rp_engine *engine, int i, const rp_load *load, const rp_body_state *guess)
{
    const rp_solid *solid = &engine->solids[i];
    const rp_body_state *start = &engine->start[i];
    const rp_wrench *extra = &engine->host.wrenches[i];
    rp_vec3 force = rp_v3_madd(load->force, solid->mass.mass, engine->gravity);
    rp_vec3 torque = rp_v3_sub(load->torque, rp_v3_cross(solid->middle, load->force));
    bool pushed = rp_v3_dot(load->force, load->force) + rp_v3_dot(load->torque, load->torque) > 0;
    if (!rp_wrench_is_zero(extra)) {
        force = rp_v3_add(force, extra->force);
        torque = rp_v3_add(torque, extra->torque);
        pushed = true;
    }
    if (pushed) dBodyEnable(solid->body);
    /* Only forces from outside wake a body that sleeps; gravity alone does not. */
    if (!dBodyIsEnabled(solid->body)) return;
    add_force(solid, force, torque);
    if (!(load->mass > 0)) return;
    acceleration c = {rate(guess->velocity, start->velocity, engine->dt),
                      rate(guess->angular_velocity, start->angular_velocity, engine->dt)};
    if (is_joined(engine, i))
        add_held_mass_joined(engine, i, load, &c);
    else
        add_held_mass_free(engine, i, load, force, &c);
}

void rp_engine_load(rp_engine *engine, const rp_load *loads, const rp_body_state *states)
{
    rp_engine_place(engine);
    for (int i = 0; i < engine->count; i++) {
        if (!rp_is_dynamic(engine, i)) continue;
        const double *f = states[i].force, *t = states[i].torque;
        rp_load held = {.force = rp_v3(f[0], f[1], f[2]), .torque = rp_v3(t[0], t[1], t[2])};
        load_body(engine, i, loads ? &loads[i] : &held, &states[i]);
    }
}
