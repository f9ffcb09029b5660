/* The same bits: with any number of threads, from a stored state, whenever lists are made. */
#include "solver/grains.h"

#include "base/memory.h"
#include "base/random.h"

/* Forces of a heap whose lists are made in every step, against one whose lists are not, in parts
 * of a grain's weight. */
#define FORCE_APART 1e-3

/* Tetrahedra that fall into a box. */
#define FALL                                                                                       \
    "domain: {low: [-0.1, -0.1, 0], high: [0.1, 0.1, 1], friction: 0.4}\n"                         \
    "particles: {spacing: 1.1 cm, jitter: 0.05}\n"                                                 \
    "grains: {all: {shape: tetrahedron, diameter: 1 cm, spread: 0.04}}\n"                          \
    "materials: {sand: {young: 1e6, restitution: 0.4, rolling_friction: 0.1}}\n"                   \
    "sources: {all: {shape: box, size: [0.165, 0.165, 0.165], position: [0, 0, 0.09], velocity: "  \
    "[0.3, 0.1, -0.5]}}\n"                                                                         \
    "solver: {method: dem, skin: 0.02}\n"

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    const int threads[3] = {1, 2, 4};
    for (int t = 0; t < 3; t++) {
        grains g = grains_of(threads[t], FALL);
        assert_int_equal(g.world->grains.count, 3375);
        run_world(g.world, 0.01);
        assert_true(((const rp_dem *)g.world->solver)->rebuilds > 2);
        hash[t] = rp_world_hash(g.world);
        grains_end(&g);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* Grains leave at the bottom and by one side, others are poured, a paddle stirs, some are wet. */
static const char *const streams[] = {
    "grains: {all: {shape: tetrahedron, diameter: 1 cm, spread: 0.05}}\n"
    "solver: {method: dem, skin: 0.05}\n",
    "grains: {all: {shape: sphere, diameter: 1 cm, spread: 0.05}}\n"
    "solver: {method: dem, law: linear, contact_time: 0.4 ms}\n",
    "grains: {a: {shape: dimer, diameter: 1 cm}, b: {shape: sphere, diameter: 0.6 cm}}\n"
    "moisture: {rain: {start: 0, duration: 0.1 s, value: 0.5}}\n"
    "solver: {method: dem, skin: 0.05}\n",
    "grains: {all: {shape: cube, diameter: 1 cm, spread: 0.05}}\n"
    "solver: {method: dem, shear: viscous}\n",
};

#define STREAM                                                                                     \
    "domain: {low: [-0.1, -0.06, 0], high: [0.1, 0.06, 0.4], open: [bottom, right], periodic: "    \
    "[y]}\n"                                                                                       \
    "particles: {spacing: 1.2 cm, jitter: 0.05}\n"                                                 \
    "materials: {sand: {young: 2e6, rolling_friction: 0.02}}\n"                                    \
    "bodies:\n"                                                                                    \
    "  plate: {shape: box, size: [0.15, 0.12, 0.02], position: [-0.02, 0, 0.05]}\n"                \
    "  paddle: {shape: box, size: [0.02, 0.05, 0.05], motion: keys, interpolation: linear, keys: " \
    "[{time: 0, position: [-0.09, 0, 0.1]}, {time: 1, position: [0.2, 0, 0.1], rotation: [0, 0, "  \
    "300 deg]}]}\n"                                                                                \
    "sources: {heap: {shape: box, size: [0.12, 0.12, 0.036], position: [0.04, 0, 0.09], "          \
    "velocity: "                                                                                   \
    "[1, 0, -0.3]}}\n"                                                                             \
    "emitters: {spout: {radius: 2 cm, position: [0, 0, 0.3], speed: 1}}\n"

static void run_from(const grains *g, const rp_snapshot *from, double time, uint64_t wanted)
{
    assert_int_equal(rp_world_restore(g->world, from, NULL), RP_OK);
    run_world(g->world, time);
    assert_true(rp_world_hash(g->world) == wanted);
}

/* Steps after which the state is taken: some right before and after grains came or went. */
static void check_restoring(const char *text, double middle)
{
    grains g = grains_of(2, STREAM "%s", text), other = grains_of(1, STREAM "%s", text);
    run_world(g.world, middle);
    size_t removed = rp_world_step_info(g.world).removed;
    rp_snapshot *snapshot = NULL;
    assert_int_equal(rp_world_snapshot(g.world, &snapshot, NULL), RP_OK);
    uint64_t here = rp_world_hash(g.world), seen = 0;
    uint32_t poured = g.world->grains.next_id;
    assert_int_equal(rp_world_restore(other.world, snapshot, NULL), RP_OK);
    assert_true(rp_world_hash(other.world) == here);
    run_world(g.world, middle + 0.02);
    assert_true(rp_world_step_info(g.world).removed > removed);
    assert_true(g.world->grains.next_id > poured);
    seen = rp_world_hash(g.world);
    assert_true(seen != here);
    run_world(other.world, middle + 0.02);
    assert_true(rp_world_hash(other.world) == seen);
    run_from(&g, snapshot, middle + 0.02, seen);
    rp_snapshot_destroy(snapshot);
    grains_end(&other);
    grains_end(&g);
}

static void a_restored_world_goes_on_the_same(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        check_restoring(streams[s], s % 2 ? 0.02 : 0.0267);
    }
}

