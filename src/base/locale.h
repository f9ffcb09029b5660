/* Numbers are written and read with decimal points, whatever locale the host program has set. */
#ifndef RP_BASE_LOCALE_H
#define RP_BASE_LOCALE_H

#include "repose/base.h"

#include <stdarg.h>

/* Puts the calling thread into the C locale and returns the one it was in, for rp_locale_leave. */
void *rp_locale_enter(void);
void rp_locale_leave(void *before);

/* vsnprintf and strtod in the C locale. */
int rp_locale_print(char *text, size_t size, const char *format, va_list arguments);
double rp_locale_number(const char *text, char **end);

#endif
