/* The fields that every view has: the names and units under which they are recorded, and where the
 * view keeps them; the parts of a contact; and the values that are allowed. Frames and exports are
 * made from these tables, and what is read from files is checked by the last. */
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

/* One part of rp_contact as frames hold it: an array of its own, so that it has its unit. */
typedef struct rp_contact_part {
    const char *path; /* such as "contacts/normal" */
    const char *unit;
    rp_field_type type;
    size_t offset; /* in rp_contact */
    size_t width;  /* values a contact */
} rp_contact_part;

#define RP_CONTACT_PARTS 9
extern const rp_contact_part rp_contact_parts[RP_CONTACT_PARTS];

/* Its name without the group, such as "normal". */
const char *rp_contact_part_name(const rp_contact_part *part);
/* From contacts to a table of `count` rows of the part's width, and back. */
void rp_contact_part_gather(const rp_contact_part *part, const rp_contact *contacts, size_t count,
                            void *table);
void rp_contact_part_scatter(const rp_contact_part *part, rp_contact *contacts, size_t count,
                             const void *table);

/* What values of a name may be. Names that are not in the table are finite, if they are floats. */
typedef struct rp_limits {
    const char *name; /* of a fact, or of an array behind its last slash */
    double low, high; /* both allowed */
} rp_limits;

rp_limits rp_limits_of(const char *path);
/* The place of the first of `count` values that is not allowed; `count` when all are. */
size_t rp_limits_leave(const rp_limits *range, rp_field_type type, const void *values,
                       size_t count);
/* A value as a number, to show it. */
double rp_range_value(rp_field_type type, const void *values, size_t place);

#endif
