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
    "rough (or inf): grains rub on it as on each other, in frictional, pcisph and null by the "    \
    "tangent of the material's angle, in dem by the material's friction; it stays smooth: bumps "  \
    "are made by roughness"
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
         "how much time passes, in whole frames"),
    REAL(rp_time_spec, frame_rate, "frame_rate", "1/s", "50", 1e-6, 1e6, "frames in a second"),
    REAL(rp_time_spec, step, "step", "s", "0 s", 0, 10, "a fixed time step; 0: chosen as it runs"),
    REAL(rp_time_spec, max_step, "max_step", "s", "10 ms", 1e-12, 10, "no chosen step is longer"),
    REAL(rp_time_spec, min_step, "min_step", "s", "1e-9 s", 1e-15, 10,
         "a chosen step below this stops the run"),
};
DEFINE(time_table, "time section", rp_time_spec, time_params, "how long, and in which steps");

/* Of bodies and walls. */
static const rp_param roughness_params[] = {
    REAL(rp_roughness, radius, "radius", "m", "", 0, 1e3,
         "of the fixed grains, whose middles are on the surface; 0, or not given: there are none"),
    REAL(rp_roughness, period, "period", "m", "0 m", 0, 1e3,
         "mean distance of neighboring fixed grains; 0: two radii, so that they touch"),
    REAL(rp_roughness, jitter, "jitter", "", "0.3", 0, 1,
         "share of the period that each is shifted at random along the surface; 0 on a plane or "
         "wall: a square lattice"),
};
DEFINE(roughness_table, "roughness", rp_roughness, roughness_params,
       "in dem: grains fixed on the surface, which rub and bounce as the surface itself does; "
       "other methods do not see them");

static const rp_param wall_roughness_params[] = {
    TABLE(RP_PARAM_PART, rp_domain_roughness, grains, "", "", roughness_table, ""),
    WORDS(rp_domain_roughness, sides, "sides", RP_SIDE_WORDS, "[bottom]",
          "of the domain whose walls have fixed grains"),
};
DEFINE(wall_roughness_table, "roughness", rp_domain_roughness, wall_roughness_params,
       "in dem: grains fixed on walls, which rub and bounce as the walls themselves do; other "
       "methods do not see them");

#define SIDE_FRICTION(name, side)                                                                  \
    FRICTION(name, (side) * sizeof(double), "", "of the wall on this side")
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
    VEC3(rp_domain_spec, low, "low", "m", "[-inf, -inf, -inf]", -INFINITY, FAR, "lower corner"),
    VEC3(rp_domain_spec, high, "high", "m", "[inf, inf, inf]", -FAR, INFINITY, "upper corner"),
    WORDS(rp_domain_spec, periodic, "periodic", "x|y|z", "[]",
          "axes along which what leaves on one side comes back on the other"),
    WORDS(
        rp_domain_spec, open, "open", RP_SIDE_WORDS, "[]",
        "sides without a wall, where grains that pass are gone; left and right are low and high x, "
        "front and back low and high y"),
    TABLE(RP_PARAM_EACH, rp_domain_spec, friction, "friction", "rough", side_friction_table,
          "of the walls (tangent), one for all or a map such as {left: 0, right: 0}, where sides "
          "that are not named are rough; what counts is the geometric mean with the "
          "material's; " ROUGH_MEANS),
    REAL(rp_domain_spec, restitution, "restitution", "", "0.1", 0, 1,
         "of the walls: share of its speed that a body, or in dem and null a grain, keeps in a "
         "bounce; what counts is the geometric mean with the other's"),
    TABLE(RP_PARAM_TABLE, rp_domain_spec, roughness, "roughness", NULL, wall_roughness_table,
          "in dem: grains fixed on walls"),
};
DEFINE(domain_table, "domain", rp_domain_spec, domain_params,
       "the space that grains may be in, and its walls");

