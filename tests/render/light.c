/* Light by numbers: what a pixel gets from sun, sky, lamps and from surface to surface, against
 * what theory says. Light is taken as it comes along rays, before it is toned. */
#include "check.h"

#include "render/inside.h"
#include "render/stage.h"

static stage s;

/* A stage made ready for rays. */
typedef struct studio {
    rp_render_scene render_scene;
    rp_path_tracer tracer;
    rp_sampler_table table;
    int samples;
} studio;

static void open_studio(studio *st, int width, int height, int samples)
{
    rp_report *report = rp_report_create();
    rp_framing framing = rp_framing_empty();
    rp_render_options options = s.options;
    options.width = width;
    options.height = height;
    *st = (studio){.samples = samples};
    check_ok(rp_framing_add(&framing, &s.view, &s.scene, report), report);
    rp_camera *camera = &st->tracer.camera[0];
    check_ok(rp_camera_choose(&s.scene, &options, &framing, 0, camera, report), report);
    rp_render_scene_options build = {.grain_scale = 1, .eye = camera->position};
    check_ok(rp_render_scene_build(&st->render_scene, &s.view, &s.scene, &options, &framing, &build,
                                   NULL, report),
             report);
    check_ok(rp_sampler_table_make(&st->table, samples, report), report);
    st->tracer.camera[1] = *camera;
    st->tracer.scene = &st->render_scene;
    st->tracer.lights = rp_lights_make(&s.scene);
    rp_report_destroy(report);
}

static void close_studio(studio *st)
{
    rp_sampler_table_release(&st->table);
    rp_render_scene_release(&st->render_scene);
}

/* The mean of a pixel's samples. */
static rp_vec3 light_at(const studio *st, int x, int y)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (int sample = 0; sample < st->samples; sample++) {
        rp_sampler sampler = rp_sampler_begin(&st->table, x, y, sample);
        rp_path_sample traced = rp_trace_path(&st->tracer, x, y, RP_INDIRECT_MANY, &sampler);
        sum = rp_v3_add(sum, rp_path_sample_radiance(&traced));
    }
    return rp_v3_scale(sum, 1.0 / st->samples);
}

/* Of a single narrow pixel. */
static rp_vec3 light_of_pixel(int samples)
{
    studio st;
    s.camera.field_of_view = 0.001;
    open_studio(&st, 1, 1, samples);
    rp_vec3 light = light_at(&st, 0, 0);
    close_studio(&st);
    return light;
}

static void check_light(rp_vec3 light, rp_vec3 expected, double part)
{
    check_near(light.x, expected.x, part * expected.x);
    check_near(light.y, expected.y, part * expected.y);
    check_near(light.z, expected.z, part * expected.z);
}

/* A ground of this colour through the origin, seen from above at a slant, without any light yet. */
static rp_body_spec *build_ground(double red, double green, double blue)
{
    stage_clear(&s);
    rp_body_spec *ground = stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    stage_colour(ground, red, green, blue);
    s.scene.light.strength = s.scene.light.sky = 0;
    s.camera.position = rp_v3(0.3, -0.4, 0.8);
    return ground;
}

static void look_down(double x, double y, double height)
{
    s.camera.position = rp_v3(x, y, height);
    s.camera.target = rp_v3(x, y, 0);
    s.camera.up = rp_v3(0, 1, 0);
}

/* --- sun and sky ------------------------------------------------------------------------------ */

/* Within 1e-3: the sun has a disc, the cosine of whose middle is its mean but for 1e-4. */
static void a_matt_ground_under_the_sun_follows_lambert(void **state)
{
    (void)state;
    const rp_vec3 ways[] = {{0, 0, -1}, {0.5, 0.3, -1}, {-2, 1, -1}};
    for (int i = 0; i < 3; i++) {
        build_ground(0.6, 0.4, 0.2);
        s.scene.light.direction = rp_v3_normalized(ways[i]);
        s.scene.light.strength = 1.3;
        rp_vec3 sun = rp_lights_make(&s.scene).sun;
        double cosine = -s.scene.light.direction.z;
        rp_vec3 expected = rp_v3_scale(rp_v3(0.6 * sun.x, 0.4 * sun.y, 0.2 * sun.z), cosine);
        assert_true(expected.x > 0);
        check_light(light_of_pixel(256), expected, 1e-3);
    }
}

