/* Even samples of a surface: points about `spacing` apart, for pictures, other programs and methods
 * with boundary particles; granular SPH uses the exact surface.
 *
 * Seeds are stratified by area; then they repel each other along the surface until an iteration no
 * longer makes them more even: docs/theory/geometry.md, (S10) to (S12). The bits are the same for
 * any number of threads, and on any machine. */
#ifndef RP_GEOM_SAMPLES_H
#define RP_GEOM_SAMPLES_H

#include "base/threads.h"
#include "geom/shape.h"

/* Part of the key of cached samples: rises with every change of the algorithm. */
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
    int rounds;     /* iterations of repulsion */
    bool cached;    /* read from the cache */
} rp_samples;

/* Samples any shape but a plane. A mesh must be prepared. Release the samples, also after a fault.
 */
rp_code rp_shape_sample(const rp_shape *shape, double spacing, rp_threads *threads,
                        rp_samples *samples, rp_report *report);
/* The same with a cache in `folder`, under a name made from the shape, the spacing and the version;
 * a damaged file is made again. A file that cannot be written is no fault. NULL: no cache. */
rp_code rp_shape_sample_cached(const rp_shape *shape, double spacing, const char *folder,
                               rp_threads *threads, rp_samples *samples, rp_report *report);
void rp_samples_release(rp_samples *samples);

/* Finds the user's cache folder, $XDG_CACHE_HOME/repose or ~/.cache/repose; false where there is
 * none.
 */
bool rp_sample_cache_folder(char *path, size_t size);

#endif
