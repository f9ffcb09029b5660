/* Geometry of pictures besides plain spheres.
 *
 * Grains with shapes: a clump looks as its spheres do one by one; sizes are true; fixed grains lie
 * on rough surfaces. Height fields: a surface in the colour of its material, lit, with grains
 * before and behind it; other grids are not drawn. Force chains: which contacts become capsules,
 * where these are, and that rays hit them there. */
#include "chains.h"
#include "check.h"

#include "base/random.h"
#include "render/inside.h"
#include "render/stage.h"

#include <math.h>
#include <stdlib.h>

static stage s;

/* --- grains with shapes ----------------------------------------------------------------------- */

#define GRAINS 40

static stage twin;
static const rp_framing framing = {.bounds = {{-1, -1, -1}, {1, 1, 1}}};

static double number(uint64_t i, int k)
{
    return (double)rp_random_unit(rp_random(3, RP_RANDOM_TEST, i).bits[k]);
}

/* Grains of all kinds and sizes, turned and moving. */
static void build_clumps(void)
{
    stage_clear(&s);
    for (uint64_t i = 0; i < GRAINS; i++)
        stage_add(&s, 1.4 * number(i, 0) - 0.7, 1.4 * number(i, 1) - 0.7, number(i, 2) - 0.5, SAND);
    stage_shape(&s);
    stage_move(&s);
    for (size_t i = 0; i < GRAINS; i++) {
        s.kind[i] = (uint8_t)(i % RP_GRAIN_SPHERES);
        s.diameter[i] = (float)(0.1 + 0.2 * number(i, 3));
        stage_turn(&s, i, rp_quat_from_euler(rp_v3(0.7 * (double)i, 0.3, 1.1 * (double)i)));
        s.vx[i] = i % 3 ? 0 : 3;
    }
    s.options.framing = &framing;
    s.options.frame_time = 0.1;
    s.options.colour = "id";
    s.camera.shutter = 0.5;
}

/* The same, ball by ball: each a grain of its own with the number of the whole. */
static void build_twin(void)
{
    stage_clear(&twin);
    twin.options = s.options;
    twin.camera = s.camera;
    rp_grain_shapes shapes = rp_grain_shapes_find(&s.view, &s.scene, s.options.grain_scale, NULL);
    float diameter[STAGE_GRAINS / 4], speed[STAGE_GRAINS / 4];
    uint32_t id[STAGE_GRAINS / 4];
    for (size_t i = 0; i < GRAINS; i++)
        for (int k = 0; k < rp_grain_shapes_clump(&shapes, i)->count; k++) {
            rp_ball ball =
                rp_grain_shapes_ball(&shapes, i, k, rp_grain_shapes_orientation(&shapes, i));
            size_t n = twin.view.count;
            stage_add(&twin, (double)s.x[i] + ball.centre.x, (double)s.y[i] + ball.centre.y,
                      (double)s.z[i] + ball.centre.z, SAND);
            diameter[n] = (float)(2 * ball.radius / s.options.grain_scale);
            speed[n] = s.vx[i];
            id[n] = (uint32_t)i;
        }
    stage_shape(&twin);
    stage_move(&twin);
    for (size_t n = 0; n < twin.view.count; n++) {
        twin.diameter[n] = diameter[n];
        twin.vx[n] = speed[n];
        twin.id[n] = id[n];
    }
}

static double difference_from_twin(void)
{
    build_twin();
    rp_picture *whole = stage_render(&s, 120, 90, NULL),
               *parts = stage_render(&twin, 120, 90, NULL);
    double difference = stage_difference(whole, parts);
    rp_picture_destroy(whole);
    rp_picture_destroy(parts);
    return difference;
}

/* A small ball of a grain is blurred at less speed than the whole grain is, so those that move are
 * made to move far. */
static void a_grain_looks_like_its_balls(void **state)
{
    (void)state;
    build_clumps();
    check_near(difference_from_twin(), 0, 0.02); /* of 255: places are rounded to floats */
    s.options.grain_scale = 0.6;
    check_near(difference_from_twin(), 0, 0.02);
    stage_turn(&s, 0, rp_quat_identity());
    s.options.samples = 1; /* a draft stands still */
    check_near(difference_from_twin(), 0, 0.02);
}

