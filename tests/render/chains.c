/* Force chains: which contacts become tubes, where these are, and that rays meet them there. */
#include "chains.h"
#include "render/stage.h"

#include "picture/map.h"
#include "render/chains.h"
#include "render/rays.h"

static rp_grain_colours colours_of(const rp_view *view)
{
    return (rp_grain_colours){.view = view, .kind = RP_COLOUR_CHAINS, .range = {0, 4}};
}

/* Two grains that push with 4 N, one of them on a floor with 1 N, and a pair that is far away. */
static const float x[3] = {0, 1, 0}, zero[3];
static const uint32_t id[3] = {9, 4, 6};
static rp_contact contacts[] = {
    {.first = 9, .second = 4, .normal = {1, 0, 0}, .normal_force = 4, .branch = {1, 0, 0}},
    {.first = 4,
     .with = RP_WITH_BODY,
     .normal = {0, 0, -1},
     .normal_force = 1,
     .branch = {0, 0, -0.5f}},
    {.first = 4, .second = 6, .normal = {0, 1, 0}, .normal_force = 0.01f, .branch = {0, 1, 0}},
    {.first = 77, .position = {5, 5, 5}, .normal_force = 16, .branch = {0, 0, 2}},
};
static rp_view view = {.spacing = 1,
                       .count = 3,
                       .x = x,
                       .y = zero,
                       .z = zero,
                       .id = id,
                       .contacts = contacts,
                       .contact_count = 4};

static void check_end(const float *end, double ex, double ey, double ez, double radius)
{
    check_near(end[0], ex, 1e-6);
    check_near(end[1], ey, 1e-6);
    check_near(end[2], ez, 1e-6);
    check_near(end[3], radius, 1e-6);
}

static void strong_contacts_become_tubes(void **state)
{
    (void)state;
    rp_grain_colours colours = colours_of(&view);
    rp_chains tubes;
    view.contact_count = 3; /* their mean is 1.67 N */
    assert_int_equal(rp_chains_gather(&tubes, &colours, rp_v3(0.5, 0, 0), NULL), RP_OK);
    assert_int_equal(tubes.count, 1);
    check_end(tubes.ends[0], -0.5, 0, 0, 0.2);
    check_end(tubes.ends[1], 0.5, 0, 0, 0.2);
    rp_chains_release(&tubes);

    contacts[1].normal_force = 2.25f; /* the radius goes with the root of the force */
    assert_int_equal(rp_chains_gather(&tubes, &colours, rp_v3(0.5, 0, 0), NULL), RP_OK);
    assert_int_equal(tubes.count, 2);
    check_end(tubes.ends[2], 0.5, 0, 0, 0.2 * 0.75);
    check_end(tubes.ends[3], 0.5, 0, -0.5, 0.2 * 0.75);
    rp_chains_release(&tubes);

    view.contact_count = 4; /* of a grain that is gone, and stronger than the scale knows */
    assert_int_equal(rp_chains_gather(&tubes, &colours, rp_v3(0, 0, 0), NULL), RP_OK);
    assert_int_equal(tubes.count, 1);
    check_end(tubes.ends[0], 5, 5, 4, 0.3);
    check_end(tubes.ends[1], 5, 5, 6, 0.3);
    assert_true(tubes.forces[0] == 16);
    rp_chains_release(&tubes);

    colours.kind = RP_COLOUR_SPEED;
    assert_int_equal(rp_chains_gather(&tubes, &colours, rp_v3(0, 0, 0), NULL), RP_OK);
    assert_int_equal(tubes.count, 0);
    rp_chains_release(&tubes);
}

static void the_scale_leaves_out_the_few(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    rp_contact *many = calloc(COUNT, sizeof *many);
    for (int i = 0; i < COUNT; i++)
        many[i].normal_force = (float)((i * 7) % COUNT);
    many[0].normal_force = 1e9f;
    many[1].normal_force = NAN;
    rp_view crowd = {.contacts = many, .contact_count = COUNT, .id = id};
    rp_colour_range range = rp_colour_range_empty();
    assert_int_equal(rp_colour_range_add(&range, &crowd, RP_CHAINS, NULL), RP_OK);
    check_near(range.low, 0, 0);
    check_near(range.high, 995, 1);
    crowd.contact_count = 0; /* a frame in which nothing touches changes nothing */
    assert_int_equal(rp_colour_range_add(&range, &crowd, RP_CHAINS, NULL), RP_OK);
    check_near(range.high, 995, 1);
    free(many);
}

