/* Rough surfaces: grains that are fixed on a shape, their centres on its surface; (S12a) and (S12b)
 * of docs/theory/geometry.md. A plane is infinite, so its fixed grains are computed on demand and
 * never stored; those of other shapes are even samples of the surface. The bits are the same for
 * any number of threads, and on any machine. */
#ifndef RP_GEOM_ROUGHNESS_H
#define RP_GEOM_ROUGHNESS_H

#include "base/threads.h"
#include "geom/hash_grid.h"
#include "geom/shape.h"

/* Parameters of a rough surface. */
typedef struct rp_roughness {
    double radius; /* m, of the fixed grains; 0: there are none */
    double period; /* m, mean distance of neighbors; 0: two radii */
    double jitter; /* share of the period by which each is shifted at random, along both axes */
} rp_roughness;

/* The part of a plane that has fixed grains, along its own x and y; may be infinite. */
typedef struct rp_rough_span {
    double low[2], high[2]; /* m */
    bool wraps[2];          /* periodic along this axis */
} rp_rough_span;

/* One fixed grain: its cell of a plane's lattice, or its number. */
typedef struct rp_fixed_grain {
    int32_t i, j;
} rp_fixed_grain;

typedef struct rp_rough_surface {
    double radius;          /* m */
    rp_roughness roughness; /* with the period in use */
    uint64_t seed;
    bool plane;
    rp_rough_span span; /* of a plane; infinite lattices begin at zero */
    double edge[2];     /* m, of a plane's cells */
    int32_t count[2];   /* of cells; 0: infinite */
    rp_vec3 *points;    /* m, of other shapes */
    size_t point_count;
    rp_hash_grid grid; /* of the points */
} rp_rough_surface;

/* `span` is of planes; `reach` (m) is the usual radius of later searches, and `key` names the
 * roughness in messages. Release it, also after a fault. */
rp_code rp_rough_surface_make(rp_rough_surface *rough, const rp_shape *shape,
                              const rp_roughness *roughness, uint64_t seed,
                              const rp_rough_span *span, double reach, rp_threads *threads,
                              const char *key, rp_report *report);
void rp_rough_surface_release(rp_rough_surface *rough);

/* Visits the fixed grains whose centres are nearer to a point than `reach` (m), in a fixed order.
 */
typedef void rp_fixed_grain_visit(void *user, rp_fixed_grain fixed, rp_vec3 place);
void rp_rough_surface_near(const rp_rough_surface *rough, rp_vec3 point, double reach,
                           rp_fixed_grain_visit *visit, void *user);
/* Returns the position of a fixed grain, m; on a periodic plane that of the minimum image to
 * `point`.
 */
rp_vec3 rp_rough_surface_place(const rp_rough_surface *rough, rp_fixed_grain fixed, rp_vec3 point);
/* True when there is such a fixed grain. */
bool rp_rough_surface_has(const rp_rough_surface *rough, rp_fixed_grain fixed);
/* Returns the signed distance from a point to the nearest fixed grain, m, negative inside; `near`
 * where none is nearer than that. */
double rp_rough_surface_gap(const rp_rough_surface *rough, rp_vec3 point, double near);

#endif