/* Of the width of a picture. */
static double width_in(const rp_picture *picture)
{
    const uint8_t *sky = rp_picture_at(picture, 0, picture->height / 2);
    int wide = 0;
    for (int x = 0; x < picture->width; x++)
        wide += abs(rp_picture_at(picture, x, picture->height / 2)[1] - sky[1]) > 8;
    return (double)wide / picture->width;
}

static void sizes_are_true(void **state)
{
    (void)state;
    const double diameters[] = {0.2, 0.5, 0.9};
    for (int i = 0; i < 3; i++)
        for (double scale = 0.7; scale < 1.2; scale += 0.3) {
            stage_clear(&s);
            s.options.samples = 1;
            s.options.colour = "id";
            s.options.grain_scale = scale;
            stage_add(&s, 0, 0, 0, SAND);
            stage_shape(&s);
            s.diameter[0] = (float)diameters[i];
            rp_picture *picture = stage_render(&s, 400, 400, NULL);
            double r = 0.5 * scale * diameters[i], across = r / sqrt(4 - r * r) / tan(0.4);
            check_near(width_in(picture), across, 0.006);
            rp_picture_destroy(picture);
        }
}

static void no_grain_is_shown_without_a_size(void **state)
{
    (void)state;
    const float odd[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        stage_clear(&s);
        s.options.samples = 1;
        stage_add(&s, 0, 0, 0, SAND);
        stage_shape(&s);
        s.diameter[0] = odd[i];
        s.kind[0] = 200; /* there is no such kind: a ball */
        stage_turn(&s, 0, (rp_quat){NAN, 0, 0, 0});
        rp_render_cost cost;
        s.options.cost = &cost;
        rp_picture_destroy(stage_render(&s, 40, 40, NULL));
        assert_int_equal(cost.grains, 0);
        s.diameter[0] = 0.3f;
        rp_picture *picture = stage_render(&s, 40, 40, NULL);
        assert_int_equal(cost.grains, 1);
        assert_true(width_in(picture) > 0);
        rp_picture_destroy(picture);
    }
}

/* A grain that only spins is blurred where its balls move, and needs speeds to be there. */
static void spins_are_seen(void **state)
{
    (void)state;
    stage_clear(&s);
    stage_add(&s, 0, 0, 0, SAND);
    stage_shape(&s);
    s.kind[0] = RP_GRAIN_DIMER;
    s.diameter[0] = 1;
    s.spin[1][0] = 20;
    s.options.frame_time = 0.05;
    s.camera.shutter = 1;
    rp_picture *without = stage_render(&s, 60, 60, NULL);
    stage_move(&s);
    rp_picture *with = stage_render(&s, 60, 60, NULL);
    assert_true(stage_difference(with, without) > 1);
    rp_picture_destroy(with);
    rp_picture_destroy(without);
}

static void threads_do_not_change_a_picture(void **state)
{
    (void)state;
    build_clumps();
    s.options.colour = NULL;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    rp_picture *alone = stage_render(&s, 80, 60, NULL), *many = stage_render(&s, 80, 60, threads);
    assert_true(stage_same(alone, many));
    rp_picture_destroy(alone);
    rp_picture_destroy(many);
    rp_threads_destroy(threads);
}

/* m from a height of 1 m straight down to what a ray meets there; -1: not a body. */
static double depth_at(rp_render_scene *render_scene, double x, double y)
{
    rp_vec3 from = rp_v3_sub(rp_v3(x, y, 1), render_scene->centre);
    rp_ray ray = {.origin = from, .direction = rp_v3(0, 0, -1), .far = INFINITY};
    rp_surface_hit surface = rp_render_scene_intersect(render_scene, &ray, 1e-3);
    return surface.kind == RP_SURFACE_BODY ? surface.distance : -1;
}

/* On a floor, a lattice of them 0.2 m apart from the corner of the domain on; on a box samples, the
 * highest of which are 5 cm above its top. */
