/* Force chains: contacts as tubes between the middles of grains, the thicker and brighter the
 * stronger they push (P15). */
#ifndef RP_RENDER_CHAINS_H
#define RP_RENDER_CHAINS_H

#include "render/colour.h"
#include "render/rays.h"

typedef struct rp_chains {
    rp_quad *ends; /* two a tube: middle and radius, relative to the scenery's middle */
    float *forces; /* N, of each tube */
    size_t count, capacity;
} rp_chains;

/* The tubes of a view's strong contacts; none where `colours` shows something else. Release them,
 * also after a fault. */
rp_code rp_chains_gather(rp_chains *chains, const rp_grain_colours *colours, rp_vec3 middle,
                         rp_report *report);
void rp_chains_release(rp_chains *chains);
/* The unit vector away from the axis of a tube, at a point of its surface. */
rp_vec3 rp_chains_normal(const rp_chains *chains, size_t tube, rp_vec3 point);
double rp_chains_radius(const rp_chains *chains, size_t tube); /* m */

#endif
