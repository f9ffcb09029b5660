/* Adaptive sampling and the denoiser against their plain twin, all samples everywhere: about as
 * near to a picture of very many samples with a quarter of the rays, no darker or brighter, with
 * edges as sharp, and the same bits for any number of threads. */
#include "check.h"

#include "base/random.h"
#include "render/inside.h"
#include "render/stage.h"

#define WIDTH 128
#define HEIGHT 72
#define MANY 256

static stage s;

/* A heap of grains that are some four pixels wide under an evening sun, beside a box. */
static void build(void)
{
    stage_clear(&s);
    s.view.spacing = 0.06;
    s.scene.light.direction = rp_v3_normalized(rp_v3(0.8, 0.35, -0.7));
    s.camera.position = rp_v3(0.5, -1.9, 0.8);
    s.camera.target = rp_v3(0.1, 0, 0.1);
    s.camera.field_of_view = 0.7;
    rp_body_spec *ground = stage_add_body(&s, (rp_shape){.kind = RP_SHAPE_PLANE}, rp_v3(0, 0, 0));
    stage_colour(ground, 0.45, 0.43, 0.40);
    rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.3, 0.3, 0.6}};
    stage_colour(stage_add_body(&s, box, rp_v3(0.75, 0.1, 0.3)), 0.6, 0.4, 0.05);
    for (uint32_t i = 0; s.view.count < 1500; i++) {
        rp_random4 r = rp_random(3, RP_RANDOM_TEST, i);
        double x = 1.4 * rp_random_unit(r.bits[0]) - 0.7, y = 1.4 * rp_random_unit(r.bits[1]) - 0.7;
        double z = 0.4 * rp_random_unit(r.bits[2]);
        if (sqrt(x * x + y * y) < 0.6 * (1 - z / 0.4)) stage_add(&s, x, y, 0.03 + z, SAND);
    }
}

static rp_picture *rendered(int samples, bool plain, uint64_t *rays)
{
    rp_render_cost cost;
    s.options.samples = samples;
    s.options.plain = plain;
    s.options.cost = &cost;
    rp_picture *picture = stage_render(&s, WIDTH, HEIGHT, NULL);
    *rays = cost.rays;
    return picture;
}

static double rms(const rp_picture *a, const rp_picture *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        sum += (a->pixels[i] - b->pixels[i]) * (a->pixels[i] - b->pixels[i]);
    return sqrt(sum / (3.0 * WIDTH * HEIGHT));
}

static double mean(const rp_picture *a, int c)
{
    double sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        sum += a->pixels[3 * i + c];
    return sum / (WIDTH * HEIGHT);
}

/* Under sun and sky, and under the sky alone, which is the light that is denoised. Of 255: the
 * error is 3.1 where that of the twin is 2.7, and 4.5 where it is 4.7; in large pictures, whose
 * grains are wider, it is smaller than the twin's. */
static void as_near_to_very_many_samples(void **state)
{
    (void)state;
    for (int sun = 0; sun < 2; sun++) {
        uint64_t rays[3];
        build();
        s.scene.light.strength = sun;
        s.scene.light.sky = sun ? 0.4 : 0.8;
        rp_picture *many = rendered(MANY, true, &rays[0]);
        rp_picture *twin = rendered(16, true, &rays[1]), *quick = rendered(16, false, &rays[2]);
        double error = rms(quick, many);
        assert_true(error < 1.2 * rms(twin, many) && error < (sun ? 3.3 : 4.7));
        assert_true(rays[2] < rays[1] / 2.5);
        for (int c = 0; c < 3; c++)
            check_near(mean(quick, c), mean(many, c), sun ? 0.5 : 1.2); /* hollows are flatter */
        rp_picture_destroy(many);
        rp_picture_destroy(twin);
        rp_picture_destroy(quick);
    }
}

/* Where colours change abruptly from pixel to pixel, they do so with and without the filter. */
static void edges_stay_sharp(void **state)
{
    (void)state;
    build();
    uint64_t rays;
    rp_picture *many = rendered(MANY, true, &rays), *quick = rendered(16, false, &rays);
    double steps = 0, kept = 0;
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            int there = rp_picture_at(many, x + 1, y)[2] - rp_picture_at(many, x - 1, y)[2];
            int here = rp_picture_at(quick, x + 1, y)[2] - rp_picture_at(quick, x - 1, y)[2];
            if (abs(there) < 100) continue;
            steps += abs(there);
            kept += there > 0 ? here : -here;
        }
    assert_true(steps > 10000);
    check_near(kept / steps, 1, 0.06);
    rp_picture_destroy(many);
    rp_picture_destroy(quick);
}

