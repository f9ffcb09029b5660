/* A whole scene: every value arrives where it belongs, and what is written reads back the same. */
#include "check.h"

#include "base/report.h"
#include "scene/schema.h"
#include "solver/dem/dem.h"
#include "solver/sph/sph.h"

#include <stdlib.h>

static rp_scene *read_ok(const char *text)
{
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    check_ok(read_text(text, &scene, report), report);
    rp_report_destroy(report);
    return scene;
}

static void check_vector(rp_vec3 v, double x, double y, double z)
{
    check_near(v.x, x, 1e-15);
    check_near(v.y, y, 1e-15);
    check_near(v.z, z, 1e-15);
}

static void values_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    assert_string_equal(rp_scene_title(scene), "A handful of grains: falls into a box");
    assert_string_equal(scene->description, "Two lines,\nwith \"quotes\" and a µ.\n");
    assert_int_equal(scene->seed, 42);
    assert_true(rp_scene_duration(scene) == 2);
    assert_true(rp_scene_frame_rate(scene) == 50);
    assert_int_equal(rp_scene_frame_count(scene), 101);
    assert_true(scene->time.max_step == 0.005 && scene->time.step == 0);
    check_vector(scene->gravity, 0, 0, -9.81);
    assert_int_equal(scene->gravity_keys.count, 2);
    check_vector(((const rp_gravity_key_spec *)scene->gravity_keys.items)[1].gravity, 4.9, 0, -8.5);
    check_vector(scene->domain.high, 1, 1, 3);
    assert_int_equal(scene->domain.open, 1 << 5);
    assert_int_equal(scene->domain.periodic, 1);
    assert_true(scene->particles.spacing == 0.02 && scene->particles.jitter == 0.2);

    assert_int_equal(scene->materials.count, 2);
    const rp_material_spec *materials = rp_scene_materials(scene);
    assert_string_equal(materials[1].name, "gravel");
    assert_true(materials[1].density == 1800);
    check_near(materials[0].angle, 35 * RP_PI / 180, 1e-16);
    assert_true(materials[0].colour[1] == 0.60);
    check_near(materials[1].colour[0], 0.21586, 1e-5);
    assert_int_equal(rp_scene_find_material(scene, "gravel"), 1);
    assert_int_equal(rp_scene_find_material(scene, "grave"), -1);
    rp_scene_destroy(scene);
}

static void grains_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    const rp_material_spec *materials = rp_scene_materials(scene);
    const rp_dem_material_params *sand = materials[0].own, *gravel = materials[1].own;
    assert_true(sand->young == 1e7 && gravel->young == 2e9);
    assert_true(materials[0].grain_density == 2650 && sand->poisson == 0.3);
    assert_true(sand->surface_tension == 0.072 && sand->rolling_friction == 0);
    assert_int_equal(scene->contacts.count, 1);
    const rp_contact_spec *slip = rp_scene_contacts(scene);
    assert_true(slip->first == 0 && slip->second == 1 && slip->friction == 0.2);
    assert_true(isnan(slip->restitution) && slip->rolling_friction == 0.01);

    assert_int_equal(scene->grains.count, 3);
    const rp_grain_spec *grit = rp_scene_grains(scene), *nut = grit + 1, *pebble = grit + 2;
    assert_true(grit->shape == RP_GRAIN_TETRAHEDRON && grit->clump.count == 4);
    assert_true(grit->diameter == 0.008 && grit->spread == 0.2 && grit->share == 3);
    assert_true(grit->sizes == RP_SIZES_LOGNORMAL && grit->material == -1);
    assert_true(grit->smallest < 0.008 && grit->largest > 0.008);
    assert_true(nut->clump.count == 3 && nut->material == 1 && nut->share == 1);
    check_near(nut->clump.balls[0].radius / nut->clump.balls[2].radius, 2, 1e-12);
    check_near(nut->diameter, 0.016, 1e-12); /* 0.8 spacings */
    assert_true(pebble->sieve.count == 3 && pebble->clump.count == 8);
    assert_true(pebble->smallest == 0.001 && pebble->largest == 0.009);
    rp_scene_destroy(scene);

    scene = read_ok("particles: {spacing: 1}\n");
    assert_int_equal(scene->contacts.count, 0);
    assert_int_equal(scene->grains.count, 1);
    assert_string_equal(rp_scene_grains(scene)->name, "grain");
    check_near(rp_scene_grains(scene)->diameter, 0.9, 1e-15);
    rp_scene_destroy(scene);
}

