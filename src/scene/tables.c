/* Every parameter of a scene, declared once. The reader, the help, the manual and the written scene
 * all come from here. */
#include "scene/scene.h"

#include <math.h>

/* Lengths in scenes: grains are single-precision numbers, so nothing is finer or farther. */
#define SHORT 1e-6 /* m */
#define FAR 1e6    /* m */
#define LATE 1e6   /* s */

/* The lines of tables, by their short names. */
#define REAL RP_KEY_REAL
#define VEC3 RP_KEY_VEC3
#define COUNT RP_KEY_COUNT
#define SWITCH RP_KEY_SWITCH
#define WORD RP_KEY_WORD
#define WORDS RP_KEY_WORDS
#define TEXT RP_KEY_TEXT
#define COLOUR RP_KEY_COLOUR
#define NAME RP_KEY_NAME
#define TABLE RP_KEY_TABLE
/* What friction: rough is. */
#define ROUGH_MEANS                                                                                \
    "rough (or inf): friction as between grains, in frictional, pcisph and null the tangent of "   \
    "the material's angle, in dem the material's friction; the surface stays smooth: bumps are "   \
    "made by roughness"
/* Of a body or wall. */
#define FRICTION(name, offset_, preset_, help_)                                                    \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_REAL, .offset = offset_, .unit = "", .preset = preset_,      \
        .low = 0, .high = INFINITY, .also = "rough=inf", .help = help_                             \
    }
/* What methods add to an entry of a section. */
#define OWN(type, section)                                                                         \
    {                                                                                              \
        .key = "", .kind = RP_PARAM_OWN, .offset = offsetof(type, own), .words = section,          \
        .help = ""                                                                                 \
    }
#define DEFINE(variable, name, type, list, help)                                                   \
    static const rp_param_table variable = RP_TABLE(type, list, name, help)

static const rp_param time_params[] = {
    REAL(rp_time_spec, duration, "duration", "s", "1 s", 0, LATE,
         "simulated time; rounded to whole frames"),
    REAL(rp_time_spec, frame_rate, "frame_rate", "1/s", "50", 1e-6, 1e6,
         "frames per second of simulated time"),
    REAL(rp_time_spec, step, "step", "s", "0 s", 0, 10,
         "fixed time step; 0: automatic, as long as is stable"),
    REAL(rp_time_spec, max_step, "max_step", "s", "10 ms", 1e-12, 10,
         "upper limit of the automatic time step"),
    REAL(rp_time_spec, min_step, "min_step", "s", "1e-9 s", 1e-15, 10,
         "lower limit of the automatic time step: the run stops where a shorter one would be "
         "needed"),
};
DEFINE(time_table, "time section", rp_time_spec, time_params, "duration, frames and time steps");

/* Of bodies and walls. */
static const rp_param roughness_params[] = {
    REAL(rp_roughness, radius, "radius", "m", "", 0, 1e3,
         "radius of the fixed grains, whose centres lie on the surface; 0, or not given: no fixed "
         "grains"),
    REAL(rp_roughness, period, "period", "m", "0 m", 0, 1e3,
         "mean distance of neighboring fixed grains; 0: two radii, so that they touch"),
    REAL(rp_roughness, jitter, "jitter", "", "0.3", 0, 1,
         "random shift of each fixed grain along the surface, as a fraction of the period; 0 on a "
         "plane or wall: a square lattice"),
};
DEFINE(roughness_table, "roughness", rp_roughness, roughness_params,
       "dem only: grains fixed on the surface, with the surface's friction and restitution; other "
       "methods ignore them");

static const rp_param wall_roughness_params[] = {
    TABLE(RP_PARAM_PART, rp_domain_roughness, grains, "", "", roughness_table, ""),
    WORDS(rp_domain_roughness, sides, "sides", RP_SIDE_WORDS, "[bottom]",
          "sides of the domain whose walls have fixed grains"),
};
DEFINE(wall_roughness_table, "roughness", rp_domain_roughness, wall_roughness_params,
       "dem only: grains fixed on walls, with the walls' friction and restitution; other methods "
       "ignore them");

#define SIDE_FRICTION(name, side)                                                                  \
    FRICTION(name, (side) * sizeof(double), "", "friction of the wall on this side")
