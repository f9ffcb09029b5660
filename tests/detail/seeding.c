/* How coarse grains are filled: paper's section 4.1. Error bars are those of independent grains. */
#include "detail/grains.h"

/* Standard deviations that a number may be off; by chance it is in one of two million. */
#define SIGMAS 5

static void check_number(double number, double wanted, double deviation)
{
    if (fabs(number - wanted) <= SIGMAS * deviation) return;
    fail_msg("%g is %.1f standard deviations from %g", number, fabs(number - wanted) / deviation,
             wanted);
}

/* Of n grains, each with that chance. */
static void check_share(size_t number, size_t n, double chance)
{
    check_number((double)number, (double)n * chance, sqrt((double)n * chance * (1 - chance)));
}

/* --- one coarse grain
 * -------------------------------------------------------------------------------- */

/* Which of the parts of an isolated coarse grain a grain is in: the eight octants of its box, then
 * two halves of each of the six half cubes outside; -1: in none. Coordinates in radii. */
#define PARTS 20
static int part_of(double x, double y, double z)
{
    const double at[3] = {x, y, z}, rounding = 1e-5;
    int out = -1;
    for (int a = 0; a < 3; a++) {
        if (fabs(at[a]) > 2 + rounding) return -1;
        if (fabs(at[a]) <= 1) continue;
        if (out >= 0 && fabs(at[a]) > 1 + rounding) return -1;
        out = a;
    }
    if (out < 0) return (x > 0) | (y > 0) << 1 | (z > 0) << 2;
    int side = 2 * out + (at[out] > 0);
    return 8 + 2 * side + (fabs(at[out]) > 1.5);
}

static void check_isolated(double contrast)
{
    char text[256];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.1}\nsolver: {method: null}\n"
             "detail: {factor: 300000, contrast: %g, keep_apart: no}\n",
             contrast);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 1);
    coarse_add(&c, 0.3, -0.2, 0.7);
    c.vx[0] = 0.5f;
    detail_to_coarse(detail, &c);
    grains g = grains_of(detail);
    assert_int_equal(g.born, 300000);
    assert_int_equal(g.there, g.born);
    size_t numbers[PARTS] = {0}, inside = 0;
    for (size_t i = 0; i < g.born; i++) {
        int part = part_of((g.of[i].x - (double)c.x[0]) / 0.05, (g.of[i].y - (double)c.y[0]) / 0.05,
                           (g.of[i].z - (double)c.z[0]) / 0.05);
        assert_in_range(part, 0, PARTS - 1); /* nothing is elsewhere */
        assert_true(g.of[i].vx == c.vx[0] && g.of[i].vy == 0 && g.of[i].vz == 0);
        numbers[part]++;
        inside += part < 8;
    }
    /* The box has 8 cubed radii, the six half cubes 24: even within, 'contrast' to 1 between. */
    double all = 8 * contrast + 24;
    check_share(inside, g.born, 8 * contrast / all);
    for (int part = 0; part < PARTS; part++)
        check_share(numbers[part], g.born, (part < 8 ? contrast : 2) / all);
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void an_isolated_coarse_grain_is_denser_inside(void **state)
{
    (void)state;
    check_isolated(3);
    check_isolated(4);
    check_isolated(10);
}

/* Volumes go as cubes of radii, and of a ball every direction has its share. */
static void check_round(const grains *g, const coarse *c, size_t index, double volume)
{
    size_t parts[8] = {0}, half = 0;
    double radius = cbrt(volume * 3 / (4 * RP_PI));
    for (size_t i = 0; i < g->born; i++) {
        double x = g->of[i].x - (double)c->x[index], y = g->of[i].y - (double)c->y[index],
               z = g->of[i].z - (double)c->z[index], distance = sqrt(x * x + y * y + z * z);
        assert_true(distance < radius * (1 + 1e-5));
        half += distance < radius * cbrt(0.5);
        parts[(x > 0) | (y > 0) << 1 | (z > 0) << 2]++;
    }
    check_share(half, g->born, 0.5);
    for (int part = 0; part < 8; part++)
        check_share(parts[part], g->born, 0.125);
}

static void a_coarse_grain_without_neighbors_is_a_ball(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 0.1}\nsolver: {method: null}\n"
                               "detail: {factor: 30000}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 1);
    coarse_add(&c, 0.3, -0.2, 0.7);
    detail_to_coarse(detail, &c);
    grains g = grains_of(detail);
    check_round(&g, &c, 0, 0.001);
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

/* --- many coarse grains
 * ------------------------------------------------------------------------------ */

