/* Small reference pictures, one for each thing a picture can show. A picture must be like its
 * reference, but may differ by as much as another processor or compiler makes: a few rays that meet
 * an edge or pass it. With what it is there for switched off it must differ by much more.
 *
 * RP_GOLDEN_WRITE=1 in the environment writes the reference pictures again: then look at them. */
#include "check.h"

#include "chains.h"
#include "render/stage.h"

#include <png.h>
#include <stdlib.h>

/* Of 255: the mean over all pixels and colours, and the worst mean over a block of 4 x 4 pixels. */
#define MEAN_MOST 0.5
#define BLOCK_MOST 6.0
/* A lost feature is this many times beyond at least one of these. */
#define LOST 3.0
#define BLOCK 4
#define WIDTH 96
#define HEIGHT 64

static stage s;
static chains *block;            /* what a stage borrows */
static const char *folder = "."; /* for pictures that are not as they should be */

typedef struct golden {
    const char *name;
    void (*build)(int without); /* 0: all is there; else what is not */
    int variants;               /* that `without` knows */
    int width, height;          /* 0: WIDTH x HEIGHT */
} golden;

/* --- stages ----------------------------------------------------------------------------------- */

static void stand_at(double x, double y, double z, rp_vec3 target)
{
    s.camera.position = rp_v3(x, y, z);
    s.camera.target = target;
}

static void add_ground(void)
{
    rp_body_spec *ground = stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    stage_colour(ground, 0.45, 0.43, 0.40);
}

/* A stage under an evening sun, with ground. */
static void begin(void)
{
    stage_clear(&s);
    s.scene.light.direction = rp_v3_normalized(rp_v3(0.8, 0.35, -0.7));
    s.camera.shutter = 0.5;
    add_ground();
}

/* A cone of grains, in rows that are not quite straight. */
static void add_heap(double radius, double height)
{
    double step = s.view.spacing = 0.06;
    int reach = (int)(radius / step);
    for (int k = 0; (k + 0.5) * step < height; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double x = i + 0.5 * (k % 2) + 0.2 * sin(9.0 * j + k);
                double y = j + 0.5 * (k % 2) + 0.2 * sin(7.0 * i + 2 * k);
                double level = (0.5 + 0.92 * k) * step;
                if (step * sqrt(x * x + y * y) < radius * (1 - level / height))
                    stage_add(&s, step * x, step * y, level, SAND);
            }
}

static void build_heap(void)
{
    begin();
    add_heap(0.7, 0.5);
    stand_at(0.7, -1.5, 0.8, rp_v3(0, 0, 0.15));
}

static void build_balls(void)
{
    begin();
    s.view.spacing = 0.4;
    stage_add(&s, -0.45, 0.1, 0.2, RED);
    stage_add(&s, 0.1, -0.1, 0.2, SAND);
    stage_add(&s, 0.5, 0.4, 0.2, BLUE);
    stage_add(&s, -0.1, 0.1, 0.7, SAND);
    stand_at(0, -2, 1, rp_v3(0.05, 0, 0.3));
}

static void sun_shadow(int without)
{
    build_balls();
    s.options.samples = 1;
    if (without) s.scene.light.strength = 0;
}

static void soft_shadow(int without)
{
    build_balls();
    if (without) s.options.samples = 1;
}

/* Without: as bright on average, but not darker between grains. */
static void sky_and_hollows(int without)
{
    build_heap();
    s.scene.light.strength = 0;
    s.scene.light.sky = 0.8;
    if (without) s.options.samples = 1;
}

/* Without: all grains are the same stone; or smooth and hard in their light. */
static void sand_close_up(int without)
{
    begin();
    s.view.spacing = 0.3;
    for (int i = 0; i < 25; i++)
        stage_add(&s, 0.3 * (i % 5 - 2) + 0.03 * (i / 5), 0.27 * (i / 5), 0.14 + 0.04 * (i * 7 % 3),
                  SAND);
    stand_at(0.1, -0.6, 0.8, rp_v3(0.05, 0.35, 0.1));
    for (int i = 0; i < 25 && without == 1; i++)
        s.id[i] = 1;
    if (without == 2) s.options.samples = 1;
}