static const rp_param side_friction_params[] = {
    SIDE_FRICTION("left", 0), SIDE_FRICTION("right", 1),  SIDE_FRICTION("front", 2),
    SIDE_FRICTION("back", 3), SIDE_FRICTION("bottom", 4), SIDE_FRICTION("top", 5),
};
static const rp_param_table side_friction_table = {.name = "map of walls",
                                                   .help = "friction of single walls",
                                                   .size = RP_SIDES * sizeof(double),
                                                   .params = side_friction_params,
                                                   .count = RP_SIDES};

static const rp_param domain_params[] = {
    VEC3(rp_domain_spec, low, "low", "m", "[-inf, -inf, -inf]", -INFINITY, FAR,
         "lower corner of the domain; -inf: no bound"),
    VEC3(rp_domain_spec, high, "high", "m", "[inf, inf, inf]", -FAR, INFINITY,
         "upper corner of the domain; inf: no bound"),
    WORDS(rp_domain_spec, periodic, "periodic", "x|y|z", "[]",
          "periodic axes: what leaves on one side comes back on the other"),
    WORDS(rp_domain_spec, open, "open", RP_SIDE_WORDS, "[]",
          "sides without a wall: grains that pass them are removed; left and right are low and "
          "high x, front and back low and high y"),
    TABLE(RP_PARAM_EACH, rp_domain_spec, friction, "friction", "rough", side_friction_table,
          "friction coefficient of the walls, one for all or a map such as {left: 0, right: 0}, "
          "where sides that are not named are rough; the geometric mean with the material's is "
          "used; " ROUGH_MEANS),
    REAL(rp_domain_spec, restitution, "restitution", "", "0.1", 0, 1,
         "restitution of the walls: fraction of its normal speed that a body, or in dem and null a "
         "grain, has after a collision; the geometric mean with the other's is used"),
    TABLE(RP_PARAM_TABLE, rp_domain_spec, roughness, "roughness", NULL, wall_roughness_table,
          "dem only: grains fixed on walls"),
};
DEFINE(domain_table, "domain", rp_domain_spec, domain_params,
       "the space that grains may be in, and its walls");

static const rp_param particles_params[] = {
    REAL(rp_particles_spec, spacing, "spacing", "m", NULL, SHORT, 1e3,
         "distance of neighboring grains at rest: the resolution of the simulation"),
    WORD(rp_particles_spec, packing, "packing", RP_PACKING_WORDS, "relaxed",
         "how sources place grains: relaxed (without order) or on a cubic lattice; the number of "
         "grains is the same"),
    REAL(rp_particles_spec, jitter, "jitter", "", "0.1", 0, 0.5,
         "how much nearer than a spacing two grains may start, as a fraction of the spacing; on a "
         "lattice each grain is shifted at random by up to half of it; 0: always a lattice"),
};
DEFINE(particles_table, "particles section", rp_particles_spec, particles_params,
       "the grains that are simulated");

static const rp_param material_params[] = {
    REAL(rp_material_spec, density, "density", "kg/m3", "1600", 1, 1e5,
         "density of the packed material, pores included"),
    REAL(rp_material_spec, angle, "angle", "deg", "33 deg", 0, 80,
         "angle of repose, which is also the friction angle; in null it acts on rough surfaces "
         "only, in dem it has no effect"),
    REAL(rp_material_spec, friction, "friction", "", "0.5", 0, 10,
         "friction coefficient of a grain on a body or wall; the geometric mean with the body's is "
         "used, where that is not rough; in dem also between grains"),
    REAL(rp_material_spec, restitution, "restitution", "", "0.1", 0, 1,
         "dem and null only: restitution, the fraction of its normal speed that a grain has after "
         "a collision; the geometric mean with the body's is used; in dem also between grains"),
    REAL(rp_material_spec, grain_density, "grain_density", "kg/m3", "2650", 1, 1e5,
         "density of the solid that grains are made of; used by dem, and by frictional with "
         "dynamic_angle"),
    COLOUR(rp_material_spec, colour, "colour", "sand", "colour in pictures"),
    OWN(rp_material_spec, "materials"),
};
DEFINE(material_table, "material", rp_material_spec, material_params, "a material of grains");

