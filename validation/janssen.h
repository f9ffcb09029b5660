/* Janssen's law of the load on a silo's floor: fitted to what portion after portion weighs there.
 */
#ifndef RP_VALIDATION_JANSSEN_H
#define RP_VALIDATION_JANSSEN_H

#include "validation/sand.h"

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
/* Fits K, the ratio of the pressure wall-clock time to the vertical one, judges load, misfit and K,
 * and draws them. */
void rp_janssen_judge(rp_case_context *c, const rp_janssen *silo);

#endif