/* Without: the scene is as wide as the sight, so that all of its ground is near. */
static void haze(int without)
{
    static const rp_framing wide = {.bounds = {{-400, -400, 0}, {400, 400, 10}}};
    begin();
    s.view.spacing = 0.4;
    stage_add(&s, -0.4, 0, 0.2, SAND);
    stage_add(&s, 0.3, 0.5, 0.2, BLUE);
    stand_at(0, -2.2, 1, rp_v3(0, 0.4, 0.5));
    if (without) s.options.framing = &wide;
}

static void no_grains_but(rp_shape shape, int without, double green)
{
    rp_body_spec *body = stage_add_body(&s, shape, rp_v3(0, 0, 0));
    stage_colour(body, 0.5, green, 0.15);
    body->hidden = without != 0;
}

static void body_sphere(int without)
{
    begin();
    no_grains_but((rp_shape){.kind = RP_SHAPE_SPHERE, .radius = 0.5}, without, 0.2);
    s.bodies[1].pose.position.z = 0.5;
    stand_at(0.5, -2, 1, rp_v3(0, 0, 0.4));
}

static void body_box(int without)
{
    begin();
    no_grains_but((rp_shape){.kind = RP_SHAPE_BOX, .size = {0.9, 0.6, 0.5}}, without, 0.5);
    s.bodies[1].pose.position.z = 0.25;
    s.bodies[1].pose.orientation = rp_quat_from_axis(rp_v3(0, 0, 1), 0.5);
    stand_at(0.5, -2, 1, rp_v3(0, 0, 0.3));
}

static void body_cylinder(int without)
{
    begin();
    no_grains_but((rp_shape){.kind = RP_SHAPE_CYLINDER, .radius = 0.35, .height = 0.8}, without,
                  0.3);
    s.bodies[1].pose.position.z = 0.4;
    stand_at(0.5, -2, 1.2, rp_v3(0, 0, 0.35));
}

static rp_mesh *mesh; /* of the stage; or NULL */

/* A copy in which no two triangles share a corner: all of its edges are creases. */
static rp_mesh *torn(const rp_mesh *whole)
{
    rp_mesh *copy = rp_mesh_create();
    bool ok = copy != NULL;
    for (size_t t = 0; t < whole->triangle_count && ok; t++) {
        uint32_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = rp_mesh_add_vertex(copy, whole->vertices[whole->triangles[t][k]], &ok);
        rp_mesh_add_triangle(copy, v[0], v[1], v[2], &ok);
    }
    assert_true(ok);
    return copy;
}

/* Few triangles: smooth where they meet flatly, with creases about the tips.
 * Without: faceted; or not there. */
static void body_mesh(int without)
{
    begin();
    rp_shape capsule = {.kind = RP_SHAPE_CAPSULE, .radius = 0.4, .height = 0.4};
    assert_int_equal(rp_shape_tessellate(&capsule, 11, 1, &mesh, NULL), RP_OK);
    if (without == 1) {
        rp_mesh *whole = mesh;
        mesh = torn(whole);
        rp_mesh_destroy(whole);
    }
    no_grains_but((rp_shape){.kind = RP_SHAPE_MESH, .mesh = mesh}, without == 2, 0.4);
    s.bodies[1].pose.position.z = 0.6;
    stand_at(0.6, -1.4, 0.9, rp_v3(0, 0, 0.6));
}

static void blur_of_grains(int without)
{
    build_balls();
    stage_move(&s);
    s.vx[1] = 6;
    s.vz[3] = -8;
    s.options.frame_time = without ? 0 : 0.1;
}

/* Two boxes: one flies, the other turns. Without: no blur, no turning, no flying. */
static void blur_of_bodies(int without)
{
    static rp_body_state states[3];
    begin();
    rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    for (int i = 1; i < 3; i++) {
        rp_vec3 at = rp_v3(i == 1 ? -0.5 : 0.6, 0, 0.4);
        stage_colour(stage_add_body(&s, box, at), 0.7, 0.2 * i, 0.1);
        states[i] = (rp_body_state){.position = {at.x, at.y, at.z}, .orientation = {1, 0, 0, 0}};
    }
    states[0] = (rp_body_state){.orientation = {1, 0, 0, 0}};
    if (without != 3) states[1].velocity[0] = 7;
    if (without != 2) states[2].angular_velocity[1] = 18;
    s.view.bodies = states;
    s.view.body_count = 3;
    s.options.frame_time = without == 1 ? 0 : 0.1;
    stand_at(0, -2.4, 0.9, rp_v3(0, 0, 0.35));
}