/* Keys that a method adds to bodies and sources: filled for the method that runs, checked for any,
 * kept in the text of the scene. */
static void own_keys_of_bodies_and_sources_arrive(void **state)
{
    (void)state;
    static const char text[] = "particles: {spacing: 1}\n"
                               "sources: {heap: {shape: sphere, radius: 1, stretch: [1, 2, 3]}}\n"
                               "bodies:\n"
                               "  floor: {shape: plane, stickiness: 0.5}\n"
                               "  wall: {shape: plane, normal: [1, 0, 0]}\n";
    char whole[512];
    snprintf(whole, sizeof whole, "%ssolver: {method: toy}\n", text);
    rp_scene *scene = read_ok(whole);
    const toy_body *floor = rp_scene_bodies(scene)[0].own, *wall = rp_scene_bodies(scene)[1].own;
    const toy_source *heap = rp_scene_sources(scene)[0].own;
    assert_true(floor->stickiness == 0.5 && wall->stickiness == 0.25);
    check_vector(heap->stretch, 1, 2, 3);
    rp_scene_destroy(scene);

    snprintf(whole, sizeof whole, "%ssolver: {method: 'null'}\n", text);
    scene = read_ok(whole);
    assert_null(rp_scene_bodies(scene)[0].own);
    assert_non_null(strstr(rp_scene_text(scene), "stickiness: 0.5"));
    rp_scene_destroy(scene);

    rp_report *report = rp_report_create();
    assert_int_equal(read_text("particles: {spacing: 1}\n"
                               "bodies: {floor: {shape: plane, stickiness: 2}}\n"
                               "sources: {a: {shape: sphere, radius: 1, strech: [1, 1, 1]}}\n",
                               &scene, report),
                     RP_ERROR_INPUT);
    assert_int_equal(rp_report_count(report), 2);
    bool suggested = false;
    for (int i = 0; i < 2; i++)
        suggested |= strstr(rp_report_fault(report, i)->message, "'stretch'") != NULL;
    assert_true(suggested);
    rp_report_destroy(report);
}

static void sources_and_emitters_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    const rp_source_spec *sources = rp_scene_sources(scene);
    assert_int_equal(scene->sources.count, 2);
    assert_int_equal(sources[0].shape.kind, RP_SHAPE_BOX);
    check_vector(sources[0].shape.size, 0.4, 0.4, 0.4);
    check_vector(sources[0].pose.position, 0, 0, 1);
    assert_int_equal(sources[0].material, 1);
    assert_int_equal(sources[1].material, 0);
    check_near(sources[1].spin.z, 2 * RP_PI, 1e-14);
    assert_true(sources[1].at == 1 && sources[1].shape.radius == 0.1);

    const rp_emitter_spec *emitters = rp_scene_emitters(scene);
    assert_int_equal(emitters[0].nozzle, RP_NOZZLE_DISC);
    check_vector(emitters[0].direction, 0, 0, -1);
    assert_true(emitters[0].stop == 1 && isinf(emitters[1].stop));
    assert_true(emitters[1].rate == 0.1);
    rp_scene_destroy(scene);
}