/* In every step, while a block falls out of the world layer by layer: what lists held before must
 * not be seen in later ones. */
static void any_step_can_be_gone_back_to(void **state)
{
    (void)state;
    static const char text[] =
        "domain: {low: [-0.1, -0.1, 0], high: [0.1, 0.1, 0.2], open: [bottom]}\n"
        "particles: {spacing: 1.02 cm, jitter: 0.01}\n"
        "grains: {all: {shape: sphere, diameter: 1 cm}}\nmaterials: {sand: {young: 1e6}}\n"
        "sources: {all: {shape: box, size: [0.0816, 0.0816, 0.0816], position: [0, 0, 0.05], "
        "velocity: [0, 0, -3]}}\n"
        "solver: {method: dem, skin: 0.1}\n";
    grains g = grains_of(1, "%s", text), other = grains_of(1, "%s", text);
    assert_int_equal(g.world->grains.count, 512);
    while (g.world->grains.count) {
        rp_snapshot *snapshot = NULL;
        assert_int_equal(rp_world_snapshot(g.world, &snapshot, NULL), RP_OK);
        assert_int_equal(rp_world_restore(other.world, snapshot, NULL), RP_OK);
        rp_snapshot_destroy(snapshot);
        grains_step(&g);
        grains_step(&other);
        assert_true(rp_world_hash(g.world) == rp_world_hash(other.world));
    }
    grains_end(&other);
    grains_end(&g);
}

/* --- memory -------------------------------------------------------------------------------------
 */

/* Grains that neither gather nor spread, between two walls. */
static grains restless(const char *solver)
{
    grains g = grains_of(2,
                         "gravity: [0, 0, 0]\n"
                         "domain: {low: [0, 0, 0], high: [0.1, 0.1, 0.1], periodic: [x, y], "
                         "friction: 0, restitution: 1}\n"
                         "particles: {spacing: 1.2 cm, jitter: 0.1}\n"
                         "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                         "materials: {sand: {young: 1e7, restitution: 1, friction: 0.01}}\n"
                         "sources: {all: {shape: box, size: [0.096, 0.096, 0.096], position: "
                         "[0.05, 0.05, 0.05]}}\n"
                         "solver: {method: dem, %s}\n",
                         solver);
    for (size_t i = 0; i < g.world->grains.count; i++) {
        double factor = (double)(g.world->grains.id[i] % 7) - 3;
        set_velocity(&g, i, rp_v3(0.3 * factor, -0.2 * factor, i % 2 ? 0.8 : -0.8));
    }
    return g;
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    static const char *const solvers[] = {"skin: 0.05", "law: linear, contact_time: 0.5 ms",
                                          "shear: viscous, skin: 0.05",
                                          ("skin: 0.05}\ncontacts: {alike: {first: sand, second: "
                                           "sand, rolling_friction: 0.01}")};
    for (int s = 0; s < 4; s++) {
        grains g = restless(solvers[s]);
        run_world(g.world, 0.1);
        uint64_t calls = rp_memory_now().calls,
                 rebuilds = ((const rp_dem *)g.world->solver)->rebuilds;
        assert_int_equal(rp_world_run_to(g.world, 0.13, NULL), RP_OK);
        assert_true(rp_memory_now().calls == calls);
        assert_true(((const rp_dem *)g.world->solver)->rebuilds > rebuilds + 3);
        grains_end(&g);
    }
}

/* All that a cube of so many grains along an edge takes, when lists have been made from lists whose
 * contacts remember. */
