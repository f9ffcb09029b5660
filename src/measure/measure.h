/* Measurements for other rooms. Each kind is one line of the table in measure.c, which `repose
 * measure` and the scene's measurements use; other rooms may call the functions below directly.
 * Statistics of contacts are in contact/contact.h. The public half is repose/measure.h; formulas
 * (M…) are in docs/theory/measure.md. */
#ifndef RP_MEASURE_MEASURE_H
#define RP_MEASURE_MEASURE_H

#include "math/vec.h"
#include "repose/measure.h"
#include "repose/view.h"
#include "scene/scene.h"

/* Returns the region of the options as a box, m. */
static inline rp_box3 rp_measure_region(const rp_measure_options *options)
{
    const double *low = options->region_low, *high = options->region_high;
    return (rp_box3){rp_v3(low[0], low[1], low[2]), rp_v3(high[0], high[1], high[2])};
}

typedef struct rp_measure_kind {
    const char *name; /* those that a scene may name come first, as in RP_MEASURE_WORDS */
    const char *help; /* one line */
    rp_measure_frames frames;
    bool of_body;     /* needs options.body; its numbers are vectors: "force x" and so on */
    bool of_contacts; /* needs a view with contacts; uses options.region */
    bool of_layer;    /* uses options.region and along, and centre where it has a radius */
    /* Computes numbers, at most RP_MEASURED_MAX; NULL for tables. On failure names and units are
     * set all the same, and the values are NaN. */
    rp_code (*take)(const rp_measure_input *in, rp_measured *out, int *count, rp_report *report);
    /* Computes rows; NULL for numbers. The table is empty before. */
    rp_code (*fill)(const rp_measure_input *in, rp_table *out, rp_report *report);
} rp_measure_kind;

const rp_measure_kind *rp_measure_at(int index);
const rp_measure_kind *rp_measure_find(const char *name); /* NULL when unknown */

/* Checks the input of a public function and copies it to `own`, with complete options in
 * `options`. `function` is the name of the function that was called. */
rp_code rp_measure_take_input(const rp_measure_input *in, rp_measure_input *own,
                              rp_measure_options *options, const char *function, rp_report *report);

/* The kinds that give tables, for measure.c's table and for the room `figures`. */
rp_code rp_measure_fill_profile(const rp_measure_input *in, rp_table *out, rp_report *report);
rp_code rp_measure_fill_volume_profile(const rp_measure_input *in, rp_table *out,
                                       rp_report *report);
rp_code rp_measure_fill_velocity_profile(const rp_measure_input *in, rp_table *out,
                                         rp_report *report);
rp_code rp_measure_fill_forces(const rp_measure_input *in, rp_table *out, rp_report *report);
rp_code rp_measure_fill_contact_angles(const rp_measure_input *in, rp_table *out,
                                       rp_report *report);
rp_code rp_measure_fill_correlation(const rp_measure_input *in, rp_table *out, rp_report *report);

/* --- free surface of a heap ----------------------------------------------------------------- */

/* The free surface of a heap, seen from above: one grain for each cell of a plan, the highest that
 * belongs to the heap (M1, M2). Grains in flight, grains in a funnel above the heap and loose
 * grains around it are left out. Gravity may have any direction. */

/* `up` against gravity, and the two axes of the plan: x and y where gravity is along -z. */
typedef struct rp_plan_axes {
    rp_vec3 a, b, up;
} rp_plan_axes;

typedef struct rp_free_surface_point {
    double a, b;   /* m, along the axes of the plan */
    double height; /* m, of the grain's centre */
} rp_free_surface_point;

typedef struct rp_free_surface {
    rp_plan_axes axes;
    double spacing; /* m */
    rp_free_surface_point *points;
    size_t count;
    size_t grains;    /* in the columns below the points */
    double low, high; /* m, heights of the foot and of the summit (M3) */
    double standing;  /* share of the columns that rest on a body or a wall of the domain */
    double walled;    /* share of the edge of the patch that is next to a steep wall */
    double speed;     /* m/s, root mean square of the points; 0 without velocities */
} rp_free_surface;

/* RP_ERROR_INPUT without gravity, or when no grains form a heap. */
rp_code rp_plan_axes_find(const rp_scene *scene, rp_plan_axes *out, rp_report *report);
rp_code rp_free_surface_find(const rp_view *view, const rp_scene *scene, rp_free_surface *out,
                             rp_report *report);
void rp_free_surface_release(rp_free_surface *surface);

/* --- angle of repose ------------------------------------------------------------------------ */

/* The angle of repose of a heap: the slope of its flank, with its uncertainty (M4 to M9).
 *
 *     rp_angle angle;
 *     rp_code code = rp_measure_angle(&view, scene, &angle, report);
 *     if (code == RP_OK) printf("%g +- %g degrees\n", angle.degrees, angle.uncertainty);
 *
 * The heap has one summit. It may be anywhere, be truncated, have a rounded tip, loose grains
 * around it, a wall or a corner beside it, or a bed of grains below. Level and uneven beds, grains
 * in flight, ridges and heaps with several summits are refused. A heap may move; `speed` shows it.
 */