static void bodies_and_the_rest_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    const rp_body_spec *bodies = rp_scene_bodies(scene);
    assert_int_equal(scene->bodies.count, 4);
    assert_int_equal(rp_scene_find_body(scene, "paddle"), 1);
    check_vector(bodies[0].normal, 0, 0, 1);
    assert_int_equal(bodies[1].motion, RP_MOTION_KEYS);
    assert_int_equal(bodies[1].keys.count, 2);
    const rp_key_spec *keys = bodies[1].keys.items;
    assert_true(keys[1].time == 1);
    check_near(keys[1].rotation.z, RP_PI / 2, 1e-15);
    assert_true(bodies[2].density == 2500);
    assert_true(bodies[3].shape.neck == 0.03);
    assert_true(bodies[3].hidden && !bodies[2].hidden);
    const rp_moisture_spec *regions = rp_scene_moisture(scene);
    assert_int_equal(scene->moisture.count, 2);
    assert_true(!regions[0].everywhere && regions[0].shape.kind == RP_SHAPE_CYLINDER);
    assert_true(regions[0].shape.height == 0.5 && regions[0].pose.position.z == 1);
    assert_true(regions[0].duration == 0.5 && regions[0].value == 0.8);
    assert_true(regions[1].everywhere && regions[1].duration == 0 && regions[1].value == 0);
    assert_int_equal(scene->voids.count, 1);
    assert_true(rp_scene_voids(scene)[0].shape.radius == 0.05);
    check_near(rp_scene_voids(scene)[0].pose.orientation.y, sqrt(0.5), 1e-15);
    assert_int_equal(rp_scene_shape_count(scene), 2 + 4 + 2 + 1);
    assert_ptr_equal(rp_scene_shape_at(scene, 8), &rp_scene_voids(scene)[0].shape_spec);
    assert_ptr_equal(rp_scene_shape_at(scene, 1), &rp_scene_sources(scene)[1].shape_spec);
    assert_ptr_equal(rp_scene_shape_at(scene, 2), &bodies[0].shape_spec);
    assert_ptr_equal(rp_scene_shape_at(scene, 7), &regions[1].shape_spec);
    assert_int_equal(rp_scene_measurements(scene)[0].every, 2);
    assert_int_equal(scene->output.formats, 1 | 4);
    check_vector(scene->light.direction, 0, 0, -1);

    assert_string_equal(scene->method->name, "toy");
    const toy_params *toy = scene->method_params;
    assert_true(toy->stiffness == 3e6 && !toy->damped);
    assert_int_equal(toy->iterations, 4);
    assert_int_equal(toy->lead, 1);
    assert_int_equal(toy->outputs, 5);
    assert_string_equal(toy->note, "a: b");
    rp_scene_destroy(scene);
}

/* What keys do not give is the body's own; and the written scene says the same. */
static void bodies_move_evenly_where_no_key_says_how(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(
        "particles: {spacing: 1}\n"
        "bodies:\n"
        "  drum: {shape: sphere, radius: 1, motion: keys, position: [1, 2, 3], rotation: [90, 0, "
        "0], spin: [0, 30 rpm, 180 deg/s]}\n"
        "  slide: {shape: plane, motion: keys, velocity: [0, 0, 2 cm/s], keys: "
        "[{time: 1, rotation: [0, 0, 90]}, {time: 2}]}\n"
        "  lift: {shape: sphere, radius: 1, motion: keys, rotation: [90, 0, 0], spin: [0, 0, 0], "
        "keys: [{time: 1, position: [0, 0, 5]}]}\n"
        "  belt: {shape: plane, belt: [1 m/s, 0, -20 cm/s], velocity: [0, 0, 0]}\n");
    rp_scene *again = read_ok(scene->text);
    assert_string_equal(scene->text, again->text);
    const rp_body_spec *bodies = rp_scene_bodies(again);
    assert_true(!bodies[0].keys_move && !bodies[0].keys_turn);
    check_vector(bodies[0].pose.position, 1, 2, 3);
    check_near(bodies[0].pose.orientation.x, sqrt(0.5), 1e-15);
    check_near(bodies[0].spin.y, RP_PI, 1e-15);
    check_near(bodies[0].spin.z, RP_PI, 1e-15);
    assert_true(!bodies[1].keys_move && bodies[1].keys_turn && bodies[1].velocity.z == 0.02);
    check_near(bodies[1].pose.orientation.z, sqrt(0.5), 1e-15);
    assert_true(bodies[2].keys_move && !bodies[2].keys_turn);
    check_vector(bodies[2].pose.position, 0, 0, 5);
    check_near(bodies[2].pose.orientation.x, sqrt(0.5), 1e-15);
    check_vector(bodies[3].belt, 1, 0, -0.2);
    rp_scene_destroy(again);
    rp_scene_destroy(scene);
}

