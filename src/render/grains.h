/* Single grains of a view that tells their diameters: how large each is, which balls it is made of,
 * and how it is turned. */
#ifndef RP_RENDER_GRAINS_H
#define RP_RENDER_GRAINS_H

#include "base/threads.h"
#include "geom/clump.h"
#include "repose/view.h"
#include "scene/scene.h"

typedef struct rp_grain_shapes {
    const rp_scene *scene;
    const float *diameter; /* m, of the ball around a grain; NULL: the view does not tell */
    const uint8_t *kind;   /* NULL: all are single balls */
    const float *turn[4];  /* NULL: none is turned */
    const float *spin[3];  /* rad/s; NULL: none spins */
    double scale;          /* of the balls about the middle of their grain */
    double largest;        /* m, diameter */
} rp_grain_shapes;

rp_grain_shapes rp_grain_shapes_find(const rp_view *view, const rp_scene *scene, double scale,
                                     rp_threads *threads);

/* Whether grains have shapes of their own. All below is for such views. */
static inline bool rp_grain_shapes_any(const rp_grain_shapes *shapes)
{
    return shapes->diameter != NULL;
}

/* The arrangement of its kind; a single ball when the scene does not know it. */
const rp_clump *rp_grain_clump(const rp_grain_shapes *shapes, size_t grain);
/* Half the diameter, as it is shown, m. Zero where the view's number makes no sense. */
double rp_grain_radius(const rp_grain_shapes *shapes, size_t grain);
rp_quat rp_grain_turn(const rp_grain_shapes *shapes, size_t grain);
/* rad/s; zero where it is not known, or would not show. */
rp_vec3 rp_grain_spin(const rp_grain_shapes *shapes, size_t grain);
/* Ball number `ball` about the grain's middle, m, when the grain is turned by `turn`. */
rp_ball rp_grain_ball(const rp_grain_shapes *shapes, size_t grain, int ball, rp_quat turn);

#endif
