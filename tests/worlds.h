/* Small worlds for tests: a scene from text, run with some threads. */
#ifndef RP_TESTS_WORLDS_H
#define RP_TESTS_WORLDS_H

#include "check.h"

#include "repose/repose.h"

/* A number that the method reports of the last step. */
static inline double step_number(const rp_world *world, const char *name)
{
    rp_step_info info = rp_world_step_info(world);
    return rp_step_info_number(&info, name);
}

/* Every kind of thing at once: sources, a stream, walls, bodies that stand, run, turn and move,
 * open and periodic sides. */
#define BUSY_SCENE                                                                                 \
    "time: {duration: 0.5 s, frame_rate: 20}\n"                                                    \
    "domain: {low: [-0.5, -0.5, -1], high: [0.5, 0.5, 3], periodic: [y], open: [bottom, left]}\n"  \
    "particles: {spacing: 4 cm, jitter: 0.4}\n"                                                    \
    "materials:\n"                                                                                 \
    "  sand: {density: 1600}\n"                                                                    \
    "  beads: {density: 2500, restitution: 0.7}\n"                                                 \
    "sources:\n"                                                                                   \
    "  block: {shape: box, size: [0.5, 0.5, 0.5], position: [0, 0, 0.6], spin: [0, 1, 3], "        \
    "material: beads}\n"                                                                           \
    "  late: {shape: sphere, radius: 0.2, position: [0.1, 0, 1.5], at: 0.2 s, material: sand}\n"   \
    "emitters:\n"                                                                                  \
    "  spout: {radius: 8 cm, position: [-0.3, 0, 1], direction: [1, 0, 0.2], speed: 3, "           \
    "stop: 0.3 s, material: sand, moisture: 0.5}\n"                                                \
    "bodies:\n"                                                                                    \
    "  stone: {shape: sphere, radius: 0.2, position: [0, 0, 0.1], belt: [0.5, 0, 0.2]}\n"          \
    "  rotor: {shape: box, size: [0.3, 0.05, 0.05], position: [0.2, 0, 0.5], motion: keys, "       \
    "spin: [0, 90 rpm, 30 deg/s]}\n"                                                               \
    "  sweeper: {shape: box, size: [0.1, 0.4, 0.4], motion: keys, keys: [{time: 0, position: "     \
    "[-0.4, 0, 0]}, {time: 0.5, position: [0.3, 0, 0.1], rotation: [0, 0, 200 deg]}]}\n"           \
    "moisture:\n"                                                                                  \
    "  rain: {shape: sphere, radius: 0.6, position: [0, 0, 0.5], start: 70 ms, duration: 0.2 s, "  \
    "value: 0.8}\n"                                                                                \
    "  sun: {start: 0.31 s, duration: 1 s, value: 0}\n"                                            \
    "solver: {method: null}\n"

static inline rp_scene *scene_of(const char *text)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    check_ok(rp_scene_parse(text, "test", &scene, report), report);
    rp_report_destroy(report);
    return scene;
}

static inline rp_world *world_of(const rp_scene *scene, int threads)
{
    rp_report *report = rp_report_create();
    rp_world *world = NULL;
    rp_world_options options = rp_default_world_options();
    options.threads = threads;
    check_ok(rp_world_create(scene, &options, &world, report), report);
    rp_report_destroy(report);
    return world;
}

static inline void run_world(rp_world *world, double time)
{
    rp_report *report = rp_report_create();
    check_ok(rp_world_run_to(world, time, report), report);
    rp_report_destroy(report);
}

#endif
