/* What the tests of scenes share: methods to choose from, and reading from a text. */
#ifndef RP_TESTS_SCENE_SCHEMA_H
#define RP_TESTS_SCENE_SCHEMA_H

#include "scene/scene.h"
#include "solver/registry.h"

#include <stdbool.h>
#include <string.h>

typedef struct null_params {
    double restitution;
} null_params;

typedef struct toy_params {
    double stiffness; /* Pa */
    int64_t iterations;
    bool damped;
    int kernel;
    char *note;
    rp_vec3 wind; /* m/s */
    int lead;     /* material */
    double tint[3];
    uint32_t outputs;
} toy_params;

static const rp_param null_list[] = {
    {.key = "restitution",
     .kind = RP_PARAM_REAL,
     .offset = offsetof(null_params, restitution),
     .unit = "",
     .preset = "0.5",
     .low = 0,
     .high = 1,
     .help = "of a bounce"},
};
static const rp_param_table null_table = {.name = "null",
                                          .help = "no forces",
                                          .size = sizeof(null_params),
                                          .params = null_list,
                                          .count = 1};

static const rp_param toy_list[] = {
    {.key = "stiffness",
     .kind = RP_PARAM_REAL,
     .offset = offsetof(toy_params, stiffness),
     .unit = "Pa",
     .preset = "2 kPa",
     .low = 1,
     .high = 1e9,
     .help = "of a grain"},
    {.key = "iterations",
     .kind = RP_PARAM_COUNT,
     .offset = offsetof(toy_params, iterations),
     .preset = "4",
     .low = 1,
     .high = 100,
     .help = "in a step"},
    {.key = "damped",
     .kind = RP_PARAM_SWITCH,
     .offset = offsetof(toy_params, damped),
     .preset = "yes",
     .help = "loses energy"},
    {.key = "kernel",
     .kind = RP_PARAM_WORD,
     .offset = offsetof(toy_params, kernel),
     .words = "cubic|wendland",
     .preset = "cubic",
     .help = "for sums"},
    {.key = "note",
     .kind = RP_PARAM_TEXT,
     .offset = offsetof(toy_params, note),
     .preset = "",
     .help = "any text"},
    {.key = "wind",
     .kind = RP_PARAM_VEC3,
     .offset = offsetof(toy_params, wind),
     .unit = "m/s",
     .preset = "[0, 0, 0]",
     .low = -100,
     .high = 100,
     .help = "of the air"},
    {.key = "lead",
     .kind = RP_PARAM_NAME,
     .offset = offsetof(toy_params, lead),
     .words = "materials",
     .preset = "",
     .help = "the material that counts"},
    {.key = "tint",
     .kind = RP_PARAM_COLOUR,
     .offset = offsetof(toy_params, tint),
     .preset = "white",
     .help = "in pictures"},
    {.key = "outputs",
     .kind = RP_PARAM_WORDS,
     .offset = offsetof(toy_params, outputs),
     .words = "a|b|c",
     .preset = "[a, c]",
     .help = "what is measured"},
};
static const rp_param_table toy_table = {
    .name = "toy", .help = "springs", .size = sizeof(toy_params), .params = toy_list, .count = 9};

/* What the second one adds to bodies and to sources. */
typedef struct toy_body {
    double stickiness;
} toy_body;
typedef struct toy_source {
    rp_vec3 stretch;
} toy_source;
static const rp_param toy_body_list[] = {
    RP_KEY_REAL(toy_body, stickiness, "stickiness", "", "0.25", 0, 1, "of its surface"),
};
static const rp_param_table toy_body_table = RP_TABLE(toy_body, toy_body_list, "body", "sticky");
static const rp_param toy_source_list[] = {
    RP_KEY_VEC3(toy_source, stretch, "stretch", "", "[1, 1, 1]", 0, 10, "of its lattice"),
};
static const rp_param_table toy_source_table =
    RP_TABLE(toy_source, toy_source_list, "source", "stretched");

/* What they add to materials is what granular SPH and discrete elements add. */
static inline const rp_scene_method *method_at(int index)
{
    static rp_scene_method methods[] = {
        {.params = &null_table},
        {.params = &toy_table, .bodies = &toy_body_table, .sources = &toy_source_table}};
    methods[0].materials = rp_solver_find("frictional")->scene.materials;
    methods[1].materials = rp_solver_find("dem")->scene.materials;
    return &methods[index];
}
static const rp_scene_schema schema = {method_at, 2};

static inline rp_code read_text(const char *text, rp_scene **out, rp_report *report)
{
    return rp_scene_read_text(text, strlen(text), "test.yaml", NULL, 0, &schema, out, report);
}

