/* Single grains: sizes as their distributions say, kinds by their shares, orientations even. */
#include "scene/scene.h"
#include "world/inside.h"
#include "worlds.h"

#include <string.h>

#define DRAWS 40000
#define PARTICLES "particles: {spacing: 2 cm, jitter: 0.1}\nsolver: {method: null}\n"

typedef struct tally {
    double mean, deviation, mass;
    double smallest, largest; /* m */
    double kinds[8];          /* parts */
} tally;

static tally draw(const rp_scene *scene, int material)
{
    tally t = {.smallest = INFINITY};
    double squares = 0;
    for (uint32_t id = 0; id < DRAWS; id++) {
        rp_grain grain;
        rp_grain_draw(scene, material, id, &grain);
        t.mean += grain.diameter / DRAWS;
        squares += grain.diameter * grain.diameter / DRAWS;
        t.mass += grain.mass / DRAWS;
        t.smallest = fmin(t.smallest, grain.diameter);
        t.largest = fmax(t.largest, grain.diameter);
        t.kinds[grain.kind] += 1.0 / DRAWS;
    }
    t.deviation = sqrt(fmax(0, squares - t.mean * t.mean));
    return t;
}

static void check_part(double value, double wanted, double part)
{
    check_near(value, wanted, part * fabs(wanted));
}

/* What the scene promises of the drawn sizes. */
static tally check_sizes(const char *grain, double mean, double deviation)
{
    char text[600];
    snprintf(text, sizeof text, PARTICLES "grains: {g: %s}\n", grain);
    rp_scene *scene = scene_of(text);
    const rp_grain_spec *kind = rp_scene_grains(scene);
    tally t = draw(scene, 0);
    check_part(t.mean, mean, 0.004);
    check_part(kind->diameter, mean, 1e-4);
    check_near(t.deviation, deviation, 0.015 * deviation + 1e-8);
    assert_true(t.smallest >= kind->smallest * (1 - 1e-8));
    assert_true(t.largest <= kind->largest * (1 + 1e-8));
    check_part(t.smallest, kind->smallest, 0.01);
    check_part(t.largest, kind->largest, 0.01);
    check_part(t.mass, rp_grain_mean_mass(scene, true, 0), 0.02);
    rp_scene_destroy(scene);
    return t;
}

static void sizes_follow_their_distribution(void **state)
{
    (void)state;
    const double cut = 0.95459; /* what the cut at 2.5 deviations leaves of a deviation */
    check_sizes("{diameter: 1 cm}", 0.01, 0);
    check_sizes("{diameter: 1 cm, spread: 0.3}", 0.01, 0.003 / sqrt(3));
    check_sizes("{diameter: 1 cm, sizes: normal, spread: 0.2}", 0.01, 0.002 * cut);
    tally t = check_sizes("{diameter: 5 mm, sizes: lognormal, spread: 0.05}", 5e-3, 2.5e-4 * cut);
    check_part(log(t.largest / 5e-3), 2.5 * 0.05, 0.02);
    t = check_sizes("{diameter: 5 mm, sizes: lognormal, spread: 0.4}", 5e-3, 1.873e-3);
    check_part(log(t.largest / t.smallest), 5 * sqrt(log(1.16)), 0.01);
}

