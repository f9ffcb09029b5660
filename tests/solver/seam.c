/* What every solver promises, asked of every solver in the registry. */
#include "worlds.h"

#include "base/memory.h"
#include "base/random.h"
#include "solver/registry.h"
#include "view/view.h"
#include "world/inside.h"

#include <stdlib.h>
#include <string.h>

/* Parameters that make a method do what it leaves out by default. */
static const char *const variants[] = {"null, density: yes"};

static int scene_count(void)
{
    return rp_solver_count() + (int)(sizeof variants / sizeof *variants);
}

/* A scene with its solver's line replaced by one method or variant. */
static rp_scene *scene_with(const char *whole, int index)
{
    char text[4096];
    const char *line = strstr(whole, "solver:");
    int extra = index - rp_solver_count();
    const char *method = extra < 0 ? rp_solver_at(index)->name : variants[extra];
    snprintf(text, sizeof text, "%.*ssolver: {method: %s}\n", (int)(line - whole), whole, method);
    return scene_of(text);
}

static rp_scene *scene_at(int index)
{
    return scene_with(BUSY_SCENE, index);
}

/* Names are keys of --json and words of progress: short, and each there once. */
static void check_names(const rp_solver_type *type)
{
    int count = 0;
    for (const rp_number_spec *n = type->numbers; n && n->name; n++, count++) {
        assert_true(n->unit && n->help &&
                    strspn(n->name, "abcdefghijklmnopqrstuvwxyz_") == strlen(n->name));
        for (int i = 0; i < count; i++)
            assert_string_not_equal(type->numbers[i].name, n->name);
    }
    assert_true(count <= RP_NUMBERS_MAX);
    count = 0;
    for (const char *const *stage = type->stages; stage && *stage; stage++, count++)
        for (int i = 0; i < count; i++)
            assert_string_not_equal(type->stages[i], *stage);
    assert_true(count <= RP_STAGES_MAX);
}

static int method_of(const rp_scene *scene)
{
    int i = 0;
    while (strcmp(rp_solver_at(i)->name, scene->method->name) != 0)
        i++;
    return i;
}

/* Mean spheres of a grain of the only material; 1 where grains are not resolved. */
static double spheres_of(const rp_scene *scene)
{
    return rp_world_resolves_grains(scene) ? rp_grain_mean_spheres(scene, 0) : 1;
}

/* Bytes of the fields that the method added itself, which are in its estimate, too. */
static double own_bytes(const rp_world *world)
{
    rp_grains common;
    double bytes = (double)rp_grains_bytes_each(&world->grains);
    assert_int_equal(rp_grains_begin_with(&common, world->type->needs, NULL), RP_OK);
    if (rp_world_resolves_grains(world->scene))
        assert_int_equal(rp_grains_add_shapes(&common, rp_world_orients_grains(world->scene), NULL),
                         RP_OK);
    bytes -= (double)rp_grains_bytes_each(&common);
    rp_grains_end(&common);
    return bytes;
}

static void tables_are_complete(void **state)
{
    (void)state;
    const rp_scene_schema *schema = rp_solver_schema();
    assert_int_equal(schema->method_count, rp_solver_count());
    for (int i = 0; i < rp_solver_count(); i++) {
        const rp_solver_type *type = rp_solver_at(i);
        assert_true(type->create && type->destroy && type->limit_dt && type->step &&
                    type->estimate && !type->save == !type->load);
        assert_ptr_equal(schema->method_at(i), &type->scene);
        assert_string_equal(type->scene.params->name, type->name);
        assert_ptr_equal(rp_solver_find(type->name), type);
        check_names(type);
    }
    assert_null(rp_solver_find("no such method"));
    assert_null(rp_solver_at(-1));
    assert_null(rp_solver_at(rp_solver_count()));
}

/* Of the present instant, whatever lies between the members. */
static uint64_t contacts_hash(rp_world *world)
{
    rp_view view;
    uint64_t hash = 0;
    assert_int_equal(rp_world_contacts(world, &view, NULL), RP_OK);
    size_t count = view.contact_count;
    char *table = malloc(12 * count + 1);
    for (int i = 0; i < RP_CONTACT_PARTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        rp_contact_part_gather(part, view.contacts, count, table);
        hash = rp_hash(table, count * part->width * rp_field_type_size(part->type), hash);
    }
    free(table);
    return hash;
}

static void check_contacts(const rp_view *view)
{
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        const float *n = c->normal, *s = c->shear_force, *b = c->branch;
        double size = fabs((double)s[0]) + fabs((double)s[1]) + fabs((double)s[2]);
        check_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
        /* below 1e-30 N single precision has no digits left */
        check_near(s[0] * n[0] + s[1] * n[1] + s[2] * n[2], 0, 1e-4 * size + 1e-30);
        assert_true(c->with != RP_WITH_GRAIN || b[0] * n[0] + b[1] * n[1] + b[2] * n[2] > 0);
        assert_true(c->with <= RP_WITH_WALL && (c->overlap >= 0 || c->normal_force < 0));
    }
}