static const rp_param particles_params[] = {
    REAL(rp_particles_spec, spacing, "spacing", "m", NULL, SHORT, 1e3,
         "distance of neighboring grains at rest"),
    WORD(rp_particles_spec, packing, "packing", RP_PACKING_WORDS, "relaxed",
         "how grains lie where they start: without order, or on a cubic lattice; both have as many "
         "of them"),
    REAL(rp_particles_spec, jitter, "jitter", "", "0.1", 0, 0.5,
         "how much nearer than a spacing two grains may start, in spacings; on a lattice each is "
         "shifted at random by up to half of it; 0: always a lattice"),
};
DEFINE(particles_table, "particles section", rp_particles_spec, particles_params,
       "the grains that are simulated");

static const rp_param material_params[] = {
    REAL(rp_material_spec, density, "density", "kg/m3", "1600", 1, 1e5, "of the packed material"),
    REAL(rp_material_spec, angle, "angle", "deg", "33 deg", 0, 80,
         "angle of repose; in null on rough surfaces only, in dem without effect"),
    REAL(rp_material_spec, friction, "friction", "", "0.5", 0, 10,
         "of a grain on a body or wall (tangent); what counts is the geometric mean with the "
         "body's, where that is not rough; in dem between grains, too"),
    REAL(rp_material_spec, restitution, "restitution", "", "0.1", 0, 1,
         "in dem and null: share of its speed that a grain keeps in a bounce; what counts is the "
         "geometric mean with the body's; in dem between grains, too"),
    REAL(rp_material_spec, grain_density, "grain_density", "kg/m3", "2650", 1, 1e5,
         "in dem, and in frictional with dynamic_angle: of the solid that grains are made of"),
    COLOUR(rp_material_spec, colour, "colour", "sand", "in pictures"),
    OWN(rp_material_spec, "materials"),
};
DEFINE(material_table, "material", rp_material_spec, material_params, "what grains are made of");

static const rp_param contact_params[] = {
    NAME(rp_contact_spec, first, "first", "materials", NULL, "one of the two"),
    NAME(rp_contact_spec, second, "second", "materials", NULL,
         "the other; or the same, for what its grains do among themselves"),
    REAL(rp_contact_spec, friction, "friction", "", "", 0, 10, "tangent of the angle"),
    REAL(rp_contact_spec, restitution, "restitution", "", "", 0, 1,
         "share of their speed that they keep in a bounce"),
    REAL(rp_contact_spec, rolling_friction, "rolling_friction", "", "", 0, 10, "as for a material"),
};
DEFINE(contact_table, "contact", rp_contact_spec, contact_params,
       "in dem: what holds between grains of two materials in place of the geometric mean of each "
       "value");

static const rp_param ball_params[] = {
    VEC3(rp_ball_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR, "of its middle"),
    REAL(rp_ball_spec, radius, "radius", "m", NULL, 1e-9, FAR, "in the same unit"),
};
DEFINE(ball_table, "sphere", rp_ball_spec, ball_params,
       "a part of a grain; lengths only count as ratios");

static const rp_param sieve_params[] = {
    REAL(rp_sieve_spec, diameter, "diameter", "m", NULL, SHORT, 1e3, "of its mesh"),
    REAL(rp_sieve_spec, passing, "passing", "", NULL, 0, 1, "part of all grains, by mass"),
};
DEFINE(sieve_table, "sieve", rp_sieve_spec, sieve_params, "what passes a sieve");

