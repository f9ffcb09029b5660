/* The poured heaps of pile-angle with the finest grains. */
#include "validation/pile-angle/pile-angle.h"

static rp_code run(rp_case_context *c)
{
    static const double specified[] = {20, 30, 40, 50}, spacings[] = {0.025};
    return c->quick ? rp_pour_piles(c, specified + 1, 1, spacings, 1)
                    : rp_pour_piles(c, specified, 4, spacings, 1);
}

const rp_case rp_case_pile_angle_fine = {
    "pile-angle-fine", "Poured heaps of 450 K grains; takes hours, not part of all", run};
