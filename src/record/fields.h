/* The fields that every view has: the names and units under which they are recorded, and where the
 * view keeps them. Frames and exports are made from this table. */
#ifndef RP_RECORD_FIELDS_H
#define RP_RECORD_FIELDS_H

#include "repose/view.h"

typedef struct rp_standard_field {
    const char *name, *unit;
    rp_field_type type;
    size_t offset; /* of the pointer in rp_view */
} rp_standard_field;

#define RP_STANDARD_FIELDS 13
extern const rp_standard_field rp_standard_fields[RP_STANDARD_FIELDS];

static inline const void *rp_standard_data(const rp_view *view, const rp_standard_field *field)
{
    return *(const void *const *)((const char *)view + field->offset);
}

/* True for fields beyond the standard ones, told by the name. */
bool rp_field_is_extra(const rp_field *field);

#endif
