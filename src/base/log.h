/* What the rooms say and what they take for granted, handed to the hooks. */
#ifndef RP_BASE_LOG_H
#define RP_BASE_LOG_H

#include "repose/base.h"

void rp_log(rp_level level, const char *format, ...) RP_PRINTF(2, 3);

void rp_assert_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn, cold));

/* Cheap enough to stay on in release builds: at the entrance of a loop over a block, not for each
 * grain or pair in it. */
#define RP_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : rp_assert_failed(#condition, __FILE__, __LINE__))

/* The same in debug builds only, for what is done for each grain or pair. */
#ifdef NDEBUG
#define RP_ASSERT_DEBUG(condition) ((void)sizeof(condition))
#else
#define RP_ASSERT_DEBUG(condition) RP_ASSERT(condition)
#endif

#endif
