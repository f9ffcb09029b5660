/* Lights, directions sampled from them, tone mapping (P4, P5, P7, P8, P13); and the colours of
 * grains: those of their material (P10) or false colours (P11). */
#include "base/memory.h"
#include "base/random.h"
#include "document/words.h"
#include "render/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lights ----------------------------------------------------------------------------------- */

#define SUN_RADIUS 0.014 /* rad; the true sun has 0.0047: hazy air */
#define SUN_LIGHT 3.1    /* of daylight on a surface that faces the sun */
#define SKY_LIGHT 2.5    /* of the whole sky; a scene has 0.4 of it unless it says otherwise */
#define BACKGROUND 1.7   /* of the sky as the camera sees it, over the sky as a light */
#define EXPOSURE 0.33

static const rp_vec3 daylight = {1.04, 0.98, 0.88}; /* a white sun, seen through the air */
static const rp_vec3 zenith = {0.53, 0.67, 0.90};
static const rp_vec3 horizon = {1.00, 0.94, 0.86};
static const rp_vec3 haze = {0.84, 0.77, 0.69};   /* below the horizon */
static const rp_vec3 bounce = {0.38, 0.28, 0.19}; /* albedo of ground that is not modelled */

rp_lights rp_lights_make(const rp_scene *scene)
{
    const rp_light_spec *spec = &scene->light;
    rp_vec3 travel = rp_v3_normalized(spec->direction);
    /* A direction without length has no unit vector: take that of the default light. */
    if (!(rp_v3_length(travel) > 0.5)) travel = rp_v3_normalized(rp_v3(0.6, 0.45, -0.8));
    rp_lights lights = {.to_sun = rp_v3_scale(travel, -1),
                        .sky_strength = SKY_LIGHT * spec->sky,
                        .lamps = rp_scene_lamps(scene),
                        .lamp_count = scene->lamps.count};
    lights.sun_axes[0] = rp_v3_perpendicular(travel);
    lights.sun_axes[1] = rp_v3_cross(travel, lights.sun_axes[0]);
    lights.sun =
        rp_v3_scale(rp_rgb_mul(rp_v3_from(spec->colour), daylight), SUN_LIGHT * spec->strength);
    /* The ground reflects what sun and sky send to a horizontal surface. */
    double lit = fmax(0, lights.to_sun.z) * rp_luminance(lights.sun) + lights.sky_strength;
    lights.ground = rp_v3_scale(bounce, lit);
    return lights;
}

/* Cosine and sine of 2 pi `part`, to 3e-7, which is more than samples need: Taylor series about the
 * nearest multiple of pi / 2. The library's took a tenth of the time of a picture. */
