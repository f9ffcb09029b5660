/* What the cases of sand have in common: a scene with its world, and sums over the grains. */
#ifndef RP_VALIDATION_SAND_H
#define RP_VALIDATION_SAND_H

#include "validation/validation.h"

#define RP_DEGREE 0.017453292519943295 /* rad */

typedef struct rp_trial {
    rp_scene *scene;
    rp_world *world;
} rp_trial;

/* End it afterwards, whatever the code. */
rp_code rp_trial_begin(rp_case_context *c, const char *file, const rp_setting *settings,
                       int setting_count, rp_trial *out);
void rp_trial_end(rp_trial *trial);
/* Wall time of all steps so far, s. */
double rp_trial_seconds(const rp_trial *trial);

/* Sums over all grains, in double precision. */
typedef struct rp_sand_sums {
    double mass;          /* kg */
    double kinetic;       /* J */
    double momentum[3];   /* kg m/s */
    double momentum_size; /* kg m/s, sum of the sizes of the grains' momenta */
    double angular[3];    /* kg m2/s, about the origin */
    double moment[3];     /* kg m, mass times place */
} rp_sand_sums;
rp_sand_sums rp_sand_sum(const rp_view *view);
/* Root mean square of the grains' speeds, m/s. */
double rp_sand_speed(const rp_view *view);

/* The largest compression of all instants that were evaluated. */
typedef struct rp_compression {
    double mean, largest;           /* of max(0, rho / rho_0 - 1) over the grains */
    double mean_time, largest_time; /* s, when that was */
    int evaluations;
} rp_compression;
/* An instant without grains, or before the first step, counts as nothing. */
void rp_compression_add(rp_compression *compression, const rp_view *view, const rp_scene *scene);
/* The limits are the same everywhere: 0.5 % in the mean of an instant, 2 % for a single grain. */
void rp_compression_judge(rp_case_context *c, const rp_compression *compression, const char *where);

#endif
