#include "base/options.h"

#include <string.h>

rp_code rp_options_take(void *own, size_t size, const void *given, const char *function,
                        const char *argument, rp_report *report)
{
    if (!given) return RP_OK;
    size_t given_size;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size == 0)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%s: %s->size is 0; begin with what the rp_default_ function gives",
                       function, argument);
    if (given_size < sizeof given_size || given_size > size)
        return rp_fail(report, RP_ERROR_INPUT,
                       "%s: %s->size is %zu, this library (%s) knows %zu bytes; was the program "
                       "built for a newer one?",
                       function, argument, given_size, rp_version(), size);
    memcpy((char *)own + sizeof size, (const char *)given + sizeof size, given_size - sizeof size);
    return RP_OK;
}

void rp_options_give(void *given, size_t size, const void *own, size_t own_size)
{
    if (!given) return;
    memset(given, 0, size);
    memcpy(given, own, size < own_size ? size : own_size);
}