static const rp_param grain_params[] = {
    WORD(rp_grain_spec, shape, "shape", RP_GRAIN_WORDS, "tetrahedron",
         "balls that overlap: four at the corners of a tetrahedron, one, two, eight at the corners "
         "of a cube, or a list of them"),
    TABLE(RP_PARAM_LIST, rp_grain_spec, spheres, "spheres", "", ball_table,
          "of the shape spheres: up to 32, about any point"),
    REAL(rp_grain_spec, diameter, "diameter", "m", "", 0, 1e3,
         "mean, of the ball around a grain; when not given the largest grain just has room: (1 - "
         "jitter) spacings"),
    WORD(rp_grain_spec, sizes, "sizes", RP_SIZES_WORDS, "uniform",
         "how diameters are spread, by number; a sieve curve is by mass"),
    REAL(rp_grain_spec, spread, "spread", "", "", 0, 1,
         "uniform: half the width over the mean; normal, lognormal: standard deviation over the "
         "mean, cut off at 2.5 of them; 0 when not given: all are equal"),
    TABLE(RP_PARAM_LIST, rp_grain_spec, sieve, "sieve", "", sieve_table,
          "of the sizes sieve: diameters and parts rising, the latter from 0 to 1; in between "
          "straight lines"),
    REAL(rp_grain_spec, share, "share", "", "1", 1e-9, 1e9,
         "relative number of grains of this kind among those of its material"),
    NAME(rp_grain_spec, material, "material", "materials", "",
         "that has grains of this kind; when not given every one that no other kind names"),
};
DEFINE(grain_table, "kind of grain", rp_grain_spec, grain_params,
       "shape and sizes of single grains, for methods that resolve them: dem");

/* Shared by sources, voids, bodies and regions. Which of the lengths a shape needs is checked in
 * check.c.
 */
static const rp_param length_params[] = {
    VEC3(rp_shape_spec, size, "size", "m", "", SHORT, FAR, "edges of a box"),
    REAL(rp_shape_spec, radius, "radius", "m", "", SHORT, FAR,
         "of a sphere, cylinder, capsule, cone, or of a funnel's upper end"),
    REAL(rp_shape_spec, height, "height", "m", "", SHORT, FAR,
         "of a cylinder, cone, funnel, or of a capsule's straight part"),
    REAL(rp_shape_spec, neck, "neck", "m", "", SHORT, FAR, "inner radius of a funnel's lower end"),
    REAL(rp_shape_spec, thickness, "thickness", "m", "", SHORT, FAR, "of a funnel's wall"),
    {.key = "file",
     .kind = RP_PARAM_FILE,
     .offset = offsetof(rp_shape_spec, file),
     .preset = "",
     .help = "a mesh (OBJ, STL, PLY, OFF, glTF, GLB), relative to the scene file"},
    REAL(rp_shape_spec, scale, "scale", "", "", 1e-9, 1e9,
         "of a mesh: metres per unit of its file, such as 0.001; 1 when not given"),
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
    SHAPE(NULL, "round shapes stand upright, along z; a cone points up, a funnel opens upwards, a "
                "plane's solid side is below; block is another word for box"),
    LENGTHS,
};
DEFINE(shape_table, "shape", rp_shape_spec, shape_params, "a shape");

static const rp_param region_params[] = {
    SHAPE("", "as for sources and bodies; below a plane is inside; everywhere when not given"),
    LENGTHS,
};
DEFINE(region_table, "region", rp_shape_spec, region_params, "a part of space");

static const rp_param source_params[] = {
    TABLE(RP_PARAM_PART, rp_source_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_source_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "of its middle; of the middle of the lower end of a cone or funnel"),
    VEC3(rp_source_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "turns about x, then y, then z"),
    NAME(rp_source_spec, material, "material", "materials", "", "the first one when not given"),
    VEC3(rp_source_spec, velocity, "velocity", "m/s", "[0, 0, 0]", -1e5, 1e5, "at the start"),
    VEC3(rp_source_spec, spin, "spin", "deg/s", "[0, 0, 0]", -1e7, 1e7,
         "at the start, about the position"),
    REAL(rp_source_spec, at, "at", "s", "0 s", 0, LATE, "when it appears"),
    REAL(rp_source_spec, moisture, "moisture", "", "0", 0, 1, "0 dry to 1 wet"),
    OWN(rp_source_spec, "sources"),
};
DEFINE(source_table, "source", rp_source_spec, source_params, "a shape filled with grains");

