/* Contacts whose numbers are known: by hand, and of a lattice. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "contact/contact.h"

#include <stdlib.h>
#include <string.h>

/* Grains of a cubic lattice in a periodic box that press their six neighbors with 2 N along x, 3 N
 * along y and 5 N along z, with a shear of 0.5 N along z on contacts along x. */
#define SIDE 6
#define GRAINS (SIDE * SIDE * SIDE)
#define SPACING 0.25

typedef struct lattice {
    float x[GRAINS], y[GRAINS], z[GRAINS], v[GRAINS], mass[GRAINS];
    uint32_t id[GRAINS];
    rp_contact contacts[3 * GRAINS];
    rp_view view;
    rp_contact_space space;
} lattice;

static size_t place_of(int i, int j, int k)
{
    i %= SIDE, j %= SIDE, k %= SIDE;
    return (size_t)((k * SIDE + j) * SIDE + i);
}

static rp_contact contact_along(const lattice *l, size_t from, size_t to, int axis)
{
    static const float force[3] = {2, 3, 5};
    rp_contact c = {.first = l->id[from], .second = l->id[to], .normal_force = force[axis]};
    c.position[0] = l->x[from];
    c.position[1] = l->y[from];
    c.position[2] = l->z[from];
    c.position[axis] += SPACING / 2;
    c.normal[axis] = 1;
    c.branch[axis] = SPACING;
    c.overlap = 0.01f * (float)(axis + 1);
    if (axis == 0) c.shear_force[2] = -0.5f;
    return c;
}

static lattice *make_lattice(void)
{
    lattice *l = calloc(1, sizeof *l);
    for (int i = 0; i < GRAINS; i++) {
        l->x[i] = (float)SPACING * ((float)(i % SIDE) + 0.5f);
        l->y[i] = (float)SPACING * ((float)(i / SIDE % SIDE) + 0.5f);
        l->z[i] = (float)SPACING * ((float)(i / SIDE / SIDE) + 0.5f);
        l->mass[i] = 0.5f;
        l->v[i] = i % 2 ? 3 : -1; /* a mean of 1, from which all differ by 2 */
        l->id[i] = 10000u - 7u * (uint32_t)i;
    }
    for (int i = 0; i < GRAINS; i++) {
        int a = i % SIDE, b = i / SIDE % SIDE, c = i / SIDE / SIDE;
        l->contacts[3 * i] = contact_along(l, place_of(a, b, c), place_of(a + 1, b, c), 0);
        l->contacts[3 * i + 1] = contact_along(l, place_of(a, b, c), place_of(a, b + 1, c), 1);
        l->contacts[3 * i + 2] = contact_along(l, place_of(a, b, c), place_of(a, b, c + 1), 2);
    }
    l->view = (rp_view){.spacing = SPACING,
                        .count = GRAINS,
                        .x = l->x,
                        .y = l->y,
                        .z = l->z,
                        .vx = l->v,
                        .vy = l->v,
                        .vz = l->v,
                        .mass = l->mass,
                        .id = l->id,
                        .contacts = l->contacts,
                        .contact_count = 3 * GRAINS};
    double size = SIDE * SPACING;
    l->space = rp_contact_everywhere();
    l->space.periodic = 7;
    l->space.domain_high = rp_v3(size, size, size);
    return l;
}

static void grains_are_found_by_id(void **state)
{
    (void)state;
    lattice *l = make_lattice();
    rp_grain_ids ids;
    assert_int_equal(rp_grain_ids_make(&l->view, &ids, NULL), RP_OK);
    for (size_t i = 0; i < GRAINS; i++)
        assert_int_equal(rp_grain_ids_find(&ids, l->id[i]), i);
    assert_true(rp_grain_ids_find(&ids, 1) == SIZE_MAX);
    assert_true(rp_grain_ids_find(&ids, 9999) == SIZE_MAX);
    assert_true(rp_grain_ids_find(&ids, UINT32_MAX) == SIZE_MAX);
    rp_grain_ids_release(&ids);
    free(l);
}

