/* The same bits, whatever the threads and the memory, and after a break; who leaves and who crosses
 * periodic sides. */
#include "detail/grains.h"

#define VIEWS 8

/* The search for races makes all of it twenty times slower; there, only what has threads counts. */
#if defined(__SANITIZE_THREAD__)
#define SLOW 1
#else
#define SLOW 0
#endif

/* --- a busy world, seen now and then -------------------------------------------------------------
 */

#define DETAIL "detail: {factor: 4, keep_apart: %s}\n"

typedef struct film {
    rp_scene *scene;
    coarse views[VIEWS + 1];
    size_t newcomers; /* ids that ever were */
} film;

static coarse copy_view(const rp_scene *scene, const rp_view *view)
{
    coarse c = coarse_begin(scene, view->count);
    size_t bytes = view->count * sizeof(float);
    c.time = view->time;
    c.count = view->count;
    memcpy(c.x, view->x, bytes);
    memcpy(c.y, view->y, bytes);
    memcpy(c.z, view->z, bytes);
    memcpy(c.vx, view->vx, bytes);
    memcpy(c.vy, view->vy, bytes);
    memcpy(c.vz, view->vz, bytes);
    memcpy(c.id, view->id, bytes);
    memcpy(c.material, view->material, view->count);
    memcpy(c.bodies, view->bodies, (size_t)view->body_count * sizeof *c.bodies);
    return c;
}

static film make_film(const char *apart)
{
    char text[4096];
    snprintf(text, sizeof text, BUSY_SCENE DETAIL, apart);
    film f = {.scene = scene_of(text)};
    rp_world *world = world_of(f.scene, 1);
    for (int i = 0; i <= VIEWS; i++) {
        run_world(world, 0.09 * i);
        rp_view view;
        rp_world_view(world, &view);
        f.views[i] = copy_view(f.scene, &view);
        for (size_t k = 0; k < f.views[i].count; k++)
            if (f.views[i].id[k] >= f.newcomers) f.newcomers = f.views[i].id[k] + 1;
    }
    rp_world_destroy(world);
    return f;
}

static void end_film(film *f)
{
    for (int i = 0; i <= VIEWS; i++)
        coarse_end(&f->views[i]);
    rp_scene_destroy(f->scene);
}

static void play(rp_detail *detail, const film *f, int first, int last)
{
    for (int i = first; i <= last; i++)
        detail_to_coarse(detail, &f->views[i]);
}

/* All of it on one thread, in memory. */
static grains play_all(const film *f)
{
    rp_detail *detail = detail_of(f->scene, NULL);
    play(detail, f, 0, VIEWS);
    grains g = grains_of(detail);
    rp_detail_counts counts = rp_detail_count(detail);
    /* what the tests below are about does happen */
    assert_true(counts.left > 500 && counts.there > 500 && counts.steps == 9 * VIEWS);
    assert_int_equal(counts.born, 4 * f->newcomers);
    rp_detail_destroy(detail);
    return g;
}

/* --- threads and memory ----------------------------------------------------------------------- */

static rp_detail *create(const film *f, rp_threads *threads, double memory)
{
    rp_report *report = rp_report_create();
    rp_detail *detail = NULL;
    rp_detail_options options = {.threads = threads, .memory = memory, .scratch = "/tmp"};
    check_ok(rp_detail_create(f->scene, &options, &detail, report), report);
    rp_report_destroy(report);
    return detail;
}

static rp_threads *threads_of(int count)
{
    rp_report *report = rp_report_create();
    rp_threads *threads = NULL;
    check_ok(rp_threads_create(count, &threads, report), report);
    rp_report_destroy(report);
    return threads;
}

/* None, some and all in the scratch file. */
static const double memories[] = {1e12, 3e4, 0};

static void check_swapped(const rp_detail *detail, int memory)
{
    rp_detail_counts counts = rp_detail_count(detail);
    if (memory == 0) assert_true(counts.swapped == 0 && counts.bytes > 0);
    if (memory == 1) assert_true(counts.swapped > 0 && counts.swapped < counts.there);
    if (memory == 2) assert_true(counts.swapped == counts.there);
}

static void check_threads_and_memories(const char *apart, int first, int last)
{
    film f = make_film(apart);
    grains wanted = play_all(&f);
    for (int count = first; count <= last; count++)
        for (int m = 0; m < 3; m++) {
            rp_threads *threads = threads_of(count);
            rp_detail *detail = create(&f, threads, memories[m]);
            play(detail, &f, 0, VIEWS);
            check_swapped(detail, m);
            grains g = grains_of(detail);
            grains_same(&wanted, &g);
            grains_end(&g);
            rp_detail_destroy(detail);
            rp_threads_destroy(threads);
        }
    grains_end(&wanted);
    end_film(&f);
}

static void threads_and_memory_make_no_difference(void **state)
{
    (void)state;
    check_threads_and_memories("yes", SLOW ? 2 : 1, SLOW ? 2 : 3);
    if (!SLOW) check_threads_and_memories("no", 2, 2);
}

