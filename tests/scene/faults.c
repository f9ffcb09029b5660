/* Faults: each at its line, column and key, with what is allowed and what may have been meant. */
#include "check.h"

#include "base/report.h"
#include "scene/schema.h"

typedef struct wrong {
    const char *text; /* stands below "particles: {spacing: 1}", so its first line is 2 */
    int line, column;
    const char *key;
    const char *message; /* a part of it */
} wrong;

/* The text gives this fault, and no other. */
static void check_fault(const wrong *w)
{
    char text[2000], shown[3000];
    snprintf(text, sizeof text, "particles: {spacing: 1}\n%s", w->text);
    rp_report *report = rp_report_create();
    rp_scene *scene;
    rp_code code = read_text(text, &scene, report);
    if (code == RP_OK || rp_report_count(report) == 0) fail_msg("'%s' passes", w->text);
    const rp_fault *fault = rp_report_fault(report, 0);
    rp_fault_text(fault, shown, sizeof shown);
    if (rp_report_count(report) > 1 || fault->line != w->line || fault->column != w->column ||
        strcmp(fault->key, w->key) != 0 || !strstr(fault->message, w->message))
        fail_msg("'%s' gives %d faults, the first:\n%s\nwanted: %d:%d %s: ..%s..", w->text,
                 rp_report_count(report), shown, w->line, w->column, w->key, w->message);
    assert_string_equal(fault->file, "test.yaml");
    assert_null(scene);
    rp_report_destroy(report);
}