static uint64_t hash_at(rp_world *world, double time)
{
    run_world(world, time);
    return rp_world_hash(world);
}

/* The contacts of two worlds in the same state, whatever their threads. */
static void compare_contacts(rp_world *world, rp_world *other, size_t least)
{
    if (!world->type->contacts) return;
    assert_true(contacts_hash(world) == contacts_hash(other));
    rp_view view;
    assert_int_equal(rp_world_contacts(world, &view, NULL), RP_OK);
    assert_true(view.contact_count >= least);
    check_contacts(&view);
}

/* A world on one thread and one on four have the same bits and contacts, before the first step and
 * later; so have the first after its state was restored, and a new world, as after a restart, that
 * continues on two threads. */
static void threads_and_restarts_change_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < scene_count(); i++) {
        rp_scene *scene = scene_at(i);
        rp_world *world = world_of(scene, 1), *other = world_of(scene, 4);
        compare_contacts(world, other, 0);
        uint64_t middle = hash_at(world, 0.25);
        assert_true(hash_at(other, 0.25) == middle);
        rp_snapshot *snapshot = NULL;
        assert_int_equal(rp_world_snapshot(world, &snapshot, NULL), RP_OK);
        uint64_t end = hash_at(world, 0.5);
        assert_true(end != middle && hash_at(other, 0.5) == end);
        compare_contacts(world, other, 100);
        rp_view view;
        rp_world_view(world, &view);
        assert_true(view.count > 1000);
        rp_world_destroy(other);

        assert_int_equal(rp_world_restore(world, snapshot, NULL), RP_OK);
        assert_true(rp_world_hash(world) == middle);
        other = world_of(scene, 2);
        assert_int_equal(rp_world_restore(other, snapshot, NULL), RP_OK);
        compare_contacts(world, other, 0);
        assert_true(hash_at(world, 0.5) == end && hash_at(other, 0.5) == end);
        rp_snapshot_destroy(snapshot);
        rp_world_destroy(other);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* Grains drift through a periodic box and past a moving body; they neither gather nor spread. */
#define DRIFT_SCENE                                                                                \
    "gravity: [0, 0, 0]\n"                                                                         \
    "domain: {low: [-1, -1, -1], high: [1, 1, 1], periodic: [x, y, z]}\n"                          \
    "particles: {spacing: 5 cm, jitter: 0}\n"                                                      \
    "sources: {all: {shape: box, size: [2, 2, 0.4], velocity: [1, 0.5, 0]}}\n"                     \
    "bodies: {bar: {shape: box, size: [1, 1, 0.1], motion: keys, keys: [{time: 0, position: "      \
    "[0, 0, 0.8]}, {time: 9, position: [0.5, 0, 0.8]}]}}\n"                                        \
    "solver: {method: null}\n"

/* With soft grains where the method knows of them, which take longer steps: none collide here. */
static rp_scene *drift_scene_at(int index)
{
    bool is_dem = index < rp_solver_count() && !strcmp(rp_solver_at(index)->name, "dem");
    const char *soft = "materials: {sand: {young: 0.1 MPa}}\n" DRIFT_SCENE;
    return scene_with(is_dem ? soft : DRIFT_SCENE, index);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < scene_count(); i++) {
        rp_scene *scene = drift_scene_at(i);
        rp_world *world = world_of(scene, 2);
        run_world(world, 0.2);
        uint64_t calls = rp_memory_now().calls;
        assert_int_equal(rp_world_run_to(world, 0.6, NULL), RP_OK);
        assert_true(rp_memory_now().calls == calls);
        rp_view view;
        rp_world_view(world, &view);
        assert_true(view.count == 12800 && view.step > 20);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

static void a_world_gives_all_memory_back(void **state)
{
    (void)state;
    size_t before = rp_memory_now().bytes;
    for (int i = 0; i < scene_count(); i++) {
        rp_scene *scene = scene_at(i);
        rp_world *world = world_of(scene, 2);
        run_world(world, 0.1);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
    assert_int_equal(rp_memory_now().bytes, before);
}

/* Each number is computed in some scene of its method, each stage is entered. */
static void numbers_and_stages_are_filled(void **state)
{
    (void)state;
    int numbers[16] = {0}, stages[16] = {0};
    for (int i = 0; i < scene_count(); i++) {
        rp_scene *scene = scene_at(i);
        rp_world *world = world_of(scene, 2);
        rp_stage_time times[RP_STAGE_COUNT_MAX];
        run_world(world, 0.1);
        rp_step_info info = rp_world_step_info(world);
        int type = method_of(scene), filled = 0, entered = 0;
        for (int k = 0; k < info.number_count; k++)
            filled |= !isnan(rp_step_info_number(&info, info.numbers[k].name)) << k;
        int count = rp_world_stages(world, times, RP_STAGE_COUNT_MAX);
        double seconds = 0;
        for (int k = 0; k < count; k++) {
            entered |= (times[k].calls > 0) << k;
            seconds += times[k].seconds;
        }
        assert_true(seconds <= info.seconds && (!count || seconds > 0));
        assert_true(info.max_speed > 0 && info.dt > 0 && info.reason);
        assert_true(isnan(rp_step_info_number(&info, "no such number")));
        numbers[type] |= filled | -(1 << info.number_count);
        stages[type] |= entered | -(1 << count);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
    for (int i = 0; i < rp_solver_count(); i++)
        assert_true(numbers[i] == -1 && stages[i] == -1);
}

/* The length of a step, with grains and before any. */
static void steps_have_a_length(void **state)
{
    (void)state;
    for (int i = 0; i < rp_solver_count(); i++) {
        rp_scene *scene = scene_at(i);
        rp_world *world = world_of(scene, 1);
        for (int n = 0; n < 3; n++) {
            rp_step_limit limit = world->type->limit_dt(world->solver);
            assert_true(limit.dt > 0 && limit.reason && limit.reason[0]);
            assert_int_equal(rp_world_step(world, NULL), RP_OK);
        }
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* Grains that fly through an open side at once, and a stream where the method can have one. */
#define LEAVING_SCENE                                                                              \
    "gravity: [0, 0, 0]\n"                                                                         \
    "domain: {low: [-0.5, -1, -1], high: [2, 1, 1], open: [left]}\n"                               \
    "particles: {spacing: 4 cm}\n"                                                                 \
    "sources: {all: {shape: box, size: [0.2, 0.4, 0.4], position: [-0.3, 0, 0], velocity: [-4, "   \
    "0, "                                                                                          \
    "0]}}\n"                                                                                       \
    "emitters: {spout: {radius: 8 cm, position: [1, 0, 0], direction: [0, 0, 1], speed: 2}}\n"     \
    "solver: {method: null}\n"

static void grains_appear_and_vanish(void **state)
{
    (void)state;
    for (int i = 0; i < rp_solver_count(); i++) {
        if (~rp_solver_at(i)->capabilities & (RP_CAN_EMIT | RP_CAN_REMOVE)) continue;
        rp_scene *scene = scene_with(LEAVING_SCENE, i);
        rp_world *world = world_of(scene, 2);
        rp_view view;
        rp_world_view(world, &view);
        size_t first = view.count;
        run_world(world, 0.1);
        rp_world_view(world, &view);
        size_t removed = rp_world_step_info(world).removed;
        assert_true(removed > 0 && view.count + removed > first);
        unsigned needs = world->type->needs;
        assert_true(!view.density == !(needs & RP_NEEDS_DENSITY));
        assert_true(!view.pressure == !(needs & RP_NEEDS_PRESSURE));
        assert_true(!view.asleep == !(needs & RP_NEEDS_ASLEEP));
        assert_true(!view.moisture == !(needs & RP_NEEDS_MOISTURE));
        for (int k = 0; k < view.field_count; k++)
            assert_true(view.fields[k].data && view.fields[k].name && view.fields[k].unit);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

/* What a grain of a warm world takes is near what the estimate said; frames, which the estimate
 * counts, are not there. */
static void estimates_are_near_the_truth(void **state)
{
    (void)state;
    for (int i = 0; i < scene_count(); i++) {
        rp_scene *scene = drift_scene_at(i);
        size_t before = rp_memory_now().bytes;
        rp_world *world = world_of(scene, 1);
        run_world(world, 0.1);
        const rp_grains *p = &world->grains;
        double used = (double)(rp_memory_now().bytes - before) / (double)p->count;
        double said = world->type->estimate(scene, spheres_of(scene)) +
                      (double)rp_grains_bytes_each(p) - own_bytes(world);
        print_message("%s: %.0f bytes a grain, %.0f estimated\n", world->type->name, used, said);
        assert_true(used < 1.5 * said && said < 2.5 * used);
        rp_world_destroy(world);
        rp_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(threads_and_restarts_change_no_bit),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_world_gives_all_memory_back),
        cmocka_unit_test(numbers_and_stages_are_filled),
        cmocka_unit_test(steps_have_a_length),
        cmocka_unit_test(grains_appear_and_vanish),
        cmocka_unit_test(estimates_are_near_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
