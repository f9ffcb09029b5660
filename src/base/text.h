/* Texts: comparison without regard to case, and numbers with decimal points whatever locale the
 * host program has set. How texts are shown is public: repose/text.h. */
#ifndef RP_BASE_TEXT_H
#define RP_BASE_TEXT_H

#include "repose/base.h"
#include "repose/text.h"

#include <stdarg.h>

/* Whether two texts are equal, or one begins with the other, whatever the case of ASCII letters. */
bool rp_text_matches(const char *a, const char *b);
bool rp_text_begins(const char *text, size_t size, const char *word);

/* Puts the calling thread into the C locale and returns the one it was in, for rp_locale_leave. */
void *rp_locale_enter(void);
void rp_locale_leave(void *before);

/* vsnprintf and strtod in the C locale. */
int rp_locale_print(char *text, size_t size, const char *format, va_list arguments);
double rp_locale_number(const char *text, char **end);

#endif
