/* A robot's arm digs: servos in its three hinges follow a path, and tell the torques they need. */
#include <repose/repose.h>

#include <math.h>
#include <stdio.h>

#define TICKS 50 /* of the controller, in a second */
#define HINGES 3
static const char *const names[HINGES] = {"shoulder", "elbow", "wrist"};
static const double strength[HINGES] = {400, 200, 100}; /* N m */

/* Where the hinges have to be at a time, rad from where they start. */
typedef struct pose {
    double time; /* s */
    double angle[HINGES];
} pose;

static const pose path[] = {
    {0.0, {0, 0, 0}},          {0.5, {0.2, -0.2, 0.5}}, /* down into the sand, tip first */
    {1.0, {0.27, -0.7, 0.45}},                          /* forward */
    {1.4, {0.2, -0.9, 0.2}},                            /* the tip of the scoop up */
    {2.0, {-0.3, -0.8, 0.5}},                           /* and lift */
};
#define POSES (int)(sizeof path / sizeof *path)

static rp_code make_scene(rp_scene **scene, rp_report *report)
{
    static const char *const settings[][2] = {
        {"particles.spacing", "4 cm"},
        {"domain", "{low: [-0.7, -0.15, 0], high: [0.6, 0.15, 2]}"},
        {"sources.bed", "{shape: box, size: [0.9, 0.28, 0.14], position: [0.1, 0, 0.09]}"},
        {"bodies.boom", "{shape: box, size: [0.5, 0.06, 0.06], position: [-0.25, 0, 0.6], "
                        "motion: dynamic, mass: 4 kg}"},
        {"bodies.stick", "{shape: box, size: [0.05, 0.05, 0.2], position: [0, 0, 0.46], "
                         "motion: dynamic, mass: 2 kg}"},
        {"bodies.back", "{shape: box, size: [0.03, 0.24, 0.12], position: [0, 0, 0.27], "
                        "motion: dynamic, mass: 1 kg}"},
        {"bodies.scoop", "{shape: box, size: [0.22, 0.24, 0.03], position: [0.095, 0, 0.195], "
                         "motion: dynamic, mass: 1 kg}"},
        {"joints.shoulder", "{kind: hinge, body: boom, anchor: [-0.5, 0, 0.6], axis: [0, 1, 0]}"},
        {"joints.elbow", "{kind: hinge, body: stick, other: boom, anchor: [0, 0, 0.57], "
                         "axis: [0, 1, 0]}"},
        {"joints.wrist", "{kind: hinge, body: back, other: stick, anchor: [0, 0, 0.34], "
                         "axis: [0, 1, 0]}"},
        {"joints.weld", "{kind: fixed, body: scoop, other: back}"},
    };
    rp_draft *draft = rp_draft_create();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        rp_draft_set(draft, settings[i][0], settings[i][1]);
    return rp_draft_finish(draft, scene, report);
}

/* Between two poses of the path the targets move evenly. */
static double target(double time, int hinge)
{
    int i = 0;
    while (i < POSES - 2 && time > path[i + 1].time)
        i++;
    double part = (time - path[i].time) / (path[i + 1].time - path[i].time);
    return path[i].angle[hinge] +
           (part < 1 ? part : 1) * (path[i + 1].angle[hinge] - path[i].angle[hinge]);
}

static double lifted(const rp_world *world) /* kg of sand, higher than the bed can be */
{
    rp_view view;
    double mass = 0;
    rp_world_view(world, &view);
    for (size_t i = 0; i < view.count; i++)
        mass += view.z[i] > 0.25f ? (double)view.mass[i] : 0;
    return mass;
}

/* One tick of the controller: every servo moves evenly to where the path has it at the end. */
static rp_code drive(rp_world *world, double time, rp_joint_state now[HINGES], rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < HINGES && code == RP_OK; i++) {
        double goal = target(time, i), speed = fabs(goal - now[i].position) * TICKS;
        code = rp_joint_set_target(world, rp_joint_find(world, names[i]), goal, speed, strength[i],
                                   report);
    }
    if (code == RP_OK) code = rp_world_run_to(world, time, report);
    for (int i = 0; i < HINGES && code == RP_OK; i++)
        code = rp_joint_read(world, rp_joint_find(world, names[i]), &now[i], report);
    return code;
}

static rp_code dig(rp_world *world, rp_report *report)
{
    rp_code code = RP_OK;
    rp_joint_state now[HINGES] = {0};
    printf("time    shoulder            elbow               wrist               sand lifted\n");
    for (int tick = 1; tick <= 2 * TICKS && code == RP_OK; tick++) {
        code = drive(world, (double)tick / TICKS, now, report);
        if (code != RP_OK || tick % 10) continue;
        printf("%.1f s", (double)tick / TICKS);
        for (int i = 0; i < HINGES; i++)
            printf("   %5.2f rad %6.1f N m", now[i].position, now[i].motor_force);
        printf("   %.2f kg\n", lifted(world));
    }
    return code;
}

int main(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    rp_code code = make_scene(&scene, report);
    if (code == RP_OK) code = rp_world_create(scene, NULL, &world, report);
    if (code == RP_OK) code = dig(world, report);
    for (int i = 0; i < rp_report_count(report); i++)
        fprintf(stderr, "%s\n", rp_report_fault(report, i)->message);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code;
}