static void a_lattice_has_six_neighbors(void **state)
{
    (void)state;
    lattice *l = make_lattice();
    rp_contact_statistics sums;
    assert_int_equal(rp_contact_statistics_of(&l->view, &l->space, &sums, NULL), RP_OK);
    assert_true(sums.grains == GRAINS && sums.contacts == 3 * GRAINS && sums.solid_contacts == 0);
    check_near(sums.coordination, 6, 1e-12);
    check_near(sums.neighbors, 6, 1e-12);
    check_near(sums.no_rattlers, 6, 1e-12);
    check_near(sums.rattlers, 0, 0);
    check_near(sums.mean_force, 10.0 / 3, 1e-12);
    check_near(sums.force_deviation, sqrt(14.0 / 9), 1e-12);
    check_near(sums.largest_force, 5, 0);
    check_near(sums.shear_ratio, 0.25 / 3, 1e-12);
    check_near(sums.strong_share, 1.0 / 3, 1e-12);
    check_near(sums.strong_force, 0.5, 1e-12);
    check_near(sums.mean_overlap, 0.02, 1e-8);
    check_near(sums.largest_overlap, 0.03, 1e-8);

    /* The lowest layer: grains in it are touched from above, though that point is outside. */
    l->space.region.high.z = 0.2;
    assert_int_equal(rp_contact_statistics_of(&l->view, &l->space, &sums, NULL), RP_OK);
    assert_true(sums.grains == SIDE * SIDE && sums.contacts == 2 * SIDE * SIDE);
    check_near(sums.coordination, 6, 1e-12);
    check_near(sums.mean_force, 2.5, 1e-12);
    free(l);
}

/* Grains 1 and 2 touch in two points, 2 and 3 in one that does not push; 3 lies on a body and at a
 * wall, 4 in the air; a contact names a grain that is gone. */
static void odd_grains_are_counted_as_they_are(void **state)
{
    (void)state;
    static const float at[4] = {0, 1, 2, 3};
    static const uint32_t id[4] = {1, 2, 3, 4};
    static const rp_contact contacts[] = {
        {.first = 1, .second = 2, .normal_force = 1},
        {.first = 2, .second = 1, .normal_force = 3},
        {.first = 2, .second = 3, .normal_force = 0},
        {.first = 3, .second = 0, .with = RP_WITH_BODY, .normal_force = 7},
        {.first = 3, .second = 0, .with = RP_WITH_WALL, .normal_force = 7},
        {.first = 1, .second = 77, .normal_force = 2},
    };
    const rp_view view = {
        .count = 4, .x = at, .y = at, .z = at, .id = id, .contacts = contacts, .contact_count = 6};
    const rp_contact_space space = rp_contact_everywhere();
    rp_contact_statistics sums;
    size_t before = rp_memory_now().bytes;
    assert_int_equal(rp_contact_statistics_of(&view, &space, &sums, NULL), RP_OK);
    assert_int_equal(rp_memory_now().bytes, before);
    assert_true(sums.contacts == 3 && sums.solid_contacts == 2);
    check_near(sums.coordination, 1, 1e-12);
    check_near(sums.neighbors, 0.5, 1e-12);
    check_near(sums.rattlers, 0.25, 1e-12);
    check_near(sums.no_rattlers, 4.0 / 3, 1e-12);
    check_near(sums.mean_force, 2, 1e-12);
}

static void fabric_is_that_of_the_normals(void **state)
{
    (void)state;
    lattice *l = make_lattice();
    rp_fabric fabric;
    assert_int_equal(rp_contact_fabric(&l->view, &l->space, &fabric, NULL), RP_OK);
    for (int i = 0; i < 3; i++)
        check_near(fabric.values[i], 1.0 / 3, 1e-12);

    /* All normals in the plane of x and z, at 30 degrees to x. */
    for (int i = 0; i < 3 * GRAINS; i++) {
        float sign = i % 2 ? 1 : -1;
        memcpy(l->contacts[i].normal, (float[]){sign * (float)sqrt(0.75), 0, sign * 0.5f},
               sizeof l->contacts[i].normal);
    }
    assert_int_equal(rp_contact_fabric(&l->view, &l->space, &fabric, NULL), RP_OK);
    check_near(fabric.values[0], 1, 1e-6);
    check_near(fabric.values[1], 0, 1e-6);
    check_near(fabs(fabric.axes[0].x), sqrt(0.75), 1e-6);
    check_near(fabric.axes[0].z / fabric.axes[0].x, sqrt(1.0 / 3), 1e-6);
    check_near(fabric.tensor.m[0][2], 0.5 * sqrt(0.75), 1e-6);
    free(l);
}