/* Half of the mass between 2 and 4 mm, none to 5 mm, the rest to 10 mm. */
static void sieve_curves_are_by_mass(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(PARTICLES "grains: {g: {shape: dimer, sizes: sieve, sieve: [{diameter: 2 mm, "
                           "passing: 0}, {diameter: 4 mm, passing: 50 %}, {diameter: 5 mm, "
                           "passing: 50 %}, {diameter: 1 cm, passing: 1}]}}\n");
    const rp_grain_spec *kind = rp_scene_grains(scene);
    double total = 0, below[4] = {0}, mean = 0;
    const double limits[4] = {3e-3, 4e-3, 5e-3, 7.5e-3};
    for (uint32_t id = 0; id < DRAWS; id++) {
        rp_grain grain;
        rp_grain_draw(scene, 0, id, &grain);
        total += grain.mass;
        mean += grain.diameter / DRAWS;
        for (int i = 0; i < 4; i++)
            below[i] += grain.diameter < limits[i] ? grain.mass : 0;
        assert_true(grain.diameter >= 0.002 * (1 - 1e-12) && grain.diameter <= 0.01 * (1 + 1e-12));
    }
    const double wanted[4] = {0.25, 0.5, 0.5, 0.75};
    for (int i = 0; i < 4; i++)
        check_near(below[i] / total, wanted[i], 0.01);
    check_part(total / DRAWS, rp_grain_mean_mass(scene, true, 0), 0.03); /* few carry much */
    check_part(mean, kind->diameter, 0.01);
    assert_true(kind->smallest == 0.002 && kind->largest == 0.01);
    rp_scene_destroy(scene);
}

static void kinds_come_by_share_and_material(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PARTICLES "materials: {sand: {}, gravel: {grain_density: 3000}}\n"
                                         "grains:\n"
                                         "  a: {share: 1}\n"
                                         "  b: {share: 3, shape: sphere, diameter: 4 mm}\n"
                                         "  c: {share: 1, material: gravel, shape: cube}\n"
                                         "  d: {share: 0.25, material: gravel, diameter: 5 mm}\n");
    tally sand = draw(scene, 0), gravel = draw(scene, 1);
    const double of_sand[4] = {0.25, 0.75, 0, 0}, of_gravel[4] = {0, 0, 0.8, 0.2};
    for (int i = 0; i < 4; i++) {
        check_near(sand.kinds[i], of_sand[i], of_sand[i] > 0 ? 0.01 : 0);
        check_near(gravel.kinds[i], of_gravel[i], of_gravel[i] > 0 ? 0.01 : 0);
    }
    const rp_grain_spec *kinds = rp_scene_grains(scene);
    double cube = 3000 * kinds[2].clump.volume * pow(0.018, 3);
    double small = 3000 * kinds[3].clump.volume * pow(0.005, 3);
    check_part(rp_grain_mean_mass(scene, true, 1), 0.8 * cube + 0.2 * small, 1e-9);
    check_part(gravel.mass, 0.8 * cube + 0.2 * small, 0.02);
    check_part(rp_grain_mean_mass(scene, false, 1), 1600 * pow(0.02, 3), 1e-12);
    rp_scene_destroy(scene);
}

/* Even over all turns: a corner of the grain points anywhere alike, and the angle of the turn has
 * the density (1 - cos a) / pi. Grains of one ball are not turned. */
static void orientations_are_even(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PARTICLES "materials: {a: {}, b: {}}\n"
                                         "grains: {g: {}, s: {shape: sphere, material: b}}\n");
    rp_vec3 mean = {0, 0, 0};
    double squares[3] = {0}, half_turn = 0;
    for (uint32_t id = 0; id < DRAWS; id++) {
        rp_grain grain;
        rp_grain_draw(scene, 1, id, &grain);
        assert_true(grain.orientation.w == 1 && grain.orientation.x == 0);
        rp_grain_draw(scene, 0, id, &grain);
        rp_quat q = grain.orientation;
        check_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
        rp_vec3 to = rp_quat_rotate(q, rp_v3(0.36, 0.48, 0.8));
        mean = rp_v3_madd(mean, 1.0 / DRAWS, to);
        squares[0] += to.x * to.x / DRAWS;
        squares[1] += to.y * to.y / DRAWS;
        squares[2] += to.z * to.z / DRAWS;
        half_turn += rp_v3_length(rp_quat_log(q)) < RP_PI / 2 ? 1.0 / DRAWS : 0;
    }
    check_near(rp_v3_length(mean), 0, 0.01);
    for (int i = 0; i < 3; i++)
        check_near(squares[i], 1.0 / 3, 0.006);
    check_near(half_turn, 0.5 - 1 / RP_PI, 0.006);
    assert_true(rp_world_orients_grains(scene));
    rp_scene_destroy(scene);
}