static void fixed_grains_are_seen(void **state)
{
    (void)state;
    for (int shaped = 0; shaped < 2; shaped++) {
        stage_clear(&s);
        stage_add(&s, 0.9, 0.9, 0.5, SAND);
        if (shaped) stage_shape(&s);
        rp_domain_spec *domain = &s.scene.domain;
        domain->low = rp_v3(-1, -1, -0.2);
        domain->high = rp_v3(1, 1, 1);
        domain->roughness = (rp_domain_roughness){{.radius = 0.05, .period = 0.2}, 1u << 4};
        rp_shape box = {.kind = RP_SHAPE_BOX, .size = {0.6, 0.6, 0.2}};
        stage_add_body(&s, box, rp_v3(0, 0, 0))->roughness = (rp_roughness){0.05, 0.1, 0.3};
        rp_render_scene render_scene;
        rp_render_scene_options build = {.grain_scale = 1};
        assert_int_equal(rp_render_scene_build(&render_scene, &s.view, &s.scene, &s.options,
                                               &framing, &build, NULL, NULL),
                         RP_OK);
        double least = 2;
        for (int i = 0; i < 3600; i++)
            least =
                fmin(least, depth_at(&render_scene, 0.01 * (i % 60 - 30), 0.01 * (i / 60 - 30)));
        check_near(least, shaped ? 0.85 : 0.9, 2e-3);
        check_near(depth_at(&render_scene, 0.5, 0.5), shaped ? 1.15 : -1, 1e-6);
        check_near(depth_at(&render_scene, 0.6, 0.5), -1, 0);
        rp_render_scene_release(&render_scene);
    }
}

/* --- height fields ---------------------------------------------------------------------------- */

#define NODES 65

static float heights[NODES * NODES];
static rp_grid grid;

/* A cone, 0.5 m high and 1.6 m across, on flat ground 2 m wide. */
static void put_cone(int material)
{
    grid = (rp_grid){.name = "height",
                     .unit = "m",
                     .kind = RP_GRID_HEIGHT,
                     .material = (uint8_t)material,
                     .size = {NODES, NODES, 1},
                     .spacing = {2.0 / (NODES - 1), 2.0 / (NODES - 1), 1},
                     .origin = {-1, -1, -0.3},
                     .values = heights};
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++) {
            double x = -1 + i * grid.spacing[0], y = -1 + j * grid.spacing[1];
            heights[j * NODES + i] = (float)fmax(0, 0.5 * (1 - hypot(x, y) / 0.8));
        }
    s.view.grids = &grid;
    s.view.grid_count = 1;
}

static void a_height_field_is_a_surface(void **state)
{
    (void)state;
    stage_clear(&s);
    rp_picture *empty = stage_render(&s, 201, 151, NULL);
    put_cone(RED);
    rp_picture *picture = stage_render(&s, 201, 151, NULL);
    const uint8_t *middle = rp_picture_at(picture, 100, 75), *sky = rp_picture_at(picture, 100, 5);
    assert_true(middle[0] > 2 * middle[2] && middle[0] > 60);
    assert_memory_equal(sky, rp_picture_at(empty, 100, 5), 3);
    grid.kind = RP_GRID_VALUES;
    rp_picture *values = stage_render(&s, 201, 151, NULL);
    assert_true(stage_same(values, empty));
    rp_picture_destroy(values);
    rp_picture_destroy(picture);
    rp_picture_destroy(empty);
}

/* A grain in front of the slope is seen, one within the heap is not. */
static void grains_and_heights_hide_each_other(void **state)
{
    (void)state;
    stage_clear(&s);
    put_cone(RED);
    rp_picture *bare = stage_render(&s, 101, 101, NULL);
    stage_add(&s, 0, 0, -0.1, BLUE);
    rp_picture *within = stage_render(&s, 101, 101, NULL);
    assert_true(stage_difference(bare, within) < 0.05);
    stage_add(&s, 0, -0.8, 0, BLUE);
    rp_picture *before = stage_render(&s, 101, 101, NULL);
    const uint8_t *middle = rp_picture_at(before, 50, 50);
    assert_true(middle[2] > 2 * middle[0]);
    rp_picture_destroy(before);
    rp_picture_destroy(within);
    rp_picture_destroy(bare);
}

/* The automatic camera shows the whole of a view that has no grains at all. */
static void a_camera_finds_heights(void **state)
{
    (void)state;
    stage_clear(&s);
    s.scene.cameras.count = 0;
    put_cone(SAND);
    grid.origin[0] = 99;
    rp_picture *picture = stage_render(&s, 160, 120, NULL);
    int sand = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 160; x++) {
            const uint8_t *p = rp_picture_at(picture, x, y);
            sand += p[0] > p[2] + 40;
        }
    assert_true(sand > 160 * 120 / 5);
    rp_picture_destroy(picture);
}