static void blur_of_the_camera(int without)
{
    static rp_camera_key_spec keys[2] = {
        {0, {-0.5, -2, 1}, {-0.5, 0, 0.3}, 0.8},
        {1, {0.5, -2, 1}, {0.5, 0, 0.3}, 0.8},
    };
    build_balls();
    s.camera.keys = (rp_plain_list){keys, 2};
    s.camera.interpolation = RP_INTERPOLATION_LINEAR;
    s.view.time = 0.5;
    s.options.frame_time = without ? 0 : 0.4;
}

static void depth_of_field(int without)
{
    begin();
    s.view.spacing = 0.3;
    for (int i = 0; i < 7; i++)
        stage_add(&s, 0.32 * i - 0.8, 0.7 * i - 1.2, 0.15, i % 3);
    stand_at(0, -2.2, 0.7, rp_v3(0, 0.2, 0.1));
    s.camera.aperture = without ? 0 : 0.15;
}

/* Two lamps of their own colours at night. Without one, without the other. */
static void lamps(int without)
{
    build_balls();
    s.scene.light.strength = 0;
    s.scene.light.sky = 0.02;
    rp_lamp_spec *warm = stage_add_lamp(&s, rp_v3(-0.7, -0.4, 0.6), without == 1 ? 0 : 0.5);
    rp_lamp_spec *cold = stage_add_lamp(&s, rp_v3(0.8, 0.1, 0.9), without == 2 ? 0 : 0.5);
    warm->colour[2] = 0.2;
    cold->colour[0] = 0.2;
}

static void wet_and_dry(int without)
{
    build_heap();
    for (size_t i = 0; i < s.view.count; i++)
        s.moisture[i] = s.x[i] > 0 ? 1 : 0;
    s.view.moisture = without ? NULL : s.moisture;
}

/* Without: as sand; or with another scale, and so other numbers in the legend. */
static void coloured_by_speed(int without)
{
    static const rp_colour_range wide = {0, 5};
    build_heap();
    stage_move(&s);
    for (size_t i = 0; i < s.view.count; i++)
        s.vx[i] = 1 + 2 * s.x[i];
    s.options.colour = without == 1 ? NULL : "speed";
    if (without == 2) s.options.range = &wide;
}

static void coloured_by_id(int without)
{
    build_heap();
    s.options.colour = without ? NULL : "id";
}

/* A third of the grains has no value. Without: as sand; or all have one. */
static void coloured_by_field(int without)
{
    static float values[STAGE_GRAINS];
    static const rp_field field = {"pressure", "Pa", RP_F32, values};
    build_heap();
    for (size_t i = 0; i < s.view.count; i++)
        values[i] = without != 2 && s.x[i] > 0.25f ? NAN : 1000 * (0.5f - s.z[i]);
    s.view.fields = &field;
    s.view.field_count = 1;
    s.options.colour = without == 1 ? NULL : "pressure";
}

static void automatic_camera(int without)
{
    build_heap();
    s.scene.cameras.count = without;
}

static void orbit(int without)
{
    build_heap();
    s.scene.cameras.count = 0;
    for (size_t i = 0; i < s.view.count; i++)
        s.material[i] = s.x[i] > 0 ? RED : s.y[i] > 0 ? BLUE : SAND;
    s.view.time = 2;
    s.options.orbit = without ? 0 : 0.8;
}

/* The domain's bottom is ground as well. */
static void floor_of_the_domain(int without)
{
    build_balls();
    s.scene.bodies.count = 0;
    s.scene.domain.low = rp_v3(-5, -5, 0);
    s.scene.domain.high = rp_v3(5, 5, without ? -1 : 5);
}