static const rp_param contact_params[] = {
    NAME(rp_contact_spec, first, "first", "materials", NULL, "one of the two materials"),
    NAME(rp_contact_spec, second, "second", "materials", NULL,
         "the other material; or the same one, for contacts among its own grains"),
    REAL(rp_contact_spec, friction, "friction", "", "", 0, 10,
         "friction coefficient, the tangent of the friction angle"),
    REAL(rp_contact_spec, restitution, "restitution", "", "", 0, 1,
         "restitution: fraction of the normal speed that is left after a collision"),
    REAL(rp_contact_spec, rolling_friction, "rolling_friction", "", "", 0, 10,
         "rolling friction, as for a material"),
};
DEFINE(contact_table, "contact", rp_contact_spec, contact_params,
       "dem only: values for contacts of two materials, in place of the geometric mean of both");

static const rp_param ball_params[] = {
    VEC3(rp_ball_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR, "position of its centre"),
    REAL(rp_ball_spec, radius, "radius", "m", NULL, 1e-9, FAR, "radius, in the same unit"),
};
DEFINE(ball_table, "sphere", rp_ball_spec, ball_params,
       "a sphere of a grain; only the ratios of the lengths matter");

static const rp_param sieve_params[] = {
    REAL(rp_sieve_spec, diameter, "diameter", "m", NULL, SHORT, 1e3,
         "width of the sieve's openings"),
    REAL(rp_sieve_spec, passing, "passing", "", NULL, 0, 1,
         "fraction by mass of all grains that passes, 0 to 1"),
};
DEFINE(sieve_table, "sieve", rp_sieve_spec, sieve_params, "a point of a sieve curve");

static const rp_param grain_params[] = {
    WORD(rp_grain_spec, shape, "shape", RP_GRAIN_WORDS, "tetrahedron",
         "overlapping spheres: four at the corners of a tetrahedron, one sphere, a dimer of two, "
         "eight at the corners of a cube, or a list of spheres"),
    TABLE(RP_PARAM_LIST, rp_grain_spec, spheres, "spheres", "", ball_table,
          "for the shape spheres: up to 32 of them, about any point"),
    REAL(rp_grain_spec, diameter, "diameter", "m", "", 0, 1e3,
         "mean diameter of the sphere around a grain; when not given, the largest grain just fits "
         "the lattice: (1 - jitter) spacings"),
    WORD(rp_grain_spec, sizes, "sizes", RP_SIZES_WORDS, "uniform",
         "distribution of the diameters, by number; a sieve curve is by mass"),
    REAL(rp_grain_spec, spread, "spread", "", "", 0, 1,
         "width of the distribution; uniform: half the width over the mean; normal, lognormal: "
         "standard deviation over the mean, cut off at 2.5 standard deviations; 0 when not given: "
         "all diameters are equal"),
    TABLE(RP_PARAM_LIST, rp_grain_spec, sieve, "sieve", "", sieve_table,
          "for the sizes sieve: points with rising diameters, passing from 0 to 1; linear in "
          "between"),
    REAL(rp_grain_spec, share, "share", "", "1", 1e-9, 1e9,
         "relative number of grains of this kind among those of its material"),
    NAME(rp_grain_spec, material, "material", "materials", "",
         "material of these grains; when not given, all materials that no other kind names"),
};
DEFINE(grain_table, "kind of grain", rp_grain_spec, grain_params,
       "shape and sizes of single grains, for methods that resolve them: dem");

/* Shared by sources, voids, bodies and regions. Which of the lengths a shape needs is checked in
 * check.c.
 */
static const rp_param length_params[] = {
    VEC3(rp_shape_spec, size, "size", "m", "", SHORT, FAR, "edge lengths of a box"),
    REAL(rp_shape_spec, radius, "radius", "m", "", SHORT, FAR,
         "radius of a sphere, cylinder, capsule, cone, or of a funnel's upper end"),
    REAL(rp_shape_spec, height, "height", "m", "", SHORT, FAR,
         "height of a cylinder, cone, funnel, or of a capsule's straight part"),
    REAL(rp_shape_spec, neck, "neck", "m", "", SHORT, FAR, "inner radius of a funnel's lower end"),
    REAL(rp_shape_spec, thickness, "thickness", "m", "", SHORT, FAR,
         "thickness of a funnel's wall"),
    {.key = "file",
     .kind = RP_PARAM_FILE,
     .offset = offsetof(rp_shape_spec, file),
     .preset = "",
     .help = "mesh file (OBJ, STL, PLY, OFF, glTF, GLB), relative to the scene file"},
    REAL(rp_shape_spec, scale, "scale", "", "", 1e-9, 1e9,
         "scale of a mesh: metres per unit of its file, such as 0.001; 1 when not given"),
};
DEFINE(length_table, "shape", rp_shape_spec, length_params, "the lengths of a shape");

