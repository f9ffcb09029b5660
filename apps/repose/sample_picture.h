/* The picture of `repose sample`: the body with its samples, and a cut through its distances. */
#ifndef REPOSE_SAMPLE_PICTURE_H
#define REPOSE_SAMPLE_PICTURE_H

#include "geom/sample.h"
#include "picture/picture.h"

/* m, between the lines of equal distance in the cut. */
double sample_picture_step(const rp_mesh *mesh);
rp_code sample_picture(const rp_mesh *mesh, const rp_samples *samples, rp_threads *threads,
                       rp_picture **out, rp_report *report);

#endif
