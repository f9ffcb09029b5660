/* Synthetic piles whose angle is known: lattices, shaken lattices and grains thrown at random. */
#ifndef RP_TESTS_MEASURE_PILES_H
#define RP_TESTS_MEASURE_PILES_H

#include "check.h"

#include "base/random.h"
#include "math/vec.h"
#include "repose/view.h"
#include "scene/scene.h"

#include <stdlib.h>

typedef enum packing {
    PACKING_LATTICE,
    PACKING_JITTER, /* a lattice, each grain shifted by up to 0.3 spacings along each axis */
    PACKING_RANDOM, /* at random, none nearer to another than 0.7 spacings */
} packing;

typedef struct pile_def {
    double degrees;
    size_t grains; /* about */
    packing packing;
    rp_vec3 centre;             /* m, of the foot */
    double cut;                 /* share of the height that is missing at the top */
    double rounding;            /* share of the height that a ball rounds off */
    double loose;               /* share of loose grains scattered around */
    double turn_low, turn_high; /* part of the circle, in turns; 0 and 0: all */
    double thinned;             /* share of the grains taken away at random */
    uint64_t seed;
} pile_def;

typedef struct pile {
    rp_view view;
    float *x, *y, *z;
    size_t capacity;
    double height, radius; /* m, of the whole cone */
} pile;

#define PILE_SPACING 0.01

static inline double pile_chance(uint64_t seed, uint64_t i, int which)
{
    return rp_random_unit(rp_random(seed, RP_RANDOM_TEST, i).bits[which]);
}

static inline void pile_add(pile *p, double x, double y, double z)
{
    if (p->view.count == p->capacity) {
        p->capacity = 2 * p->capacity + 1024;
        p->x = realloc(p->x, p->capacity * sizeof *p->x);
        p->y = realloc(p->y, p->capacity * sizeof *p->y);
        p->z = realloc(p->z, p->capacity * sizeof *p->z);
    }
    p->x[p->view.count] = (float)x;
    p->y[p->view.count] = (float)y;
    p->z[p->view.count++] = (float)z;
}

/* A scene with a floor below the lowest grain, and no walls. */
static inline rp_scene pile_scene(const rp_view *view)
{
    double low = INFINITY;
    for (size_t i = 0; i < view->count; i++)
        low = fmin(low, (double)view->z[i]);
    rp_scene scene = {.gravity = {0, 0, -9.81}};
    scene.domain.low = rp_v3(-INFINITY, -INFINITY, low - 0.5 * PILE_SPACING);
    scene.domain.high = rp_v3(INFINITY, INFINITY, INFINITY);
    return scene;
}

/* Height of the pile above a place, about its own centre. */
static inline double pile_surface(const pile *p, const pile_def *def, double x, double y)
{
    double r = sqrt(x * x + y * y), t = tan(def->degrees * RP_PI / 180);
    double z = p->height - t * r, turn = atan2(y, x) / (2 * RP_PI);
    if (turn < 0) turn += 1;
    if (def->turn_high > 0 && (turn < def->turn_low || turn > def->turn_high)) return -1;
    z = fmin(z, p->height * (1 - def->cut));
    /* A ball that touches the cone where `rounding` of the height is above. */
    double touch = def->rounding * p->height / t, ball = touch * sqrt(1 + 1 / (t * t));
    if (r < touch) z = p->height - t * touch - ball / sqrt(1 + t * t) + sqrt(ball * ball - r * r);
    return z;
}

/* Random sequential places at a distance from each other, by a grid of one grain a cell; then the
 * free cells are tried again and again, so that it packs as densely as such places do. */
