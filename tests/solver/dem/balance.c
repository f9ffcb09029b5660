/* Contacts as data: they carry what rests on them. */
#include "solver/grains.h"

#define GRAVITY 9.81 /* m/s2 */
#define DIAMETER 0.01
/* Of forces in a stack, in parts of a weight; of what is left over of all forces on a grain in a
 * heap, and of all torques about its middle in parts of weight times radius. */
#define STACK_CLOSE 1e-3
#define HEAP_CLOSE 0.01

/* --- three balls on top of each other ----------------------------------------------------------
 */

static const rp_contact *contact_of(const rp_view *view, uint32_t a, uint32_t b, int with)
{
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        bool same = c->first == a && c->second == b;
        if (with == RP_WITH_GRAIN) same = same || (c->first == b && c->second == a);
        if (c->with == with && same) return c;
    }
    fail_msg("no contact of %u with %u", a, b);
    return NULL;
}

/* `force` presses from below; `height` is that of the contact, `way` that of the branch but for the
 * overlap. */
static void check_stacked(const rp_contact *c, double force, double height, double way, double up)
{
    check_near(c->normal_force, force, STACK_CLOSE * force);
    check_near(c->normal[2], up, 1e-6);
    for (int k = 0; k < 2; k++) {
        check_near(c->normal[k], 0, 1e-6);
        check_near(c->shear_force[k], 0, STACK_CLOSE * force);
        check_near(c->branch[k], 0, 1e-6 * DIAMETER);
    }
    check_near(c->position[0], 0.003, 1e-6);
    check_near(c->position[1], -0.002, 1e-6);
    check_near(c->position[2], height, 1e-5 * DIAMETER);
    assert_true(c->overlap > 0 && c->overlap < 1e-2f * (float)DIAMETER);
    check_near(c->branch[2] * up, way - (double)c->overlap, 1e-5 * DIAMETER);
}

static void check_stack(const char *floor, int with, uint32_t below)
{
    grains g = grains_of(1,
                         "%s"
                         "particles: {spacing: 2 cm, jitter: 0}\n"
                         "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                         "materials: {glass: {grain_density: 2500, young: 1e7}}\n"
                         "sources: {all: {shape: box, size: [2 cm, 2 cm, 6 cm], position: [0, 0, 4 "
                         "cm]}}\n"
                         "solver: {method: dem}\n",
                         floor);
    for (uint32_t id = 0; id < 3; id++)
        set_place(&g, grain_at(&g, id), rp_v3(0.003, -0.002, (id + 0.5) * DIAMETER));
    run_world(g.world, 0.3);
    rp_view view;
    assert_int_equal(rp_world_contacts(g.world, &view, NULL), RP_OK);
    assert_int_equal(view.contact_count, 3);
    double weight = GRAVITY * 2500 * RP_PI / 6 * DIAMETER * DIAMETER * DIAMETER;
    check_stacked(contact_of(&view, 0, below, with), 3 * weight, 0, DIAMETER / 2, -1);
    for (uint32_t id = 0; id < 2; id++) {
        const rp_contact *c = contact_of(&view, id, id + 1, RP_WITH_GRAIN);
        rp_vec3 middle =
            rp_v3_add(place_at(&g, grain_at(&g, id)), place_at(&g, grain_at(&g, id + 1)));
        check_stacked(c, (2 - id) * weight, middle.z / 2, DIAMETER, c->first == id ? 1 : -1);
    }
    if (with == RP_WITH_BODY)
        check_near(view.bodies[below].force[2], -3 * weight, STACK_CLOSE * 3 * weight);
    grains_end(&g);
}

static void a_stack_rests_on_its_lowest(void **state)
{
    (void)state;
    check_stack("domain: {low: [-1, -1, 0], high: [1, 1, 1]}\n", RP_WITH_WALL, 0);
    check_stack("bodies: {far: {shape: sphere, radius: 1 cm, position: [0, 0, -1]}, table: {shape: "
                "box, size: [0.2, 0.2, 0.1], position: [0, 0, -0.05]}}\n",
                RP_WITH_BODY, 1);
}

/* --- heaps -------------------------------------------------------------------------------------
 */

#define COUNT_MAX 128

typedef struct sums {
    rp_vec3 force[COUNT_MAX], torque[COUNT_MAX]; /* N, N m about the middle */
} sums;

