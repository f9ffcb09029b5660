/* Even samples of meshes: points on the surface at a given distance from each other, for pictures,
 * other programs, and methods with boundary particles.
 *
 *     rp_sample_options options = rp_default_sample_options();
 *     options.spacing = 0.005;
 *     rp_sampling *sampling;
 *     rp_code code = rp_sampling_create("bunny.obj", &options, &sampling, report);
 *     if (code == RP_OK) code = rp_sampling_write(sampling, "bunny.ply", report);
 *     rp_sampling_destroy(sampling);
 */
#ifndef REPOSE_SAMPLE_H
#define REPOSE_SAMPLE_H

#include "repose/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_sample_options {
    size_t size;    /* set by rp_default_sample_options() */
    double spacing; /* m, requested distance between neighboring samples; required */
    double scale;   /* metres per unit of the file; 0: 1, with a warning where that seems wrong */
    int threads;    /* 0: one per core; the samples do not depend on it */
    bool cache;     /* read and write the cache of samples of this user */
} rp_sample_options;
/* One thread per core, no cache. */
RP_DEFAULTS(rp_sample_options, rp_default_sample_options)

/* A mesh with its samples. */
typedef struct rp_sampling rp_sampling;
typedef struct rp_sampling_info {
    size_t triangles, vertices;
    double low[3], high[3];      /* m, bounds */
    double volume, volume_error; /* m3; the error is estimated where parts overlap */
    bool overlaps;               /* parts of the mesh overlap */
    double area;                 /* m2 */
    double centre[3];            /* m, of the volume */
    size_t samples;
    double spacing;        /* m, requested */
    double nearest_mean;   /* m, mean distance to the nearest other sample */
    double nearest_spread; /* standard deviation of that distance over its mean */
    int rounds;            /* rounds of repulsion */
    bool cached;           /* the samples come from the cache */
    double contour;        /* m, interval of the contour lines in the picture */
    double read_seconds, prepare_seconds, sample_seconds; /* wall-clock time */
} rp_sampling_info;

/* Reads a mesh as a scene would, and distributes samples over its surface. */
RP_API rp_code rp_sampling_create(const char *path, const rp_sample_options *options,
                                  rp_sampling **out, rp_report *report);
RP_API void rp_sampling_destroy(rp_sampling *sampling);
RP_API rp_sampling_info rp_sampling_state(const rp_sampling *sampling);
/* Return x, y, z (m) of each sample, and of its outward unit normal; valid until it is destroyed.
 */
RP_API const double *rp_sampling_points(const rp_sampling *sampling);
RP_API const double *rp_sampling_normals(const rp_sampling *sampling);
/* Writes the samples as *.csv, *.ply or *.vtp. */
RP_API rp_code rp_sampling_write(const rp_sampling *sampling, const char *path, rp_report *report);
/* Draws the mesh with its samples, and next to it a section through its signed distance field. */
RP_API rp_code rp_sampling_paint(const rp_sampling *sampling, rp_picture **out, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
