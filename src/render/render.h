/* Pictures of views. This room paints what a view and its scene show; it never sees a world.
 *
 * The draft painter needs nothing but this library: grains are exact spheres found through a depth
 * buffer, lit by a sun with a shadow map and by a sky of many faint ones. The same bits for any
 * number of threads. */
#ifndef RP_RENDER_RENDER_H
#define RP_RENDER_RENDER_H

#include "base/threads.h"
#include "math/vec.h"
#include "render/picture.h"
#include "repose/scene.h"
#include "repose/view.h"

/* What is worth seeing: a box around grains (without the few that flew off), bodies and emitters.
 * Add several views of a run and all of its pictures share one camera and steady shadows. */
typedef struct rp_framing {
    rp_box3 bounds; /* m; low above high while empty */
} rp_framing;

rp_framing rp_framing_empty(void);
rp_code rp_framing_add(rp_framing *framing, const rp_view *view, const rp_scene *scene,
                       rp_report *report);

typedef struct rp_paint_options {
    int width, height;         /* pixels */
    const char *camera;        /* its name; NULL: the scene's first, else "automatic" */
    double grain_scale;        /* radius of a grain in half spacings */
    const rp_framing *framing; /* borrowed; NULL: of this view alone */
} rp_paint_options;

rp_paint_options rp_default_paint_options(void);

/* Grains without finite coordinates are left out. */
rp_code rp_paint(const rp_view *view, const rp_scene *scene, const rp_paint_options *options,
                 rp_threads *threads, rp_picture **out, rp_report *report);

#endif
