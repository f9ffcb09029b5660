/* Poured heaps of 20 to 50 degrees, for pile-angle and pile-angle-fine. */
#ifndef RP_VALIDATION_PILE_ANGLE_H
#define RP_VALIDATION_PILE_ANGLE_H

#include "validation/validation.h"

/* Pours heaps of the given angles, each with every spacing, in metres; at most 4 and 3. */
rp_code rp_pour_piles(rp_case_context *c, const double *specified, int asked_count,
                      const double *spacings, int spacing_count);

#endif
