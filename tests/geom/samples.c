/* Samples: on the surface, as many and as even as wanted, the same for any number of threads, and
 * cached in a folder. */
#include "check.h"

#include "base/memory.h"
#include "base/threads.h"
#include "geom/samples.h"
#include "geom/shapes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/repose-sample-XXXXXX";
static int allocations_left = -1; /* then memory runs out; -1: never */

/* The same numbers by comparing all pairs. */
static void check_numbers(const rp_samples *s)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < s->count; i++) {
        double least = INFINITY;
        for (size_t j = 0; j < s->count; j++) {
            if (i == j || rp_v3_dot(s->normals[i], s->normals[j]) < -0.95) continue;
            least = fmin(least, rp_v3_length(rp_v3_sub(s->points[i], s->points[j])));
        }
        sum += least;
        squares += least * least;
    }
    double n = (double)s->count, mean = sum / n;
    check_near(s->mean, mean, 1e-12);
    check_near(s->spread, sqrt(squares / n - mean * mean) / mean, 1e-6);
}

/* No point of the surface is farther than this from all samples. */
static double largest_gap(const rp_shape *shape, const rp_samples *s)
{
    rp_mesh *mesh;
    double most = 0;
    check_ok(rp_shape_tessellate(shape, 24, 0, &mesh, NULL), NULL);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 24; i++) {
            rp_vec3 c[3], normal;
            rp_mesh_corners(mesh, t, c);
            /* Half of the points lie on edges of triangles, and so on all sharp edges. */
            double u = rp_random_unit(rp_random(1, RP_RANDOM_TEST, t * 24 + (size_t)i).bits[0]);
            double v = i % 2 ? 0 : (1 - u) * 0.5;
            rp_vec3 p = rp_v3_madd(c[i % 3], u, rp_v3_sub(c[(i + 1) % 3], c[i % 3]));
            p = rp_v3_madd(p, v, rp_v3_sub(c[(i + 2) % 3], c[i % 3]));
            p = rp_v3_madd(p, -rp_shape_distance(shape, p, &normal), normal);
            double least = INFINITY;
            for (size_t j = 0; j < s->count; j++)
                least = fmin(least, rp_v3_length(rp_v3_sub(s->points[j], p)));
            most = fmax(most, least);
        }
    rp_mesh_destroy(mesh);
    return most;
}

static void check_samples(const rp_shape *shape, double spacing)
{
    rp_samples s;
    check_ok(rp_shape_sample(shape, spacing, NULL, &s, NULL), NULL);
    check_numbers(&s);
    check_near(s.mean, spacing, 0.06 * spacing);
    if (s.spread > 0.07) fail_msg("spread %g, kind %d", s.spread, (int)shape->kind);
    for (size_t i = 0; i < s.count; i++) {
        check_near(rp_shape_distance(shape, s.points[i], NULL), 0, 1e-14);
        check_near(rp_v3_length(s.normals[i]), 1, 1e-12);
    }
    double gap = largest_gap(shape, &s);
    if (gap > 0.95 * spacing) fail_msg("gap %g, kind %d", gap / spacing, (int)shape->kind);
    rp_samples_release(&s);
}

static void samples_are_even_on_every_shape(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++)
        check_samples(&shapes[i], 0.06);
}

static void samples_are_even_on_a_mesh(void **state)
{
    (void)state;
    rp_mesh *mesh = bumpy_ball(40);
    assert_int_equal(rp_mesh_prepare(mesh, 0, NULL, NULL), RP_OK);
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    check_samples(&shape, 0.06);
    rp_mesh_destroy(mesh);
}

static void a_coarse_spacing_leaves_a_few(void **state)
{
    (void)state;
    rp_samples s;
    check_ok(rp_shape_sample(&shapes[1], 5, NULL, &s, NULL), NULL);
    assert_int_equal(s.count, 4);
    rp_samples_release(&s);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    rp_threads *threads;
    assert_int_equal(rp_threads_create(3, &threads, NULL), RP_OK);
    rp_samples a, b;
    check_ok(rp_shape_sample(&shapes[4], 0.04, NULL, &a, NULL), NULL);
    check_ok(rp_shape_sample(&shapes[4], 0.04, threads, &b, NULL), NULL);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.points, b.points, a.count * sizeof *a.points);
    assert_memory_equal(a.normals, b.normals, a.count * sizeof *a.normals);
    assert_true(a.mean == b.mean && a.spread == b.spread && a.rounds == b.rounds);
    rp_samples_release(&a);
    rp_samples_release(&b);
    rp_threads_destroy(threads);
}

