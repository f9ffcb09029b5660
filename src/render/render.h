/* Pictures of views, by path tracing. This room sees a view and its scene, never a world.
 *
 * Paths go from the camera to grains, bodies and planes, and on to sun, sky and lamps;
 * docs/theory/pictures.md has the formulas, numbered as the code cites them. A picture has the same
 * bits for any number of threads. */
#ifndef RP_RENDER_RENDER_H
#define RP_RENDER_RENDER_H

#include "base/threads.h"
#include "geom/clump.h"
#include "math/vec.h"
#include "picture/picture.h"
#include "repose/scene.h"
#include "repose/view.h"

/* What a camera has to show: grains (without the few that flew off), bodies and emitters, as the
 * spheres that are farthest along many directions: the corners of a convex hull. Add several views
 * of a run and all of its pictures share one camera and steady shadows. */
#define RP_FRAMING_DIRECTIONS 256
typedef struct rp_framing {
    rp_box3 bounds; /* m; low above high while empty */
    rp_box3 grains; /* m, of grains and emitters alone */
    bool has_hull;  /* otherwise the corners of the bounds are taken for the hull */
    rp_ball hull[RP_FRAMING_DIRECTIONS]; /* m, the farthest along each direction */
} rp_framing;

rp_framing rp_framing_empty(void);
rp_code rp_framing_add(rp_framing *framing, const rp_view *view, const rp_scene *scene,
                       rp_report *report);
/* The bounds; a box of one metre on the origin while they are empty. */
rp_box3 rp_framing_box(const rp_framing *framing);
/* The support function of the hull: the largest dot product of the normal, of any length, with a
 * point of it. With `swept`, of the volume that the hull sweeps when it rotates about the vertical
 * axis through `centre`. */
double rp_framing_support(const rp_framing *framing, rp_vec3 normal, bool swept, rp_vec3 centre);

/* Qualities, as samples of a pixel. With one sample, a draft: sun and shadow alone; more bring soft
 * shadows, indirect light, motion blur and depth of field. */
#define RP_QUALITY_WORDS "draft|good|final"
int rp_render_quality_samples(int quality); /* by its place in the words */

/* The values at the ends of a colour scale. Add several views and all pictures of a run share one
 * scale. */
typedef struct rp_colour_range {
    double low, high; /* low above high while empty */
} rp_colour_range;

/* Time and memory of a picture. */
typedef struct rp_render_cost {
    double gathering, building, tracing; /* s */
    uint64_t rays;
    size_t grains; /* in the BVH */
    size_t bytes;  /* of the BVH and the arrays that it refers to */
} rp_render_cost;

typedef struct rp_render_options {
    int width, height;  /* pixels */
    int samples;        /* of a pixel, 1 to RP_SAMPLES_MAX; from 16 to 64 the most: sampling is
                           adaptive, down to an eighth, and indirect light is denoised */
    bool plain;         /* take all samples, and denoise nothing */
    const char *camera; /* its name; NULL: the scene's first, else "automatic" */
    double orbit;       /* rad/s at which the camera orbits its target, besides its own rate */
    double grain_scale; /* radius of a grain in half spacings */
    double frame_time;  /* s from frame to frame, for motion blur; 0: none */
    const char *colour; /* of grains: NULL or "material"; "speed", "id", a field's name, or
                           RP_FORCE_CHAINS: force chains between small pale grains */
    const rp_colour_range *range; /* borrowed; NULL: of this view alone */
    bool no_legend;               /* do not draw the legend of false colours */
    const rp_framing *framing;    /* borrowed; NULL: of this view alone */
    double aspect; /* width over height that the scene's cameras are meant for: narrower pictures
                      show as much from left to right as one of that shape; 0: as they are */
    /* Called now and then with the part that is done, 0 to 1; may be NULL. Return false to stop:
     * RP_INTERRUPTED. */
    bool (*progress)(void *user, double part);
    void *user;
    rp_render_cost *cost; /* filled when not NULL */
} rp_render_options;

#define RP_SAMPLES_MAX 4096
#define RP_FORCE_CHAINS "chains"

rp_colour_range rp_colour_range_empty(void);
/* Faults when the view has no such field. "material" and "id" have no range, and leave it. */
rp_code rp_colour_range_add(rp_colour_range *range, const rp_view *view, const char *colour,
                            rp_report *report);

rp_render_options rp_default_render_options(void);

/* Renders a view. Grains without finite coordinates are left out. */
rp_code rp_render_view(const rp_view *view, const rp_scene *scene, const rp_render_options *options,
                       rp_threads *threads, rp_picture **out, rp_report *report);

#endif
