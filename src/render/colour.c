#include "render/colour.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "document/words.h"
#include "picture/map.h"
#include "render/dice.h"
#include "render/light.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN_GLOSS 0.05
#define WET_GLOSS 0.15
/* The share of its light that a grain loses at moisture 1: water between grains leads light on
 * instead of back. */
#define WET_DARKER 0.5
#define PALE 0.55         /* of grains between force chains */
#define SCALE_SHARE 0.995 /* of contacts that the scale of force chains covers */
#define SMALLEST 0.88     /* of a grain's usual radius */

static uint32_t id_of(const rp_view *view, size_t grain)
{
    return view->id ? view->id[grain] : (uint32_t)grain;
}

rp_vec3 rp_colour_of_material(const rp_scene *scene, int material)
{
    if (material >= scene->materials.count) return rp_v3(0.60, 0.44, 0.27);
    return rp_v3_from(rp_scene_materials(scene)[material].colour);
}

/* P10. Sand is many stones: most are near the material's colour, some warmer or paler, a few dark.
 */
static rp_grain_look sand_look(const rp_grain_colours *c, size_t grain)
{
    rp_vec3 colour =
        rp_colour_of_material(c->scene, c->view->material ? c->view->material[grain] : 0);
    rp_random4 random =
        rp_random((uint64_t)c->scene->seed, RP_RANDOM_COLOUR, id_of(c->view, grain));
    double warm = 0.10 * (rp_random_unit(random.bits[0]) - 0.5);
    double level = 0.78 + 0.44 * rp_random_unit(random.bits[1]);
    double kind = rp_random_unit(random.bits[2]);
    if (kind < 0.06) level *= 0.55;
    if (kind > 0.90) {
        double grey = 0.33 * (colour.x + colour.y + colour.z);
        colour = rp_v3_mix(colour, rp_v3(grey, grey, grey), 0.35);
        level *= 1.25;
    }
    double wet = c->view->moisture ? rp_clamp_unit((double)c->view->moisture[grain]) : 0;
    level *= 1 - WET_DARKER * wet;
    colour = rp_colour_mul(colour, rp_v3(level * (1 + warm), level, level * (1 - 1.5 * warm)));
    return (rp_grain_look){rp_v3_min(colour, rp_v3(0.95, 0.95, 0.95)),
                           GRAIN_GLOSS + wet * WET_GLOSS};
}

double rp_colour_grain_size(const rp_grain_colours *colours, size_t grain)
{
    if (rp_grain_colours_chart(colours)) return 1;
    uint32_t bits = rp_mix_bits(id_of(colours->view, grain) * 2u + 1u);
    return SMALLEST + (RP_GRAIN_SIZE_MOST - SMALLEST) * (bits >> 8) * 0x1p-24;
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

rp_vec3 rp_colour_of_value(const rp_grain_colours *colours, double value)
{
    double rgb[3], span = colours->range.high - colours->range.low;
    rp_map_colour(span > 0 ? (value - colours->range.low) / span : 0.5, rgb);
    return rp_v3_from(rgb);
}

rp_grain_look rp_grain_look_of(const rp_grain_colours *colours, size_t grain)
{
    if (colours->kind == RP_COLOUR_MATERIAL) return sand_look(colours, grain);
    if (colours->kind == RP_COLOUR_CHAINS) return (rp_grain_look){rp_v3(PALE, PALE, PALE), 0};
    if (colours->kind != RP_COLOUR_ID)
        return (rp_grain_look){rp_colour_of_value(colours, value_of(colours, grain)), 0};
    double rgb[3];
    rp_map_colour_of_id(id_of(colours->view, grain), rgb);
    return (rp_grain_look){rp_v3_from(rgb), 0};
}

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
    if (strcmp(name, RP_CHAINS) == 0) return check_chains(c->view, report);
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

/* From nothing to a force that few exceed: the strongest one is often alone far beyond. */
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
        double high = (double)forces[(size_t)(SCALE_SHARE * (double)(count - 1))];
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
                                const rp_scene *scene, const rp_paint_options *options,
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