static void a_grain_is_the_same_for_life(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PARTICLES "grains: {g: {spread: 0.5}}\n");
    rp_scene *other = scene_of("seed: 2\n" PARTICLES "grains: {g: {spread: 0.5}}\n");
    rp_grain first, again, otherwise;
    rp_grain_draw(scene, 0, 77, &first);
    rp_grain_draw(scene, 0, 78, &again);
    assert_true(first.diameter != again.diameter && first.orientation.w != again.orientation.w);
    rp_grain_draw(scene, 0, 77, &again);
    rp_grain_draw(other, 0, 77, &otherwise);
    assert_true(first.kind == again.kind && first.diameter == again.diameter);
    assert_memory_equal(&first.orientation, &again.orientation, sizeof first.orientation);
    assert_true(first.diameter != otherwise.diameter);
    rp_scene_destroy(scene);
    rp_scene_destroy(other);
}

/* The largest grain has just room when no diameter is given. */
static void default_sizes_fit(void **state)
{
    (void)state;
    static const char *const grains[] = {"{}", "{spread: 0.4}", "{sizes: normal, spread: 0.2}",
                                         "{sizes: lognormal, spread: 0.3}"};
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text, PARTICLES "grains: {g: %s}\n", grains[i]);
        rp_scene *scene = scene_of(text);
        check_part(rp_scene_grains(scene)->largest, 0.9 * 0.02, 1e-12);
        check_ok(rp_world_check_grains(scene, NULL), NULL);
        rp_scene_destroy(scene);
    }
    rp_scene *scene = scene_of(PARTICLES);
    assert_int_equal(scene->grains.count, 1);
    assert_int_equal(rp_scene_grains(scene)->clump.count, 4);
    assert_false(rp_world_resolves_grains(scene)); /* null moves points */
    rp_scene_destroy(scene);
}

#define RESOLVED                                                                                   \
    "particles: {spacing: 2 cm, jitter: 0.1}\nsolver: {method: dem}\ngravity: [0, 0, 0]\n"
#define MIXTURE                                                                                    \
    "materials: {sand: {}, gravel: {grain_density: 3000}}\n"                                       \
    "grains: {a: {spread: 0.3}, b: {shape: sphere, material: gravel, diameter: 1 cm}}\n"

static const float *floats_of(const rp_view *view, const char *name)
{
    const rp_field *field = rp_view_field(view, name);
    assert_non_null(field);
    assert_int_equal(field->type, RP_F32);
    return field->data;
}