/* The distance at which a ray first is as near to the axis as the radius, by small steps. */
static double march(const rp_quad *ends, rp_vec3 from, rp_vec3 way)
{
    rp_vec3 a = {ends[0][0], ends[0][1], ends[0][2]}, b = {ends[1][0], ends[1][1], ends[1][2]};
    rp_vec3 axis = rp_v3_sub(b, a);
    double t = 0;
    for (int i = 0; i < 400; i++) {
        rp_vec3 at = rp_v3_madd(from, t, way);
        double s = rp_v3_dot(rp_v3_sub(at, a), axis) / rp_v3_dot(axis, axis);
        rp_vec3 nearest = rp_v3_madd(a, fmax(0, fmin(1, s)), axis);
        double gap = rp_v3_length(rp_v3_sub(at, nearest)) - (double)ends[0][3];
        if (gap < 1e-9) return t;
        t += gap;
        if (t > 20) break;
    }
    return INFINITY;
}

static rp_ray random_ray(uint64_t number)
{
    rp_random4 r = rp_random(8, RP_RANDOM_TEST, number), q = rp_random(9, RP_RANDOM_TEST, number);
    rp_vec3 from = {5, 6 * (rp_random_unit(r.bits[0]) - 0.5), 4};
    rp_vec3 to = {-4 + 6 * rp_random_unit(q.bits[0]), -1 + 4 * rp_random_unit(q.bits[1]),
                  -0.6 + 2 * rp_random_unit(q.bits[2])};
    return (rp_ray){from, rp_v3_normalized(rp_v3_sub(to, from)), 0, INFINITY, 0};
}

/* Rays that graze a rim are in doubt: a few may be told otherwise. */
static void rays_meet_tubes_where_they_are(void **state)
{
    (void)state;
    const rp_quad ends[4] = {
        {0, 0, 0, 0.3f}, {1, 0.5f, 0.25f, 0.3f}, {-3, 2, 0, 0.1f}, {-2, 2, 1, 0.1f}};
    rp_chains tubes = {.ends = (rp_quad *)(void *)ends, .count = 2};
    rp_report *report = rp_report_create();
    rp_rays *rays;
    check_ok(rp_rays_create(1, &rays, report), report);
    check_ok(rp_rays_add_spheres(rays, 0, NULL, NULL, report), report);
    check_ok(rp_rays_add_tubes(rays, 2, ends, report), report);
    check_ok(rp_rays_build(rays, report), report);
    int met = 0, differ = 0;
    for (uint64_t i = 0; i < 12000; i++) {
        rp_ray ray = random_ray(i);
        rp_hit hit;
        double first = march(ends, ray.origin, ray.direction);
        double second = march(ends + 2, ray.origin, ray.direction), nearest = fmin(first, second);
        bool there = rp_rays_meet(rays, &ray, &hit);
        assert_int_equal(rp_rays_blocked(rays, &ray), there);
        differ += there != isfinite(nearest);
        if (!there || !isfinite(nearest)) continue;
        met++;
        assert_int_equal(hit.set, 1);
        assert_int_equal(hit.index, second < first);
        check_near(hit.distance, nearest, 2e-3);
        rp_vec3 at = rp_v3_madd(ray.origin, hit.distance, ray.direction);
        rp_vec3 normal = rp_chains_normal(&tubes, hit.index, at);
        check_near(rp_v3_length(normal), 1, 1e-9);
        assert_true(rp_v3_dot(normal, ray.direction) < 0.1);
    }
    assert_true(met > 500 && differ < 12);
    rp_rays_destroy(rays);
    rp_report_destroy(report);
}

static stage s;

static void set_stage(chains *block)
{
    stage_clear(&s);
    s.view = block->view;
    s.options.colour = RP_CHAINS;
    s.options.no_legend = true;
    s.camera.position = rp_v3(0.025, -0.2, 0.03);
    s.camera.target = rp_v3(0.025, 0.02, 0.03);
}

static void threads_do_not_change_a_pixel(void **state)
{
    (void)state;
    chains *block = chains_make(5, 8, 30);
    set_stage(block);
    s.options.samples = 4;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    rp_picture *one = stage_paint(&s, 80, 60, NULL), *three = stage_paint(&s, 80, 60, threads);
    assert_true(stage_same(one, three));
    rp_picture_destroy(one);
    rp_picture_destroy(three);
    rp_threads_destroy(threads);
    chains_free(block);
}

static void pictures_without_contacts_say_what_to_do(void **state)
{
    (void)state;
    chains *block = chains_make(3, 3, 30);
    set_stage(block);
    s.view.contacts = NULL;
    s.view.contact_count = 0;
    rp_report *report = rp_report_create();
    rp_picture *picture;
    char text[512];
    assert_int_equal(rp_paint(&s.view, &s.scene, &s.options, NULL, &picture, report),
                     RP_ERROR_UNSUPPORTED);
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_non_null(strstr(text, "{contacts: yes}"));
    rp_report_destroy(report);
    chains_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_contacts_become_tubes),
        cmocka_unit_test(the_scale_leaves_out_the_few),
        cmocka_unit_test(rays_meet_tubes_where_they_are),
        cmocka_unit_test(threads_do_not_change_a_pixel),
        cmocka_unit_test(pictures_without_contacts_say_what_to_do),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