static void a_block_is_even_inside(void **state)
{
    (void)state;
    const int edge = 16, margin = 2, inner = edge - 2 * margin;
    const double spacing = 0.05, factor = 100;
    rp_scene *scene = scene_of("particles: {spacing: 0.05}\nsolver: {method: null}\n"
                               "materials: {sand: {}, beads: {}}\ndetail: {factor: 100}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 4096);
    coarse_add_block(&c, 0.025, 0.025, 0.025, edge, edge, edge, spacing);
    for (size_t i = 0; i < c.count; i++) {
        c.material[i] = i % 3 == 0;
        c.id[i] = (uint32_t)(7 * i); /* any numbers */
    }
    detail_to_coarse(detail, &c);
    grains g = grains_of(detail);
    assert_int_equal(g.born, 100 * c.count);
    assert_int_equal(g.there, g.born);
    size_t *numbers = calloc((size_t)(inner * inner * inner), sizeof *numbers), all = 0, beads = 0;
    for (size_t i = 0; i < g.born; i++) {
        beads += g.of[i].material == 1;
        int x = (int)floor(g.of[i].x / spacing) - margin,
            y = (int)floor(g.of[i].y / spacing) - margin,
            z = (int)floor(g.of[i].z / spacing) - margin;
        if (x < 0 || y < 0 || z < 0 || x >= inner || y >= inner || z >= inner) continue;
        numbers[(z * inner + y) * inner + x]++;
        all++;
    }
    assert_int_equal(beads, 100 * ((c.count + 2) / 3));
    double cells = inner * inner * inner;
    check_number((double)all, factor * cells, sqrt(factor * cells));
    for (int cell = 0; cell < inner * inner * inner; cell++)
        check_number((double)numbers[cell], factor, sqrt(factor));
    free(numbers);
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

/* Grains by their height, in slabs of a quarter of a spacing, within the middle of a bed. */
static void check_bed(const char *floor_text)
{
    const double spacing = 0.1, factor = 200;
    char text[512];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.1}\nsolver: {method: null}\ndetail: {factor: 200}\n%s\n",
             floor_text);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 2000);
    coarse_add_block(&c, 0.05, 0.05, 0.05, 16, 16, 6, spacing);
    detail_to_coarse(detail, &c);
    grains g = grains_of(detail);
    assert_int_equal(g.born, 200 * c.count);
    assert_int_equal(g.there, g.born);
    size_t numbers[16] = {0}, stuck = 0;
    for (size_t i = 0; i < g.born; i++) {
        assert_true(g.of[i].z > 0);   /* above the floor */
        stuck += g.of[i].z == c.z[0]; /* given up on: put at the coarse grain */
        bool middle = fabs(g.of[i].x - 0.8) < 0.6 && fabs(g.of[i].y - 0.8) < 0.6;
        int slab = (int)(g.of[i].z / (0.25 * spacing));
        if (middle && slab < 16) numbers[slab]++;
    }
    assert_in_range(stuck, 0, 5);
    double wanted = factor * 12 * 12 * 0.25;
    for (int slab = 0; slab < 16; slab++)
        check_number((double)numbers[slab], wanted, sqrt(wanted));
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void beside_a_floor_it_is_as_dense_as_elsewhere(void **state)
{
    (void)state;
    check_bed("domain: {low: [-5, -5, 0], high: [5, 5, 5]}");
    check_bed("bodies: {floor: {shape: plane}}");
    check_bed("bodies: {floor: {shape: box, size: [6, 6, 1], position: [0, 0, -0.5]}}");
}

/* --- between bodies --------------------------------------------------------------------------- */

/* Clumps in the places given; all grains are outside of all bodies. */
static void check_outside(const char *bodies, const double (*places)[3], int count)
{
    char text[1024];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.1}\nsolver: {method: null}\ndetail: {factor: 2000}\n"
             "bodies: {%s}\n",
             bodies);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, (size_t)count);
    for (int i = 0; i < count; i++)
        coarse_add(&c, places[i][0], places[i][1], places[i][2]);
    detail_to_coarse(detail, &c);
    grains g = grains_of(detail);
    assert_int_equal(g.there, 2000 * count);
    grains_outside(&g, scene, c.bodies);
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void wedged_in_between_bodies_none_is_inside(void **state)
{
    (void)state;
    const double gap[][3] = {{0, 0, 0}, {0.1, 0, 0.005}};
    check_outside("low: {shape: box, size: [1, 1, 1], position: [0, 0, -0.52]}, "
                  "high: {shape: box, size: [1, 1, 1], position: [0, 0, 0.52]}",
                  gap, 2);
    const double slit[][3] = {{0, 0, 0}}; /* narrower than grains are thick */
    check_outside("low: {shape: box, size: [1, 1, 1], position: [0, 0, -0.502]}, "
                  "high: {shape: box, size: [1, 1, 1], position: [0, 0, 0.502]}",
                  slit, 1);
    const double edge[][3] = {{0, 0, 0.06}, {0, 0.3, 0.02}};
    check_outside("left: {shape: box, size: [1, 1, 1], position: [-0.6, 0, 0], rotation: [0, -30 "
                  "deg, 0]}, right: {shape: box, size: [1, 1, 1], position: [0.6, 0, 0], "
                  "rotation: [0, 30 deg, 0]}, ball: {shape: sphere, radius: 0.2, position: [0, 0, "
                  "-0.2]}",
                  edge, 2);
}

