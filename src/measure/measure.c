/* The table of kinds. */
#include "measure/measure.h"
#include "measure/kinds.h"

#include <string.h>

static const rp_measure_kind kinds[] = {
    {"energy", "kinetic and potential energy of all grains", .take = rp_take_energy},
    {"momentum", "momentum of all grains", .take = rp_take_momentum},
    {"count", "how many grains there are, how many sleep, their mass", .take = rp_take_count},
    {"bounds", "the box around all grains", .take = rp_take_bounds},
    {"angle", "slope of a pile, its height and radius", RP_MEASURE_LAST, .take = rp_take_angle},
    {"density-error", "how far grains are compressed beyond their material's density",
     .take = rp_take_density_error},
    {"contacts", "how many contacts there are, their forces, coordination number",
     .of_contacts = true, .take = rp_take_contacts},
    {"forces", "fits to the distribution of contact forces", RP_MEASURE_LAST, .of_contacts = true,
     .take = rp_take_forces},
    {"fabric", "which way contacts point, as a tensor", .of_contacts = true,
     .take = rp_take_fabric},
    {"stress", "mean stress that contacts carry, in a region or all of it", .of_contacts = true,
     .take = rp_take_stress},
    {"height-profile", "height of the surface over the distance from the axis, or along x or y",
     RP_MEASURE_LAST, .fill = rp_fill_profile},
    {"volume-profile",
     "volume and thickness of a layer over the distance from a centre, or along x "
     "or y",
     RP_MEASURE_LAST, .of_layer = true, .fill = rp_fill_volume_profile},
    {"velocity-profile", "mean velocity, density and volume fraction along z, x or y",
     RP_MEASURE_LAST, .of_layer = true, .fill = rp_fill_velocity_profile},
    {"front", "where a layer ends, from a centre or along x or y", .of_layer = true,
     .take = rp_take_front},
    {"flow", "what passes a plane, from frame to frame", RP_MEASURE_PAIRS, .take = rp_take_flow},
    {"body", "of one body, NAME: pose, motion, and the loads of sand, other bodies and joints",
     .of_body = true, .take = rp_take_body},
    {"force-distribution", "how many contacts have which force, in units of the mean",
     RP_MEASURE_LAST, .of_contacts = true, .fill = rp_fill_forces},
    {"contact-angles", "how many contacts point which way, by the angle to the upright",
     RP_MEASURE_LAST, .of_contacts = true, .fill = rp_fill_contact_angles},
    {"force-correlation", "how far contact forces know of each other", RP_MEASURE_LAST,
     .of_contacts = true, .fill = rp_fill_correlation},
};

#define COUNT ((int)(sizeof kinds / sizeof *kinds))

rp_measure_options rp_default_measure_options(void)
{
    rp_vec3 far = {INFINITY, INFINITY, INFINITY};
    return (rp_measure_options){.along = -1,
                                .plane_axis = -1,
                                .body = -1,
                                .quantity = -1,
                                .region = {rp_v3_scale(far, -1), far},
                                .centre = {NAN, NAN}};
}

int rp_measure_count(void)
{
    return COUNT;
}

const rp_measure_kind *rp_measure_at(int index)
{
    return index >= 0 && index < COUNT ? &kinds[index] : NULL;
}

const rp_measure_kind *rp_measure_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}
