/* The coarse grains of a view, in the order of their ids, so that two views can be gone through
 * side by side. */
#include "detail/inside.h"

#include <stdlib.h>

void rp_coarse_grains_end(rp_coarse_grains *clumps)
{
    size_t bytes = clumps->capacity * sizeof(float);
    float *const arrays[] = {clumps->x, clumps->y, clumps->z, clumps->vx, clumps->vy, clumps->vz};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        rp_release(arrays[i], bytes);
    rp_release(clumps->id, bytes);
    rp_release(clumps->material, clumps->capacity);
    *clumps = (rp_coarse_grains){0};
}

rp_code rp_coarse_grains_reserve(rp_coarse_grains *clumps, size_t count, rp_report *report)
{
    if (count <= clumps->capacity) return RP_OK;
    rp_coarse_grains_end(clumps);
    clumps->capacity = count + count / 4;
    size_t bytes = clumps->capacity * sizeof(float);
    float **const arrays[] = {&clumps->x,  &clumps->y,  &clumps->z,
                              &clumps->vx, &clumps->vy, &clumps->vz};
    bool made = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        made = (*arrays[i] = rp_allocate(bytes)) && made;
    clumps->id = rp_allocate(bytes);
    clumps->material = rp_allocate(clumps->capacity);
    if (made && clumps->id && clumps->material) return RP_OK;
    rp_coarse_grains_end(clumps);
    return rp_fail_memory(report, count * (7 * sizeof(float) + 1), "coarse grains");
}

/* Coordinates beyond this are nowhere: floats have no decimals left there. */
#define NOWHERE 1e7f /* m */

static bool is_somewhere(const rp_view *view, size_t i)
{
    return fabsf(view->x[i]) < NOWHERE && fabsf(view->y[i]) < NOWHERE &&
           fabsf(view->z[i]) < NOWHERE && isfinite(view->vx[i]) && isfinite(view->vy[i]) &&
           isfinite(view->vz[i]);
}

/* An id and where it stands, as one number to sort by. */
static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static size_t list_ids(const rp_view *view, uint64_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < view->count; i++)
        if (is_somewhere(view, i)) ids[count++] = (uint64_t)view->id[i] << 32 | i;
    if (count) qsort(ids, count, sizeof *ids, by_value);
    return count;
}

static rp_code copy_clumps(rp_coarse_grains *clumps, const rp_view *view, const uint64_t *ids,
                           size_t count, rp_report *report)
{
    for (size_t k = 0; k < count; k++) {
        size_t i = ids[k] & UINT32_MAX;
        clumps->id[k] = view->id[i];
        clumps->x[k] = view->x[i];
        clumps->y[k] = view->y[i];
        clumps->z[k] = view->z[i];
        clumps->vx[k] = view->vx[i];
        clumps->vy[k] = view->vy[i];
        clumps->vz[k] = view->vz[i];
        clumps->material[k] = view->material[i];
        if (k && clumps->id[k] == clumps->id[k - 1])
            return rp_fail(report, RP_ERROR_DAMAGED, "two coarse grains have the id %u at %g s",
                           clumps->id[k], view->time);
    }
    clumps->count = count;
    return RP_OK;
}

rp_code rp_coarse_grains_take(rp_coarse_grains *clumps, const rp_view *view, int materials,
                              rp_report *report)
{
    clumps->count = 0;
    if (view->count > UINT32_MAX)
        return rp_fail(report, RP_ERROR_INPUT, "%zu coarse grains are too many", view->count);
    size_t bytes = view->count * sizeof(uint64_t);
    uint64_t *ids = rp_allocate(bytes);
    if (!ids) return rp_fail_memory(report, bytes, "coarse grains");
    rp_code code = rp_coarse_grains_reserve(clumps, view->count, report);
    if (code == RP_OK) code = copy_clumps(clumps, view, ids, list_ids(view, ids), report);
    rp_release(ids, bytes);
    for (size_t i = 0; i < clumps->count && code == RP_OK; i++)
        if (clumps->material[i] >= materials)
            code = rp_fail(report, RP_ERROR_DAMAGED,
                           "coarse grain %u is of material %d, which is not there", clumps->id[i],
                           clumps->material[i]);
    return code;
}