static void add_push(const grains *g, sums *s, uint32_t id, rp_vec3 point, rp_vec3 force)
{
    assert_true(id < COUNT_MAX);
    rp_vec3 arm = rp_v3_sub(point, place_at(g, grain_at(g, id)));
    s->force[id] = rp_v3_add(s->force[id], force);
    s->torque[id] = rp_v3_add(s->torque[id], rp_v3_cross(arm, force));
}

static void add_contacts(const grains *g, const rp_view *view, sums *s)
{
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        rp_vec3 n = rp_v3(c->normal[0], c->normal[1], c->normal[2]);
        rp_vec3 shear = rp_v3(c->shear_force[0], c->shear_force[1], c->shear_force[2]);
        rp_vec3 point = rp_v3(c->position[0], c->position[1], c->position[2]);
        rp_vec3 force = rp_v3_madd(shear, -(double)c->normal_force, n);
        add_push(g, s, c->first, point, force);
        if (c->with == RP_WITH_GRAIN) add_push(g, s, c->second, point, rp_v3_scale(force, -1));
    }
}

static void check_balance(const grains *g, const rp_view *view)
{
    static sums s;
    memset(&s, 0, sizeof s);
    add_contacts(g, view, &s);
    for (size_t i = 0; i < view->count; i++) {
        double weight = GRAVITY * (double)view->mass[i];
        rp_vec3 rest = rp_v3_add(s.force[view->id[i]], rp_v3(0, 0, -weight));
        check_near(rp_v3_length(rest), 0, HEAP_CLOSE * weight);
        check_near(rp_v3_length(s.torque[view->id[i]]), 0, HEAP_CLOSE * weight * DIAMETER / 2);
    }
}

/* Grains settle in a box; each is then held by its contacts. Without rolling friction, since its
 * couples are not among what contacts tell; one that hangs between two others swings for long. */
static void forces_balance_in_a_heap(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "tetrahedron", "dimer"};
    for (int s = 0; s < 3; s++) {
        grains g = grains_of(2,
                             "domain: {low: [0, 0, 0], high: [0.06, 0.06, 0.2]}\n"
                             "particles: {spacing: 1.2 cm, jitter: 0.1}\n"
                             "grains: {all: {shape: %s, diameter: 1 cm, spread: 0.05}}\n"
                             "materials: {sand: {young: 1e6, friction: 0.6}}\n"
                             "sources: {all: {shape: box, size: [0.06, 0.06, 0.048], position: "
                             "[0.03, 0.03, 0.025]}}\n"
                             "solver: {method: dem}\n",
                             shapes[s]);
        run_world(g.world, 2);
        rp_view view;
        assert_int_equal(rp_world_contacts(g.world, &view, NULL), RP_OK);
        assert_int_equal(view.count, 100);
        assert_true(view.contact_count > 150);
        check_balance(&g, &view);
        grains_end(&g);
    }
}

/* Across a periodic side a branch is the short way. */
static void branches_cross_periodic_sides(void **state)
{
    (void)state;
    grains g =
        grains_of(1, "gravity: [0, 0, 0]\nparticles: {spacing: 2 cm, jitter: 0}\n"
                     "domain: {low: [0, 0, 0], high: [0.1, 1, 1], periodic: [x]}\n"
                     "grains: {all: {shape: dimer, diameter: 1 cm}}\n"
                     "sources: {all: {shape: box, size: [4 cm, 2 cm, 2 cm], position: [0.05, "
                     "0.5, 0.5]}}\n"
                     "solver: {method: dem}\n");
    for (uint32_t id = 0; id < 2; id++) {
        size_t i = grain_at(&g, id);
        set_turn_of(&g, i, rp_quat_identity());
        set_place(&g, i, rp_v3(id ? 0.0951 : 0.005, 0.5, 0.5));
    }
    grains_step(&g);
    rp_view view;
    assert_int_equal(rp_world_contacts(g.world, &view, NULL), RP_OK);
    assert_int_equal(view.contact_count, 1);
    const rp_contact *c = &view.contacts[0];
    double sign = c->first == 0 ? -1 : 1;
    check_near(c->branch[0], sign * 0.0099, 1e-6);
    check_near(c->normal[0], sign, 1e-6);
    check_near(c->overlap, 1e-4, 1e-6);
    grains_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_rests_on_its_lowest),
        cmocka_unit_test(forces_balance_in_a_heap),
        cmocka_unit_test(branches_cross_periodic_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
