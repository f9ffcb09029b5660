/* The check of `collapse` finds sand of twice the friction. */
#include "base/report.h"
#include "validation/sand.h"

#include <math.h>

#define LENGTH 0.1   /* m */
#define ANGLE 30.0   /* degrees, of the sand that `collapse` has */
#define FRICTION 2.0 /* times as much */

static rp_code run(rp_case_context *c)
{
    double angle = atan(FRICTION * tan(ANGLE * RP_DEGREE)) / RP_DEGREE, middle, half;
    rp_collapse column = {
        .aspect = 1, .length = LENGTH, .spacing = LENGTH / (c->quick ? 20 : 40), .angle = angle};
    RP_TRY(rp_collapse_run(c, &column));
    rp_collapse_band(column.aspect, &middle, &half);
    rp_judge_control(c, "run-out of a = 1 with twice the friction", column.runout, middle, half,
                     "");
    rp_case_note(c, "twice the friction of %g degrees is that of %.4g degrees", ANGLE, angle);
    return RP_OK;
}

const rp_case rp_case_negative_control = {
    "negative-control", "A case that must miss: twice the friction, found by the check", run};