/* Normals that point everywhere alike give a density of 1; all upright, one bin has all. */
static void angles_are_counted_by_direction(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    rp_contact *contacts = calloc(COUNT, sizeof *contacts);
    for (int i = 0; i < COUNT; i++) {
        rp_random4 r = rp_random(3, RP_RANDOM_TEST, (uint64_t)i);
        float z = 2 * rp_random_unit(r.bits[0]) - 1, turn = 6.2831853f * rp_random_unit(r.bits[1]);
        float across = sqrtf(1 - z * z);
        contacts[i].normal_force = 2;
        memcpy(contacts[i].normal, (float[]){across * cosf(turn), across * sinf(turn), z}, 12);
    }
    rp_view view = {.contacts = contacts, .contact_count = COUNT};
    const rp_contact_space space = rp_contact_everywhere();
    rp_angle_bin bins[RP_ANGLE_BINS];
    const rp_vec3 up = {0.6, 0, 0.8};
    assert_int_equal(rp_contact_angles(&view, &space, up, bins, NULL), RP_OK);
    for (int i = 0; i < RP_ANGLE_BINS; i++) {
        check_near(bins[i].density, 1, 4 * bins[i].error);
        check_near(bins[i].force, 1, 1e-6);
    }
    for (int i = 0; i < COUNT; i++)
        memcpy(contacts[i].normal, (float[]){-0.6f, 0, -0.8f}, 12);
    assert_int_equal(rp_contact_angles(&view, &space, up, bins, NULL), RP_OK);
    assert_true(bins[0].count == COUNT && bins[17].count == 0 && isnan(bins[17].force));
    free(contacts);
}

/* Each cell of the lattice has one contact along each axis: stress is force over the square of the
 * spacing, in all of it and in any box of whole cells. */
static void a_lattice_has_its_stress(void **state)
{
    (void)state;
    lattice *l = make_lattice();
    const double a = SPACING * SPACING, size = SIDE * SPACING;
    for (int part = 0; part < 4; part++) {
        rp_box3 *box = &l->space.region;
        if (part == 1) *box = (rp_box3){{0.5, 0.25, 0.5}, {1, 1, 0.75}};
        if (part == 2) *box = (rp_box3){{0, 0, 0}, {0.25, 0.25, 0.25}}; /* at a periodic corner */
        if (part == 3) *box = (rp_box3){{-INFINITY, -INFINITY, 0.5}, {INFINITY, 1, 1}};
        const double volumes[] = {size * size * size, 0.5 * 0.75 * 0.25, 0.25 * 0.25 * 0.25,
                                  size * 1 * 0.5};
        rp_stress stress;
        assert_int_equal(rp_contact_stress(&l->view, &l->space, &stress, NULL), RP_OK);
        check_near(stress.volume, volumes[part], 1e-12);
        check_near(stress.tensor.m[0][0], 2 / a, 1e-9);
        check_near(stress.tensor.m[1][1], 3 / a, 1e-9);
        check_near(stress.tensor.m[2][2], 5 / a, 1e-9);
        check_near(stress.tensor.m[0][2], 0.25 / a, 1e-9); /* 0.5 N across contacts along x */
        check_near(stress.tensor.m[2][0], 0.25 / a, 1e-9);
        check_near(stress.antisymmetric, 0.25 / a, 1e-9);
        check_near(stress.pressure, 10.0 / 3 / a, 1e-9);
        double s = sqrt(1.5 * ((16.0 + 1 + 25) / 9 + 2 * 0.0625)) / a;
        check_near(stress.deviator, s, 1e-9);
        check_near(stress.principal[0] + stress.principal[1] + stress.principal[2], 10 / a, 1e-9);
        check_near(stress.principal[1], 3 / a, 1e-9);
        /* half of the grains move by 2 m/s along each axis against the mean, half by -2 */
        if (part == 0) check_near(stress.kinetic, GRAINS * 0.5 * 4 / volumes[0], 1e-9);
    }
    free(l);
}