#define SHAPE(preset_, help_)                                                                      \
    {                                                                                              \
        .key = "shape", .kind = RP_PARAM_WORD, .offset = offsetof(rp_shape_spec, kind),            \
        .words = RP_SHAPE_WORDS, .also = "block=box", .preset = preset_, .help = help_             \
    }
#define LENGTHS                                                                                    \
    {                                                                                              \
        .key = "", .kind = RP_PARAM_PART, .table = &length_table, .help = ""                       \
    }

static const rp_param shape_params[] = {
    SHAPE(NULL, "shape; axes of round shapes are along z, a cone points up, a funnel opens "
                "upwards, a plane is solid below; block is another word for box"),
    LENGTHS,
};
DEFINE(shape_table, "shape", rp_shape_spec, shape_params, "a shape");

static const rp_param region_params[] = {
    SHAPE("", "shape, as for sources and bodies; the inside of a plane is below it; when not given "
              "the region is everywhere"),
    LENGTHS,
};
DEFINE(region_table, "region", rp_shape_spec, region_params, "a part of space");

static const rp_param source_params[] = {
    TABLE(RP_PARAM_PART, rp_source_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_source_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "position of its centre; of a cone or funnel the centre of the lower end"),
    VEC3(rp_source_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "rotation about x, then y, then z"),
    NAME(rp_source_spec, material, "material", "materials", "",
         "material of the grains; the first one of the scene when not given"),
    VEC3(rp_source_spec, velocity, "velocity", "m/s", "[0, 0, 0]", -1e5, 1e5,
         "initial velocity of the grains"),
    VEC3(rp_source_spec, spin, "spin", "deg/s", "[0, 0, 0]", -1e7, 1e7,
         "initial angular velocity about the position"),
    REAL(rp_source_spec, at, "at", "s", "0 s", 0, LATE, "time at which it is filled"),
    REAL(rp_source_spec, moisture, "moisture", "", "0", 0, 1,
         "moisture of the grains, 0 dry to 1 wet"),
    OWN(rp_source_spec, "sources"),
};
DEFINE(source_table, "source", rp_source_spec, source_params, "a shape filled with grains");

static const rp_param void_params[] = {
    TABLE(RP_PARAM_PART, rp_void_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_void_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "position of its centre; of a cone or funnel the centre of the lower end"),
    VEC3(rp_void_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "rotation about x, then y, then z"),
};
DEFINE(void_table, "void", rp_void_spec, void_params,
       "a shape that sources leave empty, with half a spacing around it; emitters ignore it");

static const rp_param emitter_params[] = {
    WORD(rp_emitter_spec, nozzle, "nozzle", RP_NOZZLE_WORDS, "disc", "shape of the nozzle"),
    REAL(rp_emitter_spec, radius, "radius", "m", "", SHORT, FAR, "radius of a disc"),
    REAL(rp_emitter_spec, width, "width", "m", "", SHORT, FAR, "width of a rectangle"),
    REAL(rp_emitter_spec, height, "height", "m", "", SHORT, FAR, "height of a rectangle"),
    VEC3(rp_emitter_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "position of its centre"),
    VEC3(rp_emitter_spec, direction, "direction", "", "[0, 0, -1]", -FAR, FAR,
         "direction of the jet; any length"),
    REAL(rp_emitter_spec, speed, "speed", "m/s", "1 m/s", 1e-6, 1e5,
         "speed of the grains at the nozzle"),
    REAL(rp_emitter_spec, rate, "rate", "kg/s", "0 kg/s", 0, 1e9,
         "mass flow; 0: as much as fills the nozzle at this speed"),
    REAL(rp_emitter_spec, start, "start", "s", "0 s", 0, LATE, "time at which it starts"),
    REAL(rp_emitter_spec, stop, "stop", "s", "inf", 0, INFINITY, "time at which it stops"),
    NAME(rp_emitter_spec, material, "material", "materials", "",
         "material of the grains; the first one of the scene when not given"),
    REAL(rp_emitter_spec, moisture, "moisture", "", "0", 0, 1,
         "moisture of the grains, 0 dry to 1 wet"),
    REAL(rp_emitter_spec, clearance, "clearance", "m", "0 m", 0, FAR,
         "distance that the nozzle keeps from the sand in front of it by moving back; 0: the "
         "nozzle does not move"),
};
DEFINE(emitter_table, "emitter", rp_emitter_spec, emitter_params,
       "a nozzle that grains come out of while the simulation runs");