static double bytes_of_cube(int edge, double *grains_in_it)
{
    size_t before = rp_memory_now().bytes;
    grains g = grains_of(1,
                         "time: {step: 1e-5 s}\n"
                         "domain: {low: [-1, -1, -1], high: [1, 1, 1]}\n"
                         "particles: {spacing: 1 cm, jitter: 0}\n"
                         "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                         "materials: {sand: {young: 1e7, friction: 0.5}}\n"
                         "sources: {all: {shape: box, size: [%g, %g, %g]}}\n"
                         "solver: {method: dem}\n",
                         0.01 * edge, 0.01 * edge, 0.01 * edge);
    for (size_t i = 0; i < g.world->grains.count; i++) {
        double factor = (double)(g.world->grains.id[i] % 7) - 3;
        set_velocity(&g, i, rp_v3(0.03 * factor, -0.02 * factor, i % 2 ? 0.08 : -0.08));
    }
    for (int i = 0; i < 20; i++) {
        if (i == 10) ((rp_dem *)g.world->solver)->displacement = HUGE_VAL;
        assert_int_equal(rp_world_step(g.world, NULL), RP_OK);
    }
    double bytes = (double)(rp_memory_now().bytes - before);
    *grains_in_it = (double)g.world->grains.count;
    grains_end(&g);
    return bytes;
}

/* What is there for every thread and every world is in both cubes. A sphere takes 252 bytes in this
 * loose lattice; 299, if what only the building of lists needs had memory of its own. */
static void making_lists_takes_no_memory_of_its_own(void **state)
{
    (void)state;
    double few, many, less = bytes_of_cube(20, &few), more = bytes_of_cube(40, &many);
    double each = (more - less) / (many - few);
    assert_true(each > 100 && each < 270);
}

static void a_world_gives_all_memory_back(void **state)
{
    (void)state;
    size_t before = rp_memory_now().bytes;
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        grains g = grains_of(2, STREAM "%s", streams[s]);
        run_world(g.world, 0.004);
        grains_end(&g);
    }
    assert_int_equal(rp_memory_now().bytes, before);
}

/* --- contact history -----------------------------------------------------------------------------
 */

#define HEAP_COUNT 75