/* Fine grains of a coarse grain above a thin plate are above it, too. */
static void a_thin_plate_keeps_its_sides_apart(void **state)
{
    (void)state;
    const double thickness[] = {0.05, 0.02, 0.005};
    for (int t = 0; t < 3; t++) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {spacing: 0.1}\nsolver: {method: null}\ndetail: {factor: 2000}\n"
                 "bodies: {plate: {shape: box, size: [3, 3, %g], position: [0, 0, %g]}}\n",
                 thickness[t], -0.5 * thickness[t]);
        rp_scene *scene = scene_of(text);
        rp_detail *detail = detail_of(scene, NULL);
        coarse c = coarse_begin(scene, 2);
        coarse_add(&c, 0, 0, 0.05);
        coarse_add(&c, 0.3, 0, 0.03);
        detail_to_coarse(detail, &c);
        grains g = grains_of(detail);
        for (size_t i = 0; i < g.born; i++)
            if (!(g.of[i].z > 0))
                fail_msg("grain %zu is at %g m under a plate of %g m", i, (double)g.of[i].z,
                         thickness[t]);
        grains_end(&g);
        coarse_end(&c);
        rp_detail_destroy(detail);
        rp_scene_destroy(scene);
    }
}

/* --- faults ----------------------------------------------------------------------------------- */

static void check_fault(rp_detail *detail, const coarse *c, rp_code wanted, const char *word)
{
    rp_report *report = rp_report_create();
    rp_view view = coarse_view(c);
    assert_int_equal(rp_detail_advance(detail, &view, report), wanted);
    char text[1024] = "";
    if (rp_report_count(report)) rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    if (!strstr(text, word)) fail_msg("'%s' lacks '%s'", text, word);
    rp_report_destroy(report);
    rp_detail_destroy(detail);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 0.1}\nsolver: {method: null}\n"
                               "detail: {factor: 10}\nbodies: {floor: {shape: plane}}\n");
    coarse c = coarse_begin(scene, 3);
    coarse_add(&c, 0, 0, 1);
    coarse_add(&c, 1, 0, 1);
    c.id[0] = c.id[1] = 77;
    check_fault(detail_of(scene, NULL), &c, RP_ERROR_DAMAGED, "77");
    c.id[0] = 76;
    c.body_count = 0;
    check_fault(detail_of(scene, NULL), &c, RP_ERROR_INPUT, "bodies");
    c.body_count = 1;
    rp_detail *detail = detail_of(scene, NULL);
    detail_to_coarse(detail, &c);
    check_fault(detail, &c, RP_ERROR_INPUT, "0 s"); /* the same time again */
    /* a coarse grain that is nowhere has no fine ones */
    detail = detail_of(scene, NULL);
    c.z[1] = NAN;
    detail_to_coarse(detail, &c);
    assert_int_equal(rp_detail_count(detail).born, 10);
    rp_detail_destroy(detail);
    coarse_end(&c);
    rp_scene_destroy(scene);

    scene = scene_of("particles: {spacing: 0.1}\nsolver: {method: null}\n");
    rp_report *report = rp_report_create();
    rp_detail_options options = {0};
    assert_int_equal(rp_detail_create(scene, &options, &detail, report), RP_ERROR_INPUT);
    assert_null(detail);
    assert_int_equal(rp_report_count(report), 1);
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

/* More grains than there are ids for are refused before any memory is taken. */
static void more_grains_than_ids_are_refused(void **state)
{
    (void)state;
    rp_scene *scene = scene_of("particles: {spacing: 0.1}\nsolver: {method: null}\n"
                               "detail: {factor: 1000000}\n");
    coarse c = coarse_begin(scene, 4300);
    coarse_add_block(&c, 0, 0, 0, 10, 10, 43, 0.1);
    check_fault(detail_of(scene, NULL), &c, RP_ERROR_INPUT, "smaller factor");
    coarse_end(&c);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_isolated_coarse_grain_is_denser_inside),
        cmocka_unit_test(a_coarse_grain_without_neighbors_is_a_ball),
        cmocka_unit_test(a_block_is_even_inside),
        cmocka_unit_test(beside_a_floor_it_is_as_dense_as_elsewhere),
        cmocka_unit_test(wedged_in_between_bodies_none_is_inside),
        cmocka_unit_test(a_thin_plate_keeps_its_sides_apart),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(more_grains_than_ids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
