/* Grains and bodies: none is ever inside of one, none passes a plate, however fast it falls,
 * however thin the plate is and however it moves. */
#include "detail/grains.h"

#define SPACING 0.05
#define FRAME 0.04 /* s */
#define FRAMES 25

/* A tube with a plate of half a spacing across it, wider than the tube. */
#define TUBE                                                                                       \
    "particles: {spacing: 0.05}\nsolver: {method: null}\n"                                         \
    "domain: {low: [-0.2, -0.2, -9], high: [0.2, 0.2, 9]}\n"                                       \
    "bodies: {plate: {shape: box, size: [2, 2, 0.025], position: [0, 0, -0.0125]}}\n"

/* Where the plate is at a time. */
typedef void motion_fn(double time, rp_body_state *state);

static void stands(double time, rp_body_state *state)
{
    (void)time;
    (void)state;
}

/* Up and down, as fast as 4 m/s. */
static void swings(double time, rp_body_state *state)
{
    state->position[2] = -0.0125 + 0.4 * sin(10 * time);
    state->velocity[2] = 4 * cos(10 * time);
}

static void slides(double time, rp_body_state *state)
{
    state->position[0] = 0.3 * sin(10 * time);
    state->velocity[0] = 3 * cos(10 * time);
}

static void tilts(double time, rp_body_state *state)
{
    double angle = 0.35 * sin(8 * time);
    state->orientation[0] = cos(0.5 * angle);
    state->orientation[1] = sin(0.5 * angle);
    state->angular_velocity[0] = 2.8 * cos(8 * time);
}

/* About its normal, two turns in a second. */
static void spins(double time, rp_body_state *state)
{
    double angle = 4 * RP_PI * time;
    state->orientation[0] = cos(0.5 * angle);
    state->orientation[3] = sin(0.5 * angle);
    state->angular_velocity[2] = 4 * RP_PI;
}

/* How the coarse grains fall: they stop on the plate, or go through as if it were not there, or are
 * gone in the second view, so that fine ones fly on alone. */
typedef enum falling { STOP, THROUGH, GONE } falling;

static void set_coarse(coarse *c, falling how, double time, const rp_body_state *plate)
{
    size_t k = 0;
    for (int i = 0; i < 64; i++, k++) {
        double x = -0.075 + 0.05 * (i % 4), y = -0.075 + 0.05 * (i / 4 % 4), h = 0.05 * (i / 16);
        double z = 0.6 + h - 10 * time, rest = plate->position[2] + 0.0375 + h;
        bool lies = how == STOP && z < rest;
        c->x[k] = (float)x;
        c->y[k] = (float)y;
        c->z[k] = (float)(lies ? rest : z);
        c->vx[k] = c->vy[k] = 0;
        c->vz[k] = lies ? (float)plate->velocity[2] : -10;
        c->id[k] = (uint32_t)i;
        c->material[k] = 0;
    }
    c->count = how == GONE && time > 0 ? 0 : k;
    c->time = time;
}

/* All are above the plate, which has no edge that they could get around. */
static void check_above(const grains *g, const rp_body_state *plate, const char *what, int frame)
{
    const double *p = plate->position, *q = plate->orientation;
    rp_pose pose = {rp_v3(p[0], p[1], p[2]), {q[0], q[1], q[2], q[3]}};
    for (size_t i = 0; i < g->born; i++) {
        const grain *at = &g->of[i];
        rp_vec3 local = rp_pose_to_local(pose, rp_v3(at->x, at->y, at->z));
        if (local.z < 0.0125 - 1e-6)
            fail_msg("%s, frame %d: grain %zu is %g m below the plate's surface (at %g %g %g)",
                     what, frame, i, 0.0125 - local.z, (double)at->x, (double)at->y, (double)at->z);
        assert_true(fabsf(at->x) <= 0.200001f && fabsf(at->y) <= 0.200001f);
    }
}

static void check_plate(const char *what, motion_fn *motion, falling how, const char *apart)
{
    char text[1024];
    snprintf(text, sizeof text, TUBE "detail: {factor: 40, keep_apart: %s}\n", apart);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 64);
    for (int frame = 0; frame < FRAMES; frame++) {
        motion(frame * FRAME, &c.bodies[0]);
        set_coarse(&c, how, frame * FRAME, &c.bodies[0]);
        detail_to_coarse(detail, &c);
        grains g = grains_of(detail);
        assert_int_equal(g.there, 40 * 64);
        check_above(&g, &c.bodies[0], what, frame);
        grains_end(&g);
    }
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void check_motion(const char *what, motion_fn *motion)
{
    for (int how = STOP; how <= GONE; how++) {
        check_plate(what, motion, (falling)how, "yes");
        check_plate(what, motion, (falling)how, "no");
    }
}

