/* Colours that stand for numbers. Equal steps of a number are equal steps to the eye, and greater
 * numbers are lighter, so that the map reads in grey print and by colour-blind people as well. Any
 * thread may call these, as often as it likes. */
#ifndef RP_PICTURE_MAP_H
#define RP_PICTURE_MAP_H

#include <stdint.h>

/* Linear sRGB, 0 to 1: from dark blue-violet at t = 0 over teal and green to bright yellow at 1.
 * Other t get the end they lie beyond; NaN gets a grey. */
void rp_map_colour(double t, double linear[3]);

/* A bright colour to tell things apart; all are equally light. */
void rp_map_colour_of_id(uint32_t id, double linear[3]);

/* Linear sRGB to OKLab's lightness, green-red and blue-yellow, and back. */
void rp_map_oklab_from_linear(const double linear[3], double lab[3]);
void rp_map_oklab_to_linear(const double lab[3], double linear[3]);

#endif