/* Without periodic sides the box around the grains counts, half a spacing beyond their middles. */
static void a_pair_has_its_stress(void **state)
{
    (void)state;
    static const float x[2] = {0, 0.5f}, zero[2];
    static const uint32_t id[2] = {5, 4};
    rp_contact contact = {.first = 5, .second = 4, .normal_force = 8};
    contact.normal[0] = 1;
    contact.branch[0] = 0.5f;
    const rp_view view = {.spacing = 0.5,
                          .count = 2,
                          .x = x,
                          .y = zero,
                          .z = zero,
                          .id = id,
                          .contacts = &contact,
                          .contact_count = 1};
    rp_contact_space space = rp_contact_everywhere();
    rp_stress stress;
    assert_int_equal(rp_contact_stress(&view, &space, &stress, NULL), RP_OK);
    check_near(stress.volume, 0.25, 1e-12);
    check_near(stress.tensor.m[0][0], 8 * 0.5 / 0.25, 1e-12);
    assert_true(isnan(stress.kinetic));
    space.region = (rp_box3){{0.125, -1, -1}, {0.25, 1, 1}}; /* a quarter of the branch */
    assert_int_equal(rp_contact_stress(&view, &space, &stress, NULL), RP_OK);
    check_near(stress.tensor.m[0][0], 8 * 0.125 / 0.5, 1e-12);
    space.region = (rp_box3){{0.125, 1, -1}, {0.25, 2, 1}};
    assert_int_equal(rp_contact_stress(&view, &space, &stress, NULL), RP_OK);
    check_near(stress.tensor.m[0][0], 0, 0);
    space.region = (rp_box3){{0.3, 0, 0}, {0.25, 2, 1}};
    assert_int_equal(rp_contact_stress(&view, &space, &stress, NULL), RP_ERROR_INPUT);
}

#define POINTS 900

static rp_contact *random_contacts(void)
{
    rp_contact *contacts = calloc(POINTS, sizeof *contacts);
    for (int i = 0; i < POINTS; i++) {
        rp_random4 r = rp_random(5, RP_RANDOM_TEST, (uint64_t)i);
        for (int a = 0; a < 3; a++)
            contacts[i].position[a] = rp_random_unit(r.bits[a]);
        /* strong above, weak below */
        contacts[i].normal_force = contacts[i].position[2] > 0.5f ? 3 : 1;
    }
    return contacts;
}

/* The slow twin: every pair. */
static void correlate_all(const rp_contact *contacts, double range, unsigned periodic,
                          double value[RP_CORRELATION_BINS], double pairs[RP_CORRELATION_BINS])
{
    double mean = 0;
    for (int i = 0; i < POINTS; i++)
        mean += contacts[i].normal_force / (double)POINTS;
    memset(value, 0, RP_CORRELATION_BINS * sizeof *value);
    memset(pairs, 0, RP_CORRELATION_BINS * sizeof *pairs);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            double square = 0;
            for (int a = 0; a < 3; a++) {
                double shift = (double)contacts[i].position[a] - contacts[j].position[a];
                if (periodic >> a & 1) shift -= floor(shift + 0.5);
                square += shift * shift;
            }
            int bin = (int)(sqrt(square) / range * RP_CORRELATION_BINS);
            if (i == j || bin >= RP_CORRELATION_BINS) continue;
            pairs[bin]++;
            value[bin] += contacts[i].normal_force / mean * (contacts[j].normal_force / mean);
        }
}

static void correlation_is_that_of_all_pairs(void **state)
{
    (void)state;
    rp_contact *contacts = random_contacts();
    rp_view view = {.contacts = contacts, .contact_count = POINTS};
    size_t before = rp_memory_now().bytes;
    for (unsigned periodic = 0; periodic < 8; periodic += 5)
        for (double range = 0.1; range < 0.6; range *= 2) {
            double value[RP_CORRELATION_BINS], pairs[RP_CORRELATION_BINS];
            rp_correlation_bin bins[RP_CORRELATION_BINS];
            rp_contact_space space = rp_contact_everywhere();
            space.periodic = periodic;
            space.domain_high = rp_v3(1, 1, 1);
            correlate_all(contacts, range, periodic, value, pairs);
            assert_int_equal(rp_contact_correlation(&view, &space, range, bins, NULL), RP_OK);
            for (int b = 0; b < RP_CORRELATION_BINS; b++) {
                check_near(bins[b].pairs, pairs[b], 0);
                if (pairs[b] > 0) check_near(bins[b].value, value[b] / pairs[b], 1e-9);
            }
        }
    assert_int_equal(rp_memory_now().bytes, before);
    free(contacts);
}