static void a_scratch_folder_that_is_missing_is_named(void **state)
{
    (void)state;
    film f = make_film("yes");
    rp_report *report = rp_report_create();
    rp_detail *detail = NULL;
    rp_detail_options options = {.memory = 0, .scratch = "/tmp/no-such-folder"};
    rp_code code = rp_detail_create(f.scene, &options, &detail, report);
    rp_view view = coarse_view(&f.views[0]);
    if (code == RP_OK) code = rp_detail_advance(detail, &view, report);
    assert_int_equal(code, RP_ERROR_IO);
    char text[1024] = "";
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    assert_non_null(strstr(text, "/tmp/no-such-folder"));
    rp_detail_destroy(detail);
    rp_report_destroy(report);
    end_film(&f);
}

/* --- breaks ----------------------------------------------------------------------------------- */

/* A new detail with the state of another. */
static rp_detail *copy_of(rp_detail *from, const film *f, rp_threads *threads, double memory)
{
    rp_report *report = rp_report_create();
    rp_detail *to = create(f, threads, memory);
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_detail_save(from, &store, report), report);
    check_ok(rp_detail_visit(from, rp_detail_load_chunk, to, report), report);
    check_ok(rp_detail_load(to, &store, report), report);
    rp_store_end(&store);
    rp_report_destroy(report);
    rp_detail_counts a = rp_detail_count(from), b = rp_detail_count(to);
    assert_true(a.born == b.born && a.left == b.left && a.there == b.there && a.steps == b.steps);
    assert_true(rp_detail_time(from) == rp_detail_time(to));
    return to;
}

static void check_breaks(const char *apart, int every)
{
    film f = make_film(apart);
    grains wanted = play_all(&f);
    rp_threads *threads = threads_of(2);
    rp_detail *whole = create(&f, NULL, 1e12);
    for (int i = 0; i < VIEWS; i++) { /* a break behind some views, of some two */
        play(whole, &f, i, i);
        if (i % every != 0) continue;
        rp_detail *detail = copy_of(whole, &f, threads, memories[i % 3]);
        if (i % 3 == 0) {
            play(detail, &f, i + 1, i + 1);
            rp_detail *again = copy_of(detail, &f, NULL, memories[(i + 1) % 3]);
            rp_detail_destroy(detail);
            detail = again;
        }
        play(detail, &f, i + 1 + (i % 3 == 0), VIEWS);
        grains g = grains_of(detail);
        grains_same(&wanted, &g);
        grains_end(&g);
        rp_detail_destroy(detail);
    }
    rp_detail_destroy(whole);
    rp_threads_destroy(threads);
    grains_end(&wanted);
    end_film(&f);
}

static void a_break_makes_no_difference(void **state)
{
    (void)state;
    if (SLOW) skip();
    check_breaks("yes", 2);
    check_breaks("no", 5);
}

static void a_state_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    if (SLOW) skip();
    film f = make_film("yes");
    rp_detail *whole = create(&f, NULL, 1e12), *other = create(&f, NULL, 1e12);
    play(whole, &f, 0, 3);
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_detail_save(whole, &store, report), report);
    assert_int_equal(rp_detail_load(other, &store, report), RP_ERROR_DAMAGED); /* no chunks */
    rp_store_end(&store);
    rp_store_begin(&store);
    check_ok(rp_detail_visit(whole, rp_detail_load_chunk, other, report), report);
    assert_int_equal(rp_detail_load(other, &store, report), RP_ERROR_DAMAGED); /* nothing else */
    rp_chunk chunk = {.first = 0, .born = 1, .count = 0, .material = 200};
    assert_int_equal(rp_detail_load_chunk(other, &chunk, report), RP_ERROR_DAMAGED);
    rp_store_end(&store);
    rp_report_destroy(report);
    rp_detail_destroy(whole);
    rp_detail_destroy(other);
    end_film(&f);
}

/* --- sides ------------------------------------------------------------------------------------ */

/* Of the busy world: none is beyond an open side or out of the period, in any view. */
static void open_and_periodic_sides(void **state)
{
    (void)state;
    if (SLOW) skip();
    film f = make_film("yes");
    rp_detail *detail = detail_of(f.scene, NULL);
    uint64_t left = 0;
    for (int i = 0; i <= VIEWS; i++) {
        play(detail, &f, i, i);
        grains g = grains_of(detail);
        for (size_t k = 0; k < g.born; k++) {
            if (!g.of[k].there) continue;
            const grain *p = &g.of[k];
            if (!(p->x >= -0.5f && p->z >= -1 && p->y >= -0.5f && p->y <= 0.5f))
                fail_msg("view %d: grain %zu is at %g %g %g", i, k, (double)p->x, (double)p->y,
                         (double)p->z);
        }
        rp_detail_counts counts = rp_detail_count(detail);
        assert_true(counts.left >= left); /* who left does not come back */
        left = counts.left;
        grains_end(&g);
    }
    rp_detail_destroy(detail);
    end_film(&f);
}

