/* Set-up that tests of running worlds share: a world with its scene, report and view, advanced by
 * calls and compared with one that is restored from a snapshot. */
#ifndef RP_TESTS_WORLD_RUNNING_H
#define RP_TESTS_WORLD_RUNNING_H

#include "worlds.h"

/* Bodies in open space, without grains. */
#define OPEN_SPACE                                                                                 \
    "time: {duration: 10 s}\n"                                                                     \
    "domain: {low: [-9, -9, -9], high: [9, 9, 9], open: [left, right, front, back, bottom, "       \
    "top]}\n"                                                                                      \
    "particles: {spacing: 1 cm}\n"

typedef struct running {
    rp_scene *scene;
    rp_world *world;
    rp_report *report;
    rp_view view; /* of the last call below */
    int joint;    /* for tests of joints */
} running;

static inline running running_of(const char *text)
{
    running r = {.scene = scene_of(text), .report = rp_report_create()};
    r.world = world_of(r.scene, 1);
    rp_world_view(r.world, &r.view);
    return r;
}

/* Runs to a time, s. */
static inline void run(running *r, double time)
{
    run_world(r->world, time);
    rp_world_view(r->world, &r->view);
}

static inline void end(running *r)
{
    rp_world_destroy(r->world);
    rp_scene_destroy(r->scene);
    rp_report_destroy(r->report);
}

/* Runs to a time in this world, and in a new world of the same scene that is restored from a
 * snapshot of this one: both must have the same bits before and after. */
static inline void check_resumes(running *r, double time)
{
    rp_snapshot *snapshot;
    check_ok(rp_world_snapshot(r->world, &snapshot, r->report), r->report);
    rp_world *other = world_of(r->scene, 1);
    check_ok(rp_world_restore(other, snapshot, r->report), r->report);
    assert_true(rp_world_hash(other) == rp_world_hash(r->world));
    assert_string_equal(rp_scene_text(rp_world_scene(other)),
                        rp_scene_text(rp_world_scene(r->world)));
    rp_joint_state a, b;
    for (int j = 0; rp_joint_read(r->world, j, &a, NULL) == RP_OK; j++) {
        check_ok(rp_joint_read(other, j, &b, r->report), r->report);
        assert_memory_equal(&a.position, &b.position,
                            sizeof a - offsetof(rp_joint_state, position));
    }
    run(r, time);
    run_world(other, time);
    assert_true(rp_world_hash(other) == rp_world_hash(r->world));
    rp_world_destroy(other);
    rp_snapshot_destroy(snapshot);
}

#endif
