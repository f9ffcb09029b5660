/* Shadow maps: how far light comes from one direction, seen square on. The sun has one; the sky is
 * taken as many faint suns, whose shadows together make the soft dark of hollows and contacts. */
#ifndef RP_RENDER_SHADOW_H
#define RP_RENDER_SHADOW_H

#include "base/report.h"
#include "base/threads.h"
#include "render/shell.h"
#include "render/solid.h"

typedef struct rp_shadow_map {
    rp_vec3 forward;     /* the way the light travels */
    rp_vec3 right, down; /* of the map */
    rp_vec3 centre;      /* m, world */
    double radius;       /* m; the map is a square of twice this */
    double texel;        /* m */
    double per_metre;    /* texels, 1 / texel */
    int size;            /* texels along an edge */
    float *depth;        /* m along `forward` from the centre; infinite where nothing is */
} rp_shadow_map;

/* What stands in the light. */
typedef struct rp_shadow_casters {
    const rp_view *view;
    const rp_shell *shell;
    double grain_radius; /* m */
    const rp_solids *solids;
    rp_box3 bounds; /* m; what is outside casts no shadow */
} rp_shadow_casters;

/* Draws maps for the directions given, each of which is a unit vector. Release them, also after a
 * fault. */
rp_code rp_shadow_maps_draw(rp_shadow_map *maps, int count, const rp_vec3 *directions,
                            const int *sizes, const rp_shadow_casters *casters, rp_threads *threads,
                            rp_report *report);
void rp_shadow_maps_release(rp_shadow_map *maps, int count);
/* Texels along the edge of a map that shows a grain with `texels` across, within the limits. */
int rp_shadow_size(const rp_shadow_casters *casters, double texels, int least, int most);

/* The part of the light that reaches a point, from a source `spread` wide (a length at distance 1):
 * shadows are sharp at the contact and soften with the distance of what casts them. The turn (two
 * numbers from 0 to 1, another pair for each sample) picks where the map is asked. */
double rp_shadow_sun(const rp_shadow_map *map, rp_vec3 point, double spread, const double turn[2]);
/* The same from two texels instead of many: noisy, for one sun among the many of the sky. */
double rp_shadow_sky(const rp_shadow_map *map, rp_vec3 point, double spread, const double turn[2]);

#endif