static void none_passes_a_fixed_plate(void **state)
{
    (void)state;
    check_motion("fixed", stands);
}

static void none_passes_a_plate_that_moves(void **state)
{
    (void)state;
    check_motion("up and down", swings);
    check_motion("sideways", slides);
}

static void none_passes_a_plate_that_turns(void **state)
{
    (void)state;
    check_motion("tilting", tilts);
    check_motion("spinning", spins);
}

/* --- bodies of every kind --------------------------------------------------------------------- */

/* A tetrahedron, to be read as a mesh. */
/* Fine grains that fly on alone land on a plate whose surface runs, and are carried with it. */
static void belts_carry_free_grains(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        "particles: {spacing: 0.05}\nsolver: {method: null}\n"
        "domain: {low: [-9, -9, -9], high: [9, 9, 9]}\n"
        "bodies: {plate: {shape: box, size: [8, 8, 0.025], position: [0, 0, -0.0125], rotation: "
        "[0, 0, 90], belt: [0.4, 0, 0]}}\n"
        "detail: {factor: 40}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 64);
    for (int frame = 0; frame < FRAMES; frame++) {
        set_coarse(&c, GONE, frame * FRAME, &c.bodies[0]);
        detail_to_coarse(detail, &c);
    }
    grains g = grains_of(detail);
    for (size_t i = 0; i < g.born; i++) {
        check_near((double)g.of[i].vy, 0.4, 1e-3);
        check_near((double)g.of[i].vx, 0, 1e-3);
    }
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void write_mesh(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v -0.15 -0.15 -0.1\nv 0.2 -0.1 -0.1\nv 0 0.2 -0.1\nv 0 0 0.15\n"
          "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
          file);
    fclose(file);
}

static rp_scene *scene_with(const char *body)
{
    char text[2048];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.05}\nsolver: {method: null}\n"
             "bodies: {floor: {shape: plane, position: [0, 0, -1]}, thing: {%s}}\n"
             "detail: {factor: 40}\n",
             body);
    return scene_of(text);
}

/* Fine grains fall on it at 10 m/s while it moves about and turns; none is ever inside. */
static void check_thing(const char *body, motion_fn *motion, falling how)
{
    rp_scene *scene = scene_with(body);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 64);
    rp_body_state rest = c.bodies[1];
    rest.position[2] = -1e9; /* nothing for coarse grains to lie on but what the scene has below */
    for (int frame = 0; frame < FRAMES; frame++) {
        motion(frame * FRAME, &c.bodies[1]);
        set_coarse(&c, how, frame * FRAME, &rest);
        detail_to_coarse(detail, &c);
        grains g = grains_of(detail);
        grains_outside(&g, scene, c.bodies);
        grains_end(&g);
    }
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void none_is_inside_of_any_thing(void **state)
{
    (void)state;
    char folder[] = "/tmp/repose-keep-out-XXXXXX", path[64], mesh[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/thing.obj", folder);
    snprintf(mesh, sizeof mesh, "shape: mesh, file: %s", path);
    write_mesh(path);
    const char *const bodies[] = {"shape: sphere, radius: 0.15",
                                  "shape: cylinder, radius: 0.1, height: 0.3",
                                  "shape: funnel, radius: 0.2, neck: 0.05, height: 0.2, thickness: "
                                  "0.02",
                                  "shape: box, size: [0.3, 0.02, 0.3]", mesh};
    motion_fn *const motions[] = {stands, swings, slides, tilts, spins};
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++)
        for (size_t m = 0; m < sizeof motions / sizeof *motions; m++)
            for (int how = THROUGH; how <= GONE; how++)
                check_thing(bodies[b], motions[m], (falling)how);
    remove(path);
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_passes_a_fixed_plate),
        cmocka_unit_test(none_passes_a_plate_that_moves),
        cmocka_unit_test(none_passes_a_plate_that_turns),
        cmocka_unit_test(belts_carry_free_grains),
        cmocka_unit_test(none_is_inside_of_any_thing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
