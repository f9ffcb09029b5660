/* More bodies near one block of grains than any list of fixed length would hold. */
#include "solver/sand.h"

/* A floor of 34 x 34 tiles under one block of grains: none of them may be forgotten. */
static void check_tiles(const char *method)
{
    enum { TILES = 34, ROOM = TILES * TILES * 90 + 1000 };
    char *text = malloc(ROOM);
    int used = snprintf(text, ROOM,
                        "domain: {low: [0, 0, -1], high: [0.34, 0.34, 1], open: [top, bottom]}\n"
                        "materials: {sand: {young: 1 MPa}}\n"
                        "grains: {ball: {shape: sphere}}\n"
                        "particles: {spacing: 2 cm}\n"
                        "sources: {layer: {shape: box, size: [0.34, 0.34, 0.02], position: [0.17, "
                        "0.17, 0.02]}}\n"
                        "solver: {method: %s}\nbodies:\n",
                        method);
    for (int i = 0; i < TILES * TILES; i++)
        used += snprintf(text + used, (size_t)(ROOM - used),
                         "  t%d: {shape: box, size: [0.01, 0.01, 0.01], position: [%g, %g, 0]}\n",
                         i, 0.005 + 0.01 * (i % TILES), 0.005 + 0.01 * (i / TILES));
    sand s = sand_of(text);
    assert_true(s.view.count > 200 && s.view.count <= 512);
    sand_run(&s, 0.08); /* to fall through takes 0.06 s */
    for (size_t i = 0; i < s.view.count; i++)
        if (!(s.view.z[i] > 0))
            fail_msg("%s: grain %zu fell through, to %g", method, i, (double)s.view.z[i]);
    sand_end(&s);
    free(text);
}

static void floors_of_many_bodies_hold(void **state)
{
    (void)state;
    check_tiles("dem");
    check_tiles("frictional");
    check_tiles("null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_of_many_bodies_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
