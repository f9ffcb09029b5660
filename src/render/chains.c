#include "render/chains.h"
#include "base/memory.h"
#include "base/report.h"
#include "contact/contact.h"

#include <math.h>

/* Radius of a tube at the end of the scale, in half spacings; stronger ones grow on for a while. */
#define TUBE 0.4
#define TUBE_MOST 1.5
/* Contacts below the mean force are left out: they are most of them, and carry the least. */
#define LEAST 1.0

static double mean_force(const rp_view *view)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < view->contact_count; i++) {
        double force = view->contacts[i].normal_force;
        if (!(force > 0) || !isfinite(force)) continue;
        sum += force;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static bool is_finite(rp_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static void put(rp_quad to, rp_vec3 at, double radius)
{
    to[0] = (float)at.x;
    to[1] = (float)at.y;
    to[2] = (float)at.z;
    to[3] = (float)radius;
}

/* From the middle of the first grain to that of the second, or to the point on a body. */
static void add_tube(rp_chains *chains, const rp_grain_colours *colours, const rp_grain_ids *ids,
                     const rp_contact *c, rp_vec3 middle)
{
    const rp_view *view = colours->view;
    rp_vec3 way = {c->branch[0], c->branch[1], c->branch[2]};
    rp_vec3 from = rp_v3_sub(rp_contact_first_centre(view, ids, c), middle);
    if (!is_finite(from) || !is_finite(way)) return;
    double force = c->normal_force, high = colours->range.high;
    double size = fmin(TUBE_MOST, high > 0 ? sqrt(force / high) : 1);
    double radius = TUBE * 0.5 * view->spacing * size;
    put(chains->ends[2 * chains->count], from, radius);
    put(chains->ends[2 * chains->count + 1], rp_v3_add(from, way), radius);
    chains->forces[chains->count++] = c->normal_force;
}

static rp_code reserve(rp_chains *chains, size_t count, rp_report *report)
{
    chains->capacity = count;
    chains->ends = rp_allocate(2 * count * sizeof *chains->ends);
    chains->forces = rp_allocate(count * sizeof *chains->forces);
    if (chains->ends && chains->forces) return RP_OK;
    return rp_fail_memory(report, count * (2 * sizeof *chains->ends), "force chains");
}

rp_code rp_chains_gather(rp_chains *chains, const rp_grain_colours *colours, rp_vec3 middle,
                         rp_report *report)
{
    const rp_view *view = colours->view;
    rp_grain_ids ids = {0};
    *chains = (rp_chains){0};
    if (colours->kind != RP_COLOUR_CHAINS) return RP_OK;
    double least = LEAST * mean_force(view);
    rp_code code = reserve(chains, view->contact_count, report);
    if (code == RP_OK) code = rp_grain_ids_make(view, &ids, report);
    for (size_t i = 0; code == RP_OK && i < view->contact_count; i++) {
        double force = view->contacts[i].normal_force;
        if (force > 0 && force >= least && isfinite(force))
            add_tube(chains, colours, &ids, &view->contacts[i], middle);
    }
    rp_grain_ids_release(&ids);
    return code;
}

void rp_chains_release(rp_chains *chains)
{
    rp_release(chains->ends, chains->ends ? 2 * chains->capacity * sizeof *chains->ends : 0);
    rp_release(chains->forces, chains->forces ? chains->capacity * sizeof *chains->forces : 0);
    *chains = (rp_chains){0};
}

rp_vec3 rp_chains_normal(const rp_chains *chains, size_t tube, rp_vec3 point)
{
    const float *a = chains->ends[2 * tube], *b = chains->ends[2 * tube + 1];
    rp_vec3 from = {a[0], a[1], a[2]}, way = rp_v3_sub(rp_v3(b[0], b[1], b[2]), from);
    double square = rp_v3_dot(way, way);
    double t = square > 0 ? rp_v3_dot(rp_v3_sub(point, from), way) / square : 0;
    return rp_v3_normalized(rp_v3_sub(point, rp_v3_madd(from, fmax(0, fmin(1, t)), way)));
}

double rp_chains_radius(const rp_chains *chains, size_t tube)
{
    return (double)chains->ends[2 * tube][3];
}
