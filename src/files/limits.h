/* The ranges of values that are allowed in recorded files, by name: everything that is read is
 * compared with this table. */
#ifndef RP_FILES_LIMITS_H
#define RP_FILES_LIMITS_H

#include "repose/view.h"

/* What values of a name may be. Names that are not in the table are finite, if they are floats. */
typedef struct rp_limits {
    const char *name; /* of an attribute, or of an array behind its last slash */
    double low, high; /* both allowed */
} rp_limits;

rp_limits rp_limits_find(const char *path);
/* The index of the first of `count` values that is not allowed; `count` when all are. */
size_t rp_limits_first_outside(const rp_limits *range, rp_field_type type, const void *values,
                               size_t count);
/* A value as a number, to show it. */
double rp_limits_value(rp_field_type type, const void *values, size_t place);

#endif