static const rp_param key_params[] = {
    REAL(rp_key_spec, time, "time", "s", NULL, 0, LATE, "time of the key"),
    VEC3(rp_key_spec, position, "position", "m", "", -FAR, FAR,
         "position at that time; given by all keys, or by none where they only rotate the body"),
    VEC3(rp_key_spec, rotation, "rotation", "deg", "", -1e7, 1e7,
         "rotation about x, then y, then z at that time; zero when not given; the body's own where "
         "no key gives one"),
};
DEFINE(key_table, "key", rp_key_spec, key_params, "pose of a moved body at a time");

static const rp_param body_params[] = {
    TABLE(RP_PARAM_PART, rp_body_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_body_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "position of its centre, of a cone or funnel the centre of the lower end; not with keys "
         "that give one; with an animation the position of the file's origin"),
    VEC3(rp_body_spec, rotation, "rotation", "deg", "", -3600, 3600,
         "rotation about x, then y, then z; zero when not given; not with keys that give one; with "
         "an animation the rotation of the file's axes, such as [90, 0, 0] where y is up in the "
         "file"),
    VEC3(rp_body_spec, normal, "normal", "", "", -FAR, FAR,
         "normal of a plane, instead of a rotation; any length"),
    WORD(rp_body_spec, motion, "motion", RP_MOTION_WORDS, "fixed",
         "fixed; keys: moved along keys, along an animation, or at a constant velocity and spin; "
         "dynamic: moved by gravity, contacts, joints and sand"),
    TABLE(RP_PARAM_LIST, rp_body_spec, keys, "keys", "", key_table,
          "poses at times, which must rise; the body rests before the first and after the last"),
    WORD(rp_body_spec, interpolation, "interpolation", RP_INTERPOLATION_WORDS, "smooth",
         "motion between keys: smooth starts and ends at rest, linear has constant velocity from "
         "key to key"),
    {.key = "animation",
     .kind = RP_PARAM_FILE,
     .offset = offsetof(rp_body_spec, animation_file),
     .preset = "",
     .help = "glTF file (with its buffers inside) whose animated node the body follows, in place "
             "of keys; interpolation is linear, in the file's frame, times the scale of a mesh"},
    TEXT(rp_body_spec, node, "node", "",
         "node of the animation; the first animated one when not given"),
    REAL(rp_body_spec, density, "density", "kg/m3", "", 1e-3, 1e5,
         "density of a dynamic body; its mass is the density times the volume of its shape"),
    REAL(rp_body_spec, mass, "mass", "kg", "", 1e-9, 1e12,
         "mass of a dynamic body, instead of its density"),
    FRICTION("friction", offsetof(rp_body_spec, friction), "rough",
             "friction coefficient of its surface; the geometric mean with the material's is "
             "used; " ROUGH_MEANS),
    REAL(rp_body_spec, restitution, "restitution", "", "0.1", 0, 1,
         "restitution of its surface: against other bodies, and against grains in dem and null"),
    TABLE(RP_PARAM_TABLE, rp_body_spec, roughness, "roughness", NULL, roughness_table,
          "dem only: grains fixed on its surface"),
    VEC3(rp_body_spec, velocity, "velocity", "m/s", "", -1e5, 1e5,
         "initial velocity of a dynamic body; with motion: keys, and no keys that give a position, "
         "its constant velocity"),
    VEC3(rp_body_spec, spin, "spin", "deg/s", "", -1e7, 1e7,
         "initial angular velocity of a dynamic body; with motion: keys, and no keys that give a "
         "rotation, its constant angular velocity, such as [0, 30 rpm, 0]: about its position, "
         "along the world's axes"),
    VEC3(rp_body_spec, belt, "belt", "m/s", "", -1e5, 1e5,
         "velocity of its surface relative to the body, as of a conveyor belt, along the body's "
         "own axes; only the tangential component acts; not for dynamic bodies"),
    COLOUR(rp_body_spec, colour, "colour", "grey", "colour in pictures"),
    SWITCH(rp_body_spec, hidden, "hidden", "no",
           "leave it out of pictures, as if it were of glass"),
    OWN(rp_body_spec, "bodies"),
};
DEFINE(body_table, "body", rp_body_spec, body_params, "a rigid body");

/* Limits and motors have a key for what turns and one for what slides, since a key has one unit;
 * both fill the same member. check.c sees to it that only the kind's own is given, make.c fills in
 * what is not. */