static void cameras_and_lamps_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    const rp_camera_spec *front = rp_scene_cameras(scene), *ride = front + 1;
    assert_int_equal(scene->cameras.count, 2);
    check_vector(front->up, 0, 0, 1);
    check_near(front->field_of_view, 40 * RP_PI / 180, 1e-15);
    assert_true(front->keys.count == 0 && front->interpolation == RP_INTERPOLATION_SMOOTH);
    assert_true(front->orbit == 0 && front->aperture == 0 && front->focus == 0);
    assert_true(front->shutter == 0.5);

    assert_int_equal(ride->interpolation, RP_INTERPOLATION_LINEAR);
    check_near(ride->orbit, RP_PI / 2, 1e-15);
    assert_true(ride->aperture == 0.004 && ride->focus == 2 && ride->shutter == 0.25);
    assert_int_equal(ride->keys.count, 2);
    const rp_camera_key_spec *keys = ride->keys.items;
    assert_true(keys[0].time == 1 && keys[1].time == 2);
    check_vector(keys[0].target, 0, 0, 0.5); /* the camera's own */
    check_vector(keys[1].target, 0, 0, 0);
    check_near(keys[0].field_of_view, 30 * RP_PI / 180, 1e-15);
    check_near(keys[1].field_of_view, 50 * RP_PI / 180, 1e-15);

    const rp_lamp_spec *desk = rp_scene_lamps(scene), *plain = desk + 1;
    assert_int_equal(scene->lamps.count, 2);
    assert_string_equal(desk->name, "desk");
    check_vector(desk->position, 1, 0, 2);
    assert_true(desk->radius == 0.02 && desk->strength == 3 && desk->colour[2] == 0.25);
    assert_true(plain->radius == 0.05 && plain->strength == 1 && plain->colour[1] == 1);
    rp_scene_destroy(scene);
}

static void joints_arrive(void **state)
{
    (void)state;
    rp_scene *scene = read_ok(full_scene);
    assert_int_equal(scene->joints.count, 4);
    const rp_joint_spec *door = rp_scene_joints(scene), *rail = door + 1, *rope = door + 2,
                        *glue = door + 3;
    assert_string_equal(door->name, "door");
    assert_int_equal(door->kind, RP_JOINT_HINGE);
    assert_int_equal(door->body, 2);
    assert_int_equal(door->other, 3);
    check_vector(door->anchor, 0, 0, 1);
    check_vector(door->axis, 0, 0.6, 0.8);
    check_near(door->low, -RP_PI / 2, 1e-15);
    check_near(door->high, 0.5, 1e-15);
    check_near(door->motor_speed, RP_PI / 3, 1e-15);
    assert_true(door->motor_force == 2 && isinf(door->break_force) && isinf(door->release));
    assert_int_equal(rail->other, -1);
    check_vector(rail->axis, 0, 0, 1);
    assert_true(rail->low == -0.05 && isinf(rail->high) && rail->high > 0);
    assert_true(rail->motor_speed == 0.001 && rail->motor_force == 1000);
    assert_true(rope->break_force == 20 && rope->body == 1 && rope->other == 2);
    assert_true(glue->release == 0.5 && glue->motor_force == 0 && isinf(glue->low));
    rp_scene_destroy(scene);
}

static void a_mass_stands_for_a_density(void **state)
{
    (void)state;
    rp_scene *scene = read_ok("particles: {spacing: 1}\nbodies:\n"
                              "  a: {shape: sphere, radius: 1, motion: dynamic, mass: 2 t}\n"
                              "  b: {shape: sphere, radius: 1, motion: dynamic, density: 5}\n");
    const rp_body_spec *bodies = rp_scene_bodies(scene);
    assert_true(bodies[0].mass == 2000 && bodies[0].density == 0);
    assert_true(bodies[1].mass == 0 && bodies[1].density == 5);
    rp_scene_destroy(scene);
}

static void little_is_enough(void **state)
{
    (void)state;
    rp_scene *scene = read_ok("particles: {spacing: 1 cm}\nsolver: {method: null}\nbodies:\n");
    assert_string_equal(rp_scene_title(scene), "untitled");
    assert_string_equal(scene->description, "");
    assert_int_equal(scene->materials.count, 1);
    assert_string_equal(rp_scene_materials(scene)[0].name, "sand");
    assert_string_equal(scene->method->name, "null");
    assert_true(((null_params *)scene->method_params)->restitution == 0.5);
    assert_true(isinf(scene->domain.low.x) && isinf(scene->domain.high.z));
    assert_int_equal(scene->moisture.count, 0);
    assert_int_equal(scene->bodies.count, 0);
    rp_scene_destroy(scene);
    scene = read_ok("particles: {spacing: 0.01}\nmaterials: {gravel: {}}\n"
                    "sources: {a: {shape: sphere, radius: 1}}\ntime: {duration: ~}\n");
    assert_string_equal(scene->method->name, "null");
    assert_int_equal(scene->materials.count, 1);
    assert_int_equal(rp_scene_find_material(scene, "gravel"), 0);
    assert_true(scene->time.duration == 1);
    rp_scene_destroy(scene);
}