/* Strong contacts stay among themselves: near ones agree, beyond the halves nothing is known. */
static void correlation_tells_order_from_chance(void **state)
{
    (void)state;
    rp_contact *contacts = random_contacts();
    rp_view view = {.contacts = contacts, .contact_count = POINTS};
    const rp_contact_space space = rp_contact_everywhere();
    rp_correlation_bin bins[RP_CORRELATION_BINS];
    assert_int_equal(rp_contact_correlation(&view, &space, 0.4, bins, NULL), RP_OK);
    check_near(bins[12].value, (9 + 1) / 2.0 / 4, 0.06); /* at 0.125 m, rarely across the middle */
    for (int i = 0; i < POINTS; i++)
        contacts[i].normal_force = i % 2 ? 3 : 1;
    assert_int_equal(rp_contact_correlation(&view, &space, 0.4, bins, NULL), RP_OK);
    for (int b = 10; b < RP_CORRELATION_BINS; b++) {
        check_near(bins[b].value, 1, 5 * bins[b].error);
        assert_true(bins[b].error < 0.1);
    }
    free(contacts);
}

static void views_without_contacts_are_refused(void **state)
{
    (void)state;
    const rp_view view = {.spacing = 1};
    const rp_contact_space space = rp_contact_everywhere();
    rp_report *report = rp_report_create();
    rp_contact_statistics sums;
    rp_fabric fabric;
    rp_stress stress;
    rp_angle_bin angles[RP_ANGLE_BINS];
    rp_correlation_bin bins[RP_CORRELATION_BINS];
    char text[1024];
    const rp_vec3 up = {0, 0, 1};
    assert_int_equal(rp_contact_statistics_of(&view, &space, &sums, report), RP_ERROR_UNSUPPORTED);
    assert_int_equal(rp_contact_fabric(&view, &space, &fabric, report), RP_ERROR_UNSUPPORTED);
    assert_int_equal(rp_contact_stress(&view, &space, &stress, report), RP_ERROR_UNSUPPORTED);
    assert_int_equal(rp_contact_angles(&view, &space, up, angles, report), RP_ERROR_UNSUPPORTED);
    assert_int_equal(rp_contact_correlation(&view, &space, 1, bins, report), RP_ERROR_UNSUPPORTED);
    assert_int_equal(rp_report_count(report), 5);
    rp_fault_text(rp_report_fault(report, 4), text, sizeof text);
    assert_non_null(strstr(text, "output: {contacts: yes}"));
    rp_report_destroy(report);

    rp_contact none;
    const rp_view empty = {.spacing = 1, .contacts = &none};
    assert_int_equal(rp_contact_statistics_of(&empty, &space, &sums, NULL), RP_OK);
    assert_true(sums.contacts == 0 && sums.coordination == 0);
    assert_int_equal(rp_contact_fabric(&empty, &space, &fabric, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_contact_stress(&empty, &space, &stress, NULL), RP_ERROR_INPUT);
    assert_int_equal(rp_contact_correlation(&empty, &space, 1, bins, NULL), RP_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_are_found_by_id),
        cmocka_unit_test(a_lattice_has_six_neighbors),
        cmocka_unit_test(odd_grains_are_counted_as_they_are),
        cmocka_unit_test(fabric_is_that_of_the_normals),
        cmocka_unit_test(angles_are_counted_by_direction),
        cmocka_unit_test(a_lattice_has_its_stress),
        cmocka_unit_test(a_pair_has_its_stress),
        cmocka_unit_test(correlation_is_that_of_all_pairs),
        cmocka_unit_test(correlation_tells_order_from_chance),
        cmocka_unit_test(views_without_contacts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