static const rp_param void_params[] = {
    TABLE(RP_PARAM_PART, rp_void_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_void_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "of its middle; of the middle of the lower end of a cone or funnel"),
    VEC3(rp_void_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "turns about x, then y, then z"),
};
DEFINE(void_table, "void", rp_void_spec, void_params,
       "a shape that sources leave empty, half a spacing around it included; emitters do not know "
       "it");

static const rp_param emitter_params[] = {
    WORD(rp_emitter_spec, nozzle, "nozzle", RP_NOZZLE_WORDS, "disc", "shape of the opening"),
    REAL(rp_emitter_spec, radius, "radius", "m", "", SHORT, FAR, "of a disc"),
    REAL(rp_emitter_spec, width, "width", "m", "", SHORT, FAR, "of a rectangle"),
    REAL(rp_emitter_spec, height, "height", "m", "", SHORT, FAR, "of a rectangle"),
    VEC3(rp_emitter_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR, "of its middle"),
    VEC3(rp_emitter_spec, direction, "direction", "", "[0, 0, -1]", -FAR, FAR,
         "the way the grains go; any length"),
    REAL(rp_emitter_spec, speed, "speed", "m/s", "1 m/s", 1e-6, 1e5, "of the grains"),
    REAL(rp_emitter_spec, rate, "rate", "kg/s", "0 kg/s", 0, 1e9,
         "mass in a second; 0: as much as fills the nozzle at this speed"),
    REAL(rp_emitter_spec, start, "start", "s", "0 s", 0, LATE, "when it begins"),
    REAL(rp_emitter_spec, stop, "stop", "s", "inf", 0, INFINITY, "when it ends"),
    NAME(rp_emitter_spec, material, "material", "materials", "", "the first one when not given"),
    REAL(rp_emitter_spec, moisture, "moisture", "", "0", 0, 1, "0 dry to 1 wet"),
    REAL(
        rp_emitter_spec, clearance, "clearance", "m", "0 m", 0, FAR,
        "the nozzle draws back from the sand that rises before it to keep this distance; 0: stays"),
};
DEFINE(emitter_table, "emitter", rp_emitter_spec, emitter_params,
       "a nozzle that grains come out of while time passes");

static const rp_param key_params[] = {
    REAL(rp_key_spec, time, "time", "s", NULL, 0, LATE, "when it is there"),
    VEC3(rp_key_spec, position, "position", "m", "", -FAR, FAR,
         "where it is; given by all keys, or by none where they only turn the body"),
    VEC3(rp_key_spec, rotation, "rotation", "deg", "", -1e7, 1e7,
         "turns about x, then y, then z; none when not given; the body's own where no key gives "
         "it"),
};
DEFINE(key_table, "key", rp_key_spec, key_params, "a place on the way of a moved body");