static const rp_param joint_params[] = {
    WORD(rp_joint_spec, kind, "kind", RP_JOINT_WORDS, NULL,
         "fixed: no relative motion; ball: rotation about a point; hinge: rotation about an axis; "
         "slider: motion along an axis"),
    NAME(rp_joint_spec, body, "body", "bodies", NULL, "the body that is held"),
    NAME(rp_joint_spec, other, "other", "bodies", "",
         "the body that holds it; the world when not given"),
    VEC3(rp_joint_spec, anchor, "anchor", "m", "", -FAR, FAR,
         "ball, hinge: the point of rotation, in world coordinates at the start"),
    VEC3(rp_joint_spec, axis, "axis", "", "", -FAR, FAR,
         "hinge, slider: the axis, in world coordinates at the start; any length; [0, 0, 1] when "
         "not given"),
    REAL(rp_joint_spec, low, "low_angle", "deg", "", -180, 180,
         "hinge: lower limit of the angle, from the pose at the start; no limit when not given"),
    REAL(rp_joint_spec, high, "high_angle", "deg", "", -180, 180,
         "hinge: upper limit of the angle, from the pose at the start; no limit when not given"),
    REAL(rp_joint_spec, low, "low", "m", "", -FAR, FAR,
         "slider: lower limit of the displacement from the start; no limit when not given"),
    REAL(rp_joint_spec, high, "high", "m", "", -FAR, FAR,
         "slider: upper limit of the displacement from the start; no limit when not given"),
    REAL(rp_joint_spec, motor_speed, "motor_spin", "deg/s", "", -1e7, 1e7,
         "hinge: angular velocity of body relative to other that the motor drives at; 0 when not "
         "given"),
    REAL(rp_joint_spec, motor_force, "motor_torque", "N m", "", 0, 1e12,
         "hinge: largest torque of the motor; no motor when not given"),
    REAL(rp_joint_spec, motor_speed, "motor_speed", "m/s", "", -1e5, 1e5,
         "slider: speed of body relative to other that the motor drives at; 0 when not given"),
    REAL(rp_joint_spec, motor_force, "motor_force", "N", "", 0, 1e12,
         "slider: largest force of the motor; no motor when not given"),
    REAL(rp_joint_spec, break_force, "break_force", "N", "inf", 0, INFINITY,
         "the joint breaks permanently when it has to hold more"),
    REAL(rp_joint_spec, release, "release", "s", "inf", 0, INFINITY,
         "time at which the joint is released"),
};
DEFINE(joint_table, "joint", rp_joint_spec, joint_params,
       "a joint between two bodies, or between a body and the world; one of them must be dynamic");

static const rp_param moisture_params[] = {
    TABLE(RP_PARAM_PART, rp_moisture_spec, shape_spec, "", "", region_table, ""),
    VEC3(rp_moisture_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "position of its centre; of a cone or funnel the centre of the lower end"),
    VEC3(rp_moisture_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "rotation about x, then y, then z"),
    REAL(rp_moisture_spec, start, "start", "s", "0 s", 0, LATE, "time at which it starts"),
    REAL(rp_moisture_spec, duration, "duration", "s", "0 s", 0, LATE, "duration; 0: at once"),
    REAL(rp_moisture_spec, value, "value", "", NULL, 0, 1,
         "moisture of the grains inside at its end, 0 dry to 1 wet"),
};
DEFINE(moisture_table, "moisture region", rp_moisture_spec, moisture_params,
       "a region in which grains become wet or dry, at a constant rate, and stay so");

static const rp_param measurement_params[] = {
    WORD(rp_measurement_spec, what, "what", RP_MEASURE_WORDS, NULL,
         "the quantity that is measured"),
    COUNT(rp_measurement_spec, every, "every", "1", 1, 1e9,
          "number of frames from one value to the next"),
};
DEFINE(measurement_table, "measurement", rp_measurement_spec, measurement_params,
       "a quantity that a run writes as it goes");