/* Every grain of a world is what rp_grain_draw says. */
static void worlds_have_the_grains_drawn(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(RESOLVED MIXTURE "sources:\n"
                                  "  one: {shape: box, size: [0.2, 0.2, 0.2]}\n"
                                  "  two: {shape: box, size: [0.2, 0.2, 0.2], position: [1, 0, 0], "
                                  "material: gravel}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.count, 2000);
    const float *diameter = floats_of(&view, "diameter"), *w = floats_of(&view, "orientation_w");
    const uint8_t *kind = rp_view_field(&view, "kind")->data;
    for (size_t i = 0; i < view.count; i++) {
        rp_grain grain;
        rp_grain_draw(scene, view.material[i], view.id[i], &grain);
        assert_int_equal(kind[i], grain.kind);
        assert_true(diameter[i] == (float)grain.diameter && view.mass[i] == (float)grain.mass);
        assert_true(w[i] == (float)grain.orientation.w);
        assert_true(view.density[i] == (view.material[i] ? 3000 : 2650));
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A nozzle passes a grain for each cube of the spacing; at half that rate, half of it. */
static void rates_count_what_grains_weigh(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(RESOLVED MIXTURE "time: {duration: 1 s}\n"
                                                "emitters: {e: {radius: 10 cm, speed: 1 m/s}}\n");
    rp_emitter_spec spec = rp_scene_emitters(scene)[0];
    double mass = rp_grain_mean_mass(scene, true, 0), places = RP_PI * 0.01 / pow(0.02, 3);
    double full = rp_emitter_full_rate(scene, &spec);
    check_part(full, places * mass, 1e-12);
    check_part(rp_scene_estimate(scene, NULL).grains, places, 1e-9);
    spec.rate = full * 1.01;
    assert_int_equal(rp_emitter_check(scene, &spec, NULL), RP_ERROR_INPUT);
    spec.rate = full / 2;
    check_ok(rp_emitter_check(scene, &spec, NULL), NULL);
    rp_scene_destroy(scene);
}

/* What a scene is said to need is neither too little nor a wild guess, the program and a frame on
 * its way to disk left out. */
static void memory_goes_with_spheres(void **state)
{
    (void)state;
    static const char *const grains[] = {"grains: {g: {shape: sphere, diameter: 1.78 cm}}\n",
                                         "grains: {g: {shape: tetrahedron, diameter: 1.78 cm}}\n"};
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s%s", RESOLVED, grains[i],
                 "sources: {s: {shape: box, size: [0.5, 0.5, 0.5], position: [0, 0, 0.25]}}\n");
        rp_scene *scene = scene_of(text);
        assert_true(rp_grain_mean_spheres(scene, 0) == (i ? 4 : 1));
        size_t before = rp_memory_now().bytes;
        rp_world *world = world_of(scene, 1);
        check_ok(rp_world_step(world, NULL), NULL);
        double taken = (double)(rp_memory_now().bytes - before);
        rp_estimate estimate = rp_scene_estimate(scene, NULL);
        double counted = estimate.bytes - 64e6 - 100 * estimate.grains;
        assert_true(taken < counted && taken > 0.4 * counted);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* Single balls need no orientation. */
static void balls_are_not_turned(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(RESOLVED "grains: {b: {shape: sphere}}\n"
                                        "sources: {s: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    assert_non_null(rp_view_field(&view, "diameter"));
    assert_null(rp_view_field(&view, "orientation_w"));
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A state with a grain that cannot be is refused. */
static void damaged_grains_are_refused(void **state)
{
    (void)state;
    rp_scene *scene =
        scene_of(RESOLVED MIXTURE "sources: {s: {shape: box, size: [0.1, 0.1, 0.1]}}\n");
    rp_world *world = world_of(scene, 1);
    rp_grains *p = &world->grains;
    for (int damage = 0; damage < 5; damage++) {
        uint8_t kind = p->kind[7];
        float size = p->diameter[7], turn = p->orientation[1][7];
        if (damage == 1) p->kind[7] = 2;
        if (damage == 2) p->diameter[7] = 0.019f;
        if (damage == 3) p->diameter[7] = NAN;
        if (damage == 4) p->orientation[1][7] = 3;
        rp_store store;
        rp_store_begin(&store);
        check_ok(rp_world_write_state(world, &store, NULL), NULL);
        rp_code code = rp_world_read_state(world, &store, NULL);
        assert_int_equal(code, damage ? RP_ERROR_DAMAGED : RP_OK);
        rp_store_end(&store);
        p->kind[7] = kind;
        p->diameter[7] = size;
        p->orientation[1][7] = turn;
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void check_refused(const char *text, const char *key, const char *message)
{
    rp_scene *scene = scene_of(text);
    rp_report *report = rp_report_create();
    assert_int_equal(rp_world_check_grains(scene, report), RP_ERROR_INPUT);
    const rp_fault *fault = rp_report_fault(report, 0);
    assert_string_equal(fault->key, key);
    if (!strstr(fault->message, message)) print_error("%s\n", fault->message);
    assert_non_null(strstr(fault->message, message));
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    check_refused(PARTICLES "grains: {g: {diameter: 19 mm}}\n", "grains.g.diameter",
                  "raise particles.spacing to 0.02111 m");
    check_refused(PARTICLES "grains: {g: {sizes: sieve, sieve: [{diameter: 19 mm, passing: 0}, "
                            "{diameter: 25 mm, passing: 1}]}}\n",
                  "grains.g.sieve", "0.025 m across");
    check_refused(PARTICLES "grains: {g: {diameter: 1 cm}, h: {diameter: 0.09 mm}}\n", "grains",
                  "100 times the smallest");
    check_refused(PARTICLES "materials: {a: {}, b: {}}\ngrains: {g: {material: a}}\n", "grains",
                  "no kind of grain is for the material 'b'");
    check_refused(RESOLVED "detail: {factor: 100}\n", "detail.factor",
                  "with 'dem' every grain is a real one: leave 'detail' out");
}

/* --- grains that do not fit the lattice ---------------------------------------------------------
 */

#define FINE "particles: {spacing: 5 mm, jitter: 0.1}\nsolver: {method: dem}\n"

/* How deep the balls around any two grains are in each other at most, in radii of the smaller. */
static double deepest(const rp_world *world)
{
    const rp_grains *p = &world->grains;
    const rp_domain_spec *d = &world->scene->domain;
    rp_vec3 length = rp_v3_sub(d->high, d->low);
    double most = 0;
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < i; j++) {
            rp_vec3 way =
                rp_v3((double)p->x[i] - (double)p->x[j], (double)p->y[i] - (double)p->y[j],
                      (double)p->z[i] - (double)p->z[j]);
            if (d->periodic & 1) way.x -= length.x * round(way.x / length.x);
            if (d->periodic & 2) way.y -= length.y * round(way.y / length.y);
            double a = (double)p->diameter[i] / 2, b = (double)p->diameter[j] / 2;
            most = fmax(most, (a + b - rp_v3_length(way)) / fmin(a, b));
        }
    return most;
}

/* Volumes of grains below and above a size, m3. */
static void volumes_of(const rp_world *world, double size, double volumes[2])
{
    const rp_grains *p = &world->grains;
    volumes[0] = volumes[1] = 0;
    for (size_t i = 0; i < p->count; i++) {
        double d = p->diameter[i];
        volumes[d > size] += RP_PI / 6 * d * d * d;
    }
}

/* Half of the volume each: 125 small ones for a large one five times as wide. */
static void large_grains_have_room_among_small_ones(void **state)
{
    (void)state;
    const char *packings[] = {"relaxed", "lattice"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "particles: {spacing: 5 mm, jitter: 0.1, packing: %s}\nsolver: {method: dem}\n"
                 "domain: {low: [0, 0, 0], high: [0.15, 0.15, 0.3], periodic: [x, y]}\n"
                 "grains: {s: {shape: sphere, diameter: 4.5 mm, share: 125}, l: {shape: sphere, "
                 "diameter: 22.5 mm, share: 1}}\n"
                 "sources: {all: {shape: box, size: [0.15, 0.15, 0.12], position: [0.075, 0.075, "
                 "0.06]}}\n",
                 packings[k]);
        rp_scene *scene = scene_of(text);
        rp_world *world = world_of(scene, 1);
        double volumes[2], held = rp_world_grains_in(scene, 0, 0.15 * 0.15 * 0.12);
        volumes_of(world, 0.01, volumes);
        assert_true(volumes[1] > 0.6 * volumes[0] && volumes[1] < 1.5 * volumes[0]);
        assert_true(volumes[0] + volumes[1] > 0.4 * 0.15 * 0.15 * 0.12);
        check_part((double)world->grains.count, held, 0.15);
        check_near(deepest(world), 0, 1e-4);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* By mass: a third each from 3 to 4.5, to 20 and to 40 mm. */
static void wide_sieve_curves_are_filled(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        FINE
        "domain: {low: [0, 0, 0], high: [0.1, 0.1, 0.3]}\n"
        "grains: {g: {shape: sphere, sizes: sieve, sieve: [{diameter: 3 mm, passing: 0}, "
        "{diameter: 4.5 mm, passing: 34 %}, {diameter: 20 mm, passing: 67 %}, {diameter: 40 "
        "mm, passing: 1}]}}\n"
        "sources: {all: {shape: box, size: [0.1, 0.1, 0.15], position: [0.05, 0.05, 0.075]}}\n");
    rp_world *world = world_of(scene, 1);
    double volumes[2];
    volumes_of(world, 0.02, volumes);
    check_near(volumes[1] / (volumes[0] + volumes[1]), 0.33, 0.15);
    volumes_of(world, 0.0045, volumes);
    check_near(volumes[0] / (volumes[0] + volumes[1]), 0.34, 0.15);
    check_near(deepest(world), 0, 1e-4);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* Whatever their order, the coarser lattice comes first and the finer one goes around it; and later
 * sources and streams do, too. */
static void finer_sources_make_room(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        FINE
        "domain: {low: [0, 0, 0], high: [0.15, 0.15, 0.3]}\ngravity: [0, 0, 0]\n"
        "materials: {sand: {}, stone: {}}\n"
        "grains: {s: {shape: sphere, diameter: 4.5 mm, material: sand}, l: {shape: sphere, "
        "diameter: 4 cm, material: stone}}\n"
        "sources:\n"
        "  sand: {shape: box, size: [0.14, 0.14, 0.03], position: [0.075, 0.075, 0.05], "
        "material: sand}\n"
        "  stone: {shape: box, size: [0.14, 0.14, 0.1], position: [0.075, 0.075, 0.06], "
        "material: stone}\n"
        "  late: {shape: box, size: [0.14, 0.14, 0.02], position: [0.075, 0.075, 0.09], "
        "material: sand, at: 1e-5}\n"
        "emitters:\n"
        "  jet: {nozzle: disc, radius: 0.03, position: [0.075, 0.075, 0.13], speed: 1, material: "
        "sand}\n");
    rp_world *world = world_of(scene, 1);
    size_t stones = 0, before = world->grains.count;
    for (size_t i = 0; i < before; i++)
        stones += world->grains.diameter[i] > 0.03f;
    assert_int_equal(stones, 18); /* three by three in two layers, 44 mm apart */
    check_near(deepest(world), 0, 1e-4);
    while (rp_world_time(world) < 2e-4)
        check_ok(rp_world_step(world, NULL), NULL);
    assert_true(world->grains.count > before + 1000);
    check_near(deepest(world), 0, 1e-2);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

/* A stream has no place for them. */
static void streams_refuse_large_grains(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(
        FINE "grains: {s: {diameter: 4 mm, share: 99}, l: {diameter: 4 cm, share: 1}}\n"
             "emitters: {jet: {nozzle: disc, radius: 0.03, position: [0, 0, 1], speed: 1}}\n");
    rp_report *report = rp_report_create();
    assert_int_equal(rp_emitter_check(scene, rp_scene_emitters(scene), report), RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "do not fit a site"));
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow_their_distribution),
        cmocka_unit_test(sieve_curves_are_by_mass),
        cmocka_unit_test(kinds_come_by_share_and_material),
        cmocka_unit_test(orientations_are_even),
        cmocka_unit_test(a_grain_is_the_same_for_life),
        cmocka_unit_test(default_sizes_fit),
        cmocka_unit_test(worlds_have_the_grains_drawn),
        cmocka_unit_test(rates_count_what_grains_weigh),
        cmocka_unit_test(memory_goes_with_spheres),
        cmocka_unit_test(balls_are_not_turned),
        cmocka_unit_test(damaged_grains_are_refused),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(large_grains_have_room_among_small_ones),
        cmocka_unit_test(wide_sieve_curves_are_filled),
        cmocka_unit_test(finer_sources_make_room),
        cmocka_unit_test(streams_refuse_large_grains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