static const rp_param body_params[] = {
    TABLE(RP_PARAM_PART, rp_body_spec, shape_spec, "", "", shape_table, ""),
    VEC3(rp_body_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "of its middle; of the middle of the lower end of a cone or funnel; not with keys that "
         "give one; of the file's origin with an animation"),
    VEC3(rp_body_spec, rotation, "rotation", "deg", "", -3600, 3600,
         "turns about x, then y, then z; none when not given; not with keys that give one; of the "
         "file's axes with an animation, such as [90, 0, 0] where y is up in the file"),
    VEC3(rp_body_spec, normal, "normal", "", "", -FAR, FAR,
         "of a plane: the way it faces, instead of a rotation; any length"),
    WORD(rp_body_spec, motion, "motion", RP_MOTION_WORDS, "fixed",
         "fixed; keys: moved along keys, an animation, or at a velocity and spin; dynamic: moved "
         "by gravity, contacts, joints and sand"),
    TABLE(RP_PARAM_LIST, rp_body_spec, keys, "keys", "", key_table,
          "the way of a moved body, times rising; it rests before the first and after the last"),
    WORD(rp_body_spec, interpolation, "interpolation", RP_INTERPOLATION_WORDS, "smooth",
         "between keys: smooth starts and ends at rest, linear moves and turns at an even rate"),
    {.key = "animation",
     .kind = RP_PARAM_FILE,
     .offset = offsetof(rp_body_spec, animation_file),
     .preset = "",
     .help = "a glTF file (its buffers inside) with an animated node that the body moves with, in "
             "place of keys: linear, in the file's frame, times the scale of a mesh"},
    TEXT(rp_body_spec, node, "node", "",
         "of the animation; the first that is animated when not given"),
    REAL(rp_body_spec, density, "density", "kg/m3", "", 1e-3, 1e5,
         "of a dynamic body; its mass is this times the volume of its shape"),
    REAL(rp_body_spec, mass, "mass", "kg", "", 1e-9, 1e12, "of a dynamic body, instead of density"),
    FRICTION("friction", offsetof(rp_body_spec, friction), "rough",
             "of its surface (tangent); what counts is the geometric mean with the "
             "material's; " ROUGH_MEANS),
    REAL(rp_body_spec, restitution, "restitution", "", "0.1", 0, 1,
         "of its surface: against other bodies, and against grains in dem and null"),
    TABLE(RP_PARAM_TABLE, rp_body_spec, roughness, "roughness", NULL, roughness_table,
          "in dem: grains fixed on its surface"),
    VEC3(rp_body_spec, velocity, "velocity", "m/s", "", -1e5, 1e5,
         "of a dynamic body at the start; with motion: keys, and no keys that give a position, it "
         "moves so for ever"),
    VEC3(rp_body_spec, spin, "spin", "deg/s", "", -1e7, 1e7,
         "of a dynamic body at the start; with motion: keys, and no keys that give a rotation, it "
         "turns so for ever, such as [0, 30 rpm, 0]: about its position, along the world's axes"),
    VEC3(rp_body_spec, belt, "belt", "m/s", "", -1e5, 1e5,
         "velocity of its surface, as of a conveyor, along the body's own axes; of a body that is "
         "not dynamic; each point has the part of it that lies along the surface there"),
    COLOUR(rp_body_spec, colour, "colour", "grey", "in pictures"),
    SWITCH(rp_body_spec, hidden, "hidden", "no",
           "leave it out of pictures, so that what it holds is seen, as behind glass"),
    OWN(rp_body_spec, "bodies"),
};
DEFINE(body_table, "body", rp_body_spec, body_params, "a rigid body");

/* Limits and motors have a key for what turns and one for what slides, since a key has one unit;
 * both fill the same member. check.c sees to it that only the kind's own is given, make.c fills in
 * what is not. */
static const rp_param joint_params[] = {
    WORD(rp_joint_spec, kind, "kind", RP_JOINT_WORDS, NULL,
         "fixed: nothing moves; ball: turns about a point; hinge: turns about an axis; slider: "
         "moves along an axis"),
    NAME(rp_joint_spec, body, "body", "bodies", NULL, "what is held"),
    NAME(rp_joint_spec, other, "other", "bodies", "", "what holds it; the world when not given"),
    VEC3(rp_joint_spec, anchor, "anchor", "m", "", -FAR, FAR,
         "of a ball or hinge: the point it turns about, in the world at the start"),
    VEC3(rp_joint_spec, axis, "axis", "", "", -FAR, FAR,
         "of a hinge or slider, in the world at the start; any length; [0, 0, 1] when not given"),
    REAL(rp_joint_spec, low, "low_angle", "deg", "", -180, 180,
         "of a hinge: how far it turns back from the start; no limit when not given"),
    REAL(rp_joint_spec, high, "high_angle", "deg", "", -180, 180,
         "of a hinge: how far it turns on from the start; no limit when not given"),
    REAL(rp_joint_spec, low, "low", "m", "", -FAR, FAR,
         "of a slider: how far it moves back from the start; no limit when not given"),
    REAL(rp_joint_spec, high, "high", "m", "", -FAR, FAR,
         "of a slider: how far it moves on from the start; no limit when not given"),
    REAL(rp_joint_spec, motor_speed, "motor_spin", "deg/s", "", -1e7, 1e7,
         "of a hinge: the rate of body against other that a motor drives at; 0 when not given"),
    REAL(rp_joint_spec, motor_force, "motor_torque", "N m", "", 0, 1e12,
         "of a hinge: what the motor may use at most; no motor when not given"),
    REAL(rp_joint_spec, motor_speed, "motor_speed", "m/s", "", -1e5, 1e5,
         "of a slider: the speed of body against other that a motor drives at; 0 when not given"),
    REAL(rp_joint_spec, motor_force, "motor_force", "N", "", 0, 1e12,
         "of a slider: what the motor may use at most; no motor when not given"),
    REAL(rp_joint_spec, break_force, "break_force", "N", "inf", 0, INFINITY,
         "it breaks for good where it would have to hold more"),
    REAL(rp_joint_spec, release, "release", "s", "inf", 0, INFINITY, "when it lets go"),
};
DEFINE(joint_table, "joint", rp_joint_spec, joint_params,
       "what holds two bodies together, or a body to the world; one of them is dynamic");

