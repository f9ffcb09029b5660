/* Columns of sand that collapse between side walls without friction: how far they run. */
#ifndef RP_VALIDATION_COLLAPSE_H
#define RP_VALIDATION_COLLAPSE_H

#include "validation/sand.h"

typedef struct rp_collapse {
    double aspect;  /* height over length of the column */
    double length;  /* m, of the column */
    double spacing; /* m */
    double angle;   /* degrees, of the sand */
    /* what comes out */
    double runout; /* how far the front goes, over the length */
    double height; /* of what is left at the wall, over the length */
    double time;   /* s, when it rests */
} rp_collapse;

/* Runs a column of the case's scene.yaml until it rests. */
rp_code rp_collapse_run(rp_case_context *c, rp_collapse *column);
/* The band of experiments for the run-out: its centre and half its width. */
void rp_collapse_band(double aspect, double *middle, double *half);

#endif
