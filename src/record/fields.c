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
