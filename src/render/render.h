/* Pictures of views. This room paints what a view and its scene show; it never sees a world.
 *
 * Rays are traced from the eye to grains, bodies and planes, and on to sun, sky and lamps;
 * docs/theory/pictures.md has the formulas, numbered as the code cites them. The same bits for any
 * number of threads. */
#ifndef RP_RENDER_RENDER_H
#define RP_RENDER_RENDER_H

#include "base/threads.h"
#include "geom/clump.h"
#include "math/vec.h"
#include "picture/picture.h"
#include "repose/scene.h"
#include "repose/view.h"

/* What is worth seeing: grains (without the few that flew off), bodies and emitters, as the balls
 * that are farthest along many directions: the corners of a hull. Add several views of a run and
 * all of its pictures share one camera and steady shadows. */
#define RP_FRAMING_DIRECTIONS 256
typedef struct rp_framing {
    rp_box3 bounds; /* m; low above high while empty */
    rp_box3 grains; /* m, of grains and emitters alone */
    bool has_hull;  /* else the corners of the bounds stand for what is inside */
    rp_ball hull[RP_FRAMING_DIRECTIONS]; /* m, the farthest along each direction */
} rp_framing;

rp_framing rp_framing_empty(void);
rp_code rp_framing_add(rp_framing *framing, const rp_view *view, const rp_scene *scene,
                       rp_report *report);
/* The box; one of a metre on the origin while it is empty. */
rp_box3 rp_framing_box(const rp_framing *framing);
/* The support function of the hull: the largest dot product of the normal, of any length, with a
 * point of it. With `round` of all that the hull sweeps when it turns about the upright axis
 * through `centre`. */
double rp_framing_support(const rp_framing *framing, rp_vec3 normal, bool round, rp_vec3 centre);

/* How much work a picture is worth: samples of a pixel. With one, a draft: sun and shadow alone;
 * more bring soft shadows, light of the sky and from grain to grain, motion and depth of field. */
#define RP_QUALITY_WORDS "draft|good|final"
int rp_paint_quality_samples(int quality); /* by its place in the words */

/* The values of a colour scale. Add several views and all pictures of a run share one scale. */
typedef struct rp_colour_range {
    double low, high; /* low above high while empty */
} rp_colour_range;

/* Where the time of a picture went. */
typedef struct rp_paint_cost {
    double gathering, building, tracing; /* s */
    uint64_t rays;
    size_t grains; /* in the structure that rays search */
    size_t bytes;  /* of that structure, with what it is made of */
} rp_paint_cost;

typedef struct rp_paint_options {
    int width, height;  /* pixels */
    int samples;        /* of a pixel, 1 to RP_SAMPLES_MAX; from 16 to 64 at most: pixels that look
                           the same with an eighth have no more, and indirect light is denoised */
    bool plain;         /* take all samples, and denoise nothing */
    const char *camera; /* its name; NULL: the scene's first, else "automatic" */
    double orbit;       /* rad/s that the camera goes about what it looks at, besides its own */
    double grain_scale; /* radius of a grain in half spacings */
    double frame_time;  /* s from frame to frame, for motion blur; 0: none */
    const char *colour; /* what grains show: NULL or "material"; "speed", "id", a field's name, or
                           RP_CHAINS: force chains between small pale grains */
    const rp_colour_range *range; /* borrowed; NULL: of this view alone */
    bool no_legend;               /* do not draw what the colours stand for */
    const rp_framing *framing;    /* borrowed; NULL: of this view alone */
    double aspect; /* width over height that the scene's cameras are meant for: narrower pictures
                      show as much from left to right as one of that shape; 0: as they are */
    /* Called now and then with the part that is done, 0 to 1; may be NULL. Return false to stop:
     * RP_INTERRUPTED. */
    bool (*progress)(void *user, double part);
    void *user;
    rp_paint_cost *cost; /* filled when not NULL */
} rp_paint_options;

#define RP_SAMPLES_MAX 4096
#define RP_CHAINS "chains"

rp_colour_range rp_colour_range_empty(void);
/* Faults when the view has no such field. "material" and "id" have no range, and leave it. */
rp_code rp_colour_range_add(rp_colour_range *range, const rp_view *view, const char *colour,
                            rp_report *report);

rp_paint_options rp_default_paint_options(void);

/* Grains without finite coordinates are left out. */
rp_code rp_paint(const rp_view *view, const rp_scene *scene, const rp_paint_options *options,
                 rp_threads *threads, rp_picture **out, rp_report *report);

#endif
