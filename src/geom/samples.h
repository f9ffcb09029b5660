/* Even samples of a surface: points about `spacing` apart, for pictures, other programs and methods
 * that want particles on boundaries; granular SPH meets the exact surface.
 *
 * Seeds are dealt out by area; then they push each other apart along the surface until no round
 * makes them more even: docs/theory/geometry.md, (S10) to (S12). The same bits for any number of
 * threads, and on any machine. */
#ifndef RP_GEOM_SAMPLES_H
#define RP_GEOM_SAMPLES_H

#include "base/threads.h"
#include "geom/shape.h"

/* Part of the key of kept samples: rises with every change that changes a sample. */
#define RP_SAMPLE_VERSION 1
#define RP_SAMPLES_MAX 50000000u

typedef struct rp_samples {
    rp_vec3 *points;  /* m, in the shape's frame, on its surface */
    rp_vec3 *normals; /* unit, outward */
    size_t count;
    double spacing; /* m, wanted */
    double area;    /* m2, of the surface */
    double mean;    /* m, of the distances to the nearest other sample */
    double spread;  /* their standard deviation, over the mean */
    int rounds;     /* of repulsion */
    bool kept;      /* they come from the cache */
} rp_samples;

/* Samples of any shape but a plane. A mesh must be prepared. Release them, also after a fault. */
rp_code rp_shape_sample(const rp_shape *shape, double spacing, rp_threads *threads,
                        rp_samples *samples, rp_report *report);
/* The same, but kept in `folder` under a name made from the shape, the spacing and the version; a
 * kept file that is damaged is made again. What cannot be kept is no fault. NULL: no folder. */
rp_code rp_shape_sample_cached(const rp_shape *shape, double spacing, const char *folder,
                               rp_threads *threads, rp_samples *samples, rp_report *report);
void rp_samples_release(rp_samples *samples);

/* The user's folder for what can be made again, $XDG_CACHE_HOME/repose or ~/.cache/repose; false
 * where there is none. */
bool rp_sample_cache_folder(char *path, size_t size);

#endif