static void surfaces_are_rough_unless_told(void **state)
{
    (void)state;
    rp_scene *scene = read_ok("particles: {spacing: 1}\ndomain: {friction: 0.4}\nbodies:\n"
                              "  a: {shape: plane}\n  b: {shape: plane, friction: rough}\n"
                              "  c: {shape: plane, friction: inf}\n"
                              "  d: {shape: plane, friction: 0}\n");
    const rp_body_spec *bodies = rp_scene_bodies(scene);
    for (int i = 0; i < 3; i++)
        assert_true(isinf(bodies[i].friction) && bodies[i].friction > 0);
    assert_true(bodies[3].friction == 0);
    for (int side = 0; side < RP_SIDES; side++)
        assert_true(scene->domain.friction[side] == 0.4);
    rp_scene_destroy(scene);
    scene = read_ok("particles: {spacing: 1}\n");
    for (int side = 0; side < RP_SIDES; side++)
        assert_true(isinf(scene->domain.friction[side]));
    assert_non_null(strstr(rp_scene_text(scene), "friction: rough"));
    rp_scene_destroy(scene);
}

/* Walls that are not named have the default; also once more from the scene as it is written. */
static void walls_have_friction_each(void **state)
{
    (void)state;
    const double wanted[RP_SIDES] = {0, 0.25, INFINITY, INFINITY, INFINITY, INFINITY};
    rp_scene *scene = read_ok("particles: {spacing: 1}\n"
                              "domain: {low: [0, 0, 0], high: [1, 1, 1], friction: {left: 0, "
                              "right: 0.25, bottom: rough, top: ~}}\n");
    assert_memory_equal(scene->domain.friction, wanted, sizeof wanted);
    rp_scene *again = read_ok(rp_scene_text(scene));
    assert_memory_equal(again->domain.friction, wanted, sizeof wanted);
    rp_scene_destroy(again);
    rp_scene_destroy(scene);
}

/* Keys of any method may stand in a scene; those of the chosen one arrive, all stay in the text. */
static void methods_have_keys_of_their_own(void **state)
{
    (void)state;
#define CLAY "particles: {spacing: 1}\nmaterials: {clay: {cohesion: 2 kPa, young: 3 GPa}}\n"
    rp_scene *scene = read_ok(CLAY);
    const rp_sph_material_params *sph = rp_scene_materials(scene)->own;
    assert_true(sph->cohesion == 2000 && sph->wet_cohesion == 1500 && sph->viscosity == 0.01);
    assert_non_null(strstr(rp_scene_text(scene), "young: 3 GPa"));
    assert_non_null(strstr(rp_scene_text(scene), "wet_viscosity: 0.3"));
    assert_null(strstr(rp_scene_text(scene), "poisson"));
    rp_scene *again = read_ok(rp_scene_text(scene));
    assert_string_equal(rp_scene_text(again), rp_scene_text(scene));
    rp_scene_destroy(again);
    rp_scene_destroy(scene);

    scene = read_ok(CLAY "solver: {method: toy}\n");
    const rp_dem_material_params *dem = rp_scene_materials(scene)->own;
    assert_true(dem->young == 3e9 && dem->poisson == 0.3);
    assert_non_null(strstr(rp_scene_text(scene), "cohesion: 2 kPa"));
    rp_scene_destroy(scene);
}

static void texts_keep_their_quotes(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"'a''b'", "a'b"},
                                           {"''", ""},
                                           {"''''''''''''''''''''''", "''''''''''"},
                                           {"'a\n  b'", "a b"},
                                           {"\"a\\n\\\"b'\"", "a\n\"b'"},
                                           {"it's", "it's"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "particles: {spacing: 1}\ntitle: %s\n", texts[i][0]);
        rp_scene *scene = read_ok(text);
        assert_string_equal(scene->title, texts[i][1]);
        rp_scene_destroy(scene);
    }
}

static void aliases_are_written_out(void **state)
{
    (void)state;
    rp_scene *scene = read_ok("particles: {spacing: 1 cm}\n"
                              "bodies:\n"
                              "  a: &ball {shape: sphere, radius: 1 m, position: &p [1, 2, 3]}\n"
                              "  b: *ball\n"
                              "  c: {shape: plane, position: *p}\n");
    assert_int_equal(scene->bodies.count, 3);
    check_vector(rp_scene_bodies(scene)[1].position, 1, 2, 3);
    check_vector(rp_scene_bodies(scene)[2].position, 1, 2, 3);
    rp_scene_destroy(scene);
}

