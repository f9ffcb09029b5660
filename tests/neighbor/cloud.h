/* Clouds of grains for the tests, and the slow twin of the search. */
#ifndef RP_TESTS_NEIGHBOR_CLOUD_H
#define RP_TESTS_NEIGHBOR_CLOUD_H

#include "check.h"

#include "base/random.h"
#include "base/report.h"
#include "neighbor/neighbor.h"

#include <stdlib.h>
#include <string.h>

static inline float cloud_unit(uint64_t seed, uint64_t counter, int which)
{
    return rp_random_unit(rp_random(seed, RP_RANDOM_TEST, counter).bits[which]);
}

/* `count` grains spread evenly over a box from `low`, `size` wide. */
static inline void cloud_fill(rp_grains *p, size_t count, uint64_t seed, const float low[3],
                              const float size[3])
{
    size_t first;
    check_ok(rp_grains_append(p, count, &first, NULL), NULL);
    for (size_t i = first; i < first + count; i++) {
        p->x[i] = low[0] + size[0] * cloud_unit(seed, i, 0);
        p->y[i] = low[1] + size[1] * cloud_unit(seed, i, 1);
        p->z[i] = low[2] + size[2] * cloud_unit(seed, i, 2);
    }
}

static inline void cloud_cube(rp_grains *p, size_t count, uint64_t seed, float low, float size)
{
    cloud_fill(p, count, seed, (const float[]){low, low, low}, (const float[]){size, size, size});
}

static inline bool cloud_near(float ax, float ay, float az, float bx, float by, float bz,
                              double radius)
{
    float dx = ax - bx, dy = ay - by, dz = az - bz, r = (float)radius;
    return dx * dx + dy * dy + dz * dz <= r * r;
}

static inline int cloud_compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* The list of query q, sorted, equals `wanted`, which is. */
static inline void cloud_check_list(const rp_lists *lists, size_t q, const uint32_t *wanted,
                                    size_t wanted_count)
{
    assert_int_equal(lists->count[q], wanted_count);
    if (!wanted_count) return;
    uint32_t *found = malloc(wanted_count * sizeof *found);
    memcpy(found, lists->index + lists->start[q], wanted_count * sizeof *found);
    qsort(found, wanted_count, sizeof *found, cloud_compare);
    assert_memory_equal(found, wanted, wanted_count * sizeof *found);
    free(found);
}

#endif
