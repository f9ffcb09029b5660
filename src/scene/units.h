/* Units in scene files: a number with a unit becomes SI, and a wrong unit is told from a right
 * one. Angles count as a dimension of their own, so that degrees do not pass for metres. */
#ifndef RP_SCENE_UNITS_H
#define RP_SCENE_UNITS_H

#include "repose/words.h"

#include <stdbool.h>
#include <stddef.h>

/* value in SI = value * times / over. Two factors, since 5 / 1000 is the number nearest to 0.005
 * and 5 * 0.001 need not be. */
typedef struct rp_unit {
    int length, mass, time, angle; /* exponents */
    double times, over;
} rp_unit;

/* Understands "mm", "g/cm3", "m/s^2", "1/s", "Pa s", "%", "inch" and "". On failure `unknown`
 * (which may be NULL) gets the part that is no unit. */
bool rp_unit_parse(const char *text, rp_unit *unit, char *unknown, size_t size);
bool rp_unit_same_dimension(const rp_unit *a, const rp_unit *b);
double rp_unit_to_si(const rp_unit *unit, double value);
/* "m, cm, mm …": the usual units of the same dimension; empty for plain numbers. */
void rp_unit_list(const rp_unit *unit, char *text, size_t size);
/* "a length", "a time" …; "another quantity" for what has no name. */
const char *rp_unit_dimension(const rp_unit *unit);
/* The number at the start of the text, whatever the host program's locale. Infinities as "inf",
 * ".inf", "infinity". `*end` is left at the text when there is no number. */
double rp_units_number_at(const char *text, const char **end);
/* What stands behind a number: a unit of the dimension of `wanted`, or nothing, which is `wanted`
 * itself. On failure `problem` says what is wrong with `shown`. */
bool rp_unit_behind(const char *text, const char *shown, const rp_unit *wanted, rp_unit *unit,
                    char *problem, size_t size);
/* "; did you mean 'mm'?", or nothing. */
void rp_unit_hint(const char *wrong, char *text, size_t size);

#endif