/* A block that crosses a side and an edge of the period takes its grains with it, as if there were
 * no side. */
static void check_crossing(const char *apart, double limit)
{
    const double period = 0.8, spacing = 0.05, speed[2] = {1, 0.6};
    char text[512];
    snprintf(text, sizeof text,
             "particles: {spacing: 0.05}\nsolver: {method: null}\ngravity: [0, 0, 0]\n"
             "domain: {low: [-0.1, 0.2, -5], high: [0.7, 1, 5], periodic: [x, y]}\n"
             "detail: {factor: 60, keep_apart: %s}\n",
             apart);
    rp_scene *scene = scene_of(text);
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 64);
    coarse_add_block(&c, 0.52, 0.75, 0, 4, 4, 4, spacing);
    grains start = {0}, end = {0};
    for (int frame = 0; frame <= 25; frame++) {
        double t = c.time = 0.04 * frame;
        for (size_t i = 0; i < c.count; i++) {
            double x = 0.52 + spacing * (double)(i % 4) + speed[0] * t;
            double y = 0.75 + spacing * (double)(i / 4 % 4) + speed[1] * t;
            c.x[i] = (float)(x - period * floor((x + 0.1) / period));
            c.y[i] = (float)(y - period * floor((y - 0.2) / period));
            c.vx[i] = (float)speed[0];
            c.vy[i] = (float)speed[1];
        }
        detail_to_coarse(detail, &c);
        grains_end(&end);
        end = grains_of(detail);
        for (size_t i = 0; i < end.born; i++)
            assert_true(end.of[i].x >= -0.1f && end.of[i].x <= 0.7f && end.of[i].y >= 0.2f &&
                        end.of[i].y <= 1);
        if (frame == 0) start = grains_of(detail);
    }
    for (size_t i = 0; i < start.born; i++) {
        double dx = end.of[i].x - (start.of[i].x + speed[0] * c.time);
        double dy = end.of[i].y - (start.of[i].y + speed[1] * c.time);
        dx -= period * rint(dx / period);
        dy -= period * rint(dy / period);
        check_near(hypot(dx, dy), 0, limit * spacing);
        check_near(end.of[i].z, start.of[i].z, limit * spacing);
    }
    grains_end(&start);
    grains_end(&end);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

static void a_block_crosses_periodic_sides(void **state)
{
    (void)state;
    if (SLOW) skip();
    check_crossing("no", 0.0206); /* the slack of 0.02, and rounding */
    check_crossing("yes", 0.25);  /* grains may deviate where they are dense by chance */
}

/* A bed that continues across periodic sides is as deep there as elsewhere: grains are kept apart
 * across them, too. */
static void a_bed_is_even_across_periodic_sides(void **state)
{
    (void)state;
    if (SLOW) skip();
    rp_scene *scene =
        scene_of("particles: {spacing: 0.05}\nsolver: {method: null}\n"
                 "domain: {low: [0.01, 0.01, 0], high: [0.51, 0.51, 5], periodic: [x, y]}\n"
                 "detail: {factor: 100}\n");
    rp_detail *detail = detail_of(scene, NULL);
    coarse c = coarse_begin(scene, 400);
    coarse_add_block(&c, 0.025, 0.025, 0.025, 10, 10, 4, 0.05);
    for (int frame = 0; frame < 40; frame++) {
        c.time = frame / 25.0;
        detail_to_coarse(detail, &c);
    }
    grains g = grains_of(detail);
    double height[2] = {0};
    size_t numbers[2] = {0};
    for (size_t i = 0; i < g.born; i++) {
        double x = g.of[i].x - 0.01, y = g.of[i].y - 0.01;
        bool side = x < 0.025 || x > 0.475 || y < 0.025 || y > 0.475;
        bool middle = fabs(x - 0.25) < 0.15 && fabs(y - 0.25) < 0.15;
        if (!side && !middle) continue;
        height[middle] += g.of[i].z;
        numbers[middle]++;
    }
    /* the mean of so many, spread evenly over 20 cm */
    double deviation =
        0.2 / sqrt(12.0 * (double)numbers[0]) + 0.2 / sqrt(12.0 * (double)numbers[1]);
    check_near(height[0] / (double)numbers[0], height[1] / (double)numbers[1], 5 * deviation);
    grains_end(&g);
    coarse_end(&c);
    rp_detail_destroy(detail);
    rp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_memory_make_no_difference),
        cmocka_unit_test(a_scratch_folder_that_is_missing_is_named),
        cmocka_unit_test(a_break_makes_no_difference),
        cmocka_unit_test(a_state_that_is_not_whole_is_refused),
        cmocka_unit_test(open_and_periodic_sides),
        cmocka_unit_test(a_block_crosses_periodic_sides),
        cmocka_unit_test(a_bed_is_even_across_periodic_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
