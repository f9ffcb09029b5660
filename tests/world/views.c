/* Contacts and grids of a solver in views: after creation, after each step and after a load;
 * contacts only on request. */
#include "base/memory.h"
#include "base/report.h"
#include "world/world.h"
#include "worlds.h"

#include <string.h>

/* --- contacts --------------------------------------------------------------------------------- */

#define PLAIN                                                                                      \
    "particles: {spacing: 5 cm}\nsolver: {method: null}\n"                                         \
    "sources: {one: {shape: box, size: [0.2, 0.2, 0.2]}}\n"

static int asked;

/* As many contacts as steps were taken, reported by a solver that can do nothing else of its own.
 */
static rp_code telling(const void *solver, rp_contacts *contacts, rp_report *report)
{
    static size_t count;
    (void)solver;
    asked++;
    assert_int_equal(contacts->count, 0);
    if (!rp_reserve((void **)&contacts->items, &contacts->capacity, 0, ++count,
                    sizeof *contacts->items))
        return rp_fail_memory(report, count * sizeof *contacts->items, "contacts");
    for (uint32_t i = 0; i < count; i++)
        contacts->items[i] = (rp_contact){.first = i, .second = i + 1, .normal_force = 2};
    contacts->count = count;
    return RP_OK;
}

static rp_code failing(const void *solver, rp_contacts *contacts, rp_report *report)
{
    (void)solver;
    (void)contacts;
    return rp_fail_memory(report, 7, "contacts");
}

static rp_solver_type type_with(const rp_world *world,
                                rp_code (*contacts)(const void *, rp_contacts *, rp_report *))
{
    rp_solver_type type = *world->type;
    type.contacts = contacts;
    return type;
}

static void contacts_come_when_asked(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN);
    rp_world *world = world_of(scene, 1);
    rp_solver_type type = type_with(world, telling);
    world->type = &type;
    rp_view view, again;
    asked = 0;
    run_world(world, 0.1);
    rp_world_view(world, &view);
    rp_world_step_info(world);
    assert_null(view.contacts);
    assert_int_equal(asked, 0);

    for (size_t count = 1; count < 20; count++) {
        assert_int_equal(rp_world_contacts(world, &view, NULL), RP_OK);
        assert_int_equal(view.contact_count, count);
        assert_int_equal(view.contacts[count - 1].second, count);
        assert_int_equal(view.count, 64);
        assert_int_equal(rp_world_contacts(world, &again, NULL), RP_OK);
        assert_ptr_equal(again.contacts, view.contacts);
        assert_int_equal(asked, count);
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        rp_world_view(world, &view); /* those of the step before are not of this one */
        assert_true(!view.contacts && !view.contact_count);
    }
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void a_solver_without_contacts_gives_none(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN);
    rp_world *world = world_of(scene, 1);
    rp_view view;
    assert_int_equal(rp_world_contacts(world, &view, NULL), RP_OK);
    assert_null(view.contacts);
    assert_int_equal(view.count, 64);

    rp_solver_type type = type_with(world, failing);
    world->type = &type;
    assert_int_equal(rp_world_contacts(world, &view, NULL), RP_ERROR_MEMORY);
    assert_null(view.contacts);
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

static void recording_what_a_solver_cannot_tell_is_refused(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(PLAIN "output: {contacts: yes}\n");
    rp_report *report = rp_report_create();
    rp_world *world;
    char text[1024];
    assert_int_equal(rp_world_create(scene, NULL, &world, report), RP_ERROR_UNSUPPORTED);
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_non_null(strstr(text, "output: {contacts: yes}"));
    rp_report_destroy(report);
    rp_scene_destroy(scene);
}

/* --- grids ------------------------------------------------------------------------------------ */

static float height[6];
static int calls;

/* What a solver with a height field would do; the heights tell how often it was asked. */
static int toy_grids(const void *state, rp_grid grids[RP_GRIDS_MAX])
{
    assert_non_null(state);
    calls++;
    for (int i = 0; i < 6; i++)
        height[i] = (float)calls;
    grids[0] = (rp_grid){.name = "height",
                         .unit = "m",
                         .kind = RP_GRID_HEIGHT,
                         .size = {3, 2, 1},
                         .spacing = {0.1, 0.1, 1},
                         .values = height};
    return 1;
}

static void views_carry_the_grids_of_the_solver(void **state)
{
    (void)state;
    rp_scene *scene = scene_of(BUSY_SCENE);
    rp_world *world = world_of(scene, 1);
    rp_view view;
    rp_world_view(world, &view);
    assert_int_equal(view.grid_count, 0);
    rp_solver_type toy = *world->type;
    const rp_solver_type *own = world->type;
    toy.grids = toy_grids;
    world->type = &toy;
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
    for (int step = 1; step <= 3; step++) {
        assert_int_equal(rp_world_step(world, NULL), RP_OK);
        rp_world_view(world, &view);
        assert_int_equal(view.grid_count, 1);
        assert_ptr_equal(rp_view_grid(&view, "height")->values, height);
        assert_true(height[0] == (float)calls && calls >= step);
    }
    int before = calls;
    assert_int_equal(rp_world_restore(world, snapshot, NULL), RP_OK);
    rp_world_view(world, &view);
    assert_true(calls > before && view.grid_count == 1);
    rp_snapshot_destroy(snapshot);
    world->type = own;
    rp_world_destroy(world);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_come_when_asked),
        cmocka_unit_test(a_solver_without_contacts_gives_none),
        cmocka_unit_test(recording_what_a_solver_cannot_tell_is_refused),
        cmocka_unit_test(views_carry_the_grids_of_the_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
