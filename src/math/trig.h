/* Sine, cosine and arctangent with the same bits on every machine. The C library's own pick
 * variants by processor, with and without fused multiply-add, whose last bits differ; these use
 * nothing but sums, products and quotients of doubles, which IEEE 754 prescribes to the last bit.
 * Whatever reaches a world's state goes through these, and through sqrt, which is prescribed as
 * well. */
#ifndef RP_MATH_TRIG_H
#define RP_MATH_TRIG_H

/* Up to this size, 2^19 pi, sines and cosines are within one unit in the last place. Beyond it the
 * error is that of an argument off by half a unit in its last place. */
#define RP_TRIG_LIMIT 0x1.921fb54442d18p+20

/* Of an angle in radians; NaN for infinities. */
double rp_sin(double angle);
double rp_cos(double angle);

/* The angle of the point (x, y), in [-pi, pi], within two units in the last place, with the zeros
 * and infinities of C99's annex F. */
double rp_atan2(double y, double x);

#endif
