/* Sine, cosine, arctangent, exponential, logarithm and roots with the same bits on every machine.
 * The C library's own choose variants by processor, with and without fused multiply-add, whose last
 * bits differ; these use nothing but sums, products and quotients of doubles, which IEEE 754
 * prescribes to the last bit. Whatever reaches a world's state is computed by these, and by sqrt,
 * which is prescribed as well. */
#ifndef RP_MATH_ELEMENTARY_H
#define RP_MATH_ELEMENTARY_H

/* Up to this size, 2^19 pi, sines and cosines are within one unit in the last place. Beyond it the
 * error is that of an argument off by half a unit in its last place. */
#define RP_TRIG_LIMIT 0x1.921fb54442d18p+20

/* Returns the sine, or cosine, of an angle in radians; NaN for infinities. */
double rp_sin(double angle);
double rp_cos(double angle);

/* Returns the angle of the point (x, y), in [-pi, pi], within two units in the last place, with the
 * zeros and infinities of C99's annex F. */
double rp_atan2(double y, double x);

/* The following are within a few units in the last place. */

/* Returns e^x: 0 below -708, infinite above 709. */
double rp_exp(double x);
/* Returns the natural logarithm: NaN below zero, minus infinity at zero. */
double rp_ln(double x);
/* Return the third and the fifth root: 0 for arguments that are not above zero. */
double rp_cube_root(double x);
double rp_fifth_root(double x);

#endif