static void cos_sin(double part, double *cosine, double *sine)
{
    int quarter = (int)(4 * part + 0.5);
    double x = 0.5 * RP_PI * (4 * part - quarter), xx = x * x;
    double s = x * (1 - xx / 6 * (1 - xx / 20 * (1 - xx / 42)));
    double c = 1 - xx / 2 * (1 - xx / 12 * (1 - xx / 30 * (1 - xx / 56)));
    /* Rotates by the quarters with a table; branches would be mispredicted half the time. */
    static const double quarters[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    const double *by = quarters[quarter];
    *cosine = c * by[0] - s * by[1];
    *sine = s * by[0] + c * by[1];
}

void rp_light_sample_disc(const double u[2], double at[2])
{
    double radius = sqrt(u[0]), cosine, sine;
    cos_sin(u[1], &cosine, &sine);
    at[0] = radius * cosine;
    at[1] = radius * sine;
}

/* Cosine-weighted directions of P5: points of the disc, projected up to the hemisphere (Malley's
 * method). */
rp_vec3 rp_light_sample_cosine(rp_vec3 normal, const double u[2])
{
    double at[2];
    rp_light_sample_disc(u, at);
    /* Two tangent vectors, without a root (Duff et al., "Building an orthonormal basis,
     * revisited", 2017). */
    double sign = normal.z < 0 ? -1 : 1, a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
    rp_vec3 right = rp_v3(1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    rp_vec3 down = rp_v3(b, sign + normal.y * normal.y * a, -normal.y);
    double up = sqrt(u[0] < 1 ? 1 - u[0] : 0);
    return rp_v3_madd(rp_v3_madd(rp_v3_scale(normal, up), at[0], right), at[1], down);
}

rp_vec3 rp_light_sample_sun(const rp_lights *lights, const double u[2])
{
    double at[2];
    rp_light_sample_disc(u, at);
    rp_vec3 to = rp_v3_madd(lights->to_sun, SUN_RADIUS * at[0], lights->sun_axes[0]);
    return rp_v3_normalized(rp_v3_madd(to, SUN_RADIUS * at[1], lights->sun_axes[1]));
}

/* A gradient from horizon to zenith; below the horizon it turns into haze, which planes fade into.
 */
rp_vec3 rp_light_sky_radiance(const rp_lights *lights, rp_vec3 direction)
{
    double up = direction.z;
    rp_vec3 colour = rp_v3_mix(horizon, zenith, rp_smoothstep(-0.04, 0.22, up));
    if (up < 0.02) colour = rp_v3_mix(colour, haze, rp_smoothstep(0.02, -0.30, up));
    return rp_v3_scale(colour, lights->sky_strength);
}

rp_vec3 rp_light_background(const rp_lights *lights, rp_vec3 direction)
{
    return rp_v3_scale(rp_light_sky_radiance(lights, direction), BACKGROUND);
}

/* P7: the mean sky on surfaces that face up, the ground on those that face down, half of each on
 * vertical ones. */
rp_vec3 rp_light_ambient(const rp_lights *lights, rp_vec3 normal)
{
    double above = 0.5 + 0.5 * normal.z;
    rp_vec3 sky = rp_v3_scale(rp_v3_mix(horizon, zenith, 0.75), lights->sky_strength);
    return rp_v3_mix(lights->ground, sky, above);
}

/* P8: samples a disc of the lamp's radius that faces the point. */
rp_lamp_sample rp_light_sample_lamp(const rp_lamp_spec *lamp, rp_vec3 from, const double u[2])
{
    double at[2];
    rp_light_sample_disc(u, at);
    rp_vec3 to_lamp = rp_v3_sub(lamp->position, from);
    rp_vec3 axis = rp_v3_normalized(to_lamp);
    rp_vec3 right = rp_v3_perpendicular(axis), down = rp_v3_cross(axis, right);
    to_lamp =
        rp_v3_madd(rp_v3_madd(to_lamp, lamp->radius * at[0], right), lamp->radius * at[1], down);
    /* The inverse square law, but not inside the lamp. */
    double length = rp_v3_length(to_lamp), distance = fmax(length, lamp->radius);
    double strength = SUN_LIGHT * lamp->strength / (distance * distance);
    return (rp_lamp_sample){rp_v3_normalized(to_lamp), length,
                            rp_v3_scale(rp_v3_from(lamp->colour), strength)};
}

/* P13: the fit of a film curve by Narkowicz ("ACES filmic tone mapping curve", 2015). */
static double tone(double x)
{
    return rp_clamp_unit(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14));
}

double rp_light_tone_curve(double light)
{
    return tone(EXPOSURE * light);
}

/* The curve on each component bleaches warm sand, on the luminance alone it makes bright colours
 * garish: half of each. */
rp_vec3 rp_light_tone_map(rp_vec3 light)
{
    rp_vec3 c = rp_v3_scale(light, EXPOSURE);
    double luminance = rp_luminance(c);
    double scale = luminance > 1e-9 ? 0.5 * tone(luminance) / luminance : 0;
    return rp_v3(rp_clamp_unit(0.5 * tone(c.x) + scale * c.x),
                 rp_clamp_unit(0.5 * tone(c.y) + scale * c.y),
                 rp_clamp_unit(0.5 * tone(c.z) + scale * c.z));
}

/* --- colours of grains ------------------------------------------------------------------------ */

/* Appearance of grains. */
#define GRAIN_GLOSS 0.05
#define WET_GLOSS 0.15
/* The part of its albedo that a grain loses at moisture 1: water between grains scatters light
 * forward, into the sand. */
#define WET_DARKENING 0.5
#define PALE 0.55           /* albedo of grains between force chains */
#define SCALE_PART 0.995    /* of contacts that the scale of force chains covers */
#define GRAIN_SIZE_MIN 0.88 /* of half the spacing */

static uint32_t id_of(const rp_view *view, size_t grain)
{
    return view->id ? view->id[grain] : (uint32_t)grain;
}

rp_vec3 rp_render_material_colour(const rp_scene *scene, int material)
{
    if (material >= scene->materials.count) return rp_v3(0.60, 0.44, 0.27);
    return rp_v3_from(rp_scene_materials(scene)[material].colour);
}

/* P10: most grains are near the material's colour, some warmer or paler, a few dark. The random
 * numbers come from the id, so that a grain keeps its colour from frame to frame. */
static rp_grain_reflectance sand_reflectance(const rp_grain_colours *c, size_t grain)
{
    rp_vec3 colour =
        rp_render_material_colour(c->scene, c->view->material ? c->view->material[grain] : 0);
    rp_random4 random =
        rp_random((uint64_t)c->scene->seed, RP_RANDOM_COLOUR, id_of(c->view, grain));
    double warm = 0.10 * (rp_random_unit(random.bits[0]) - 0.5);
    double level = 0.78 + 0.44 * rp_random_unit(random.bits[1]);
    double kind = rp_random_unit(random.bits[2]);
    /* 6 % dark grains, 10 % pale ones. */
    if (kind < 0.06) level *= 0.55;
    if (kind > 0.90) {
        double grey = 0.33 * (colour.x + colour.y + colour.z);
        colour = rp_v3_mix(colour, rp_v3(grey, grey, grey), 0.35);
        level *= 1.25;
    }
    double wet = c->view->moisture ? rp_clamp_unit((double)c->view->moisture[grain]) : 0;
    level *= 1 - WET_DARKENING * wet;
    colour = rp_rgb_mul(colour, rp_v3(level * (1 + warm), level, level * (1 - 1.5 * warm)));
    return (rp_grain_reflectance){rp_v3_min(colour, rp_v3(0.95, 0.95, 0.95)),
                                  GRAIN_GLOSS + wet * WET_GLOSS};
}

double rp_grain_colours_size(const rp_grain_colours *colours, size_t grain)
{
    if (rp_grain_colours_are_false(colours)) return 1;
    uint32_t bits = rp_sampler_hash(id_of(colours->view, grain) * 2u + 1u);
    return GRAIN_SIZE_MIN + (RP_GRAIN_SIZE_MAX - GRAIN_SIZE_MIN) * (bits >> 8) * 0x1p-24;
}

static double speed_of(const rp_view *view, size_t i)
{
    return rp_v3_length(rp_v3(view->vx[i], view->vy[i], view->vz[i]));
}

static double field_value(const rp_field *field, size_t i)
{
    switch (field->type) {
    case RP_F32:
        return (double)((const float *)field->data)[i];
    case RP_F64:
        return ((const double *)field->data)[i];
    case RP_U8:
        return ((const uint8_t *)field->data)[i];
    case RP_U16:
        return ((const uint16_t *)field->data)[i];
    case RP_U32:
        return ((const uint32_t *)field->data)[i];
    case RP_U64:
        return (double)((const uint64_t *)field->data)[i];
    }
    return NAN;
}

static double value_of(const rp_grain_colours *c, size_t grain)
{
    return c->kind == RP_COLOUR_SPEED ? speed_of(c->view, grain) : field_value(c->field, grain);
}

rp_vec3 rp_grain_colours_of_value(const rp_grain_colours *colours, double value)
{
    double rgb[3], span = colours->range.high - colours->range.low;
    rp_colour_map_at(span > 0 ? (value - colours->range.low) / span : 0.5, rgb);
    return rp_v3_from(rgb);
}

rp_grain_reflectance rp_grain_colours_reflectance(const rp_grain_colours *colours, size_t grain)
{
    if (colours->kind == RP_COLOUR_MATERIAL) return sand_reflectance(colours, grain);
    if (colours->kind == RP_COLOUR_CHAINS)
        return (rp_grain_reflectance){rp_v3(PALE, PALE, PALE), 0};
    if (colours->kind != RP_COLOUR_ID)
        return (rp_grain_reflectance){rp_grain_colours_of_value(colours, value_of(colours, grain)),
                                      0};
    double rgb[3];
    rp_colour_map_of_id(id_of(colours->view, grain), rgb);
    return (rp_grain_reflectance){rp_v3_from(rgb), 0};
}

/* The fault names all that grains can be coloured by, and suggests the nearest. */
static rp_code fail_field(const rp_view *view, const char *name, rp_report *report)
{
    char names[600] = "material, id, speed, chains", hint[128];
    rp_nearest nearest = rp_nearest_to(name);
    rp_nearest_try_words(&nearest, "material|id|speed|chains");
    for (int i = 0; i < view->field_count; i++) {
        const char *field = view->fields[i].name;
        if (strcmp(field, "material") == 0 || strcmp(field, "id") == 0) continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", field);
        rp_nearest_try_words(&nearest, field);
    }
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return rp_fail(report, RP_ERROR_INPUT, "grains cannot be coloured by '%s', only by: %s%s", name,
                   names, hint);
}

static rp_code check_chains(const rp_view *view, rp_report *report)
{
    if (view->contacts && view->id) return RP_OK;
    return rp_fail(
        report, RP_ERROR_UNSUPPORTED,
        "force chains are made of contacts, and none are recorded; a scene with `output: "
        "{contacts: yes}` and a method that knows them (dem) records them");
}

static rp_code choose_kind(rp_grain_colours *c, const char *name, rp_report *report)
{
    c->kind = RP_COLOUR_MATERIAL;
    if (!name || strcmp(name, "material") == 0) return RP_OK;
    c->kind = RP_COLOUR_ID;
    if (strcmp(name, "id") == 0) return RP_OK;
    c->kind = RP_COLOUR_CHAINS;
    if (strcmp(name, RP_FORCE_CHAINS) == 0) return check_chains(c->view, report);
    c->kind = RP_COLOUR_SPEED;
    if (strcmp(name, "speed") == 0 && (c->view->vx || !c->view->count)) return RP_OK;
    c->kind = RP_COLOUR_FIELD;
    c->field = rp_view_field(c->view, name);
    if (c->field && (c->field->data || !c->view->count)) return RP_OK;
    return fail_field(c->view, name, report);
}

rp_colour_range rp_colour_range_empty(void)
{
    return (rp_colour_range){INFINITY, -INFINITY};
}

static int by_size(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

/* From 0 to a quantile of the forces: the strongest contact is often alone far beyond (P15). */
static rp_code add_forces(rp_colour_range *range, const rp_view *view, rp_report *report)
{
    size_t count = 0, bytes = view->contact_count * sizeof(float);
    float *forces = rp_allocate(bytes);
    if (!forces) return rp_fail_memory(report, bytes, "forces of contacts");
    for (size_t i = 0; i < view->contact_count; i++) {
        float force = view->contacts[i].normal_force;
        if (force > 0 && isfinite(force)) forces[count++] = force;
    }
    if (count) {
        qsort(forces, count, sizeof *forces, by_size);
        double high = (double)forces[(size_t)(SCALE_PART * (double)(count - 1))];
        range->low = 0;
        range->high = fmax(range->high, high);
    }
    rp_release(forces, bytes);
    return RP_OK;
}

rp_code rp_colour_range_add(rp_colour_range *range, const rp_view *view, const char *colour,
                            rp_report *report)
{
    rp_grain_colours c = {.view = view};
    rp_code code = choose_kind(&c, colour, report);
    if (code != RP_OK || c.kind == RP_COLOUR_MATERIAL || c.kind == RP_COLOUR_ID) return code;
    if (c.kind == RP_COLOUR_CHAINS) return add_forces(range, view, report);
    for (size_t i = 0; i < view->count; i++) {
        double value = value_of(&c, i);
        if (!isfinite(value)) continue;
        if (value < range->low) range->low = value;
        if (value > range->high) range->high = value;
    }
    return RP_OK;
}

rp_code rp_grain_colours_choose(rp_grain_colours *colours, const rp_view *view,
                                const rp_scene *scene, const rp_render_options *options,
                                rp_report *report)
{
    *colours = (rp_grain_colours){.view = view, .scene = scene, .range = rp_colour_range_empty()};
    rp_code code = choose_kind(colours, options->colour, report);
    RP_TRY(code);
    if (options->range)
        colours->range = *options->range;
    else
        code = rp_colour_range_add(&colours->range, view, options->colour, report);
    if (!(colours->range.low <= colours->range.high)) colours->range = (rp_colour_range){0, 1};
    return code;
}
