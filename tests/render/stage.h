/* A stage for pictures: a scene and a view made by hand. */
#ifndef RP_TESTS_RENDER_STAGE_H
#define RP_TESTS_RENDER_STAGE_H

#include "check.h"

#include "base/memory.h"
#include "base/report.h"
#include "render/render.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define STAGE_GRAINS 10000
#define STAGE_BODIES 4
#define STAGE_LAMPS 2

typedef struct stage {
    struct rp_scene scene;
    rp_view view;
    rp_material_spec materials[3]; /* red, blue, sand */
    rp_body_spec bodies[STAGE_BODIES];
    rp_camera_spec camera; /* used when scene.cameras.count is 1 */
    float x[STAGE_GRAINS], y[STAGE_GRAINS], z[STAGE_GRAINS];
    uint32_t id[STAGE_GRAINS];
    uint8_t material[STAGE_GRAINS];
    float moisture[STAGE_GRAINS];
    float vx[STAGE_GRAINS], vy[STAGE_GRAINS], vz[STAGE_GRAINS]; /* for the view that wants them */
    rp_lamp_spec lamps[STAGE_LAMPS];
    rp_grain_spec grains[RP_GRAIN_SPHERES]; /* the named shapes; known after stage_shape */
    float diameter[STAGE_GRAINS], turn[4][STAGE_GRAINS], spin[3][STAGE_GRAINS];
    uint8_t kind[STAGE_GRAINS];
    rp_field fields[9];
    rp_render_options options; /* but for the size */
} stage;

enum { RED, BLUE, SAND };

/* Nothing yet, under a sun that shines straight down; the camera at y = -2 m looks along +y. */
static inline void stage_clear(stage *s)
{
    memset(s, 0, sizeof *s);
    s->materials[RED] = (rp_material_spec){.name = "red", .colour = {0.8, 0.05, 0.05}};
    s->materials[BLUE] = (rp_material_spec){.name = "blue", .colour = {0.05, 0.05, 0.8}};
    s->materials[SAND] = (rp_material_spec){.name = "sand", .colour = {0.7, 0.5, 0.3}};
    s->scene.materials = (rp_named_list){s->materials, 3};
    s->scene.bodies = (rp_named_list){s->bodies, 0};
    s->scene.lamps = (rp_named_list){s->lamps, 0};
    s->scene.light =
        (rp_light_spec){.direction = {0, 0, -1}, .strength = 1, .sky = 0.4, .colour = {1, 1, 1}};
    s->camera = (rp_camera_spec){
        .name = "front", .position = {0, -2, 0}, .up = {0, 0, 1}, .field_of_view = 0.8};
    s->scene.cameras = (rp_named_list){&s->camera, 1};
    s->options = rp_default_render_options();
    s->view = (rp_view){
        .spacing = 0.1, .x = s->x, .y = s->y, .z = s->z, .id = s->id, .material = s->material};
}

static inline void stage_add(stage *s, double x, double y, double z, int material)
{
    size_t i = s->view.count++;
    assert_true(i < STAGE_GRAINS);
    s->x[i] = (float)x;
    s->y[i] = (float)y;
    s->z[i] = (float)z;
    s->id[i] = (uint32_t)i;
    s->material[i] = (uint8_t)material;
}

static inline rp_body_spec *stage_add_body(stage *s, rp_shape shape, rp_vec3 position)
{
    rp_body_spec *body = &s->bodies[s->scene.bodies.count++];
    *body = (rp_body_spec){.name = "body", .shape = shape, .colour = {0.1, 0.7, 0.1}};
    body->pose = (rp_pose){position, {1, 0, 0, 0}};
    return body;
}

static inline rp_lamp_spec *stage_add_lamp(stage *s, rp_vec3 position, double strength)
{
    rp_lamp_spec *lamp = &s->lamps[s->scene.lamps.count++];
    *lamp = (rp_lamp_spec){.name = "lamp", .position = position, .radius = 0.02};
    lamp->strength = strength;
    for (int c = 0; c < 3; c++)
        lamp->colour[c] = 1;
    return lamp;
}

/* Grains have velocities from now on; those added before stand still. */
static inline void stage_move(stage *s)
{
    s->view.vx = s->vx;
    s->view.vy = s->vy;
    s->view.vz = s->vz;
}

/* Grains have diameters, kinds, orientations and spins from now on, in this order of fields; those
 * added before are balls a spacing wide. */
static inline void stage_shape(stage *s)
{
    static const char *const turns[] = {"orientation_w", "orientation_x", "orientation_y",
                                        "orientation_z"};
    static const char *const spins[] = {"spin_x", "spin_y", "spin_z"};
    for (int shape = 0; shape < RP_GRAIN_SPHERES; shape++) {
        rp_ball balls[RP_CLUMP_MAX];
        int count;
        rp_clump_shape(shape, balls, &count);
        s->grains[shape] = (rp_grain_spec){.name = "grain", .shape = shape};
        assert_int_equal(rp_clump_make(balls, count, &s->grains[shape].clump, NULL), RP_OK);
    }
    for (size_t i = 0; i < s->view.count; i++) {
        s->diameter[i] = (float)s->view.spacing;
        s->kind[i] = RP_GRAIN_SPHERE;
        s->turn[0][i] = 1;
    }
    s->scene.grains = (rp_named_list){s->grains, RP_GRAIN_SPHERES};
    s->fields[0] = (rp_field){"diameter", "m", RP_F32, s->diameter};
    s->fields[1] = (rp_field){"kind", "", RP_U8, s->kind};
    for (int i = 0; i < 4; i++)
        s->fields[2 + i] = (rp_field){turns[i], "", RP_F32, s->turn[i]};
    for (int i = 0; i < 3; i++)
        s->fields[6 + i] = (rp_field){spins[i], "rad/s", RP_F32, s->spin[i]};
    s->view.fields = s->fields;
    s->view.field_count = 9;
}

static inline void stage_turn(stage *s, size_t grain, rp_quat q)
{
    const double turn[4] = {q.w, q.x, q.y, q.z};
    for (int k = 0; k < 4; k++)
        s->turn[k][grain] = (float)turn[k];
}

static inline void stage_colour(rp_body_spec *body, double red, double green, double blue)
{
    body->colour[0] = red;
    body->colour[1] = green;
    body->colour[2] = blue;
}

static inline rp_picture *stage_render(const stage *s, int width, int height, rp_threads *threads)
{
    rp_report *report = rp_report_create();
    rp_render_options options = s->options;
    options.width = width;
    options.height = height;
    rp_picture *picture;
    check_ok(rp_render_view(&s->view, &s->scene, &options, threads, &picture, report), report);
    rp_report_destroy(report);
    assert_non_null(picture);
    return picture;
}

static inline bool stage_same(const rp_picture *a, const rp_picture *b)
{
    return a->width == b->width && a->height == b->height &&
           memcmp(a->pixels, b->pixels, 3 * (size_t)a->width * (size_t)a->height) == 0;
}

/* The mean over all pixels and colours, of 255. */
static inline double stage_difference(const rp_picture *a, const rp_picture *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    size_t count = 3 * (size_t)a->width * (size_t)a->height;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += abs(a->pixels[i] - b->pixels[i]);
    return sum / (double)count;
}

/* A last test: a failing group teardown would not fail the program. */
static inline void nothing_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

#endif