static void frames_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        int64_t frames;
    } cases[] = {
        {"duration: 0.3, frame_rate: 10", 4}, {"duration: 0, frame_rate: 10", 1},
        {"duration: 0.99, frame_rate: 1", 2}, {"duration: 0.4, frame_rate: 1", 2},
        {"duration: 1.4, frame_rate: 1", 2},  {"duration: 1e6, frame_rate: 1e6", 1000000000001},
        {"duration: 1.1, frame_rate: 30", 34}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "particles: {spacing: 1}\ntime: {%s}\n", cases[i].time);
        rp_scene *scene = read_ok(text);
        assert_int_equal(rp_scene_frame_count(scene), cases[i].frames);
        rp_scene_destroy(scene);
    }
}

/* --- there and back --------------------------------------------------------------------------- */

static bool equal_structs(const rp_param_table *table, const char *a, const char *b);

static bool equal_lists(const rp_param_table *table, const void *a, const void *b, bool named)
{
    const rp_plain_list *one = a, *other = b;
    if (one->count != other->count) return false;
    for (int i = 0; i < one->count; i++) {
        const char *x = (const char *)one->items + (size_t)i * table->size;
        const char *y = (const char *)other->items + (size_t)i * table->size;
        if (named && strcmp(*(char *const *)x, *(char *const *)y) != 0) return false;
        if (!equal_structs(table, x, y)) return false;
    }
    return true;
}

static size_t value_size(rp_param_kind kind)
{
    switch (kind) {
    case RP_PARAM_REAL:
        return sizeof(double);
    case RP_PARAM_EACH:
        return RP_SIDES * sizeof(double);
    case RP_PARAM_VEC3:
    case RP_PARAM_COLOUR:
        return 3 * sizeof(double);
    case RP_PARAM_COUNT:
        return sizeof(int64_t);
    case RP_PARAM_SWITCH:
        return sizeof(bool);
    case RP_PARAM_WORD:
    case RP_PARAM_NAME:
        return sizeof(int);
    case RP_PARAM_WORDS:
        return sizeof(uint32_t);
    default:
        return 0;
    }
}

static bool equal_values(const rp_param *param, const char *a, const char *b)
{
    const char *x, *y;
    switch (param->kind) {
    case RP_PARAM_TEXT:
    case RP_PARAM_FILE:
        x = *(char *const *)a;
        y = *(char *const *)b;
        return x && y ? strcmp(x, y) == 0 : x == y;
    case RP_PARAM_TABLE:
    case RP_PARAM_PART:
        return equal_structs(param->table, a, b);
    case RP_PARAM_NAMED:
    case RP_PARAM_LIST:
        return equal_lists(param->table, a, b, param->kind == RP_PARAM_NAMED);
    case RP_PARAM_METHOD:
        return true;
    default:
        return memcmp(a, b, value_size(param->kind)) == 0;
    }
}

static bool equal_structs(const rp_param_table *table, const char *a, const char *b)
{
    for (int i = 0; i < table->count; i++) {
        const rp_param *param = &table->params[i];
        if (equal_values(param, a + param->offset, b + param->offset)) continue;
        print_error("%s differs\n", param->key);
        return false;
    }
    return true;
}

static void check_there_and_back(const char *text)
{
    rp_scene *scene = read_ok(text);
    rp_scene *again = read_ok(rp_scene_text(scene));
    assert_string_equal(rp_scene_text(scene), rp_scene_text(again));
    assert_true(equal_structs(rp_scene_table(), (const char *)scene, (const char *)again));
    assert_ptr_equal(scene->method, again->method);
    assert_true(equal_structs(scene->method, scene->method_params, again->method_params));
    rp_scene_destroy(scene);
    rp_scene_destroy(again);
}

static void the_text_reads_back_the_same(void **state)
{
    (void)state;
    check_there_and_back(full_scene);
    check_there_and_back("particles: {spacing: 1e-3}\n");
    check_there_and_back(
        "particles: {spacing: 1e-3}\ntitle: \"\\t- {a}: [b] # c \\x07 \\u2028\"\n");
    check_there_and_back("particles: {spacing: 1e-3}\ntitle: \"~\"\ndescription: \" \"\n");
    check_there_and_back("particles: {spacing: 1e-3}\ntitle: '--- a'\ndescription: '%YAML'\n");
    check_there_and_back("particles: {spacing: 1e-3}\ntitle: >\n  a\n\n\n  b\n\n");
    check_there_and_back("particles: {spacing: \"7 µm\"}\nmaterials: {gröbster-Sand_1: {}}\n");
    check_there_and_back("particles: {spacing: 1}\ntitle: \"a''''''''''''''''''''''\"\n");
    check_there_and_back("particles: {spacing: 1e-3}\ntitle:\nbodies: {}\nmaterials: {}\n");
}