/* Keys that would do nothing in the company that they are in. */
static const wrong idle[] = {
    {"bodies: {a: {shape: sphere, radius: 1, velocity: [1,0,0]}}", 2, 50, "bodies.a.velocity",
     "a fixed body does not move; say `motion: keys`"},
    {"bodies: {a: {shape: sphere, radius: 1, spin: [0,0,30 rpm]}}", 2, 46, "bodies.a.spin",
     "a fixed body does not turn"},
    {"bodies: {a: {shape: sphere, radius: 1, density: 1}}", 2, 49, "bodies.a.density",
     "say `motion: dynamic`, or leave it out"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, spin: [0,0,1], mass: 1}}", 2, 75,
     "bodies.a.mass", "say `motion: dynamic`, or leave it out"},
    {"bodies: {a: {shape: sphere, radius: 1, interpolation: linear}}", 2, 55,
     "bodies.a.interpolation", "no keys"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: dynamic, mass: 1, interpolation: linear}}", 2,
     81, "bodies.a.interpolation", "no keys"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: dynamic, mass: 1, belt: [1,0,0]}}", 2, 72,
     "bodies.a.belt", "say `motion: fixed` or `keys`"},
    {"bodies: {a: {shape: sphere, radius: 1, belt: 1 m/s}}", 2, 46, "bodies.a.belt",
     "three numbers such as [0, 0, 1 m/s]"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, position: [1,0,0], keys: [{time: 0, "
     "position: [0,0,0]}]}}",
     2, 64, "bodies.a.position", "its keys say where it is"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, rotation: [1,0,0], keys: [{time: 0, "
     "position: [0,0,0], rotation: [0,0,9]}]}}",
     2, 64, "bodies.a.rotation", "its keys say how it is turned"},
    {"bodies: {a: {shape: plane, motion: keys, normal: [1,0,0], keys: [{time: 0, rotation: "
     "[0,0,9]}]}}",
     2, 50, "bodies.a.normal", "its keys say how it is turned"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, velocity: [1,0,0], keys: [{time: 0, "
     "position: [0,0,0]}]}}",
     2, 64, "bodies.a.velocity", "its keys give a position"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, spin: [1,0,0], keys: [{time: 0, "
     "rotation: [0,0,0]}]}}",
     2, 60, "bodies.a.spin", "its keys give a rotation"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, animation: /proc/self/exe, spin: "
     "[1,0,0]}}",
     2, 87, "bodies.a.spin", "the animation says how it turns"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, animation: /proc/self/exe, "
     "interpolation: "
     "linear}}",
     2, 96, "bodies.a.interpolation", "an animation is linear"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys, keys: [{time: 0, position: [0,0,0]},\n  "
     "{time: 1, rotation: [0,0,9]}]}}",
     3, 3, "bodies.a.keys[1].position", "or by no key"},
    {"moisture: {m: {value: 1, position: [1,0,0]}}", 2, 36, "moisture.m.position",
     "everywhere; give a shape"},
    {"moisture: {m: {value: 1, rotation: [1,0,0]}}", 2, 36, "moisture.m.rotation",
     "everywhere; give a shape"},
    {"cameras: {c: {position: [1,0,0], interpolation: linear}}", 2, 49, "cameras.c.interpolation",
     "no keys"},
    {"materials: {sand: {angle: 30 deg, dynamic_angle: 25 deg, grain_diameter: 1 mm}}", 2, 50,
     "materials.sand.dynamic_angle", "must be above it"},
    {"materials: {sand: {dynamic_angle: 40 deg}}", 2, 19, "materials.sand.grain_diameter",
     "the diameter of the real grains is needed"},
    {"materials: {sand: {grain_diameter: 1 mm}}", 2, 36, "materials.sand.grain_diameter",
     "give dynamic_angle, too"},
    {"materials: {sand: {dynamic_angle: 40 deg, grain_diameter: 1 mm, inertial_number: 0}}", 2, 82,
     "materials.sand.inertial_number", "1e-06 to 1e+06"},
    {"cameras: {c: {position: [1,0,0], focus: 2}}", 2, 41, "cameras.c.focus",
     "without an aperture all is sharp"},
    {"cameras: {c: {position: [1,0,0], keys: [{time: 1, position: [2,0,0]}]}}", 2, 25,
     "cameras.c.position", "its keys say where it stands"},
    {"cameras: {c: {target: [1,0,0], keys: [{time: 1, position: [2,0,0], target: [0,0,0]}]}}", 2,
     23, "cameras.c.target", "all of its keys give one"},
};

static const wrong values[] = {
    {"time: {duration: 2 kg}", 2, 18, "time.duration", "is a mass, but a time is wanted"},
    {"time: {duration: 2 kg}", 2, 18, "time.duration", "allowed units: s, ms, us, min, h"},
    {"time: {duration: 2 sek}", 2, 18, "time.duration", "'sek' is not a unit"},
    {"time: {duration: two}", 2, 18, "time.duration", "expected a number; allowed: 0 to 1e+06 s"},
    {"time: {duration: -1 s}", 2, 18, "time.duration", "allowed: 0 to 1e+06 s"},
    {"time: {duration: nan}", 2, 18, "time.duration", "'nan' is not allowed"},
    {"time: {duration: .inf}", 2, 18, "time.duration", "'.inf' is not allowed"},
    {"time: {duration: 1e999}", 2, 18, "time.duration", "not allowed"},
    {"time: {duration: 0x10}", 2, 18, "time.duration", "expected a number"},
    {"time: {duration: [1]}", 2, 18, "time.duration", "found a list of 1"},
    {"time:\n  duration:\n  step: 1", 3, 3, "time.duration", "found nothing"},
    {"materials: {sand: {friction: 3 m}}", 2, 30, "materials.sand.friction",
     "a length, but a plain number is wanted, without a unit"},
    {"domain: {friction: ruogh}", 2, 20, "domain.friction",
     "expected a number; allowed: at least 0, or rough"},
    {"domain: {low: [0, 0, 0], friction: {lfet: 1}}", 2, 37, "domain.friction.lfet",
     "did you mean 'left'?"},
    {"domain: {low: [0, 0, 0], friction: {left: ruogh}}", 2, 43, "domain.friction.left",
     "allowed: at least 0, or rough"},
    {"domain: {low: [0, 0, 0], friction: {top: 1}}", 2, 42, "domain.friction.top",
     "there is no wall on this side that could rub"},
    {"domain: {low: [0, 0, 0], open: [left], friction: {left: 1}}", 2, 57, "domain.friction.left",
     "it is open"},
    {"domain: {low: [0, 0, 0], roughness: {period: 1 mm}}", 2, 37, "domain.roughness.radius",
     "a period is given"},
    {"domain: {low: [0, 0, 0], roughness: {radius: 1 mm, period: 0.4 mm}}", 2, 60,
     "domain.roughness.period", "make it 0.0005 m at least"},
    {"domain: {low: [0, 0, 0], roughness: {radius: 1 mm, sides: [bottom, top]}}", 2, 59,
     "domain.roughness.sides", "there is no wall at the top that could be rough"},
    {"bodies: {a: {shape: sphere, radius: 1, roughness: {radius: 1e-9}}}", 2, 60,
     "bodies.a.roughness.radius", "too small"},
    {"bodies: {a: {shape: sphere, radius: 1, belt: [1, 0, 0], roughness: {radius: 1 mm}}}", 2, 68,
     "bodies.a.roughness", "would not run with the belt"},
    {"bodies: {a: {shape: plane, motion: keys, spin: [0, 0, 1], roughness: {radius: 1 mm}}}", 2, 70,
     "bodies.a.roughness", "a rough plane cannot turn"},
    {"domain: {friction: -1}", 2, 20, "domain.friction", "allowed: at least 0, or rough"},
    {"materials: {sand: {friction: rough}}", 2, 30, "materials.sand.friction", "0 to 10"},
    {"materials: {sand: {angle: 1 mm}}", 2, 27, "materials.sand.angle", "allowed units: rad, deg"},
    {"materials: {sand: {density: 1 kg/m4}}", 2, 29, "materials.sand.density",
     "is another quantity, but a density"},
    {"solver: {method: toy, stiffness: 2 kpa}", 2, 34, "solver.stiffness", "did you mean 'kPa'?"},
    {"seed: 1.5", 2, 7, "seed", "expected a whole number"},
    {"seed: 99999999999999999999", 2, 7, "seed", "not allowed"},
    {"seed: -1", 2, 7, "seed", "allowed: 0 to 9000000000000000"},
    {"gravity: [0, 0]", 2, 10, "gravity", "found a list of 2, expected a list of three"},
    {"gravity: [0, 0, x]", 2, 17, "gravity[2]", "expected a number"},
    {"gravity: [0, inf, 0]", 2, 14, "gravity[1]", "'inf' is not allowed"},
    {"domain: {open: [top, buttom]}", 2, 22, "domain.open[1]", "did you mean 'bottom'?"},
    {"domain: {open: up}", 2, 16, "domain.open", "expected one of: left, right, front"},
    {"solver: {method: toy, damped: maybe}", 2, 31, "solver.damped", "expected yes or no"},
    {"materials: {sand: {colour: rde}}", 2, 28, "materials.sand.colour", "did you mean 'red'?"},
    {"materials: {sand: {colour: \"#12345\"}}", 2, 28, "materials.sand.colour", "#rrggbb"},
    {"materials: {sand: {colour: [0, 0, 2]}}", 2, 35, "materials.sand.colour[2]", "0 to 1"},
    {"title: [a]", 2, 8, "title", "expected a text"},
    {"time: 5", 2, 7, "time", "expected a map of keys"},
    {"time: [5]", 2, 7, "time", "expected a map of keys"},
    {"materials: {sand: 5}", 2, 19, "materials.sand", "expected a map of keys for a material"},
    {"materials: {a.b: {}}", 2, 13, "materials.a.b", "a name has letters"},
    {"measurements: {m: {}}", 2, 19, "measurements.m.what", "must be given"},
};

static const wrong names[] = {
    {"titel: x", 2, 1, "titel", "unknown key 'titel' for a scene; did you mean 'title'?"},
    {"time: {durration: 1}", 2, 8, "time.durration", "did you mean 'duration'?"},
    {"time: {qqqqqqq: 1}", 2, 8, "time.qqqqqqq", "known keys: duration, frame_rate, step"},
    {"bodies: {a: {shape: spere, radius: 1}}", 2, 21, "bodies.a.shape", "did you mean 'sphere'?"},
    {"bodies: {a: {shape: sphere, radus: 1}}", 2, 29, "bodies.a.radus", "did you mean 'radius'?"},
    {"sources: {a: {shape: sphere, radius: 1, material: snad}}", 2, 51, "sources.a.material",
     "did you mean 'sand'?"},
    {"solver: {method: tyo}", 2, 18, "solver.method", "method: null, toy; did you mean 'toy'?"},
    {"solver: {method: toy, restitution: 1}", 2, 23, "solver.restitution", "unknown key"},
    {"seed: 1\nseed: 2", 3, 1, "seed", "given twice, on line 2 and on line 3"},
    {"materials: {a: {}, b: {}}\nmaterials: {c: {}}", 3, 1, "materials", "given twice"},
    {"time: {step: 1, step: 1}", 2, 17, "time.step", "given twice, on line 2 and on line 2"},
};

static const wrong together[] = {
    {"domain: {low: [0, 2, 0], high: [1, 1, 1]}", 2, 15, "domain.low", "along y"},
    {"domain: {periodic: [z]}", 2, 20, "domain.periodic", "low and high must be given"},
    {"domain: {low: [0,0,0], high: [1,1,1], periodic: x, open: left}", 2, 58, "domain.open",
     "cannot be open"},
    {"time: {min_step: 1 s, max_step: 1 ms}", 2, 18, "time.min_step", "longer than max_step"},
    {"sources: {a: {shape: cylinder, radius: 1}}", 2, 14, "sources.a.height",
     "a cylinder needs radius, height; height is not given"},
    {"sources: {a: {shape: sphere, radius: 1, size: [1, 1, 1]}}", 2, 47, "sources.a.size",
     "size means nothing for a sphere, which has radius"},
    {"sources: {a: {shape: plane}}", 2, 22, "sources.a.shape", "plane is for bodies"},
    {"sources: {a: {shape: box, size: [1, 0, 1]}}", 2, 37, "sources.a.size[1]", "1e-06"},
    {"voids: {a: {shape: sphere}}", 2, 12, "voids.a.radius", "a sphere needs radius"},
    {"voids: {a: {shape: sphere, radius: 1, material: sand}}", 2, 39, "voids.a.material",
     "unknown key"},
    {"bodies: {a: {shape: plane, radius: 1}}", 2, 36, "bodies.a.radius", "means nothing"},
    {"bodies: {a: {shape: mesh}}", 2, 13, "bodies.a.file", "a mesh needs file"},
    {"bodies: {a: {shape: mesh, file: /nowhere/x.obj}}", 2, 33, "bodies.a.file", "cannot open"},
    {"bodies: {a: {shape: mesh, file: /}}", 2, 33, "bodies.a.file", "is not a file"},
    {"bodies: {a: {shape: funnel, radius: 1, neck: 2, height: 1, thickness: 1}}", 2, 46,
     "bodies.a.neck", "wider"},
    {"bodies: {a: {shape: plane, normal: [0, 0, 0]}}", 2, 36, "bodies.a.normal", "zero"},
    {"bodies: {a: {shape: sphere, radius: 1, normal: [0, 0, 1]}}", 2, 48, "bodies.a.normal",
     "only a plane"},
    {"bodies: {a: {shape: plane, normal: [0,0,1], rotation: [0,0,0]}}", 2, 55, "bodies.a.rotation",
     "not by both"},
    {"bodies: {a: {shape: plane, motion: dynamic, density: 1}}", 2, 36, "bodies.a.motion",
     "no end"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: dynamic}}", 2, 13, "bodies.a.density",
     "needs a density, such as 2500 kg/m3, or a mass"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: dynamic, mass: 1, density: 1}}", 2, 63,
     "bodies.a.mass", "not both"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: dynamic, mass: -1}}", 2, 63, "bodies.a.mass",
     "allowed: 1e-09"},
    {"bodies: {a: {shape: sphere, radius: 1, motion: keys}}", 2, 13, "bodies.a.keys",
     "at least one"},
    {"bodies: {a: {shape: sphere, radius: 1, keys: [{time: 0, position: [0,0,0]}]}}", 2, 46,
     "bodies.a.keys", "motion: keys"},
    {"bodies: {a: {shape: plane, motion: keys, keys: [{time: 1, position: [0,0,0]},\n"
     "  {time: 1, position: [0,0,1]}]}}",
     3, 10, "bodies.a.keys[1].time", "times must rise"},
    {"bodies: {a: {shape: plane, motion: keys, keys: [{time: 1}]}}", 2, 49,
     "bodies.a.keys[0].position", "must be given"},
    {"gravity_keys: [{time: 1, gravity: [0,0,-1]},\n  {time: 1, gravity: [0,0,-2]}]", 3, 10,
     "gravity_keys[1].time", "times must rise"},
    {"gravity_keys: [{time: 1, gravity: [0,0,-1]},\n  {time: 2, gravity: [0,0,3]}]", 3, 22,
     "gravity_keys[1].gravity", "the direction of rotation is not defined"},
    {"gravity_keys: [{time: 1}]", 2, 16, "gravity_keys[0].gravity", "must be given"},
    {"gravity_keys: {time: 1}", 2, 15, "gravity_keys", "expected a list"},
    {"moisture: {m: {shape: sphere, value: 1}}", 2, 15, "moisture.m.radius", "needs radius"},
    {"moisture: {m: {radius: 1, value: 1}}", 2, 24, "moisture.m.radius",
     "means nothing for a region without a shape"},
    {"moisture: {m: {shape: plane, size: [1,1,1], value: 1}}", 2, 36, "moisture.m.size",
     "means nothing for a plane"},
    {"moisture: {m: {start: 1}}", 2, 15, "moisture.m.value", "must be given"},
    {"moisture: {m: {value: 1.5}}", 2, 23, "moisture.m.value", "0 to 1"},
    {"moisture: {m: {value: 1, duration: -1}}", 2, 36, "moisture.m.duration", "0 to 1e+06 s"},
    {"moisture: {m: {value: 1, duraton: 1}}", 2, 26, "moisture.m.duraton", "'duration'?"},
    {"moisture: 0.5", 2, 11, "moisture", "expected a map"},
    {"sources: {a: {shape: sphere, radius: 1, moisture: 2}}", 2, 51, "sources.a.moisture",
     "0 to 1"},
    {"emitters: {e: {radius: 1, moisture: wet}}", 2, 37, "emitters.e.moisture",
     "expected a number"},
    {"materials: {sand: {wet_cohesion: 3}, b: {cohesion: 1 m}}", 2, 52, "materials.b.cohesion",
     "is a length, but a pressure is wanted"},
    {"emitters: {e: {radius: 1, direction: [0, 0, 0]}}", 2, 38, "emitters.e.direction", "zero"},
    {"emitters: {e: {radius: 1, start: 2, stop: 1}}", 2, 43, "emitters.e.stop", "after start"},
    {"emitters: {e: {nozzle: rectangle, width: 1}}", 2, 15, "emitters.e.height",
     "a rectangle needs width, height"},
    {"emitters: {e: {radius: 1, width: 1}}", 2, 34, "emitters.e.width", "means nothing"},
    {"cameras: {c: {position: [0, 0, 1]}}", 2, 14, "cameras.c.up", "along the view"},
    {"cameras: {c: {position: [0, 0, 0]}}", 2, 14, "cameras.c.target", "stands where"},
    {"cameras: {c: {position: [1, 0, 0], up: [0, 0, 0]}}", 2, 40, "cameras.c.up", "zero"},
    {"light: {direction: [0, 0, 0]}", 2, 20, "light.direction", "zero"},
};

/* Below two dynamic bodies and a fixed one, so the first line is 6. */
#define BODIES                                                                                     \
    "bodies:\n"                                                                                    \
    "  crate: {shape: sphere, radius: 1, motion: dynamic, mass: 1}\n"                              \
    "  lid: {shape: sphere, radius: 1, motion: dynamic, mass: 1}\n"                                \
    "  wall: {shape: plane}\n"

static const wrong joints[] = {
    {BODIES "joints: {j: {kind: fixed}}", 6, 13, "joints.j.body", "must be given"},
    {BODIES "joints: {j: {body: lid}}", 6, 13, "joints.j.kind", "must be given"},
    {BODIES "joints: {j: {kind: hing, body: lid}}", 6, 20, "joints.j.kind", "'hinge'?"},
    {BODIES "joints: {j: {kind: fixed, body: crat}}", 6, 33, "joints.j.body",
     "from the section 'bodies'; did you mean 'crate'?"},
    {BODIES "joints: {j: {kind: fixed, body: lid, other: wal}}", 6, 45, "joints.j.other",
     "did you mean 'wall'?"},
    {BODIES "joints: {j: {kind: fixed, body: [lid]}}", 6, 33, "joints.j.body", "a list of 1"},
    {BODIES "joints: {j: {kind: fixed, body: lid, othr: wall}}", 6, 38, "joints.j.othr",
     "did you mean 'other'?"},
    {"joints: {j: {kind: fixed, body: lid}}", 2, 33, "joints.j.body", "section 'bodies'"},
    {BODIES "joints: {j: {kind: fixed, body: lid, other: lid}}", 6, 45, "joints.j.other",
     "cannot be joined to itself"},
    {BODIES "joints: {j: {kind: fixed, body: wall}}", 6, 33, "joints.j.body",
     "'wall' is not dynamic"},
    {BODIES "  post: {shape: plane}\njoints: {j: {kind: fixed, body: wall, other: post}}", 7, 33,
     "joints.j.body", "neither 'wall' nor 'post' is dynamic"},
    {BODIES "  post: {shape: plain}\njoints: {j: {kind: fixed, body: wall, other: post}}", 6, 17,
     "bodies.post.shape", "'plane'?"},
    {BODIES "joints: {j: {kind: ball, body: lid}}", 6, 13, "joints.j.anchor",
     "a ball joint needs anchor"},
    {BODIES "joints: {j: {kind: fixed, body: lid, anchor: [0,0,0]}}", 6, 46, "joints.j.anchor",
     "anchor means nothing for a fixed joint"},
    {BODIES "joints: {j: {kind: ball, body: lid, anchor: [0,0,0], low_angle: 1}}", 6, 65,
     "joints.j.low_angle", "means nothing for a ball joint, which has anchor"},
    {BODIES "joints: {j: {kind: fixed, body: lid, high: 1}}", 6, 44, "joints.j.high",
     "means nothing for a fixed joint"},
    {BODIES "joints: {j: {kind: ball, body: lid, anchor: [0,0,0], motor_torque: 1}}", 6, 68,
     "joints.j.motor_torque", "means nothing for a ball joint"},
    {BODIES "joints: {j: {kind: fixed, body: lid, motor_force: 1}}", 6, 51, "joints.j.motor_force",
     "means nothing for a fixed joint"},
    {BODIES "joints: {j: {kind: hinge, body: lid, anchor: [0,0,0], low: -1}}", 6, 60,
     "joints.j.low", "low means nothing for a hinge joint, which has anchor, axis, low_angle"},
    {BODIES "joints: {j: {kind: slider, body: lid, motor_torque: 1}}", 6, 53,
     "joints.j.motor_torque", "which has axis, low, high, motor_speed, motor_force"},
    {BODIES "joints: {j: {kind: slider, body: lid, low: 2, high: 1}}", 6, 44, "joints.j.low",
     "low (2 m) is above high (1 m)"},
    {BODIES "joints: {j: {kind: hinge, body: lid, anchor: [0,0,0], low_angle: 20 deg,\n"
            "  high_angle: 10 deg}}",
     6, 66, "joints.j.low_angle", "low_angle (20 deg) is above high_angle (10 deg)"},
    {BODIES "joints: {j: {kind: slider, body: lid, low: 3 deg}}", 6, 44, "joints.j.low",
     "is an angle, but a length is wanted"},
    {BODIES "joints: {j: {kind: slider, body: lid, axis: [0,0,0]}}", 6, 45, "joints.j.axis",
     "must not be zero"},
    {BODIES "joints: {j: {kind: slider, body: lid, motor_speed: 1}}", 6, 13, "joints.j.motor_force",
     "say what the motor may use"},
    {BODIES "joints: {j: {kind: slider, body: lid, motor_force: 1 m}}", 6, 52,
     "joints.j.motor_force", "is a length, but a force is wanted"},
    {BODIES "joints: {j: {kind: fixed, body: lid, break_force: -1 N}}", 6, 51,
     "joints.j.break_force", "allowed: at least 0 N"},
    {BODIES "joints: {j: {kind: fixed, body: lid, release: -1}}", 6, 47, "joints.j.release",
     "at least 0 s"},
    {BODIES "joints: [a]", 6, 9, "joints", "expected a map"},
};

#define PAIR "materials: {a: {}, b: {}}\n"
static const wrong grains[] = {
    {"grains: {g: {shape: tetraeder}}", 2, 21, "grains.g.shape", "expected one of: tetrahedron"},
    {"grains: {g: {shape: spheres}}", 2, 13, "grains.g.spheres", "needs a list of them"},
    {"grains: {g: {spheres: [{radius: 1}]}}", 2, 23, "grains.g.spheres", "say `shape: spheres`"},
    {"grains: {g: {shape: spheres, spheres: []}}", 2, 39, "grains.g.spheres", "1 to 32 spheres"},
    {"grains: {g: {shape: spheres, spheres: [{position: [0, 0, 1]}]}}", 2, 40,
     "grains.g.spheres[0].radius", "must be given"},
    {"grains: {g: {shape: spheres, spheres: [{radius: 0}]}}", 2, 49, "grains.g.spheres[0].radius",
     "allowed: 1e-09"},
    {"grains: {g: {sizes: sieve}}", 2, 13, "grains.g.sieve", "need a list of points"},
    {"grains: {g: {sieve: [{diameter: 1, passing: 0}, {diameter: 2, passing: 1}]}}", 2, 21,
     "grains.g.sieve", "say `sizes: sieve`"},
    {"grains: {g: {sizes: sieve, sieve: [{diameter: 1, passing: 0}]}}", 2, 35, "grains.g.sieve",
     "two points at least"},
    {"grains: {g: {sizes: sieve, sieve: [{diameter: 1, passing: 0.1}, {diameter: 2, passing: "
     "1}]}}",
     2, 59, "grains.g.sieve[0].passing", "starts where nothing passes"},
    {"grains: {g: {sizes: sieve, sieve: [{diameter: 1, passing: 0}, {diameter: 2, passing: 90 "
     "%}]}}",
     2, 86, "grains.g.sieve[1].passing", "ends where all passes"},
    {"grains: {g: {sizes: sieve, sieve: [{diameter: 1, passing: 0}, {diameter: 1, passing: 1}]}}",
     2, 74, "grains.g.sieve[1].diameter", "1 m comes after 1 m"},
    {"grains: {g: {sizes: sieve, diameter: 1, sieve: [{diameter: 1, passing: 0}, {diameter: 2, "
     "passing: 1}]}}",
     2, 38, "grains.g.diameter", "leave diameter out"},
    {"grains: {g: {spread: 1}}", 2, 22, "grains.g.spread", "stay below 1"},
    {"grains: {g: {sizes: normal, spread: 0.4}}", 2, 37, "grains.g.spread", "take lognormal"},
    {"grains: {g: {diameter: -1}}", 2, 24, "grains.g.diameter", "allowed: 0 to 1000 m"},
    {"grains: {g: {share: 0}}", 2, 21, "grains.g.share", "not allowed"},
    {"grains: {g: {material: snad}}", 2, 24, "grains.g.material", "did you mean 'sand'?"},
    {"materials: {sand: {young: 3 m}}", 2, 27, "materials.sand.young", "a pressure is wanted"},
    {"materials: {sand: {surface_tension: 3 Pa}}", 2, 37, "materials.sand.surface_tension",
     "allowed units: N/m"},
    {"materials: {sand: {poisson: 0.5}}", 2, 29, "materials.sand.poisson", "0 to 0.49"},
    {PAIR "contacts: {c: {first: a, friction: 1}}", 3, 15, "contacts.c.second", "must be given"},
    {PAIR "contacts: {c: {first: a, second: b}}", 3, 15, "contacts.c", "it gives no value"},
    {PAIR "contacts:\n  c: {first: a, second: b, friction: 1}\n"
          "  d: {first: b, second: a, restitution: 1}",
     5, 14, "contacts.d.first", "'c' is for the same two materials"},
};

static const wrong pictures[] = {
    {"cameras: {c: {target: [0, 0, 1]}}", 2, 14, "cameras.c.position", "or keys"},
    {"cameras: {c: {keys: []}}", 2, 14, "cameras.c.position", "must be given: where it stands"},
    {"cameras: {c: {keys: [{time: 1}]}}", 2, 22, "cameras.c.keys[0].position", "must be given"},
    {"cameras: {c: {keys: [{time: 1, position: [1,0,0]},\n"
     "  {time: 1, position: [2,0,0]}]}}",
     3, 10, "cameras.c.keys[1].time", "times must rise: 1 s comes after 1 s"},
    {"cameras: {c: {keys: [{time: 1, position: [1,0,0], target: [1,0,0]}]}}", 2, 59,
     "cameras.c.keys[0].target", "stands where it looks at"},
    {"cameras: {c: {target: [1,0,0], keys: [{time: 1, position: [1,0,0]}]}}", 2, 59,
     "cameras.c.keys[0].position", "stands where it looks at"},
    {"cameras: {c: {keys: [{time: 1, position: [0,0,9]}]}}", 2, 42, "cameras.c.keys[0].position",
     "up lies along the view"},
    {"cameras: {c: {up: [0,0,0], keys: [{time: 1, position: [0,0,9]}]}}", 2, 19, "cameras.c.up",
     "zero"},
    {"cameras: {c: {keys: [{time: 1, position: [1,0,0], field_of_view: 180}]}}", 2, 66,
     "cameras.c.keys[0].field_of_view", "allowed: 1 to 170 deg"},
    {"cameras: {c: {position: [1,0,0], interpolation: even}}", 2, 49, "cameras.c.interpolation",
     "expected one of: smooth, linear"},
    {"cameras: {c: {position: [1,0,0], orbit: 3 m/s}}", 2, 41, "cameras.c.orbit",
     "is a speed, but a rate of turning is wanted"},
    {"cameras: {c: {position: [1,0,0], aperture: -1 mm}}", 2, 44, "cameras.c.aperture",
     "allowed: 0 to 1000 m"},
    {"cameras: {c: {position: [1,0,0], focus: -1}}", 2, 41, "cameras.c.focus", "0 to 1e+06 m"},
    {"cameras: {c: {position: [1,0,0], shutter: 2}}", 2, 43, "cameras.c.shutter", "0 to 1"},
    {"lamps: {l: {}}", 2, 12, "lamps.l.position", "must be given"},
    {"lamps: {l: {position: [0,0,1], radius: 0}}", 2, 40, "lamps.l.radius", "1e-06"},
    {"lamps: {l: {position: [0,0,1], strength: -1}}", 2, 42, "lamps.l.strength", "0 to 1e+06"},
    {"lamps: {l: {position: [0,0,1], color: red}}", 2, 32, "lamps.l.color",
     "did you mean 'colour'?"},
};

static const wrong yaml[] = {
    {"time: {duration: 1", 3, 1, "", "not YAML"},
    {"title: \"abc", 2, 9, "", "not YAML: double-quoted scalar without closing quote"},
    {"a: b: c", 2, 5, "", "not YAML: invalid nested block mapping"},
    {"time:\n\tstep: 1", 3, 1, "", "begins with a tab"},
    {"title: !!str x", 2, 8, "", "tags"},
    {"title: *x", 2, 9, "", "'*x' is used here"},
    {"[a]: x", 2, 1, "", "a key must be a word, not a list"},
    {"---\ntitle: x", 2, 1, "", "a second document"},
    {"title: \"\\0\"", 2, 8, "", "a zero byte"},
    {"title: \x01", 2, 8, "", "control character"},
    {"title: \xff", 2, 8, "", "not UTF-8"},
    {"title: \xed\xa0\x80", 2, 8, "", "not UTF-8"},
    {"include: a.yaml", 2, 10, "include", "no folder"},
};

static void check_faults(const wrong *list, size_t size)
{
    for (size_t i = 0; i < size / sizeof *list; i++)
        check_fault(&list[i]);
}

static void wrong_values_are_told(void **state)
{
    (void)state;
    check_faults(values, sizeof values);
}

static void wrong_names_are_told(void **state)
{
    (void)state;
    check_faults(names, sizeof names);
}

static void what_does_not_fit_together_is_told(void **state)
{
    (void)state;
    check_faults(together, sizeof together);
}

static void keys_that_do_nothing_are_told(void **state)
{
    (void)state;
    check_faults(idle, sizeof idle);
}

static void wrong_joints_are_told(void **state)
{
    (void)state;
    check_faults(joints, sizeof joints);
}

static void wrong_grains_are_told(void **state)
{
    (void)state;
    check_faults(grains, sizeof grains);
}

static void wrong_cameras_and_lamps_are_told(void **state)
{
    (void)state;
    check_faults(pictures, sizeof pictures);
}

static void bad_yaml_is_told(void **state)
{
    (void)state;
    check_faults(yaml, sizeof yaml);
}

static void all_faults_are_told_at_once(void **state)
{
    (void)state;
    static const char text[] = "titel: x\n"
                               "time: {duration: 5 m, step: -1}\n"
                               "particles: {jitter: 2}\n"
                               "bodies:\n"
                               "  floor: {shape: plan}\n"
                               "  ball: {shape: sphere}\n"
                               "solver: {method: nul}\n";
    static const struct {
        int line;
        const char *key;
    } wanted[] = {{1, "titel"},
                  {2, "time.duration"},
                  {2, "time.step"},
                  {3, "particles.spacing"},
                  {3, "particles.jitter"},
                  {5, "bodies.floor.shape"},
                  {7, "solver.method"},
                  {6, "bodies.ball.radius"}};
    rp_report *report = rp_report_create();
    rp_scene *scene;
    assert_int_equal(read_text(text, &scene, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 8);
    for (int i = 0; i < 8; i++) {
        const rp_fault *fault = rp_report_fault(report, i);
        assert_int_equal(fault->line, wanted[i].line);
        assert_string_equal(fault->key, wanted[i].key);
    }
    rp_report_destroy(report);
}

static void the_caret_stands_below_the_value(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_scene *scene;
    read_text("particles:\n  spacing: 5 parsec\n", &scene, report);
    char text[1000];
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_string_equal(text, "test.yaml:2:12: particles.spacing: in '5 parsec', 'parsec' is not a "
                              "unit; allowed here: m, cm, mm, um, km, in, ft\n"
                              "      spacing: 5 parsec\n"
                              "               ^");
    rp_report_destroy(report);
}

static void many_faults_are_counted(void **state)
{
    (void)state;
    static char text[200000];
    size_t used = (size_t)snprintf(text, sizeof text, "particles: {spacing: 1}\n");
    for (int i = 0; i < 5000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "key%d: 1\n", i);
    rp_report *report = rp_report_create();
    rp_scene *scene;
    assert_int_equal(read_text(text, &scene, report), RP_ERROR_INPUT);
    assert_int_equal(rp_report_total(report), 5000);
    assert_int_equal(rp_report_count(report), 100);
    rp_report_destroy(report);
    assert_int_equal(read_text(text, &scene, NULL), RP_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_values_are_told),
        cmocka_unit_test(wrong_names_are_told),
        cmocka_unit_test(what_does_not_fit_together_is_told),
        cmocka_unit_test(keys_that_do_nothing_are_told),
        cmocka_unit_test(wrong_joints_are_told),
        cmocka_unit_test(wrong_grains_are_told),
        cmocka_unit_test(wrong_cameras_and_lamps_are_told),
        cmocka_unit_test(bad_yaml_is_told),
        cmocka_unit_test(all_faults_are_told_at_once),
        cmocka_unit_test(the_caret_stands_below_the_value),
        cmocka_unit_test(many_faults_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
