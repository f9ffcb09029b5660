/* Exponential, logarithm and roots with the same bits on every machine, like math/trig.h: whatever
 * reaches a world's state goes through these. Within a few units in the last place. */
#ifndef RP_MATH_EXPONENT_H
#define RP_MATH_EXPONENT_H

/* 0 below -708, infinite above 709. */
double rp_exp(double x);
/* The natural logarithm; NaN below zero, minus infinity at zero. */
double rp_ln(double x);
/* The third and the fifth root; 0 for what is not above zero. */
double rp_cube_root(double x);
double rp_fifth_root(double x);

#endif
