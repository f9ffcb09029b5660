/* Texts compared without regard to case; how they are shown is public: repose/text.h. */
#ifndef RP_BASE_PLAIN_H
#define RP_BASE_PLAIN_H

#include "repose/text.h"

/* Whether two texts are equal, or one begins with the other, whatever the case of ASCII letters. */
bool rp_text_matches(const char *a, const char *b);
bool rp_text_begins(const char *text, size_t size, const char *word);

#endif