static void a_ground_in_its_own_shade_is_black(void **state)
{
    (void)state;
    build_ground(0.6, 0.4, 0.2);
    s.scene.light.direction = rp_v3(0, 0, 1);
    s.scene.light.strength = 1;
    assert_true(rp_v3_length(light_of_pixel(64)) == 0);
}

/* The mean of the sky over the half sphere about a normal, each part of it by its cosine. */
static rp_vec3 mean_sky(const rp_lights *lighting, rp_vec3 normal)
{
    rp_vec3 sum = rp_v3(0, 0, 0);
    const int rings = 600, parts = 600;
    double weights = 0;
    for (int i = 0; i < rings; i++) {
        double z = -1 + 2 * (i + 0.5) / rings, across = sqrt(1 - z * z);
        for (int k = 0; k < parts; k++) {
            double angle = 2 * RP_PI * (k + 0.5) / parts;
            rp_vec3 way = rp_v3(across * cos(angle), across * sin(angle), z);
            double cosine = rp_v3_dot(way, normal);
            if (cosine <= 0) continue;
            sum = rp_v3_madd(sum, cosine, rp_light_sky_radiance(lighting, way));
            weights += cosine;
        }
    }
    return rp_v3_scale(sum, 1 / weights);
}

/* Within 0.5 %: the sky changes by a third from zenith to horizon, and 4096 samples of a net catch
 * that. A tilted ground sees the haze below the horizon as well. */
static void a_matt_ground_under_the_sky_sends_its_mean(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        rp_body_spec *ground = build_ground(0.6, 0.4, 0.2);
        ground->pose.orientation = rp_quat_from_axis(rp_v3(1, 0, 0), 0.4 * i);
        s.scene.light.sky = 0.4;
        rp_lights lighting = rp_lights_make(&s.scene);
        rp_vec3 normal = rp_quat_rotate(ground->pose.orientation, rp_v3(0, 0, 1));
        rp_vec3 sky = mean_sky(&lighting, normal);
        check_light(light_of_pixel(4096), rp_rgb_mul(sky, rp_v3(0.6, 0.4, 0.2)), 5e-3);
    }
}

/* --- lamps ------------------------------------------------------------------------------------ */

/* A small lamp at height h lights the ground at distance d from its foot by h / (h^2 + d^2)^1.5;
 * within 1 %. The sun is a little yellow, the lamp white: their brightness agrees within 5 %. */
static void lamps_follow_inverse_squares_and_cosines(void **state)
{
    (void)state;
    const double heights[] = {1, 2, 0.5, 1, 1}, distances[] = {0, 0, 0, 0.7, 2};
    for (int i = 0; i < 5; i++) {
        build_ground(0.5, 0.5, 0.5);
        s.scene.light.strength = 1;
        double sun = rp_luminance(rp_lights_make(&s.scene).sun);
        s.scene.light.strength = 0;
        rp_lamp_spec *lamp = stage_add_lamp(&s, rp_v3(distances[i], 0, heights[i]), 1.5);
        lamp->colour[2] = 0.25;
        rp_vec3 light = light_of_pixel(256);
        double square = heights[i] * heights[i] + distances[i] * distances[i];
        double expected = 1.5 * 0.5 * sun * heights[i] / pow(square, 1.5);
        check_near(light.y, expected, 0.05 * expected);
        check_near(light.z, 0.25 * light.y, 1e-9);
        static double first;
        if (i == 0) first = light.y;
        check_near(light.y / first, heights[i] / pow(square, 1.5), 0.01 * light.y / first);
    }
}

