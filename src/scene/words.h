/* Lists of words such as "fixed|keys|dynamic", and the known word nearest to a wrong one. */
#ifndef RP_SCENE_WORDS_H
#define RP_SCENE_WORDS_H

#include "repose/words.h"

#include <stdbool.h>
#include <stddef.h>

/* The place of `word` in "a|b|c", or -1. */
int rp_words_find(const char *words, const char *word);
/* How many there are. */
int rp_words_count(const char *words);
/* "a, b, c" */
void rp_words_list(const char *words, char *text, size_t size);
/* Word `index`, copied. */
void rp_words_at(const char *words, int index, char *text, size_t size);

/* Of other spellings such as "block=box|cube=box": what `word` means, or false. */
bool rp_words_meant(const char *spellings, const char *word, char *text, size_t size);

/* The candidate that takes the fewest edits (insert, drop, change, swap of two neighbors), if that
 * is few enough to have been meant; or one that the word means, as "cube" means "box":
 *     rp_nearest nearest = rp_nearest_to("desnity");
 *     rp_nearest_try(&nearest, "density", 7);  … */
typedef struct rp_nearest {
    const char *wrong;
    int edits; /* of the best so far */
    bool found;
    char best[64];
} rp_nearest;
rp_nearest rp_nearest_to(const char *wrong);
void rp_nearest_try(rp_nearest *nearest, const char *candidate, size_t length);
void rp_nearest_try_words(rp_nearest *nearest, const char *words);
/* "; did you mean 'density'?", or nothing. */
void rp_nearest_hint(const rp_nearest *nearest, char *text, size_t size);

#endif
