#include "view/view.h"

#include <string.h>

const rp_field *rp_view_field(const rp_view *view, const char *name)
{
    if (!view || !name) return NULL;
    for (int i = 0; i < view->field_count; i++)
        if (strcmp(view->fields[i].name, name) == 0) return &view->fields[i];
    return NULL;
}

#define COLUMN(member, name, unit, value, type, optional)                                          \
    {name, unit, type, optional, offsetof(rp_view, member)},
const rp_view_column rp_view_schema[RP_VIEW_FIELDS] = {RP_VIEW_SCHEMA(COLUMN)};

/* The pointers of rp_view are written out, for readers of the public header; their types must be
 * those of the schema. */
#define SAME_TYPE(member, name, unit, value, type, optional)                                       \
    _Static_assert(_Generic(((rp_view *)0)->member, const value * : 1, default : 0),               \
                   "rp_view has another type of " name " than the schema");
RP_VIEW_SCHEMA(SAME_TYPE)

const void *rp_view_data(const rp_view *view, const rp_view_column *column)
{
    return *(const void *const *)((const char *)view + column->offset);
}

void rp_view_set_data(rp_view *view, const rp_view_column *column, const void *data)
{
    memcpy((char *)view + column->offset, &data, sizeof data);
}

bool rp_view_is_extra(const rp_field *field)
{
    for (int i = 0; i < RP_VIEW_FIELDS; i++)
        if (strcmp(field->name, rp_view_schema[i].name) == 0) return false;
    return true;
}

#define AT(member) offsetof(rp_body_state, member)
_Static_assert(sizeof(rp_body_state) == 25 * sizeof(double) && AT(orientation) == AT(position) + 24,
               "the parts of a state are columns of doubles");

const rp_body_part rp_body_parts[RP_BODY_PARTS] = {
    {"bodies/position", "m", AT(position), 3},
    {"bodies/orientation", "", AT(orientation), 4},
    {"bodies/velocity", "m/s", AT(velocity), 3},
    {"bodies/angular_velocity", "rad/s", AT(angular_velocity), 3},
    {"bodies/force", "N", AT(force), 3},
    {"bodies/torque", "N m", AT(torque), 3},
    {"bodies/contact_force", "N", AT(contact_force), 3},
    {"bodies/contact_torque", "N m", AT(contact_torque), 3},
};

_Static_assert(sizeof(rp_body_state) == 25 * sizeof(double), "a new member belongs in the list");

void rp_body_part_gather(const rp_body_part *part, const rp_body_state *states, size_t count,
                         double *table)
{
    for (size_t i = 0; i < count; i++)
        memcpy(table + i * part->width, (const char *)&states[i] + part->offset,
               part->width * sizeof *table);
}

void rp_body_part_scatter(const rp_body_part *part, rp_body_state *states, size_t count,
                          const double *table)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&states[i] + part->offset, table + i * part->width,
               part->width * sizeof *table);
}

#undef AT
#define AT(member) offsetof(rp_contact, member)

const rp_contact_part rp_contact_parts[RP_CONTACT_PARTS] = {
    {"contacts/first", "", RP_U32, AT(first), 1},
    {"contacts/second", "", RP_U32, AT(second), 1},
    {"contacts/with", "", RP_U8, AT(with), 1},
    {"contacts/position", "m", RP_F32, AT(position), 3},
    {"contacts/normal", "", RP_F32, AT(normal), 3},
    {"contacts/normal_force", "N", RP_F32, AT(normal_force), 1},
    {"contacts/shear_force", "N", RP_F32, AT(shear_force), 3},
    {"contacts/branch", "m", RP_F32, AT(branch), 3},
    {"contacts/overlap", "m", RP_F32, AT(overlap), 1},
};

_Static_assert(sizeof(rp_contact) == 17 * sizeof(float), "a new member belongs in the list");

const char *rp_contact_part_name(const rp_contact_part *part)
{
    return strchr(part->path, '/') + 1;
}

void rp_contact_part_gather(const rp_contact_part *part, const rp_contact *contacts, size_t count,
                            void *table)
{
    size_t bytes = part->width * rp_field_type_size(part->type);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)table + i * bytes, (const char *)&contacts[i] + part->offset, bytes);
}

void rp_contact_part_scatter(const rp_contact_part *part, rp_contact *contacts, size_t count,
                             const void *table)
{
    size_t bytes = part->width * rp_field_type_size(part->type);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)&contacts[i] + part->offset, (const char *)table + i * bytes, bytes);
}
