/* What colour grains have: that of their material, each a little different, or a scale of colours
 * for one of their values; or none, where the scale is that of force chains. */
#ifndef RP_RENDER_COLOUR_H
#define RP_RENDER_COLOUR_H

#include "render/render.h"

/* Of one grain. */
typedef struct rp_grain_look {
    rp_vec3 colour; /* linear; the part of light that it sends back, or what a chart shows */
    double gloss;   /* strength of the highlight */
} rp_grain_look;

typedef struct rp_grain_colours {
    const rp_view *view;
    const rp_scene *scene;
    enum {
        RP_COLOUR_MATERIAL,
        RP_COLOUR_ID,
        RP_COLOUR_SPEED,
        RP_COLOUR_FIELD,
        RP_COLOUR_CHAINS
    } kind;
    const rp_field *field;
    rp_colour_range range;
} rp_grain_colours;

/* Faults when there is no such field, with the names that there are. */
rp_code rp_grain_colours_choose(rp_grain_colours *colours, const rp_view *view,
                                const rp_scene *scene, const rp_paint_options *options,
                                rp_report *report);
/* Linear, of a material of the scene; that of common sand where the scene has not so many. */
rp_vec3 rp_colour_of_material(const rp_scene *scene, int material);
rp_grain_look rp_grain_look_of(const rp_grain_colours *colours, size_t grain);

/* The colour of a value on the scale. */
rp_vec3 rp_colour_of_value(const rp_grain_colours *colours, double value);

/* Whether colours stand for values: then light must not change them. */
static inline bool rp_grain_colours_chart(const rp_grain_colours *colours)
{
    return colours->kind != RP_COLOUR_MATERIAL;
}

/* Grains of sand differ in size: this many times the radius. Those of a chart do not. */
double rp_colour_grain_size(const rp_grain_colours *colours, size_t grain);
#define RP_GRAIN_SIZE_MOST 1.08

#endif