static void impossible_grids_make_no_picture(void **state)
{
    (void)state;
    stage_clear(&s);
    put_cone(SAND);
    heights[5] = NAN;
    rp_report *report = rp_report_create();
    rp_picture *picture = NULL;
    assert_int_equal(rp_render_view(&s.view, &s.scene, &s.options, NULL, &picture, report),
                     RP_ERROR_NUMERIC);
    assert_null(picture);
    rp_report_destroy(report);
}

/* --- force chains ----------------------------------------------------------------------------- */

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

static void strong_contacts_become_capsules(void **state)
{
    (void)state;
    rp_grain_colours colours = colours_of(&view);
    rp_force_chains gathered;
    view.contact_count = 3; /* their mean is 1.67 N */
    assert_int_equal(rp_force_chains_gather(&gathered, &colours, rp_v3(0.5, 0, 0), NULL), RP_OK);
    assert_int_equal(gathered.count, 1);
    check_end(gathered.ends[0], -0.5, 0, 0, 0.2);
    check_end(gathered.ends[1], 0.5, 0, 0, 0.2);
    rp_force_chains_release(&gathered);

    contacts[1].normal_force = 2.25f; /* the radius goes with the root of the force */
    assert_int_equal(rp_force_chains_gather(&gathered, &colours, rp_v3(0.5, 0, 0), NULL), RP_OK);
    assert_int_equal(gathered.count, 2);
    check_end(gathered.ends[2], 0.5, 0, 0, 0.2 * 0.75);
    check_end(gathered.ends[3], 0.5, 0, -0.5, 0.2 * 0.75);
    rp_force_chains_release(&gathered);

    view.contact_count = 4; /* of a grain that is gone, and stronger than the scale knows */
    assert_int_equal(rp_force_chains_gather(&gathered, &colours, rp_v3(0, 0, 0), NULL), RP_OK);
    assert_int_equal(gathered.count, 1);
    check_end(gathered.ends[0], 5, 5, 4, 0.3);
    check_end(gathered.ends[1], 5, 5, 6, 0.3);
    assert_true(gathered.forces[0] == 16);
    rp_force_chains_release(&gathered);

    colours.kind = RP_COLOUR_SPEED;
    assert_int_equal(rp_force_chains_gather(&gathered, &colours, rp_v3(0, 0, 0), NULL), RP_OK);
    assert_int_equal(gathered.count, 0);
    rp_force_chains_release(&gathered);
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
    assert_int_equal(rp_colour_range_add(&range, &crowd, RP_FORCE_CHAINS, NULL), RP_OK);
    check_near(range.low, 0, 0);
    check_near(range.high, 995, 1);
    crowd.contact_count = 0; /* a frame in which nothing touches changes nothing */
    assert_int_equal(rp_colour_range_add(&range, &crowd, RP_FORCE_CHAINS, NULL), RP_OK);
    check_near(range.high, 995, 1);
    free(many);
}

/* The distance at which a ray first is as near to the axis as the radius, by sphere tracing. */
static double march(const rp_bvh_vertex *ends, rp_vec3 from, rp_vec3 direction)
{
    rp_vec3 a = {ends[0][0], ends[0][1], ends[0][2]}, b = {ends[1][0], ends[1][1], ends[1][2]};
    rp_vec3 axis = rp_v3_sub(b, a);
    double t = 0;
    for (int i = 0; i < 400; i++) {
        rp_vec3 at = rp_v3_madd(from, t, direction);
        double along = rp_v3_dot(rp_v3_sub(at, a), axis) / rp_v3_dot(axis, axis);
        rp_vec3 nearest = rp_v3_madd(a, fmax(0, fmin(1, along)), axis);
        double gap = rp_v3_length(rp_v3_sub(at, nearest)) - (double)ends[0][3];
        if (gap < 1e-9) return t;
        t += gap;
        if (t > 20) break;
    }
    return INFINITY;
}

static rp_ray random_ray(uint64_t i)
{
    rp_random4 r = rp_random(8, RP_RANDOM_TEST, i), q = rp_random(9, RP_RANDOM_TEST, i);
    rp_vec3 from = {5, 6 * (rp_random_unit(r.bits[0]) - 0.5), 4};
    rp_vec3 to = {-4 + 6 * rp_random_unit(q.bits[0]), -1 + 4 * rp_random_unit(q.bits[1]),
                  -0.6 + 2 * rp_random_unit(q.bits[2])};
    return (rp_ray){from, rp_v3_normalized(rp_v3_sub(to, from)), 0, INFINITY, 0};
}

