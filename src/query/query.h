/* Queries on views: a hash grid of the grains, and the surfaces of solids. */
#ifndef RP_QUERY_QUERY_H
#define RP_QUERY_QUERY_H

#include "couple/surfaces.h"
#include "repose/query.h"

/* One grain in the order of the cells. */
typedef struct rp_query_grain {
    float x, y, z;  /* m */
    float radius;   /* m */
    uint32_t index; /* in the view */
    uint32_t id;
} rp_query_grain;

/* Spatial hashing as in Teschner et al., "Optimized spatial hashing for collision detection of
 * deformable objects", 2003: stray grains far away cost nothing. Cells with the same hash share a
 * bucket, so what is found is tested by its position. */
struct rp_query {
    rp_query_grain *grains; /* bucket by bucket */
    size_t count, capacity;
    uint32_t *starts; /* of each bucket, and one more for the end */
    size_t buckets, start_capacity;
    double cell;          /* m, no less than the largest radius */
    double spacing;       /* m, of the view */
    double largest;       /* m, radius */
    rp_box3 bounds;       /* m, of the centres of all grains */
    rp_vec3 origin;       /* m, low corner of the domain; 0 along axes that are not periodic */
    rp_vec3 period;       /* m; 0 along such axes, too */
    rp_surface *surfaces; /* at their present poses */
    int surface_count;
    size_t surface_capacity;
};

/* Builds a query; one that was built before reuses its memory. The shapes of the surfaces are
 * borrowed. */
rp_code rp_query_build(rp_query *query, const rp_scene *scene, const rp_view *view,
                       const rp_surface *surfaces, int surface_count, rp_report *report);
/* Returns the lowest index of a grain, below `end` and not dead, whose centre is nearer to a point
 * than `share` of the sum of its radius and `radius`; SIZE_MAX where there is none. `dead` is by
 * index. */
size_t rp_query_touching(const rp_query *query, rp_vec3 at, double radius, double share,
                         const uint8_t *dead, size_t end);
/* Releases what a query holds, which is then empty. */
void rp_query_end(rp_query *query);

#endif
