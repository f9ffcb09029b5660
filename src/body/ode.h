/* What the files that know ODE share: ode_step.c (steps), ode_load.c (what a step starts from),
 * ode_contacts.c, ode_joints.c. Nothing outside of this room includes it. */
#ifndef RP_BODY_ODE_H
#define RP_BODY_ODE_H

#include "body/inside.h"

#include <ode/ode.h>

/* A body in the engine. */
typedef struct rp_solid {
    dBodyID body;             /* NULL for fixed bodies */
    dGeomID geom;             /* NULL for absent bodies */
    dTriMeshDataID triangles; /* of meshes, cones and funnels */
    rp_mesh *made;            /* of cones and funnels: the triangles behind them */
    rp_mass mass;             /* of bodies that are dynamic in the scene; zero for others */
    rp_vec3 middle; /* m, in a prediction: from the body's origin to ODE's centre of mass */
} rp_solid;

/* A contact of this step. */
typedef struct rp_body_contact {
    int first, second; /* bodies; negative: a wall */
    bool conveyed;     /* one of them is not dynamic and its surface moves */
    size_t number;     /* of the contact, in the order found */
    dJointFeedback force;
} rp_body_contact;

struct rp_engine {
    const rp_scene *scene;
    rp_engine_host host;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    rp_solid *solids; /* one for each body of the scene */
    int count;
    rp_body_state *start; /* of the step in hand */
    double time, dt;      /* s, of the step in hand */
    rp_vec3 gravity;      /* m/s2, likewise */
    rp_gravity source;    /* what gives it */
    dContact *found;      /* contacts, from which joints are made when all are found */
    rp_body_contact *body_contacts;
    size_t found_count, found_capacity, body_contact_capacity;
    bool short_of_memory;
    dJointID *joints; /* of the scene; NULL when broken or released */
    dJointFeedback *joint_forces;
    uint8_t *broken;
    int joint_count;
};

static inline rp_vec3 rp_ode_vec3(const dReal *v)
{
    return rp_v3(v[0], v[1], v[2]);
}

static inline rp_pose rp_state_pose(const rp_body_state *state)
{
    const double *p = state->position, *q = state->orientation;
    return (rp_pose){rp_v3(p[0], p[1], p[2]), (rp_quat){q[0], q[1], q[2], q[3]}};
}

static inline bool rp_is_dynamic(const rp_engine *engine, int body)
{
    return body >= 0 && engine->host.drives[body] == RP_DRIVE_DYNAMIC;
}

/* load.c */
void rp_solid_set_mass(const rp_solid *solid, double mass, const double inertia[6]);
/* Places a body, at rest. */
void rp_solid_place(const rp_solid *solid, rp_pose pose);
/* Places all bodies as at the start of the step. */
void rp_engine_place(rp_engine *engine);
/* The same, with gravity, loads of grains and held mass; without loads with the forces in the
 * states. */
void rp_engine_load(rp_engine *engine, const rp_load *loads, const rp_body_state *states);

/* collide.c */
rp_code rp_engine_add_geom(rp_engine *engine, int body, rp_report *report);
void rp_engine_add_walls(rp_engine *engine);
/* Finds all contacts at the bodies' present poses and creates a joint for each. */
rp_code rp_engine_collide(rp_engine *engine, rp_report *report);

/* joint.c */
rp_code rp_engine_add_joints(rp_engine *engine, rp_report *report);
/* Sets motors and limits from their controls, at the bodies' present poses. */
void rp_engine_set_joint_params(rp_engine *engine);
/* Returns position and rate of a hinge or slider, at the bodies' present poses. */
void rp_joint_motion_of(const rp_engine *engine, int joint, double *position, double *rate);
/* Writes the reactions of joints in the last step into their controls. */
void rp_engine_read_joint_loads(rp_engine *engine);
/* Releases joints whose time has come, and wakes their bodies. */
void rp_engine_release_joints(rp_engine *engine, double *rest_time);
/* Breaks joints that had to hold too much in the last step. */
void rp_engine_break_joints(rp_engine *engine);

#endif