static void two_lamps_add_up(void **state)
{
    (void)state;
    double sum = 0, both = 0;
    for (int i = 0; i < 3; i++) {
        build_ground(0.5, 0.5, 0.5);
        if (i != 1) stage_add_lamp(&s, rp_v3(0.4, 0.1, 1), 1);
        if (i != 0) stage_add_lamp(&s, rp_v3(-0.4, 0.5, 0.7), 0.3);
        double light = light_of_pixel(256).y;
        *(i == 2 ? &both : &sum) += light;
    }
    check_near(both, sum, 0.01 * sum);
}

/* The brightest sample of a picture. */
static double brightest(int edge, int samples)
{
    studio st;
    double most = 0;
    open_studio(&st, edge, edge, samples);
    for (int y = 0; y < edge; y++)
        for (int x = 0; x < edge; x++)
            most = fmax(most, rp_luminance(light_at(&st, x, y)));
    close_studio(&st);
    return most;
}

static const rp_shape closed_shapes[] = {
    {.kind = RP_SHAPE_SPHERE, .radius = 0.4},
    {.kind = RP_SHAPE_BOX, .size = {0.7, 0.6, 0.5}},
    {.kind = RP_SHAPE_CYLINDER, .radius = 0.3, .height = 0.6},
    {.kind = RP_SHAPE_CAPSULE, .radius = 0.3, .height = 0.2},
};

/* Not one of many thousand rays that graze the body gets anything. */
static void a_lamp_in_a_closed_body_does_not_shine_out(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        build_ground(0.8, 0.8, 0.8)->pose.position.z = -0.5;
        stage_add_body(&s, closed_shapes[i], rp_v3(0, 0, 0));
        stage_add_lamp(&s, rp_v3(0.02, 0.03, 0.01), 5);
        s.camera.position = rp_v3(0.8, -1.2, 0.9);
        s.camera.field_of_view = 0.7;
        check_near(brightest(160, 16), 0, 0);
        s.scene.bodies.count = 1;
        assert_true(brightest(40, 4) > 1);
    }
}

/* The wall of a ball of radius R about a lamp of strength L gets E = L / R^2 everywhere, sends back
 * its part a of it, and of what the walls send a part a in turn: a E + a^2 E; within 5 %, and up to
 * a tenth more of E where it is glossy. */
static void a_lamp_in_a_closed_body_lights_it_from_within(void **state)
{
    (void)state;
    stage_clear(&s);
    s.scene.light.strength = 1;
    double sun = rp_luminance(rp_lights_make(&s.scene).sun);
    s.scene.light.strength = s.scene.light.sky = 0;
    stage_add_body(&s, closed_shapes[0], rp_v3(0, 0, 0));
    stage_add_lamp(&s, rp_v3(0, 0, 0), 0.1);
    s.camera.position = rp_v3(0.2, 0, 0.1);
    s.camera.target = rp_v3(0, 1, 0);
    rp_vec3 light = light_of_pixel(1024);
    double lit = 0.1 * sun / (0.4 * 0.4), a = 0.7;
    assert_true(light.y > 0.95 * (a + a * a) * lit);
    assert_true(light.y < 1.05 * (a + a * a) * lit + 0.2 * lit);
}

/* --- shadows and bounces ---------------------------------------------------------------------- */

#define ACROSS 64

/* The part of a disc of radius 1 to the left of x. */
static double disc_part(double x)
{
    if (x <= -1) return 0;
    if (x >= 1) return 1;
    return 0.5 + (x * sqrt(1 - x * x) + asin(x)) / RP_PI;
}

static double sun_radius(void)
{
    rp_lights lighting = rp_lights_make(&s.scene);
    rp_vec3 rim = rp_light_sample_sun(&lighting, (const double[2]){1, 0.3});
    return acos(rp_v3_dot(rim, lighting.to_sun));
}

/* A black box 1 m above the ground, its edge over x = 0, under a sun straight above: the shadow's
 * edge is 2 tan(radius) m wide, and in it the light is the part of the sun's disc that is seen.
 * Within 0.04 of the full light everywhere: a pixel is a twentieth of the edge wide, and 256
 * samples. */
