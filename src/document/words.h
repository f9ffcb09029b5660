/* Lists of words such as "fixed|keys|dynamic", spelling suggestions, and units of numbers. */
#ifndef RP_DOCUMENT_WORDS_H
#define RP_DOCUMENT_WORDS_H

#include "repose/words.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the index of `word` in "a|b|c", or -1. */
int rp_words_find(const char *words, const char *word);
/* Returns the number of words. */
int rp_words_count(const char *words);
/* Writes the list as "a, b, c". */
void rp_words_list(const char *words, char *text, size_t size);
/* Copies word `index`. */
void rp_words_at(const char *words, int index, char *text, size_t size);

/* Finds `word` among other spellings such as "block=box|cube=box" and copies what it stands for;
 * else false. */
bool rp_words_alias(const char *spellings, const char *word, char *text, size_t size);

/* The known word with the fewest edits from a wrong one (insertion, deletion, substitution, swap of
 * two neighbors), if they are few enough; or one that the word is a synonym of, as "cube" of "box":
 * rp_nearest nearest = rp_nearest_to("desnity"); rp_nearest_try(&nearest, "density", 7); … */
typedef struct rp_nearest {
    const char *wrong;
    int edits; /* of the best so far */
    bool found;
    char best[64];
} rp_nearest;
rp_nearest rp_nearest_to(const char *wrong);
void rp_nearest_try(rp_nearest *nearest, const char *candidate, size_t length);
void rp_nearest_try_words(rp_nearest *nearest, const char *words);
/* Writes "; did you mean 'density'?", or nothing. */
void rp_nearest_hint(const rp_nearest *nearest, char *text, size_t size);

/* --- units ------------------------------------------------------------------------------------ */

/* A unit: value in SI = value * times / over. There are two factors, since 5 / 1000 is the number
 * nearest to 0.005 and 5 * 0.001 need not be. Angles count as a dimension of their own, so that
 * degrees do not pass for metres. */
typedef struct rp_unit {
    int length, mass, time, angle; /* exponents */
    double times, over;
} rp_unit;

/* Parses "mm", "g/cm3", "m/s^2", "1/s", "Pa s", "%", "inch" and "". On failure `unknown` (which may
 * be NULL) gets the part that is no unit. */
bool rp_unit_parse(const char *text, rp_unit *unit, char *unknown, size_t size);
bool rp_unit_same_dimension(const rp_unit *a, const rp_unit *b);
double rp_unit_to_si(const rp_unit *unit, double value);
/* Writes the usual units of the same dimension: "m, cm, mm …"; nothing for plain numbers. */
void rp_unit_list(const rp_unit *unit, char *text, size_t size);
/* Returns the name of the dimension: "a length", "a time" …; "another quantity" for what has no
 * name. */
const char *rp_unit_dimension(const rp_unit *unit);
/* Parses the number at the start of the text, whatever the host program's locale. Infinities are
 * "inf", ".inf", "infinity". `*end` is the text itself when there is no number. */
double rp_unit_number_at(const char *text, const char **end);
/* Parses the unit behind a number, of the dimension of `wanted`; without a unit the number is in
 * `wanted`. On failure `problem` says what is wrong with `shown`. */
bool rp_unit_after_number(const char *text, const char *shown, const rp_unit *wanted, rp_unit *unit,
                          char *problem, size_t size);
/* Writes "; did you mean 'mm'?", or nothing. */
void rp_unit_hint(const char *wrong, char *text, size_t size);

#endif
