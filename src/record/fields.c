#include "record/fields.h"

#include <string.h>

#define AT(member) offsetof(rp_view, member)

const rp_standard_field rp_standard_fields[RP_STANDARD_FIELDS] = {
    {"x", "m", RP_F32, AT(x)},
    {"y", "m", RP_F32, AT(y)},
    {"z", "m", RP_F32, AT(z)},
    {"velocity_x", "m/s", RP_F32, AT(vx)},
    {"velocity_y", "m/s", RP_F32, AT(vy)},
    {"velocity_z", "m/s", RP_F32, AT(vz)},
    {"mass", "kg", RP_F32, AT(mass)},
    {"density", "kg/m3", RP_F32, AT(density)},
    {"pressure", "Pa", RP_F32, AT(pressure)},
    {"id", "", RP_U32, AT(id)},
    {"material", "", RP_U8, AT(material)},
    {"asleep", "", RP_U8, AT(asleep)},
    {"moisture", "", RP_F32, AT(moisture)},
};

bool rp_field_is_extra(const rp_field *field)
{
    for (int i = 0; i < RP_STANDARD_FIELDS; i++)
        if (strcmp(field->name, rp_standard_fields[i].name) == 0) return false;
    return true;
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
