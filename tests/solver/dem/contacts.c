/* Contacts as data: they carry what rests on them, and with gravity they make up the acceleration
 * of each grain in the last step. */
#include "solver/grains.h"

#define GRAVITY 9.81 /* m/s2 */
#define DIAMETER 0.01
/* Tolerances: of forces in a stack, over a weight; of the net force on a grain in a heap, over its
 * weight, and of the net torque about its centre, over weight times radius. */
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

/* `force` acts from below, N; `height` is that of the contact, `branch` the length of the branch
 * vector but for the overlap, m. */
static void check_stacked(const rp_contact *c, double force, double height, double branch,
                          double up)
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
    check_near(c->branch[2] * up, branch - (double)c->overlap, 1e-5 * DIAMETER);
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
        rp_vec3 centre =
            rp_v3_add(place_at(&g, grain_at(&g, id)), place_at(&g, grain_at(&g, id + 1)));
        check_stacked(c, (2 - id) * weight, centre.z / 2, DIAMETER, c->first == id ? 1 : -1);
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
    rp_vec3 force[COUNT_MAX], torque[COUNT_MAX]; /* N, N m about the centre */
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
 * contacts as data have no couples; one that hangs between two others swings for long. */
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

/* Across a periodic side the branch is the minimum image. */
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
        set_orientation_of(&g, i, rp_quat_identity());
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

/* --- acceleration --- */

#define SHAPES 2
static const char *const shapes[SHAPES] = {"sphere", "tetrahedron"};

/* A column of three balls on a floor: each contact bears what is above it. */
static void a_column_weighs_what_it_weighs(void **state)
{
    (void)state;
    grains g = grains_of(1, "%s",
                         "domain: {low: [0, 0, 0], high: [0.1, 0.1, 0.5]}\n"
                         "particles: {spacing: 1 cm, jitter: 0}\n"
                         "materials: {glass: {friction: 0.4, restitution: 0.3, young: 5 MPa}}\n"
                         "grains: {ball: {shape: sphere}}\n"
                         "sources: {block: {shape: box, size: [0.01, 0.01, 0.03], position: "
                         "[0.05, 0.05, 0.015]}}\n"
                         "solver: {method: dem}\n");
    run_world(g.world, 0.5);
    rp_view view;
    assert_int_equal(rp_world_contacts(g.world, &view, NULL), RP_OK);
    assert_int_equal(view.contact_count, 3);
    double weight = 9.81 * (double)view.mass[0], sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double carried = view.contacts[i].normal_force / weight;
        check_near(carried, round(carried), 2e-3);
        sum += carried;
        assert_int_equal(view.contacts[i].with == RP_WITH_WALL, carried > 2.5);
    }
    check_near(sum, 6, 1e-2);
    grains_end(&g);
}

/* What the contacts of a view put on each grain, by id, N. */
static void add_up(const rp_view *view, rp_vec3 *net, size_t ids)
{
    memset(net, 0, ids * sizeof *net);
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        rp_vec3 n = {c->normal[0], c->normal[1], c->normal[2]};
        rp_vec3 shear = {c->shear_force[0], c->shear_force[1], c->shear_force[2]};
        rp_vec3 force = rp_v3_madd(shear, -(double)c->normal_force, n);
        assert_true(c->first < ids);
        net[c->first] = rp_v3_add(net[c->first], force);
        if (c->with != RP_WITH_GRAIN) continue;
        assert_true(c->second < ids);
        net[c->second] = rp_v3_sub(net[c->second], force);
    }
}

#define IDS 2000

/* Sand that falls, collides and slides: a step's change of velocity is known from outside. */
static void contacts_make_up_the_acceleration(void **state)
{
    (void)state;
    static rp_vec3 before[IDS], net[IDS];
    for (int shape = 0; shape < SHAPES; shape++) {
        grains g = grains_of(
            2,
            "domain: {low: [0, 0, 0], high: [0.08, 0.08, 0.5], periodic: [y]}\n"
            "particles: {spacing: 1 cm, jitter: 0.1}\n"
            "materials: {glass: {friction: 0.4, restitution: 0.5, young: 5 MPa}}\n"
            "grains: {one: {shape: %s, sizes: uniform, spread: 0.2}}\n"
            "bodies: {ball: {shape: sphere, radius: 2 cm, position: [0.04, 0.04, 0]}}\n"
            "sources: {block: {shape: box, size: [0.08, 0.08, 0.1], position: [0.04, 0.04, 0.08], "
            "velocity: [0.5, 0.3, -0.5]}}\n"
            "solver: {method: dem}\n",
            shapes[shape]);
        run_world(g.world, 0.16);
        rp_view view;
        rp_world_view(g.world, &view);
        assert_true(view.count > 300 && view.count < IDS);
        for (size_t i = 0; i < view.count; i++)
            before[view.id[i]] = rp_v3(view.vx[i], view.vy[i], view.vz[i]);
        grains_step(&g);
        assert_int_equal(rp_world_contacts(g.world, &view, NULL), RP_OK);
        assert_true(view.contact_count > view.count);
        add_up(&view, net, IDS);
        double most = 0, worst = 0;
        for (size_t i = 0; i < view.count; i++) {
            rp_vec3 after = {view.vx[i], view.vy[i], view.vz[i]};
            rp_vec3 a = rp_v3_scale(rp_v3_sub(after, before[view.id[i]]), 1 / view.dt);
            a.z += 9.81;
            rp_vec3 found = rp_v3_scale(net[view.id[i]], 1 / (double)view.mass[i]);
            most = fmax(most, rp_v3_length(a));
            worst = fmax(worst, rp_v3_length(rp_v3_sub(a, found)));
        }
        assert_true(most > 200 && worst < 0.01); /* m/s2; floats leave some 0.001 */
        grains_end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_rests_on_its_lowest),
        cmocka_unit_test(forces_balance_in_a_heap),
        cmocka_unit_test(branches_cross_periodic_sides),
        cmocka_unit_test(a_column_weighs_what_it_weighs),
        cmocka_unit_test(contacts_make_up_the_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
