/* A game loop at 60 pictures a second: a blade pushes sand about. Keys: a and d drive it, w and s
 * raise and lower it, space stops it, q ends. Where standard input is no terminal, a script plays.
 */
#include <repose/repose.h>

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define RATE 60.0  /* pictures in a second */
#define COLUMNS 60 /* of a picture */
#define LENGTH 1.2 /* m, of the box */
#define SPEED 0.6  /* m/s, of the blade */

/* One key for every tenth of a second. */
static const char script[] = "sddddddd wwaaaaa sddddd q";

static rp_code make_scene(rp_scene **scene, rp_report *report)
{
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "4 cm");
    rp_draft_set(draft, "domain", "{low: [-0.6, -0.15, 0], high: [0.6, 0.15, 1]}");
    rp_draft_set(draft, "sources.bed",
                 "{shape: box, size: [1.1, 0.28, 0.16], position: [0, 0, 0.1]}");
    rp_draft_set(draft, "bodies.blade",
                 "{shape: box, size: [0.04, 0.3, 0.3], position: [-0.55, 0, 0.26]}");
    return rp_draft_finish(draft, scene, report);
}

/* What is typed now, or what the script has for this picture; 0: nothing. */
static char next_key(bool typed, int picture)
{
    char key = 0;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (typed) return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
    return picture % 6 ? 0 : script[picture / 6 % (int)(sizeof script - 1)];
}

static void steer(char key, double velocity[3])
{
    if (!key) return;
    velocity[0] = key == 'd' ? SPEED : key == 'a' ? -SPEED : 0;
    velocity[2] = key == 'w' ? SPEED : key == 's' ? -SPEED : 0;
}

/* The sand from the side: the higher, the darker; the blade is a bar. */
static void show(const rp_view *view, int blade)
{
    double heights[COLUMNS] = {0};
    char line[COLUMNS + 1] = {0};
    for (size_t i = 0; i < view->count; i++) {
        int column = (int)((view->x[i] / LENGTH + 0.5) * COLUMNS);
        if (column >= 0 && column < COLUMNS && view->z[i] > heights[column])
            heights[column] = view->z[i];
    }
    for (int i = 0; i < COLUMNS; i++) {
        int shade = (int)(heights[i] / 0.03);
        line[i] = " .:-=+*#%@"[shade < 9 ? shade : 9];
    }
    int at = (int)((view->bodies[blade].position[0] / LENGTH + 0.5) * COLUMNS);
    if (at >= 0 && at < COLUMNS) line[at] = '|';
    printf("\r%5.2f s [%s] %7.1f N\n", view->time, line, view->bodies[blade].force[0]);
}

static rp_code play(rp_world *world, bool typed, rp_report *report)
{
    double velocity[3] = {0};
    int blade = rp_body_find(world, "blade");
    rp_code code = rp_body_take_control(world, blade, report);
    for (int picture = 1; code == RP_OK; picture++) {
        char key = next_key(typed, picture - 1);
        if (key == 'q') break;
        steer(key, velocity);
        code = rp_body_set_velocity(world, blade, velocity, NULL, report);
        /* A machine that is too slow shows slow motion, not fewer pictures. */
        double next = rp_world_time(world) + 1 / RATE, budget = typed ? 1 / RATE : INFINITY;
        if (code == RP_OK) code = rp_world_advance(world, next, budget, NULL, report);
        rp_view view;
        rp_world_view(world, &view);
        if (picture % 6 == 0) show(&view, blade);
        struct timespec rest = {.tv_nsec = (long)(1e9 / RATE)};
        if (typed) nanosleep(&rest, NULL);
    }
    return code;
}

int main(void)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    rp_world *world = NULL;
    struct termios before, keys;
    bool typed = tcgetattr(STDIN_FILENO, &before) == 0;
    if (typed) {
        keys = before;
        keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* each key at once, unseen */
        tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    rp_code code = make_scene(&scene, report);
    if (code == RP_OK) code = rp_world_create(scene, NULL, &world, report);
    if (code == RP_OK) code = play(world, typed, report);
    for (int i = 0; i < rp_report_count(report); i++)
        fprintf(stderr, "%s\n", rp_report_fault(report, i)->message);
    if (typed) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
    rp_report_destroy(report);
    return code;
}