/* Without: no contact is left; or all push alike. */
static void force_chains(int without)
{
    static const rp_body_state floor = {.orientation = {1, 0, 0, 0}};
    begin();
    block = chains_make(4, 7, 40);
    rp_view view = s.view;
    s.view = block->view;
    s.view.bodies = &floor;
    s.view.time = view.time;
    s.options.colour = RP_FORCE_CHAINS;
    stand_at(0.075, -0.075, 0.05, rp_v3(0.045, 0.02, 0.02));
    if (without == 1) s.view.contact_count = 0;
    for (size_t i = 0; without == 2 && i < s.view.contact_count; i++)
        block->contacts[i].normal_force = 1;
}

/* One grain of each shape, then a heap of tetrahedra. Without: all are balls; or none is turned. */
static void clumps(int without)
{
    begin();
    add_heap(0.5, 0.35);
    size_t heap = s.view.count;
    for (int i = 0; i < 4; i++)
        stage_add(&s, 0.42 * (i - 1.5), -0.65, 0.15, i == 1 ? BLUE : SAND);
    stage_shape(&s);
    for (size_t i = 0; i < s.view.count; i++) {
        double n = (double)i;
        s.kind[i] = i < heap ? RP_GRAIN_TETRAHEDRON : (uint8_t)(i - heap);
        s.diameter[i] = i < heap ? 0.085f : 0.34f;
        stage_turn(&s, i, rp_quat_from_euler(rp_v3(0.9 * n, 0.4 + 0.7 * n, 0.3 * n)));
    }
    s.view.field_count = without == 1 ? 1 : without == 2 ? 2 : 9;
    stand_at(0.2, -2.1, 0.8, rp_v3(0, -0.2, 0.12));
}

/* A heap of balls from small to large. Without: all are alike. */
static void sizes(int without)
{
    build_heap();
    stage_shape(&s);
    for (size_t i = 0; i < s.view.count; i++)
        s.diameter[i] = without ? 0.06f : 0.025f + 0.075f * (float)(i * 37 % 101) / 101;
}

/* A tetrahedron that turns, a dimer that flies. Without: no blur; or it does not turn. */
static void blur_of_clumps(int without)
{
    begin();
    stage_add(&s, -0.5, 0, 0.4, SAND);
    stage_add(&s, 0.55, 0, 0.4, RED);
    stage_shape(&s);
    stage_move(&s);
    for (size_t i = 0; i < 2; i++) {
        s.diameter[i] = 0.8f;
        s.kind[i] = i ? RP_GRAIN_DIMER : RP_GRAIN_TETRAHEDRON;
        stage_turn(&s, i, rp_quat_from_euler(rp_v3(0.6, 0.3, 0.2)));
    }
    s.spin[1][0] = without == 2 ? 0 : 16;
    s.vz[1] = 6;
    s.options.frame_time = without == 1 ? 0 : 0.1;
    stand_at(0, -2.2, 0.9, rp_v3(0, 0, 0.4));
}

static const golden references[] = {
    {"sun-shadow", sun_shadow, 1, 0, 0},
    {"soft-shadow", soft_shadow, 1, 0, 0},
    {"sky-and-hollows", sky_and_hollows, 1, 0, 0},
    {"sand-close-up", sand_close_up, 2, 0, 0},
    {"haze", haze, 1, 0, 0},
    {"body-sphere", body_sphere, 1, 0, 0},
    {"body-box", body_box, 1, 0, 0},
    {"body-cylinder", body_cylinder, 1, 0, 0},
    {"body-mesh", body_mesh, 2, 0, 0},
    {"floor-of-the-domain", floor_of_the_domain, 1, 0, 0},
    {"blur-of-grains", blur_of_grains, 1, 0, 0},
    {"blur-of-bodies", blur_of_bodies, 3, 0, 0},
    {"blur-of-the-camera", blur_of_the_camera, 1, 0, 0},
    {"depth-of-field", depth_of_field, 1, 0, 0},
    {"lamps", lamps, 2, 0, 0},
    {"wet-and-dry", wet_and_dry, 1, 0, 0},
    {"coloured-by-speed", coloured_by_speed, 2, 124, 90},
    {"coloured-by-id", coloured_by_id, 1, 0, 0},
    {"coloured-by-field", coloured_by_field, 2, 124, 90},
    {"force-chains", force_chains, 2, 124, 90},
    {"automatic-camera", automatic_camera, 1, 0, 0},
    {"orbit", orbit, 1, 0, 0},
    {"clumps", clumps, 2, 144, 96},
    {"sizes", sizes, 1, 0, 0},
    {"blur-of-clumps", blur_of_clumps, 2, 0, 0},
};
#define REFERENCES (int)(sizeof references / sizeof references[0])