/* Rays that graze a silhouette are in doubt: a few may have another result. */
static void rays_meet_capsules_where_they_are(void **state)
{
    (void)state;
    const rp_bvh_vertex ends[4] = {
        {0, 0, 0, 0.3f}, {1, 0.5f, 0.25f, 0.3f}, {-3, 2, 0, 0.1f}, {-2, 2, 1, 0.1f}};
    rp_force_chains gathered = {.ends = (rp_bvh_vertex *)(void *)ends, .count = 2};
    rp_report *report = rp_report_create();
    rp_ray_bvh *rays;
    check_ok(rp_ray_bvh_create(1, &rays, report), report);
    check_ok(rp_ray_bvh_add_spheres(rays, 0, NULL, NULL, report), report);
    check_ok(rp_ray_bvh_add_capsules(rays, 2, ends, report), report);
    check_ok(rp_ray_bvh_build(rays, report), report);
    int met = 0, differ = 0;
    for (uint64_t i = 0; i < 12000; i++) {
        rp_ray ray = random_ray(i);
        rp_bvh_hit hit;
        double first = march(ends, ray.origin, ray.direction);
        double second = march(ends + 2, ray.origin, ray.direction), nearest = fmin(first, second);
        bool there = rp_ray_bvh_intersect(rays, &ray, &hit);
        assert_int_equal(rp_ray_bvh_occluded(rays, &ray), there);
        differ += there != isfinite(nearest);
        if (!there || !isfinite(nearest)) continue;
        met++;
        assert_int_equal(hit.set, 1);
        assert_int_equal(hit.index, second < first);
        check_near(hit.distance, nearest, 2e-3);
        rp_vec3 at = rp_v3_madd(ray.origin, hit.distance, ray.direction);
        rp_vec3 normal = rp_force_chains_normal(&gathered, hit.index, at);
        check_near(rp_v3_length(normal), 1, 1e-9);
        assert_true(rp_v3_dot(normal, ray.direction) < 0.1);
    }
    assert_true(met > 500 && differ < 12);
    rp_ray_bvh_destroy(rays);
    rp_report_destroy(report);
}

static void set_chains(chains *block)
{
    stage_clear(&s);
    s.view = block->view;
    s.options.colour = RP_FORCE_CHAINS;
    s.options.no_legend = true;
    s.camera.position = rp_v3(0.025, -0.2, 0.03);
    s.camera.target = rp_v3(0.025, 0.02, 0.03);
}

static void threads_do_not_change_a_pixel(void **state)
{
    (void)state;
    chains *block = chains_make(5, 8, 30);
    set_chains(block);
    s.options.samples = 4;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    rp_picture *one = stage_render(&s, 80, 60, NULL), *three = stage_render(&s, 80, 60, threads);
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
    set_chains(block);
    s.view.contacts = NULL;
    s.view.contact_count = 0;
    rp_report *report = rp_report_create();
    rp_picture *picture;
    char text[512];
    assert_int_equal(rp_render_view(&s.view, &s.scene, &s.options, NULL, &picture, report),
                     RP_ERROR_UNSUPPORTED);
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_non_null(strstr(text, "{contacts: yes}"));
    rp_report_destroy(report);
    chains_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grain_looks_like_its_balls),
        cmocka_unit_test(sizes_are_true),
        cmocka_unit_test(no_grain_is_shown_without_a_size),
        cmocka_unit_test(spins_are_seen),
        cmocka_unit_test(threads_do_not_change_a_picture),
        cmocka_unit_test(fixed_grains_are_seen),
        cmocka_unit_test(a_height_field_is_a_surface),
        cmocka_unit_test(grains_and_heights_hide_each_other),
        cmocka_unit_test(a_camera_finds_heights),
        cmocka_unit_test(impossible_grids_make_no_picture),
        cmocka_unit_test(strong_contacts_become_capsules),
        cmocka_unit_test(the_scale_leaves_out_the_few),
        cmocka_unit_test(rays_meet_capsules_where_they_are),
        cmocka_unit_test(threads_do_not_change_a_pixel),
        cmocka_unit_test(pictures_without_contacts_say_what_to_do),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
