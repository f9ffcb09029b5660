/* The largest picture there is. */
#include "check.h"

#include "picture/picture.h"
#include "render/stage.h"

static stage s;

/* A ball of radius r at distance 2 covers pi r^2 / (4 - r^2) of the plane at distance 1. */
static void the_largest_picture_has_every_pixel(void **state)
{
    (void)state;
    const int edge = RP_PICTURE_EDGE_MAX;
    stage_clear(&s);
    s.options.samples = 1;
    s.options.colour = "id"; /* of the same size for all */
    s.view.spacing = 0.5;
    stage_add(&s, 0, 0, 0, RED);
    rp_threads *threads;
    assert_int_equal(rp_threads_create(2, &threads, NULL), RP_OK);
    rp_picture *picture = stage_render(&s, edge, edge, threads);
    const uint8_t *sky = rp_picture_at(picture, edge - 1, edge / 2);
    size_t ball = 0;
    for (int x = 0; x < edge; x++) /* the row through the ball's middle */
        ball += abs(rp_picture_at(picture, x, edge / 2)[1] - sky[1]) > 8;
    double pitch = 2 * tan(0.4) / edge, across = 2 * 0.25 / sqrt(4 - 0.25 * 0.25) / pitch;
    check_near((double)ball, across, 0.02 * across);
    rp_picture_destroy(picture);
    rp_threads_destroy(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_picture_has_every_pixel),
        cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