/* What presses and rubs on each grain, by id: sums of normal and shear force, N. */
static void loads_of(const grains *g, double loads[HEAP_COUNT][2])
{
    rp_view view;
    assert_int_equal(rp_world_contacts(g->world, &view, NULL), RP_OK);
    assert_true(view.contact_count > HEAP_COUNT);
    memset(loads, 0, HEAP_COUNT * sizeof *loads);
    for (size_t i = 0; i < view.contact_count; i++) {
        const rp_contact *c = &view.contacts[i];
        const float *s = c->shear_force;
        double shear = sqrt((double)(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
        uint32_t ends[2] = {c->first, c->second};
        for (int k = 0; k < (c->with == RP_WITH_GRAIN ? 2 : 1); k++) {
            loads[ends[k]][0] += (double)c->normal_force;
            loads[ends[k]][1] += shear;
        }
    }
}

/* Two worlds from one state at rest; the lists of one are built again in every step. */
static void memory_survives_new_lists(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere", "tetrahedron"};
    for (int s = 0; s < 2; s++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "domain: {low: [0, 0, 0], high: [0.06, 0.06, 0.2]}\n"
                 "particles: {spacing: 1.2 cm, jitter: 0.1}\n"
                 "grains: {all: {shape: %s, diameter: 1 cm}}\n"
                 "materials: {sand: {young: 1e6, friction: 0.6, rolling_friction: 0.1}}\n"
                 "sources: {all: {shape: box, size: [0.06, 0.06, 0.036], position: [0.03, 0.03, "
                 "0.02]}}\n"
                 "solver: {method: dem, skin: 0.01}\n",
                 shapes[s]);
        grains g = grains_of(1, "%s", text), other = grains_of(1, "%s", text);
        run_world(g.world, 0.3);
        rp_snapshot *snapshot = NULL;
        assert_int_equal(rp_world_snapshot(g.world, &snapshot, NULL), RP_OK);
        assert_int_equal(rp_world_restore(other.world, snapshot, NULL), RP_OK);
        rp_snapshot_destroy(snapshot);
        double loads[HEAP_COUNT][2], again[HEAP_COUNT][2], weight = 9.81 * 2650 * 5.2e-7;
        uint64_t rebuilds = ((const rp_dem *)other.world->solver)->rebuilds;
        for (int n = 0; n < 200; n++) {
            ((rp_dem *)other.world->solver)->displacement =
                1; /* m: as if some grain had moved far */
            grains_step(&g);
            grains_step(&other);
        }
        assert_int_equal(((const rp_dem *)other.world->solver)->rebuilds, rebuilds + 200);
        loads_of(&g, loads);
        loads_of(&other, again);
        double shear = 0;
        for (int i = 0; i < HEAP_COUNT; i++) {
            check_near(again[i][0], loads[i][0], FORCE_APART * weight);
            check_near(again[i][1], loads[i][1], FORCE_APART * weight);
            shear += loads[i][1];
        }
        assert_true(shear > weight); /* there was something to forget */
        grains_end(&other);
        grains_end(&g);
    }
}

/* Counts entries with history, and those of them whose spheres are apart. */
static size_t false_history(const rp_dem *solver, size_t *with_history)
{
    const rp_dem_lists *lists = &solver->lists;
    size_t bad = 0;
    for (size_t n = 0; n < rp_dem_blocks(lists->grains); n++)
        for (size_t e = rp_dem_class_starts(lists, n)[0];
             e < rp_dem_class_starts(lists, n)[RP_DEM_CLASSES]; e++) {
            const float *a = rp_dem_position(solver, n * RP_DEM_BLOCK + lists->own[e]);
            const float *b = rp_dem_position(solver, lists->other[e]);
            double square = 0, sum = (double)a[POSITION_RADIUS] + (double)b[POSITION_RADIUS];
            bool stretched = false;
            for (int k = 0; k < 3; k++) {
                double d = (double)b[POSITION_X + k] - (double)a[POSITION_X + k];
                d += (double)b[POSITION_LOW_X + k] - (double)a[POSITION_LOW_X + k];
                square += d * d;
            }
            for (int k = 0; k < solver->history_columns; k++)
                stretched |= lists->history[k][e] != 0;
            *with_history += stretched;
            bad += stretched && sqrt(square) > sum * (1 + 1e-6);
        }
    return bad;
}

/* Two balls collide halfway, one of them in a cage of eight that are nearer at first. When they
 * part, both have moved just less than what seemed to be needed for them to touch at all. */
static void only_contacts_are_remembered(void **state)
{
    (void)state;
    const double size = 0.01, far = 1.6 * size, speed = 0.5; /* m, m/s */
    grains g = grains_of(1, "gravity: [0, 0, 0]\nparticles: {spacing: 2 cm, jitter: 0}\n"
                            "grains: {all: {shape: sphere, diameter: 1 cm}}\n"
                            "materials: {sand: {young: 1e7, restitution: 1, friction: 0.5}}\n"
                            "sources: {all: {shape: box, size: [20 cm, 2 cm, 2 cm]}}\n"
                            "solver: {method: dem, skin: 1}\n");
    assert_int_equal(g.world->grains.count, 10);
    for (uint32_t corner = 0; corner < 8; corner++) {
        double reach = 1.25 * size / sqrt(3);
        set_place(&g, grain_at(&g, corner),
                  rp_v3(corner & 1 ? reach : -reach, corner & 2 ? reach : -reach,
                        corner & 4 ? reach : -reach));
    }
    size_t a = grain_at(&g, 8), b = grain_at(&g, 9), springs = 0;
    set_place(&g, a, rp_v3(0, 0, 0));
    set_place(&g, b, rp_v3(far, 0, 0));
    set_velocity(&g, a, rp_v3(speed, 0, 0));
    set_velocity(&g, b, rp_v3(-speed, 0, 0));
    set_spin_of(&g, a, rp_v3(0, 0, 20));
    while (rp_world_time(g.world) < 0.6 * far / speed) {
        grains_step(&g);
        assert_int_equal(false_history(g.world->solver, &springs), 0);
    }
    assert_true(springs > 10); /* they touched */
    assert_true(velocity_at(&g, grain_at(&g, 9)).x > 0);
    assert_int_equal(((const rp_dem *)g.world->solver)->rebuilds, 1);
    grains_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_restored_world_goes_on_the_same),
        cmocka_unit_test(any_step_can_be_gone_back_to),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(making_lists_takes_no_memory_of_its_own),
        cmocka_unit_test(a_world_gives_all_memory_back),
        cmocka_unit_test(memory_survives_new_lists),
        cmocka_unit_test(only_contacts_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
