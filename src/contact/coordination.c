#include "base/memory.h"
#include "base/report.h"
/* Which contacts are selected, how grains are found by id, and counts and means over contacts:
 * coordination number, rattlers, the strong network (M15). */
#include "contact/contact.h"

#include <stdlib.h>

/* --- selection of contacts ------------------------------------------------------------------ */

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

bool rp_contact_is_in_region(const rp_contact *c, const rp_contact_space *space)
{
    const rp_box3 *box = &space->region;
    double x = c->position[0], y = c->position[1], z = c->position[2];
    return c->normal_force > 0 && x >= box->low.x && x <= box->high.x && y >= box->low.y &&
           y <= box->high.y && z >= box->low.z && z <= box->high.z;
}

bool rp_contact_is_selected(const rp_contact *c, const rp_contact_space *space)
{
    return c->with == RP_WITH_GRAIN && rp_contact_is_in_region(c, space);
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
    RP_ASSERT(view->count <= UINT32_MAX);
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

rp_vec3 rp_contact_first_centre(const rp_view *view, const rp_grain_ids *ids, const rp_contact *c)
{
    size_t grain = rp_grain_ids_find(ids, c->first);
    if (grain < view->count) return rp_v3(view->x[grain], view->y[grain], view->z[grain]);
    rp_vec3 branch = {c->branch[0], c->branch[1], c->branch[2]};
    return rp_v3_madd(rp_v3(c->position[0], c->position[1], c->position[2]), -0.5, branch);
}

/* --- coordination and mean forces ----------------------------------------------------------- */

/* Contacts of each grain of the view. */
typedef struct contact_counts {
    rp_grain_ids ids;
    uint32_t *grains, *solids; /* contacts with grains, and with bodies and walls, of each grain */
    uint64_t *pairs;           /* places of both grains of each contact, the lower one first */
    size_t pair_count, count, capacity;
} contact_counts;

static void release(contact_counts *e)
{
    rp_release(e->grains, e->grains ? e->count * sizeof *e->grains : 0);
    rp_release(e->solids, e->solids ? e->count * sizeof *e->solids : 0);
    rp_release(e->pairs, e->pairs ? e->capacity * sizeof *e->pairs : 0);
    rp_grain_ids_release(&e->ids);
}

static rp_code reserve(const rp_view *view, contact_counts *e, rp_report *report)
{
    *e = (contact_counts){.count = view->count, .capacity = view->contact_count};
    e->grains = rp_allocate_zero(e->count * sizeof *e->grains);
    e->solids = rp_allocate_zero(e->count * sizeof *e->solids);
    e->pairs = rp_allocate(e->capacity * sizeof *e->pairs);
    if (e->grains && e->solids && e->pairs) return rp_grain_ids_make(view, &e->ids, report);
    return rp_fail_memory(report, e->capacity * sizeof *e->pairs, "contacts of grains");
}

/* Counts contacts for both of their grains, wherever the contact point is: a grain in the region
 * may be touched from outside. Contacts with an id that no grain has are skipped. */
static void count_contacts(const rp_view *view, contact_counts *e)
{
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (!(c->normal_force > 0)) continue;
        size_t a = rp_grain_ids_find(&e->ids, c->first);
        if (a == SIZE_MAX) continue;
        if (c->with != RP_WITH_GRAIN) {
            e->solids[a]++;
            continue;
        }
        size_t b = rp_grain_ids_find(&e->ids, c->second);
        if (b == SIZE_MAX) continue;
        e->grains[a]++;
        e->grains[b]++;
        e->pairs[e->pair_count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
}

static bool is_inside(const rp_view *view, size_t i, const rp_box3 *box)
{
    double x = view->x[i], y = view->y[i], z = view->z[i];
    return x >= box->low.x && x <= box->high.x && y >= box->low.y && y <= box->high.y &&
           z >= box->low.z && z <= box->high.z;
}

/* Counts pairs of touching grains once each, however many contacts they share. */
static double count_neighbors(const rp_view *view, const rp_box3 *box, contact_counts *e)
{
    double neighbors = 0;
    if (e->pair_count) qsort(e->pairs, e->pair_count, sizeof *e->pairs, by_size);
    for (size_t i = 0; i < e->pair_count; i++) {
        if (i && e->pairs[i] == e->pairs[i - 1]) continue;
        neighbors += is_inside(view, (size_t)(e->pairs[i] >> 32), box);
        neighbors += is_inside(view, (size_t)(e->pairs[i] & UINT32_MAX), box);
    }
    return neighbors;
}

/* Means over the grains in the region. A rattler has less than two contacts of any kind; stable
 * grains are all others. */
static void sum_grains(const rp_view *view, const rp_box3 *box, contact_counts *e,
                       rp_contact_statistics *out)
{
    double contacts = 0, stable = 0, stable_contacts = 0;
    for (size_t i = 0; i < view->count; i++) {
        if (!is_inside(view, i, box)) continue;
        out->grains++;
        contacts += e->grains[i];
        if (e->grains[i] + e->solids[i] < 2) continue;
        stable++;
        stable_contacts += e->grains[i];
    }
    if (!(out->grains > 0)) return;
    out->coordination = contacts / out->grains;
    out->neighbors = count_neighbors(view, box, e) / out->grains;
    out->rattlers = 1 - stable / out->grains;
    out->no_rattlers = stable > 0 ? stable_contacts / stable : 0;
}

static double shear_of(const rp_contact *c)
{
    double x = c->shear_force[0], y = c->shear_force[1], z = c->shear_force[2];
    return sqrt(x * x + y * y + z * z);
}

static void sum_forces(const rp_view *view, const rp_contact_space *space,
                       rp_contact_statistics *out)
{
    for (size_t i = 0; i < view->contact_count; i++) {
        const rp_contact *c = &view->contacts[i];
        if (c->with != RP_WITH_GRAIN) out->solid_contacts += rp_contact_is_in_region(c, space);
        if (!rp_contact_is_selected(c, space)) continue;
        out->contacts++;
        out->mean_force += c->normal_force;
        out->largest_force = fmax(out->largest_force, c->normal_force);
        out->shear_ratio += shear_of(c) / c->normal_force;
        out->mean_overlap += c->overlap;
        out->largest_overlap = fmax(out->largest_overlap, c->overlap);
    }
    if (!(out->contacts > 0)) return;
    out->mean_force /= out->contacts;
    out->shear_ratio /= out->contacts;
    out->mean_overlap /= out->contacts;
}

/* A second pass, for what depends on the mean force. */
static void sum_against_mean(const rp_view *view, const rp_contact_space *space,
                             rp_contact_statistics *out)
{
    double square = 0, strong = 0, strong_sum = 0, mean = out->mean_force;
    for (size_t i = 0; i < view->contact_count; i++) {
        double force = view->contacts[i].normal_force;
        if (!rp_contact_is_selected(&view->contacts[i], space)) continue;
        square += (force - mean) * (force - mean);
        if (force > mean) strong++, strong_sum += force;
    }
    if (!(out->contacts > 0)) return;
    out->force_deviation = sqrt(square / out->contacts);
    out->strong_share = strong / out->contacts;
    out->strong_force = strong_sum / (mean * out->contacts);
}

rp_code rp_contact_statistics_of(const rp_view *view, const rp_contact_space *space,
                                 rp_contact_statistics *out, rp_report *report)
{
    *out = (rp_contact_statistics){0};
    RP_TRY(rp_contacts_check(view, report));
    contact_counts e;
    rp_code code = reserve(view, &e, report);
    if (code == RP_OK) {
        count_contacts(view, &e);
        sum_grains(view, &space->region, &e, out);
        sum_forces(view, space, out);
        sum_against_mean(view, space, out);
    }
    release(&e);
    return code;
}