/* One of every kind of entry. */
static const char full_scene[] =
    "title: 'A handful of grains: falls into a box'\n"
    "description: |\n"
    "  Two lines,\n"
    "  with \"quotes\" and a µ.\n"
    "seed: 42\n"
    "time: {duration: 2 s, frame_rate: 50 Hz, max_step: 5 ms}\n"
    "gravity: [0, 0, -9.81 m/s^2]\n"
    "gravity_keys: [{time: 0, gravity: [0, 0, -9.81]}, {time: 2 s, gravity: [4.9, 0, -8.5]}]\n"
    "domain: {low: [-1, -1, 0], high: [1, 1, 3], open: [top], periodic: [x]}\n"
    "particles: {spacing: 2 cm, jitter: 20 %}\n"
    "materials:\n"
    "  sand: {density: 1600, angle: 35 deg, colour: [0.76, 0.60, 0.38]}\n"
    "  gravel: {density: 1.8 g/cm3, angle: 40, colour: \"#8090a0\", young: 2 GPa}\n"
    "contacts:\n"
    "  slip: {first: sand, second: gravel, friction: 0.2, rolling_friction: 0.01}\n"
    "grains:\n"
    "  grit: {diameter: 8 mm, sizes: lognormal, spread: 0.2, share: 3}\n"
    "  nut: {shape: spheres, spheres: [{position: [1, 0, 0], radius: 1}, {radius: 20 mm},\n"
    "        {position: [1 m, 0, 50 cm], radius: 0.5}], material: gravel}\n"
    "  pebble: {shape: cube, sizes: sieve, material: gravel, sieve: [{diameter: 1 mm, passing:\n"
    "          0}, {diameter: 4 mm, passing: 30 %}, {diameter: 9 mm, passing: 1}]}\n"
    "sources:\n"
    "  heap: {shape: block, size: [40 cm, 40cm, 0.4], position: [0, 0, 1 m], material: gravel}\n"
    "  ball: {shape: sphere, radius: 10 cm, at: 1 s, spin: [0, 0, 60 rpm], moisture: 0.5}\n"
    "voids:\n"
    "  cave: {shape: sphere, radius: 5 cm, position: [0, 0, 1], rotation: [0, 90, 0]}\n"
    "emitters:\n"
    "  spout: {nozzle: disc, radius: 5 cm, position: [0, 0, 2 m], direction: [0, 0, -2],\n"
    "          speed: 1 m/s, stop: 1 s}\n"
    "  slit: {nozzle: rectangle, width: 5 cm, height: 1 cm, rate: 100 g/s}\n"
    "bodies:\n"
    "  floor: {shape: plane, position: [0, 0, 0], normal: [0, 0, 2]}\n"
    "  paddle:\n"
    "    shape: box\n"
    "    size: [1, 0.1, 0.5]\n"
    "    motion: keys\n"
    "    keys: [{time: 0, position: [0, 0, 0]}, {time: 1, position: [1, 0, 0], rotation: [0, 0, "
    "90]}]\n"
    "  stone: {shape: sphere, radius: 3 cm, motion: dynamic, density: 2500 kg/m3, colour: brown}\n"
    "  hopper: {shape: funnel, radius: 20 cm, neck: 3 cm, height: 30 cm, thickness: 1 cm, hidden: "
    "yes}\n"
    "joints:\n"
    "  door: {kind: hinge, body: stone, other: hopper, anchor: [0, 0, 1 m], axis: [0, 3, 4],\n"
    "         low_angle: -90, high_angle: 0.5 rad, motor_spin: 10 rpm, motor_torque: 2 N m}\n"
    "  rail: {kind: slider, body: stone, low: -5 cm, motor_speed: 1 mm/s, motor_force: 1 kN}\n"
    "  rope: {kind: ball, body: paddle, other: stone, anchor: [1, 2, 3], break_force: 20 N}\n"
    "  glue: {kind: fixed, body: stone, release: 500 ms}\n"
    "moisture:\n"
    "  rain: {shape: cylinder, radius: 1 m, height: 50 cm, position: [0, 0, 1], start: 1 s,\n"
    "         duration: 500 ms, value: 80 %}\n"
    "  sun: {value: 0}\n"
    "measurements:\n"
    "  energy: {what: energy, every: 2}\n"
    "output: {formats: [vtp, csv], compress: 4}\n"
    "cameras:\n"
    "  front: {position: [0, -3, 1], target: [0, 0, 0.5]}\n"
    "  ride: {target: [0, 0, 0.5], field_of_view: 30, interpolation: linear, orbit: 90 deg/s,\n"
    "         aperture: 4 mm, focus: 2 m, shutter: 25 %,\n"
    "         keys: [{time: 1, position: [0, -3, 1]},\n"
    "                {time: 2, position: [3, 0, 1], target: [0, 0, 0], field_of_view: 50}]}\n"
    "light: {direction: [0, 0, -3], strength: 1.2}\n"
    "lamps:\n"
    "  desk: {position: [1, 0, 2], radius: 2 cm, strength: 3, colour: [1, 0.5, 0.25]}\n"
    "  plain: {position: [0, 0, 5]}\n"
    "solver: {method: toy, stiffness: 3 MPa, damped: no, lead: gravel, note: \"a: b\"}\n";

#endif
