/* Words and quantities as scenes and command lines write them: "5 mm" becomes 0.005, and a wrong
 * word gets a suggestion. */
#ifndef REPOSE_WORDS_H
#define REPOSE_WORDS_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the known word that was most likely meant: the one that takes the fewest edits, or one
 * that other programs call so, as "cube" for "box". False, and an empty text, where none is near.
 */
RP_API bool rp_word_suggest(const char *word, const char *const *known, int count, char *text,
                            size_t size);

/* Reads "5 mm", "10 deg/s", "0.2" or "inf". A bare number is in `unit`, such as "m", "deg/s" or "";
 * the value is in SI units, angles in radians. False when it is no such quantity: `problem` then
 * says why. */
RP_API bool rp_quantity_parse(const char *text, const char *unit, double *value, char *problem,
                              size_t size);

/* Is handed one line of a text after another. */
typedef void rp_line_fn(void *user, const char *line);
/* A line for each quantity with its usual units: "length   m, cm, mm …". */
RP_API void rp_unit_help(rp_line_fn *line, void *user);

#ifdef __cplusplus
}
#endif
#endif
