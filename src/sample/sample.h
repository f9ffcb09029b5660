/* A mesh with its samples. */
#ifndef RP_SAMPLE_SAMPLE_H
#define RP_SAMPLE_SAMPLE_H

#include "geom/mass.h"
#include "geom/samples.h"
#include "picture/picture.h"
#include "repose/sample.h"

struct rp_sampling {
    rp_mesh *mesh;
    rp_mass mass; /* of density 1 */
    rp_samples samples;
    rp_threads *threads;
    double read_seconds, prepare_seconds, sample_seconds;
};

/* Returns the distance between contours in the picture, m. */
double rp_sampling_contour(const rp_mesh *mesh);

#endif
