/* Samples of a mesh through the public interface. */
#include "check.h"

#include "repose/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESH RP_SOURCE_DIR "/scenes/meshes/wheel.obj"

static rp_sampling *sample(double spacing, rp_report *report)
{
    rp_sampling *sampling = NULL;
    rp_sample_options options = rp_default_sample_options();
    options.spacing = spacing;
    options.threads = 1;
    check_ok(rp_sampling_create(MESH, &options, &sampling, report), report);
    return sampling;
}

static void samples_lie_on_the_mesh(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_sampling *sampling = sample(0.05, report);
    rp_sampling_info info = rp_sampling_state(sampling);
    assert_true(info.triangles > 0 && info.vertices > 0 && info.volume > 0 && info.area > 0);
    assert_true(info.samples > 10 && !info.cached && info.spacing == 0.05);
    assert_true(fabs(info.nearest_mean / info.spacing - 1) < 0.2 && info.contour > 0);
    const double *points = rp_sampling_points(sampling), *normals = rp_sampling_normals(sampling);
    for (size_t i = 0; i < info.samples; i++) {
        const double *p = points + 3 * i, *n = normals + 3 * i;
        assert_true(fabs(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1) < 1e-9);
        for (int k = 0; k < 3; k++)
            assert_true(p[k] >= info.low[k] - 1e-9 && p[k] <= info.high[k] + 1e-9);
    }
    rp_sampling_destroy(sampling);
    rp_report_destroy(report);
}

static void they_are_written_and_painted(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_sampling *sampling = sample(0.1, report);
    char path[] = "/tmp/repose-samples-XXXXXX.csv", line[256];
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    check_ok(rp_sampling_write(sampling, path, report), report);
    FILE *text = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, text));
    assert_string_equal(line, "x,y,z,nx,ny,nz\n");
    size_t rows = 0;
    while (fgets(line, sizeof line, text))
        rows++;
    fclose(text);
    remove(path);
    assert_int_equal(rows, rp_sampling_state(sampling).samples);
    assert_int_equal(rp_sampling_write(sampling, "x.txt", report), RP_ERROR_INPUT);
    rp_picture *picture = NULL;
    check_ok(rp_sampling_paint(sampling, &picture, report), report);
    assert_int_equal(picture->width, 2 * picture->height);
    rp_picture_destroy(picture);
    rp_sampling_destroy(sampling);
    rp_report_destroy(report);
}

static void bad_wishes_are_refused(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_sampling *sampling = NULL;
    rp_sample_options options = rp_default_sample_options();
    assert_int_equal(rp_sampling_create(MESH, &options, &sampling, report), RP_ERROR_INPUT);
    options.spacing = 0.1;
    options.scale = -1;
    assert_int_equal(rp_sampling_create(MESH, &options, &sampling, report), RP_ERROR_INPUT);
    options.scale = 1;
    options.size = 0;
    assert_int_equal(rp_sampling_create(MESH, &options, &sampling, report), RP_ERROR_INPUT);
    assert_null(sampling);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_lie_on_the_mesh),
                                       cmocka_unit_test(they_are_written_and_painted),
                                       cmocka_unit_test(bad_wishes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