static const rp_param moisture_params[] = {
    TABLE(RP_PARAM_PART, rp_moisture_spec, shape_spec, "", "", region_table, ""),
    VEC3(rp_moisture_spec, position, "position", "m", "[0, 0, 0]", -FAR, FAR,
         "of its middle; of the middle of the lower end of a cone or funnel"),
    VEC3(rp_moisture_spec, rotation, "rotation", "deg", "[0, 0, 0]", -3600, 3600,
         "turns about x, then y, then z"),
    REAL(rp_moisture_spec, start, "start", "s", "0 s", 0, LATE, "when it begins"),
    REAL(rp_moisture_spec, duration, "duration", "s", "0 s", 0, LATE,
         "how long it takes; 0: at once"),
    REAL(rp_moisture_spec, value, "value", "", NULL, 0, 1,
         "what the moisture of the grains inside is at its end: 0 dry to 1 wet"),
};
DEFINE(moisture_table, "moisture region", rp_moisture_spec, moisture_params,
       "a region in which grains become wet or dry, evenly over a while, and stay so");

static const rp_param measurement_params[] = {
    WORD(rp_measurement_spec, what, "what", RP_MEASURE_WORDS, NULL, "the quantity"),
    COUNT(rp_measurement_spec, every, "every", "1", 1, 1e9, "in frames"),
};
DEFINE(measurement_table, "measurement", rp_measurement_spec, measurement_params,
       "a quantity that is written while running");

static const rp_param output_params[] = {
    WORDS(rp_output_spec, formats, "formats", RP_FORMAT_WORDS, "[]",
          "other formats that frames are written in while running"),
    COUNT(rp_output_spec, frame_every, "frame_every", "1", 1, 1e9, "write each n-th frame"),
    COUNT(rp_output_spec, checkpoint_every, "checkpoint_every", "50", 1, 1e9,
          "frames from one checkpoint to the next"),
    COUNT(rp_output_spec, compress, "compress", "0", 0, 9,
          "0: not at all, fast; 1: a quarter smaller; 9: hard and slow"),
    SWITCH(rp_output_spec, contacts, "contacts", "no",
           "frames hold the contacts of grains and their forces, too; they may take more room than "
           "the grains"),
};
DEFINE(output_table, "output section", rp_output_spec, output_params, "what a run writes");

static const rp_param detail_params[] = {
    COUNT(rp_detail_spec, factor, "factor", "0", 0, 1e6,
          "fine grains for each coarse one; 0: none"),
    REAL(rp_detail_spec, step, "step", "s", "10 ms", 1e-6, 10, "no step of fine grains is longer"),
    SWITCH(rp_detail_spec, keep_apart, "keep_apart", "yes",
           "no: as published, fine grains fall into each other at thin edges"),
    REAL(rp_detail_spec, contrast, "contrast", "", "3", 3, 1e3,
         "how many times denser they start inside the box of a lone coarse grain than beside it; "
         "4 gives the middle as much as each side"),
    SWITCH(rp_detail_spec, live, "live", "yes",
           "while running; no: only when `repose refine` is asked"),
};
DEFINE(detail_table, "detail section", rp_detail_spec, detail_params,
       "fine grains that the coarse ones carry");

