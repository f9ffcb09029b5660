/* Shared by the cases of sand: a scene with its world, sums over the grains, collapsing columns,
 * silos. */
#ifndef RP_VALIDATION_SAND_H
#define RP_VALIDATION_SAND_H

#include "validation/validation.h"

/* --- worlds and sums -------------------------------------------------------------------------- */

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

/* --- collapsing columns ----------------------------------------------------------------------- */

/* Columns of sand that collapse between side walls without friction: how far they run. */

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
void rp_collapse_band(double aspect, double *centre, double *half_width);

/* --- load on the floor of a silo -------------------------------------------------------------- */

/* Janssen's law of the load on a silo's floor: fitted to what portion after portion weighs there.
 */

#define RP_JANSSEN_PORTIONS 6

typedef struct rp_janssen {
    double diameter;                    /* m */
    double friction;                    /* of the wall */
    double density;                     /* kg/m3, of what lies in it */
    double height[RP_JANSSEN_PORTIONS]; /* m, after each portion */
    double load[RP_JANSSEN_PORTIONS];   /* N, on the floor */
    double weight[RP_JANSSEN_PORTIONS]; /* N, of all */
} rp_janssen;

/* m2, the silo's cross-section. */
double rp_janssen_area(const rp_janssen *silo);
/* Fits K, the ratio of the pressure on the wall to the vertical one, judges load, misfit and K,
 * and draws them. */
void rp_janssen_judge(rp_case_context *c, const rp_janssen *silo);

#endif