static const rp_param output_params[] = {
    WORDS(rp_output_spec, formats, "formats", RP_FORMAT_WORDS, "[]",
          "further formats in which frames are written during the run"),
    COUNT(rp_output_spec, frame_every, "frame_every", "1", 1, 1e9, "write every n-th frame"),
    COUNT(rp_output_spec, checkpoint_every, "checkpoint_every", "50", 1, 1e9,
          "frames from one checkpoint to the next"),
    COUNT(rp_output_spec, compress, "compress", "0", 0, 9,
          "compression of frames: 0 none, fast; 1 a quarter smaller; 9 smallest and slow"),
    SWITCH(rp_output_spec, contacts, "contacts", "no",
           "store the contacts of grains and their forces in frames; they may take more space than "
           "the grains"),
};
DEFINE(output_table, "output section", rp_output_spec, output_params, "what a run writes");

static const rp_param detail_params[] = {
    COUNT(rp_detail_spec, factor, "factor", "0", 0, 1e6,
          "fine grains for each coarse one; 0: none"),
    REAL(rp_detail_spec, step, "step", "s", "10 ms", 1e-6, 10,
         "upper limit of the time step of fine grains"),
    SWITCH(rp_detail_spec, keep_apart, "keep_apart", "yes",
           "keep fine grains apart; no: as published, fine grains overlap at thin edges"),
    REAL(rp_detail_spec, contrast, "contrast", "", "3", 3, 1e3,
         "how many times denser fine grains start inside the box of a lone coarse grain than "
         "beside it; 4 gives the middle as much as each side"),
    SWITCH(rp_detail_spec, live, "live", "yes",
           "compute fine grains during the run; no: only by `repose refine`"),
};
DEFINE(detail_table, "detail section", rp_detail_spec, detail_params,
       "fine grains, which coarse ones carry along");

static const rp_param camera_key_params[] = {
    REAL(rp_camera_key_spec, time, "time", "s", NULL, 0, LATE, "time of the key"),
    VEC3(rp_camera_key_spec, position, "position", "m", NULL, -FAR, FAR, "position at that time"),
    VEC3(rp_camera_key_spec, target, "target", "m", "", -FAR, FAR,
         "target at that time; the camera's own when not given"),
    REAL(rp_camera_key_spec, field_of_view, "field_of_view", "deg", "", 1, 170,
         "vertical field of view at that time; the camera's own when not given"),
};
DEFINE(camera_key_table, "camera key", rp_camera_key_spec, camera_key_params,
       "position of a moved camera at a time");

static const rp_param camera_params[] = {
    VEC3(rp_camera_spec, position, "position", "m", "", -FAR, FAR,
         "position; must be given without keys, and must not be given with keys"),
    VEC3(rp_camera_spec, target, "target", "m", "[0, 0, 0]", -FAR, FAR,
         "the point that it looks at"),
    VEC3(rp_camera_spec, up, "up", "", "[0, 0, 1]", -FAR, FAR,
         "the direction that is up in the picture"),
    REAL(rp_camera_spec, field_of_view, "field_of_view", "deg", "40 deg", 1, 170,
         "vertical field of view"),
    TABLE(RP_PARAM_LIST, rp_camera_spec, keys, "keys", "", camera_key_table,
          "positions at times, which must rise; the camera rests before the first and after the "
          "last"),
    WORD(rp_camera_spec, interpolation, "interpolation", RP_INTERPOLATION_WORDS, "smooth",
         "motion between keys: smooth starts and ends at rest, linear has constant velocity from "
         "key to key"),
    REAL(rp_camera_spec, orbit, "orbit", "deg/s", "0 deg/s", -1e4, 1e4,
         "angular velocity about the axis up through the target (right-hand rule), in addition to "
         "position or keys"),
    REAL(rp_camera_spec, aperture, "aperture", "m", "0 m", 0, 1e3,
         "diameter of the lens: the wider, the smaller the depth of field; 0: everything is sharp"),
    REAL(rp_camera_spec, focus, "focus", "m", "0 m", 0, FAR,
         "focus distance; 0: the distance of the target"),
    REAL(rp_camera_spec, shutter, "shutter", "", "0.5", 0, 1,
         "fraction of the time between frames that the shutter is open: motion blur; 0: none"),
};
DEFINE(camera_table, "camera", rp_camera_spec, camera_params, "a camera");

static const rp_param light_params[] = {
    VEC3(rp_light_spec, direction, "direction", "", "[0.8, 0.4, -0.8]", -FAR, FAR,
         "direction in which the sun's light travels; any length"),
    REAL(rp_light_spec, strength, "strength", "", "1", 0, 1e3,
         "strength of the sun; 1 is plain daylight"),
    REAL(rp_light_spec, sky, "sky", "", "0.4", 0, 1e3, "strength of the light from all sides"),
    COLOUR(rp_light_spec, colour, "colour", "white", "colour of the sun's light"),
};
DEFINE(light_table, "light", rp_light_spec, light_params, "the light in pictures");

