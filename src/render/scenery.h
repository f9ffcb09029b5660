/* Everything that a ray may meet: grains, bodies and planes, where they are while the shutter is
 * open. Points are relative to the scenery's middle: floats, which rays are made of, are finest
 * near zero. */
#ifndef RP_RENDER_SCENERY_H
#define RP_RENDER_SCENERY_H

#include "render/chains.h"
#include "render/fixed.h"
#include "render/light.h"
#include "render/rays.h"
#include "render/shell.h"
#include "render/solid.h"

/* How a grain looks, worked out once: colour and gloss, 0 to 1 in 65535 steps. */
typedef struct rp_tint {
    uint16_t colour[3], gloss;
} rp_tint;

typedef struct rp_scenery {
    const rp_view *view;
    const rp_scene *scene;
    rp_vec3 middle; /* m, in the world */
    double reach;   /* m, from there to its corners */
    double radius;  /* m, of a grain */
    rp_grain_colours colours;
    rp_grain_shapes shapes;
    rp_shell shell;
    rp_solids solids;
    rp_fixed_balls fixed;
    rp_quad *fixed_end; /* as they end, where bodies move; else NULL */
    rp_chains chains;
    rp_rays *rays;
    rp_quad *spheres;    /* of the shell's grains; then those that move once more, as they end */
    size_t still;        /* spheres that stand still */
    size_t moving;       /* behind them */
    uint32_t *owners;    /* of each sphere: its grain's place in the shell; NULL: its own place */
    rp_tint *tints;      /* of the shell's grains */
    rp_quad *corners[2]; /* of triangles, as they begin and end; the second NULL: all stand still */
    size_t sphere_bytes, owner_bytes, tint_bytes, corner_bytes;
    double gathering, building; /* s that it took */
} rp_scenery;

/* What may be left out, and how long the shutter is open. */
typedef struct rp_scenery_wish {
    double grain_scale; /* radius in half spacings */
    double exposure;    /* s; 0: all stand still */
    rp_vec3 eye;        /* m, in the world */
} rp_scenery_wish;

/* Release it, also after a fault. The view and the scene must outlive it. */
rp_code rp_scenery_make(rp_scenery *scenery, const rp_view *view, const rp_scene *scene,
                        const rp_paint_options *options, const rp_framing *framing,
                        const rp_scenery_wish *wish, rp_threads *threads, rp_report *report);
void rp_scenery_release(rp_scenery *scenery);
/* What it took to make it. */
rp_paint_cost rp_scenery_cost(const rp_scenery *scenery);

/* Where a ray ends. */
typedef struct rp_scenery_hit {
    enum { RP_SEES_NOTHING, RP_SEES_GRAIN, RP_SEES_BODY, RP_SEES_PLANE, RP_SEES_CHAIN } kind;
    double distance;
    rp_vec3 position; /* relative to the middle */
    rp_vec3 normal;   /* unit, towards where the ray came from */
    rp_vec3 colour;   /* linear, part of the light that comes back */
    double gloss;     /* strength of the highlight, 0 to 1 */
    double faded;     /* how much of it is lost in the haze, 0 to 1 */
    double lift;      /* m, that further rays start above it, or they would meet it again */
} rp_scenery_hit;

/* Along a unit direction; a plane that ends the ray becomes its far end. `pixel` is the width that
 * a pixel has at distance 1, or what is as fine as need be seen. */
rp_scenery_hit rp_scenery_look(const rp_scenery *scenery, rp_ray *ray, double pixel);
/* Whether anything keeps light away from the point of a surface, within a distance. */
bool rp_scenery_hides(const rp_scenery *scenery, const rp_scenery_hit *surface, rp_vec3 direction,
                      double distance, double time);

#endif
