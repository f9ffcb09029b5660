#include "version.h"
#include "repose/base.h"

const char *rp_version(void)
{
    return RP_VERSION_TEXT;
}

const char *rp_build_text(void)
{
    return RP_BUILD_TEXT;
}