static const rp_param lamp_params[] = {
    VEC3(rp_lamp_spec, position, "position", "m", NULL, -FAR, FAR, "position of its centre"),
    REAL(rp_lamp_spec, radius, "radius", "m", "5 cm", SHORT, FAR,
         "radius of the lamp: the larger, the softer its shadows"),
    REAL(rp_lamp_spec, strength, "strength", "", "1", 0, 1e6,
         "1 lights a surface that faces it at 1 m from its centre as plain daylight does, whatever "
         "its radius; 0: off"),
    COLOUR(rp_lamp_spec, colour, "colour", "white", "colour of its light"),
};
DEFINE(lamp_table, "lamp", rp_lamp_spec, lamp_params, "a spherical lamp");

static const rp_param gravity_key_params[] = {
    REAL(rp_gravity_key_spec, time, "time", "s", NULL, 0, LATE, "time of the key"),
    VEC3(rp_gravity_key_spec, gravity, "gravity", "m/s2", NULL, -1e4, 1e4, "gravity at that time"),
};
DEFINE(
    gravity_key_table, "gravity key", rp_gravity_key_spec, gravity_key_params,
    "gravity at a time; between two keys its direction and its magnitude change at constant rates");

static const rp_param scene_params[] = {
    TEXT(rp_scene, title, "title", "untitled", "title: one line on what the scene shows"),
    TEXT(rp_scene, description, "description", "", "longer description"),
    COUNT(rp_scene, seed, "seed", "1", 0, 9e15, "seed of the random numbers"),
    TABLE(RP_PARAM_TABLE, rp_scene, time, "time", NULL, time_table,
          "duration, frames and time steps"),
    VEC3(rp_scene, gravity, "gravity", "m/s2", "[0, 0, -9.81]", -1e4, 1e4,
         "gravitational acceleration"),
    TABLE(RP_PARAM_LIST, rp_scene, gravity_keys, "gravity_keys", "", gravity_key_table,
          "gravity that changes with time, in place of gravity; times must rise"),
    TABLE(RP_PARAM_TABLE, rp_scene, domain, "domain", NULL, domain_table,
          "the space that grains may be in"),
    TABLE(RP_PARAM_TABLE, rp_scene, particles, "particles", NULL, particles_table, "the grains"),
    TABLE(RP_PARAM_NAMED, rp_scene, materials, "materials", "sand", material_table,
          "materials of the grains, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, contacts, "contacts", "", contact_table,
          "pairs of materials with values of their own, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, grains, "grains", "grain", grain_table,
          "kinds of grains, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, sources, "sources", "", source_table,
          "shapes filled with grains, by name; the space of voids and bodies stays empty"),
    TABLE(RP_PARAM_NAMED, rp_scene, voids, "voids", "", void_table,
          "shapes that sources leave empty, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, emitters, "emitters", "", emitter_table,
          "nozzles that grains come out of, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, bodies, "bodies", "", body_table, "rigid bodies, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, joints, "joints", "", joint_table,
          "joints between bodies, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, moisture, "moisture", "", moisture_table,
          "regions in which grains become wet or dry, by name; where they overlap they act in "
          "their order"),
    TABLE(RP_PARAM_NAMED, rp_scene, measurements, "measurements", "", measurement_table,
          "quantities that a run writes as it goes, by name"),
    TABLE(RP_PARAM_TABLE, rp_scene, detail, "detail", NULL, detail_table,
          "fine grains, which coarse ones carry along"),
    TABLE(RP_PARAM_TABLE, rp_scene, output, "output", NULL, output_table, "what a run writes"),
    TABLE(RP_PARAM_NAMED, rp_scene, cameras, "cameras", "", camera_table, "cameras, by name"),
    TABLE(RP_PARAM_TABLE, rp_scene, light, "light", NULL, light_table, "the light in pictures"),
    TABLE(RP_PARAM_NAMED, rp_scene, lamps, "lamps", "", lamp_table,
          "spherical lamps in pictures, by name"),
    {.key = "solver", .kind = RP_PARAM_METHOD, .help = "the method, and its own keys"},
};
DEFINE(scene_table, "scene", rp_scene, scene_params, "everything that a simulation is made of");

const rp_param_table *rp_scene_table(void)
{
    return &scene_table;
}