static void the_edge_of_a_shadow_is_as_wide_as_the_sun(void **state)
{
    (void)state;
    build_ground(0.5, 0.5, 0.5);
    s.scene.light.strength = 1;
    rp_body_spec *box = stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {2, 2, 0.1}},
                                       rp_v3(-1, 0, 1.05));
    stage_colour(box, 0, 0, 0);
    double half = tan(sun_radius()), full = 0.5 * rp_lights_make(&s.scene).sun.y;
    assert_true(half > 0.003 && half < 0.1);
    look_down(0, 0, 0.5);
    s.camera.field_of_view = 2 * atan(1.6 * half / 0.5 / ACROSS); /* of one row */
    studio st;
    open_studio(&st, ACROSS, 1, 256);
    double pitch = 3.2 * half / ACROSS;
    for (int x = 0; x < ACROSS; x++) {
        double at = (x + 0.5 - 0.5 * ACROSS) * pitch / half;
        check_near(light_at(&st, x, 0).y / full, disc_part(at), 0.04);
    }
    assert_true(light_at(&st, 2, 0).y == 0);
    check_near(light_at(&st, ACROSS - 3, 0).y, full, 1e-3 * full);
    close_studio(&st);
}

/* How much redder than green the ground is at x m from the wall. */
static double redness(double x, bool wall, double red)
{
    build_ground(0.8, 0.8, 0.8);
    s.scene.light.strength = 1;
    s.scene.light.direction = rp_v3_normalized(rp_v3(-1, 0, -1));
    if (wall) {
        rp_body_spec *box = stage_add_body(
            &s, (rp_shape){.kind = RP_SHAPE_BOX, .size = {0.2, 2, 1}}, rp_v3(-0.1, 0, 0.5));
        stage_colour(box, red, 0.05, 0.05);
    }
    look_down(x, 0, 1.5);
    rp_vec3 light = light_of_pixel(1024), sun = rp_lights_make(&s.scene).sun;
    return light.x / light.y / (sun.x / sun.y);
}

static void a_red_wall_reddens_the_ground_beside_it(void **state)
{
    (void)state;
    double near = redness(0.1, true, 0.9), middle = redness(0.5, true, 0.9);
    double far = redness(3, true, 0.9);
    assert_true(near > 1.15);
    assert_true(near > middle && middle > far + 0.03);
    assert_true(far < 1.03);
    check_near(redness(0.1, true, 0.05), 1, 0.01);
    check_near(redness(0.1, false, 0), 1, 1e-3);
}

/* --- tone ------------------------------------------------------------------------------------- */

static void more_light_is_never_darker(void **state)
{
    (void)state;
    rp_vec3 before = rp_light_tone_map(rp_v3(0, 0, 0));
    assert_true(rp_v3_length(before) == 0);
    for (double light = 1e-6; light < 1e4; light *= 1.1) {
        rp_vec3 toned = rp_light_tone_map(rp_v3(light, 0.7 * light, 0.4 * light));
        rp_vec3 more = rp_v3_sub(toned, before);
        assert_true(more.x > -1e-12 && more.y > -1e-12 && more.z > -1e-12); /* rounding */
        assert_true(toned.x <= 1 && toned.x >= toned.y && toned.y >= toned.z);
        before = toned;
    }
    assert_true(before.x > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matt_ground_under_the_sun_follows_lambert),
        cmocka_unit_test(a_ground_in_its_own_shade_is_black),
        cmocka_unit_test(a_matt_ground_under_the_sky_sends_its_mean),
        cmocka_unit_test(lamps_follow_inverse_squares_and_cosines),
        cmocka_unit_test(two_lamps_add_up),
        cmocka_unit_test(a_lamp_in_a_closed_body_does_not_shine_out),
        cmocka_unit_test(a_lamp_in_a_closed_body_lights_it_from_within),
        cmocka_unit_test(the_edge_of_a_shadow_is_as_wide_as_the_sun),
        cmocka_unit_test(a_red_wall_reddens_the_ground_beside_it),
        cmocka_unit_test(more_light_is_never_darker),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