static void a_mesh_is_read_and_kept(void **state)
{
    (void)state;
    char folder[] = "/tmp/repose-scene-XXXXXX", path[100], text[300];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tetra.obj", folder);
    FILE *file = fopen(path, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    snprintf(text, sizeof text,
             "particles: {spacing: 0.1}\nbodies: {t: {shape: mesh, file: %s, scale: 2}}\n", path);
    rp_scene *scene = read_ok(text);
    const rp_body_spec *body = rp_scene_bodies(scene);
    assert_int_equal(body->shape.mesh->triangle_count, 4);
    check_near(rp_mesh_volume(body->shape.mesh), 8.0 / 6, 1e-12);
    rp_scene_destroy(scene);
    check_there_and_back(text);
    remove(path);
    remove(folder);
}

static void drafts_are_scenes_too(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "1 cm");
    rp_draft_set(draft, "sources.heap", "{shape: box, size: [20 cm, 20 cm, 20 cm]}");
    rp_draft_set(draft, "sources.heap.size", "[10 cm, 20 cm, 20 cm]");
    rp_scene *scene;
    check_ok(rp_draft_finish_with(draft, &schema, &scene, report), report);
    assert_true(rp_scene_sources(scene)[0].shape.size.x == 0.1);
    rp_scene_destroy(scene);

    draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "1 parsec");
    assert_int_equal(rp_draft_finish_with(draft, &schema, &scene, report), RP_ERROR_INPUT);
    assert_null(scene);
    assert_int_equal(rp_report_count(report), 1);
    assert_string_equal(rp_report_fault(report, 0)->file, "particles.spacing=1 parsec");
    rp_report_destroy(report);
}

static rp_draft *draft_of_bodies(void)
{
    rp_draft *draft = rp_draft_create();
    rp_draft_set(draft, "particles.spacing", "1 cm");
    rp_draft_set(draft, "bodies.a", "{shape: sphere, radius: 1, motion: dynamic, mass: 1}");
    rp_draft_set(draft, "bodies.b", "{shape: sphere, radius: 1}");
    return draft;
}

static void joints_are_drafted(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_draft *draft = draft_of_bodies();
    rp_joint_def def = rp_default_joint();
    def.body = "a";
    rp_draft_add_joint(draft, "glue", &def);
    def = (rp_joint_def){.size = sizeof def,
                         .kind = RP_JOINT_HINGE,
                         .body = "b",
                         .other = "a",
                         .anchor = {1, 2, 1.0 / 3},
                         .axis = {0, 2, 0},
                         .low = -1.0 / 3,
                         .high = INFINITY,
                         .motor_speed = -3,
                         .motor_force = 4,
                         .break_force = 5,
                         .release = 6};
    rp_draft_add_joint(draft, "door", &def);
    def.kind = RP_JOINT_SLIDER;
    rp_draft_add_joint(draft, "rail", &def);
    rp_scene *scene;
    check_ok(rp_draft_finish_with(draft, &schema, &scene, report), report);
    const rp_joint_spec *joints = rp_scene_joints(scene);
    assert_int_equal(scene->joints.count, 3);
    assert_true(joints[0].kind == RP_JOINT_FIXED && joints[0].other == -1);
    assert_true(isinf(joints[0].break_force) && isinf(joints[0].release));
    for (int i = 1; i < 3; i++) {
        assert_true(joints[i].body == 1 && joints[i].other == 0);
        check_vector(joints[i].axis, 0, 1, 0);
        assert_true(joints[i].low == -1.0 / 3 && isinf(joints[i].high));
        assert_true(joints[i].motor_speed == -3 && joints[i].motor_force == 4);
        assert_true(joints[i].break_force == 5 && joints[i].release == 6);
    }
    assert_true(joints[1].anchor.z == 1.0 / 3);
    rp_scene_destroy(scene);

    draft = draft_of_bodies();
    def = rp_default_joint();
    def.body = "c";
    rp_draft_add_joint(draft, "glue", &def);
    assert_int_equal(rp_draft_finish_with(draft, &schema, &scene, report), RP_ERROR_INPUT);
    assert_string_equal(rp_report_fault(report, 0)->key, "joints.glue.body");
    rp_report_destroy(report);
}