static void what_cannot_be_sampled_is_refused(void **state)
{
    (void)state;
    rp_shape plane = {.kind = RP_SHAPE_PLANE};
    rp_samples s;
    assert_int_equal(rp_shape_sample(&plane, 0.1, NULL, &s, NULL), RP_ERROR_INPUT);
    const double spacings[] = {0, -1, NAN, INFINITY, 1e-5, 1e-12};
    for (int i = 0; i < 6; i++)
        assert_int_equal(rp_shape_sample(&shapes[0], spacings[i], NULL, &s, NULL), RP_ERROR_INPUT);
    rp_code code = RP_ERROR_MEMORY;
    int most = 0;
    for (; code == RP_ERROR_MEMORY; most++) {
        allocations_left = most;
        code = rp_shape_sample(&shapes[0], 0.2, NULL, &s, NULL);
        allocations_left = -1;
        rp_samples_release(&s);
    }
    assert_int_equal(code, RP_OK);
    assert_true(most > 8);
}

/* The only file in the folder. */
static void cache_path(char path[256])
{
    char command[300], name[200] = "";
    snprintf(command, sizeof command, "ls %s/cache", folder);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_int_equal(fscanf(list, "%199s", name), 1);
    char more[200];
    assert_int_equal(fscanf(list, "%199s", more), EOF);
    pclose(list);
    snprintf(path, 256, "%s/cache/%s", folder, name);
}

static rp_samples sample_cached(double spacing)
{
    char cache[64];
    rp_samples s;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    check_ok(rp_shape_sample_cached(&shapes[2], spacing, cache, NULL, &s, NULL), NULL);
    return s;
}

static void cached_samples_are_found_again(void **state)
{
    (void)state;
    rp_samples fresh = sample_cached(0.1), again = sample_cached(0.1);
    assert_true(!fresh.cached && again.cached);
    assert_int_equal(fresh.count, again.count);
    assert_memory_equal(fresh.points, again.points, fresh.count * sizeof *fresh.points);
    assert_memory_equal(fresh.normals, again.normals, fresh.count * sizeof *fresh.normals);
    assert_true(fresh.spread == again.spread && fresh.area == again.area);
    rp_samples_release(&again);

    /* One bit of any part of the file, and any cut, is noticed, and the file made again. */
    char path[256];
    cache_path(path);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    for (int i = 0; i < 12; i++) {
        off_t at = info.st_size * i / 12 + i % 3;
        if (i % 4 == 3) {
            assert_int_equal(truncate(path, at), 0);
        } else {
            FILE *file = fopen(path, "r+b");
            fseek(file, at, SEEK_SET);
            int byte = fgetc(file);
            fseek(file, at, SEEK_SET);
            fputc(byte ^ 16, file);
            fclose(file);
        }
        rp_samples made = sample_cached(0.1);
        assert_false(made.cached);
        assert_memory_equal(made.points, fresh.points, fresh.count * sizeof *fresh.points);
        rp_samples_release(&made);
        again = sample_cached(0.1);
        assert_true(again.cached);
        rp_samples_release(&again);
    }
    unlink(path);
    rp_samples_release(&fresh);
}

static void another_spacing_is_another_file(void **state)
{
    (void)state;
    rp_samples a = sample_cached(0.1), b = sample_cached(0.11);
    assert_true(!a.cached && !b.cached && a.count > b.count);
    rp_samples_release(&a);
    rp_samples_release(&b);
}

static void the_cache_is_where_the_user_wants_it(void **state)
{
    (void)state;
    char path[100], small[5];
    setenv("XDG_CACHE_HOME", "/var/x", 1);
    assert_true(rp_sample_cache_folder(path, sizeof path));
    assert_string_equal(path, "/var/x/repose");
    assert_false(rp_sample_cache_folder(small, sizeof small));
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/nowhere", 1);
    assert_true(rp_sample_cache_folder(path, sizeof path));
    assert_string_equal(path, "/nowhere/.cache/repose");
    unsetenv("HOME");
    assert_false(rp_sample_cache_folder(path, sizeof path));
}

static void *allocate_some(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return rp_default_hooks().allocate(user, size, alignment);
}

/* The last test: all the others gave back what they took. */
static void no_memory_is_left(void **state)
{
    (void)state;
    assert_int_equal(rp_memory_now().bytes, 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    rp_hooks hooks = rp_default_hooks();
    hooks.allocate = allocate_some;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_even_on_every_shape),
        cmocka_unit_test(samples_are_even_on_a_mesh),
        cmocka_unit_test(a_coarse_spacing_leaves_a_few),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_cannot_be_sampled_is_refused),
        cmocka_unit_test(cached_samples_are_found_again),
        cmocka_unit_test(another_spacing_is_another_file),
        cmocka_unit_test(the_cache_is_where_the_user_wants_it),
        cmocka_unit_test(no_memory_is_left),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