static const rp_param camera_key_params[] = {
    REAL(rp_camera_key_spec, time, "time", "s", NULL, 0, LATE, "when it is there"),
    VEC3(rp_camera_key_spec, position, "position", "m", NULL, -FAR, FAR, "where it is"),
    VEC3(rp_camera_key_spec, target, "target", "m", "", -FAR, FAR,
         "what it looks at; the camera's own target when not given"),
    REAL(rp_camera_key_spec, field_of_view, "field_of_view", "deg", "", 1, 170,
         "across the height of the picture; the camera's own when not given"),
};
DEFINE(camera_key_table, "camera key", rp_camera_key_spec, camera_key_params,
       "a place on the way of a camera");

static const rp_param camera_params[] = {
    VEC3(rp_camera_spec, position, "position", "m", "", -FAR, FAR,
         "where it stands; must be given without keys, not with them"),
    VEC3(rp_camera_spec, target, "target", "m", "[0, 0, 0]", -FAR, FAR, "what it looks at"),
    VEC3(rp_camera_spec, up, "up", "", "[0, 0, 1]", -FAR, FAR, "what is up in the picture"),
    REAL(rp_camera_spec, field_of_view, "field_of_view", "deg", "40 deg", 1, 170,
         "across the height of the picture"),
    TABLE(RP_PARAM_LIST, rp_camera_spec, keys, "keys", "", camera_key_table,
          "the way of a moved camera, times rising; it rests before the first and after the last"),
    WORD(rp_camera_spec, interpolation, "interpolation", RP_INTERPOLATION_WORDS, "smooth",
         "between keys: smooth starts and ends at rest, linear moves at an even rate"),
    REAL(rp_camera_spec, orbit, "orbit", "deg/s", "0 deg/s", -1e4, 1e4,
         "goes about the axis up through its target at this rate, by the right hand, from where "
         "position or keys say"),
    REAL(rp_camera_spec, aperture, "aperture", "m", "0 m", 0, 1e3,
         "diameter of the lens: the wider, the less is sharp before and behind the focus; 0: all "
         "is sharp"),
    REAL(rp_camera_spec, focus, "focus", "m", "0 m", 0, FAR,
         "distance that is sharp; 0: that of the target"),
    REAL(rp_camera_spec, shutter, "shutter", "", "0.5", 0, 1,
         "part of the time from frame to frame that it is open: the more, the more what moves is "
         "blurred; 0: not at all"),
};
DEFINE(camera_table, "camera", rp_camera_spec, camera_params, "where pictures are taken from");

static const rp_param light_params[] = {
    VEC3(rp_light_spec, direction, "direction", "", "[0.8, 0.4, -0.8]", -FAR, FAR,
         "the way the sun's light travels; any length"),
    REAL(rp_light_spec, strength, "strength", "", "1", 0, 1e3, "of the sun; 1 is plain daylight"),
    REAL(rp_light_spec, sky, "sky", "", "0.4", 0, 1e3, "light from all sides"),
    COLOUR(rp_light_spec, colour, "colour", "white", "of the sun"),
};
DEFINE(light_table, "light", rp_light_spec, light_params, "the light in pictures");