typedef struct rp_angle {
    double degrees, uncertainty; /* of the slope; one standard error */
    double height;               /* m, from the foot to the summit, plus one spacing */
    double radius;               /* m, of the fitted cone at its foot */
    double centre[2];            /* m, of the cone's axis, along the axes of the plan */
    double apex;                 /* m, height of the apex of the cone through grain centres */
    double flank[2];             /* m, distances from the axis between which the slope is fitted */
    int sectors;                 /* with a flank that could be fitted, of at most twelve */
    size_t points;               /* surface grains in the fit */
    size_t grains;               /* in the heap */
    double speed; /* m/s, root mean square of the surface grains; not small on a flowing slope */
} rp_angle;

/* RP_ERROR_INPUT, and all numbers NaN, when there is no heap with a slope. */
rp_code rp_measure_angle(const rp_view *view, const rp_scene *scene, rp_angle *out,
                         rp_report *report);
/* The same for a surface that was found before. */
rp_code rp_angle_of_surface(const rp_free_surface *surface, rp_angle *out, rp_report *report);

/* --- height profile ------------------------------------------------------------------------- */

/* The height of the free surface over the distance from the axis of the heap, or along an axis
 * (M11). */

/* Columns: position (m), mean height of the surface grains there (m), standard deviation of the
 * heights (m), number of grains. */
enum { RP_PROFILE_PLACE, RP_PROFILE_HEIGHT, RP_PROFILE_SPREAD, RP_PROFILE_GRAINS };

/* `along`: 0 for x, 1 for y, where gravity is along z; -1 for the distance from the axis, which is
 * that of the fitted cone, or the centre of the surface when there is none. Release the table. */
rp_code rp_measure_profile(const rp_view *view, const rp_scene *scene, int along, rp_table *out,
                           rp_report *report);

/* --- profiles and front of a layer ---------------------------------------------------------- */

/* Layers at rest, spreading or flowing: volume, velocity and front (M25 to M27). These are sums
 * over all grains, each spread over its own width, so that they hold for thin and for flowing
 * layers. */

/* Columns of a volume profile: position (m), volume of the sand at its material's density (m3),
 * thickness: volume over the plan area of the bin (m), number of grains. */
enum { RP_VOLUME_PLACE, RP_VOLUME_VOLUME, RP_VOLUME_THICKNESS, RP_VOLUME_GRAINS };

/* `options` give the axis, or the centre that distances are taken from, and the region.
 * RP_ERROR_INPUT without grains there, RP_ERROR_UNSUPPORTED without masses. Release the tables
 * whatever the code. */
rp_code rp_measure_volume_profile(const rp_view *view, const rp_scene *scene,
                                  const rp_measure_options *options, rp_table *out,
                                  rp_report *report);

/* Columns of a velocity profile: position (m), mass-weighted mean velocity along x, y and z (m/s),
 * root mean square of the velocity fluctuations (m/s), density (kg/m3), volume fraction of the
 * solid, number of grains. */
enum {
    RP_VELOCITY_PLACE,
    RP_VELOCITY_X,
    RP_VELOCITY_Y,
    RP_VELOCITY_Z,
    RP_VELOCITY_SPREAD,
    RP_VELOCITY_DENSITY,
    RP_VELOCITY_FRACTION,
    RP_VELOCITY_GRAINS
};
rp_code rp_measure_velocity_profile(const rp_view *view, const rp_scene *scene,
                                    const rp_measure_options *options, rp_table *out,
                                    rp_report *report);

/* The front of a layer, m: along an axis at both ends, or by the distance from the centre, where
 * `back` and `rearmost` are NaN. */
typedef struct rp_front {
    double front, back; /* where the extrapolated thickness is zero, or the last grains end */
    double farthest, rearmost; /* the outermost grains that are connected to the layer */
    double uncertainty;        /* m, of front and back */
} rp_front;
rp_code rp_measure_front(const rp_view *view, const rp_scene *scene,
                         const rp_measure_options *options, rp_front *out, rp_report *report);

/* --- flow through a plane ------------------------------------------------------------------- */

/* Flow through a plane between two instants; grains are matched by id (M12). */

typedef struct rp_flow {
    double seconds;                     /* between the two */
    size_t forward, backward;           /* grains, along the axis and against it */
    double mass_forward, mass_backward; /* kg */
    size_t appeared, vanished;          /* grains that only the second, or first, instant has */
} rp_flow;

/* The plane is perpendicular to `axis` (0, 1, 2 for x, y, z) at `at` metres. On a periodic axis the
 * displacement of a grain is the minimum image. RP_ERROR_INPUT when time does not rise. */
rp_code rp_measure_flow(const rp_view *before, const rp_view *after, const rp_scene *scene,
                        int axis, double at, rp_flow *out, rp_report *report);

/* --- density error -------------------------------------------------------------------------- */

/* Compression that the solver left: density above that of the material (M10). */

typedef struct rp_density_error {
    double mean, rms, largest; /* of max(0, rho / rho_0 - 1) over all grains */
    double share;              /* of the grains above one per cent */
} rp_density_error;

/* RP_ERROR_UNSUPPORTED, and all numbers NaN, when no density was computed: all are zero, or exactly
 * that of the material, which grains start with. */
rp_code rp_measure_density_error(const rp_view *view, const rp_scene *scene, rp_density_error *out,
                                 rp_report *report);

/* --- bodies --------------------------------------------------------------------------------- */

/* Returns quantity number `quantity` of RP_BODY_QUANTITY_WORDS: pose, motion or load (M14). */
rp_vec3 rp_body_quantity(const rp_body_state *state, int quantity);

#endif