static void the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    build();
    s.options.samples = 16;
    rp_picture *one = stage_render(&s, WIDTH, HEIGHT, NULL);
    for (int count = 2; count <= 3; count++) {
        rp_threads *threads;
        assert_int_equal(rp_threads_create(count, &threads, NULL), RP_OK);
        rp_picture *more = stage_render(&s, WIDTH, HEIGHT, threads);
        assert_true(stage_same(one, more));
        rp_picture_destroy(more);
        rp_threads_destroy(threads);
    }
    rp_picture_destroy(one);
}

/* --- the filter alone ------------------------------------------------------------------------- */

#define SIDE 48

/* Two walls that meet in the middle column, with light of 1 and 3 and noise, everywhere one metre
 * deep. */
static void fill_corner(rp_gbuffer *gbuffer)
{
    assert_int_equal(rp_gbuffer_create(gbuffer, SIDE, SIDE, NULL), RP_OK);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            size_t at = rp_gbuffer_index(gbuffer, x, y);
            rp_random4 r = rp_random(7, RP_RANDOM_TEST, at);
            bool left = x < SIDE / 2;
            float noise = 0.4f * (rp_random_unit(r.bits[0]) - 0.5f);
            gbuffer->channel[RP_CHANNEL_NORMAL + (left ? 0 : 1)][at] = 1;
            gbuffer->channel[RP_CHANNEL_POSITION + (left ? 1 : 0)][at] =
                0.01f * (float)(x - SIDE / 2);
            gbuffer->channel[RP_CHANNEL_POSITION + 2][at] = 0.01f * (float)y;
            gbuffer->channel[RP_CHANNEL_COVERAGE][at] = 1;
            gbuffer->channel[RP_CHANNEL_INVERSE_WIDTH][at] = 100;
            gbuffer->channel[RP_CHANNEL_VARIANCE][at] = 0.4f * 0.4f / 12;
            for (int c = 0; c < 3; c++)
                gbuffer->channel[RP_CHANNEL_INDIRECT + c][at] = (left ? 1.0f : 3.0f) + noise;
        }
}

static void the_filter_keeps_edges_and_means(void **state)
{
    (void)state;
    rp_gbuffer gbuffer = {0};
    fill_corner(&gbuffer);
    rp_gbuffer_denoise(&gbuffer, NULL);
    double sums[2] = {0}, squares[2] = {0};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double light =
                (double)gbuffer.channel[RP_CHANNEL_INDIRECT][rp_gbuffer_index(&gbuffer, x, y)];
            double wanted = x < SIDE / 2 ? 1 : 3;
            assert_true(fabs(light - wanted) < 0.1); /* beside the corner, too */
            sums[x >= SIDE / 2] += light - wanted;
            squares[x >= SIDE / 2] += (light - wanted) * (light - wanted);
        }
    for (int half = 0; half < 2; half++) {
        double count = SIDE * SIDE / 2.0;
        check_near(sums[half] / count, 0, 0.01);
        assert_true(sqrt(squares[half] / count) < 0.03); /* of 0.115 */
    }
    rp_gbuffer_release(&gbuffer);
}

/* Where nothing is seen nothing flows from or to. */
static void the_filter_leaves_the_sky_alone(void **state)
{
    (void)state;
    rp_gbuffer gbuffer = {0};
    fill_corner(&gbuffer);
    for (int y = 0; y < SIDE; y++)
        for (int x = SIDE / 2; x < SIDE; x++) {
            size_t at = rp_gbuffer_index(&gbuffer, x, y);
            gbuffer.channel[RP_CHANNEL_COVERAGE][at] = 0;
            for (int c = 0; c < 3; c++)
                gbuffer.channel[RP_CHANNEL_NORMAL + c][at] = c == 0;
        }
    rp_gbuffer_denoise(&gbuffer, NULL);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE / 2; x++) {
            size_t at = rp_gbuffer_index(&gbuffer, x, y);
            check_near((double)gbuffer.channel[RP_CHANNEL_INDIRECT][at], 1, 0.1);
        }
    rp_gbuffer_release(&gbuffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_near_to_very_many_samples),
        cmocka_unit_test(edges_stay_sharp),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_filter_keeps_edges_and_means),
        cmocka_unit_test(the_filter_leaves_the_sky_alone),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
