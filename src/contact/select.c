/* Which contacts are meant, and where grains are. */
#include "base/memory.h"
#include "base/report.h"
#include "contact/contact.h"

#include <stdlib.h>

rp_contact_space rp_contact_everywhere(void)
{
    rp_vec3 far = rp_v3(INFINITY, INFINITY, INFINITY);
    return (rp_contact_space){.region = {rp_v3_scale(far, -1), far}};
}

rp_code rp_contacts_check(const rp_view *view, rp_report *report)
{
    if (view->contacts) return RP_OK;
    return rp_fail(report, RP_ERROR_UNSUPPORTED,
                   "no contacts are recorded; a scene with `output: {contacts: yes}` and a method "
                   "that knows them (dem) records them");
}

bool rp_contact_is_in(const rp_contact *c, const rp_contact_space *space)
{
    const rp_box3 *box = &space->region;
    double x = c->position[0], y = c->position[1], z = c->position[2];
    return c->normal_force > 0 && x >= box->low.x && x <= box->high.x && y >= box->low.y &&
           y <= box->high.y && z >= box->low.z && z <= box->high.z;
}

bool rp_contact_is_meant(const rp_contact *c, const rp_contact_space *space)
{
    return c->with == RP_WITH_GRAIN && rp_contact_is_in(c, space);
}

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

rp_code rp_grain_ids_make(const rp_view *view, rp_grain_ids *out, rp_report *report)
{
    size_t bytes = view->count * sizeof *out->items;
    *out = (rp_grain_ids){.items = rp_allocate(bytes), .count = view->count};
    if (!out->items) return rp_fail_memory(report, bytes, "ids of grains");
    for (size_t i = 0; i < view->count; i++)
        out->items[i] = (uint64_t)view->id[i] << 32 | (uint64_t)i;
    qsort(out->items, out->count, sizeof *out->items, by_size);
    return RP_OK;
}

void rp_grain_ids_release(rp_grain_ids *ids)
{
    rp_release(ids->items, ids->items ? ids->count * sizeof *ids->items : 0);
    *ids = (rp_grain_ids){0};
}

size_t rp_grain_ids_find(const rp_grain_ids *ids, uint32_t id)
{
    size_t low = 0, high = ids->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ids->items[middle] >> 32 < id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < ids->count && ids->items[low] >> 32 == id;
    return found ? (size_t)(ids->items[low] & UINT32_MAX) : SIZE_MAX;
}

rp_vec3 rp_contact_start(const rp_view *view, const rp_grain_ids *ids, const rp_contact *c)
{
    size_t grain = rp_grain_ids_find(ids, c->first);
    if (grain < view->count) return rp_v3(view->x[grain], view->y[grain], view->z[grain]);
    rp_vec3 way = {c->branch[0], c->branch[1], c->branch[2]};
    return rp_v3_madd(rp_v3(c->position[0], c->position[1], c->position[2]), -0.5, way);
}