static const rp_param lamp_params[] = {
    VEC3(rp_lamp_spec, position, "position", "m", NULL, -FAR, FAR, "of its middle"),
    REAL(rp_lamp_spec, radius, "radius", "m", "5 cm", SHORT, FAR,
         "of the ball that shines: the larger, the softer its shadows"),
    REAL(rp_lamp_spec, strength, "strength", "", "1", 0, 1e6,
         "1 lights a surface that faces it 1 m from its middle as the sun of plain daylight does, "
         "whatever its radius; 0: off"),
    COLOUR(rp_lamp_spec, colour, "colour", "white", "of its light"),
};
DEFINE(lamp_table, "lamp", rp_lamp_spec, lamp_params, "a ball that shines");

static const rp_param gravity_key_params[] = {
    REAL(rp_gravity_key_spec, time, "time", "s", NULL, 0, LATE, "when it pulls like this"),
    VEC3(rp_gravity_key_spec, gravity, "gravity", "m/s2", NULL, -1e4, 1e4, "how it pulls then"),
};
DEFINE(gravity_key_table, "gravity key", rp_gravity_key_spec, gravity_key_params,
       "gravity at an instant; in between its direction turns and its length changes at an even "
       "rate");

static const rp_param scene_params[] = {
    TEXT(rp_scene, title, "title", "untitled", "one line on what it shows"),
    TEXT(rp_scene, description, "description", "", "more about it"),
    COUNT(rp_scene, seed, "seed", "1", 0, 9e15, "where the random numbers begin"),
    TABLE(RP_PARAM_TABLE, rp_scene, time, "time", NULL, time_table, "how long, in which steps"),
    VEC3(rp_scene, gravity, "gravity", "m/s2", "[0, 0, -9.81]", -1e4, 1e4, "pulls everywhere"),
    TABLE(RP_PARAM_LIST, rp_scene, gravity_keys, "gravity_keys", "", gravity_key_table,
          "gravity that changes, times rising, in place of gravity"),
    TABLE(RP_PARAM_TABLE, rp_scene, domain, "domain", NULL, domain_table,
          "the space that grains may be in"),
    TABLE(RP_PARAM_TABLE, rp_scene, particles, "particles", NULL, particles_table, "the grains"),
    TABLE(RP_PARAM_NAMED, rp_scene, materials, "materials", "sand", material_table,
          "what grains are made of, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, contacts, "contacts", "", contact_table,
          "pairs of materials with values of their own, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, grains, "grains", "grain", grain_table,
          "kinds of grains, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, sources, "sources", "", source_table,
          "shapes filled with grains, by name; what voids and bodies take up stays empty"),
    TABLE(RP_PARAM_NAMED, rp_scene, voids, "voids", "", void_table,
          "shapes that sources leave empty, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, emitters, "emitters", "", emitter_table,
          "nozzles that grains come out of, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, bodies, "bodies", "", body_table, "rigid bodies, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, joints, "joints", "", joint_table,
          "what holds bodies together, by name"),
    TABLE(RP_PARAM_NAMED, rp_scene, moisture, "moisture", "", moisture_table,
          "regions in which grains become wet or dry, by name; where they overlap, in their order"),
    TABLE(RP_PARAM_NAMED, rp_scene, measurements, "measurements", "", measurement_table,
          "quantities that are written while running, by name"),
    TABLE(RP_PARAM_TABLE, rp_scene, detail, "detail", NULL, detail_table,
          "fine grains that the coarse ones carry"),
    TABLE(RP_PARAM_TABLE, rp_scene, output, "output", NULL, output_table, "what a run writes"),
    TABLE(RP_PARAM_NAMED, rp_scene, cameras, "cameras", "", camera_table,
          "where pictures are taken from, by name"),
    TABLE(RP_PARAM_TABLE, rp_scene, light, "light", NULL, light_table, "the light in pictures"),
    TABLE(RP_PARAM_NAMED, rp_scene, lamps, "lamps", "", lamp_table,
          "balls that shine in pictures, by name"),
    {.key = "solver", .kind = RP_PARAM_METHOD, .help = "the method, and its own keys"},
};
DEFINE(scene_table, "scene", rp_scene, scene_params, "all that a simulation is made of");

const rp_param_table *rp_scene_table(void)
{
    return &scene_table;
}
