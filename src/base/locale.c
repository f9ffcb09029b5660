#include "base/locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* Made once and used by all threads until the process ends. */
static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void create(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Zero when memory runs out: then the host's locale stays, which uselocale takes zero for. */
static locale_t get(void)
{
    pthread_once(&once, create);
    return c_locale;
}

void *rp_locale_enter(void)
{
    return (void *)uselocale(get());
}

void rp_locale_leave(void *before)
{
    uselocale((locale_t)before);
}

int rp_locale_print(char *text, size_t size, const char *format, va_list arguments)
{
    void *before = rp_locale_enter();
    int length = vsnprintf(text, size, format, arguments);
    rp_locale_leave(before);
    return length;
}

double rp_locale_number(const char *text, char **end)
{
    locale_t locale = get();
    return locale ? strtod_l(text, end, locale) : strtod(text, end);
}
