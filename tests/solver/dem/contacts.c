/* Contacts as data are the forces that moved the grains: with gravity they make up each grain's
 * acceleration in the last step. */
#include "solver/grains.h"

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
        cmocka_unit_test(a_column_weighs_what_it_weighs),
        cmocka_unit_test(contacts_make_up_the_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