/* --- comparing -------------------------------------------------------------------------------- */

static rp_picture *render(const golden *g, int without)
{
    g->build(without);
    rp_picture *picture =
        stage_render(&s, g->width ? g->width : WIDTH, g->height ? g->height : HEIGHT, NULL);
    if (mesh) rp_mesh_destroy(mesh);
    mesh = NULL;
    if (block) chains_free(block);
    block = NULL;
    return picture;
}

static rp_picture *read_png(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    rp_picture *picture;
    if (!png_image_begin_read_from_file(&image, path)) {
        print_error("%s cannot be read: %s\n", path, image.message);
        fail();
    }
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(rp_picture_create((int)image.width, (int)image.height, &picture, NULL), RP_OK);
    assert_true(png_image_finish_read(&image, NULL, picture->pixels, 0, NULL));
    return picture;
}

/* Of the means of one colour over the block with its corner at (left, top). */
static double block_difference(const rp_picture *a, const rp_picture *b, int left, int top, int c)
{
    int sum = 0;
    for (int y = top; y < top + BLOCK; y++)
        for (int x = left; x < left + BLOCK; x++)
            sum += rp_picture_at(a, x, y)[c] - rp_picture_at(b, x, y)[c];
    return fabs((double)sum) / (BLOCK * BLOCK);
}

static double worst_block(const rp_picture *a, const rp_picture *b)
{
    double worst = 0;
    for (int y = 0; y + BLOCK <= a->height; y += BLOCK)
        for (int x = 0; x + BLOCK <= a->width; x += BLOCK)
            for (int c = 0; c < 3; c++)
                worst = fmax(worst, block_difference(a, b, x, y, c));
    return worst;
}

/* In limits: up to 1 is alike. */
static double difference(const rp_picture *a, const rp_picture *b)
{
    return fmax(stage_difference(a, b) / MEAN_MOST, worst_block(a, b) / BLOCK_MOST);
}

static void keep_for_a_look(const rp_picture *got, const rp_picture *wanted, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/golden-%s.png", folder, name);
    rp_code code = rp_picture_write_png(got, path, NULL);
    print_error("%s: the mean differs by %.3g (%g allowed), the worst block by %.3g (%g); see %s\n",
                name, stage_difference(got, wanted), MEAN_MOST, worst_block(got, wanted),
                BLOCK_MOST, code == RP_OK ? path : "nothing, it cannot be written");
}

static void is_like_the_reference(void **state)
{
    const golden *g = *state;
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/render/golden/%s.png", RP_SOURCE_DIR, g->name);
    rp_picture *got = render(g, 0);
    const char *write = getenv("RP_GOLDEN_WRITE");
    if (write && strcmp(write, "1") == 0)
        assert_int_equal(rp_picture_write_png(got, path, NULL), RP_OK);
    rp_picture *wanted = read_png(path);
    bool alike = difference(got, wanted) <= 1;
    if (!alike) keep_for_a_look(got, wanted, g->name);
    rp_picture_destroy(got);
    for (int without = 1; without <= g->variants; without++) {
        rp_picture *lost = render(g, without);
        double much = difference(lost, wanted);
        if (much < LOST) print_error("%s: without %d only %.3g\n", g->name, without, much);
        alike = alike && much >= LOST;
        rp_picture_destroy(lost);
    }
    rp_picture_destroy(wanted);
    assert_true(alike);
}

int main(int argc, char **argv)
{
    if (argc > 1) folder = argv[1];
    struct CMUnitTest tests[REFERENCES + 1];
    for (int i = 0; i < REFERENCES; i++)
        tests[i] = (struct CMUnitTest){references[i].name, is_like_the_reference, NULL, NULL,
                                       (void *)(uintptr_t)&references[i]};
    tests[REFERENCES] = (struct CMUnitTest)cmocka_unit_test(nothing_is_left);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