/* --- memory ----------------------------------------------------------------------------------- */

static int until_failure;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return until_failure-- == 0 ? NULL : aligned_alloc(alignment, size);
}

static void failing_release(void *user, void *block, size_t size)
{
    (void)user;
    (void)size;
    free(block);
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    rp_hooks hooks = rp_default_hooks();
    hooks.allocate = failing_allocate;
    hooks.release = failing_release;
    rp_set_hooks(&hooks);
    size_t before = rp_memory_now().bytes;
    int failures = 0;
    for (int n = 0;; n++) {
        rp_scene *scene = NULL;
        until_failure = n;
        rp_code code = read_text(full_scene, &scene, NULL);
        until_failure = -1;
        if (code == RP_OK) {
            rp_scene_destroy(scene);
            break;
        }
        assert_int_equal(code, RP_ERROR_MEMORY);
        assert_null(scene);
        assert_int_equal(rp_memory_now().bytes, before);
        failures++;
    }
    assert_int_equal(rp_memory_now().bytes, before);
    assert_true(failures > 3);
    hooks = rp_default_hooks();
    rp_set_hooks(&hooks);
}

/* --- help ------------------------------------------------------------------------------------- */

typedef struct text_sink {
    char text[40000];
    size_t used;
} text_sink;

static void add_line(void *user, const char *line)
{
    text_sink *sink = user;
    sink->used +=
        (size_t)snprintf(sink->text + sink->used, sizeof sink->text - sink->used, "%s\n", line);
    assert_true(sink->used < sizeof sink->text);
}

static void help_tells_every_key(void **state)
{
    (void)state;
    static text_sink sink;
    static const char *const wanted[] = {"time.duration",
                                         "bodies.NAME.radius",
                                         "bodies.NAME.keys[N].time",
                                         "solver.stiffness",
                                         "number in kg/m3 (1 to 100000)",
                                         "must be given",
                                         "one of: disc, rectangle",
                                         "sources.NAME.shape"};
    for (int style = RP_HELP_TEXT; style <= RP_HELP_MARKDOWN; style++) {
        sink.used = 0;
        assert_int_equal(rp_scene_help_with(&schema, NULL, style, add_line, &sink, NULL), RP_OK);
        for (int i = 0; i < 8; i++)
            if (!(style == RP_HELP_MARKDOWN && i == 4) && !strstr(sink.text, wanted[i]))
                fail_msg("no '%s' in the help", wanted[i]);
    }
    sink.used = 0;
    assert_int_equal(rp_scene_help_with(&schema, "emitters", RP_HELP_TEXT, add_line, &sink, NULL),
                     RP_OK);
    assert_non_null(strstr(sink.text, "emitters.NAME.nozzle"));
    assert_null(strstr(sink.text, "bodies"));
    rp_report *report = rp_report_create();
    assert_int_equal(rp_scene_help_with(&schema, "bodeis", RP_HELP_TEXT, add_line, &sink, report),
                     RP_ERROR_INPUT);
    assert_non_null(strstr(rp_report_fault(report, 0)->message, "did you mean 'bodies'?"));
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(grains_arrive),
        cmocka_unit_test(own_keys_of_bodies_and_sources_arrive),
        cmocka_unit_test(sources_and_emitters_arrive),
        cmocka_unit_test(bodies_and_the_rest_arrive),
        cmocka_unit_test(bodies_move_evenly_where_no_key_says_how),
        cmocka_unit_test(cameras_and_lamps_arrive),
        cmocka_unit_test(joints_arrive),
        cmocka_unit_test(a_mass_stands_for_a_density),
        cmocka_unit_test(little_is_enough),
        cmocka_unit_test(surfaces_are_rough_unless_told),
        cmocka_unit_test(walls_have_friction_each),
        cmocka_unit_test(methods_have_keys_of_their_own),
        cmocka_unit_test(texts_keep_their_quotes),
        cmocka_unit_test(aliases_are_written_out),
        cmocka_unit_test(frames_are_counted),
        cmocka_unit_test(the_text_reads_back_the_same),
        cmocka_unit_test(a_mesh_is_read_and_kept),
        cmocka_unit_test(drafts_are_scenes_too),
        cmocka_unit_test(joints_are_drafted),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(help_tells_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
