#include "view/view.h"

#include <string.h>

const rp_field *rp_view_field(const rp_view *view, const char *name)
{
    if (!view || !name) return NULL;
    for (int i = 0; i < view->field_count; i++)
        if (strcmp(view->fields[i].name, name) == 0) return &view->fields[i];
    return NULL;
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