static inline void pile_throw(pile *p, const pile_def *def, double reach, double top)
{
    double apart = 0.7 * PILE_SPACING, cell = apart / sqrt(3.0);
    int64_t n = (int64_t)(2 * reach / cell) + 5, m = (int64_t)(top / cell) + 5;
    int32_t *grid = calloc((size_t)(n * n * m), sizeof *grid);
    uint64_t tries = (uint64_t)(8 * reach * reach * top / pow(PILE_SPACING, 3) * 1.2);
    for (uint64_t k = 0; k < tries; k++) {
        rp_random4 r = rp_random(def->seed + 77, RP_RANDOM_TEST, k);
        double x = (2 * rp_random_unit(r.bits[0]) - 1) * reach;
        double y = (2 * rp_random_unit(r.bits[1]) - 1) * reach;
        double z = rp_random_unit(r.bits[2]) * top;
        if (z > pile_surface(p, def, x, y)) continue;
        int64_t a = (int64_t)((x + reach) / cell) + 2, b = (int64_t)((y + reach) / cell) + 2,
                c = (int64_t)(z / cell) + 2;
        int free = 1;
        for (int64_t o = 0; o < 125 && free; o++) {
            int64_t i = a + o % 5 - 2, j = b + o / 5 % 5 - 2, l = c + o / 25 - 2;
            int32_t g = grid[(l * n + j) * n + i];
            if (!g) continue;
            double dx = p->x[g - 1] - x, dy = p->y[g - 1] - y, dz = p->z[g - 1] - z;
            free = dx * dx + dy * dy + dz * dz >= apart * apart;
        }
        if (!free) continue;
        pile_add(p, x, y, z);
        grid[(c * n + b) * n + a] = (int32_t)p->view.count;
    }
    free(grid);
}

static inline void pile_stack(pile *p, const pile_def *def, double reach, double top)
{
    int64_t n = (int64_t)(reach / PILE_SPACING) + 2, m = (int64_t)(top / PILE_SPACING) + 2;
    double shake = def->packing == PACKING_JITTER ? 0.3 : 0;
    for (int64_t k = 0; k < 4 * n * n * m; k++) {
        rp_random4 r = rp_random(def->seed + 5, RP_RANDOM_TEST, (uint64_t)k);
        double place[3] = {(double)(k % (2 * n) - n), (double)(k / (2 * n) % (2 * n) - n),
                           (double)(k / (4 * n * n)) + 0.5};
        for (int a = 0; a < 3; a++)
            place[a] = PILE_SPACING * (place[a] + shake * (2 * rp_random_unit(r.bits[a]) - 1));
        if (place[2] <= pile_surface(p, def, place[0], place[1]))
            pile_add(p, place[0], place[1], place[2]);
    }
}

static inline void pile_finish(pile *p, const pile_def *def)
{
    size_t kept = 0, loose = (size_t)(def->loose * (double)p->view.count);
    for (size_t i = 0; i < p->view.count; i++) {
        if (pile_chance(def->seed + 3, i, 0) < def->thinned) continue;
        p->x[kept] = p->x[i], p->y[kept] = p->y[i], p->z[kept++] = p->z[i];
    }
    p->view.count = kept;
    for (size_t i = 0; i < loose; i++)
        pile_add(p, (4 * pile_chance(def->seed + 9, i, 0) - 2) * p->radius,
                 (4 * pile_chance(def->seed + 9, i, 1) - 2) * p->radius,
                 i % 10 ? 0.5 * PILE_SPACING : pile_chance(def->seed + 9, i, 2) * 2 * p->height);
    for (size_t i = 0; i < p->view.count; i++) {
        p->x[i] += (float)def->centre.x;
        p->y[i] += (float)def->centre.y;
        p->z[i] += (float)def->centre.z;
    }
    p->view.x = p->x, p->view.y = p->y, p->view.z = p->z;
    p->view.spacing = PILE_SPACING;
}

static inline pile pile_make(pile_def def)
{
    pile p = {0};
    double t = tan(def.degrees * RP_PI / 180);
    double part = def.turn_high > 0 ? def.turn_high - def.turn_low : 1;
    double volume = (double)def.grains * pow(PILE_SPACING, 3) / part / (1 - pow(def.cut, 3));
    p.radius = cbrt(3 * volume / (RP_PI * t));
    p.height = p.radius * t;
    double top = p.height * (1 - def.cut) + PILE_SPACING;
    (def.packing == PACKING_RANDOM ? pile_throw : pile_stack)(&p, &def, p.radius, top);
    pile_finish(&p, &def);
    return p;
}

static inline void pile_free(pile *p)
{
    free(p->x);
    free(p->y);
    free(p->z);
}

#endif
