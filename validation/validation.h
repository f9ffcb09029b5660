/* Validation cases: each runs scenes of its own folder and yields numbers with limits and verdicts,
 * and figures. Limits are written into the case and its README before anything is measured.
 *
 * A case is one function; its context holds input and results:
 *
 *     static rp_code run(rp_case_context *c)
 *     {
 *         rp_scene *scene = NULL;
 *         rp_code code = rp_case_scene(c, "scene.yaml", NULL, 0, &scene);
 *         …
 *         rp_judge_near(c, "height of the rebound", rise, 0.64, 2e-3, "m");
 *         rp_figure *figure = rp_case_figure(c, "Height", "time [s]", "height [m]");
 *         rp_figure_add(figure, "measured", RP_PLOT_LINE, t, z, NULL, count);
 *         …
 *     }
 *     const rp_case rp_case_bounce = {"bounce", "A grain bounces as its restitution says", run};
 */
#ifndef RP_VALIDATION_H
#define RP_VALIDATION_H

#include "plot/plot.h"
#include "repose/repose.h"
#include "repose/validate.h"
#include "system/atomic.h"

#define RP_VERDICTS_MAX 64
#define RP_FIGURES_MAX 16
#define RP_NOTES_MAX 8192

typedef struct rp_case_context {
    /* Input of a case. */
    const char *folder;            /* its own, with README.md and scenes */
    const rp_world_options *world; /* for rp_world_create */
    bool quick;                    /* take the short form: fewer grains, looser limits */
    rp_report *report;             /* faults go here */
    /* Results, added by the functions below. */
    rp_verdict verdicts[RP_VERDICTS_MAX];
    int verdict_count;
    rp_figure *figures[RP_FIGURES_MAX];
    int figure_count;
    char notes[RP_NOTES_MAX]; /* lines */
    /* Receives progress messages; may be NULL. */
    void (*say)(void *user, const char *text);
    void *user;
    double said; /* time of the last message, s; see rp_case_run_to */
    bool slow;   /* it takes so long that results are reported at once */
} rp_case_context;

typedef struct rp_case {
    const char *name;  /* and the folder's name */
    const char *title; /* one line */
    rp_code (*run)(rp_case_context *c);
} rp_case;

const rp_case *rp_case_at(int index);
const rp_case *rp_case_find(const char *name); /* NULL when unknown */
/* Whether a word names the case; see rp_case_is_meant. */
bool rp_case_matches(const rp_case *which, const char *word);

/* A scene of the case's folder, such as "scene.yaml", with settings as --set gives them. */
rp_code rp_case_scene(rp_case_context *c, const char *file, const rp_setting *settings,
                      int setting_count, rp_scene **out);
void rp_judge_near(rp_case_context *c, const char *what, double measured, double expected,
                   double limit, const char *unit);
void rp_judge_at_most(rp_case_context *c, const char *what, double measured, double limit,
                      const char *unit);
void rp_judge_at_least(rp_case_context *c, const char *what, double measured, double limit,
                       const char *unit);
/* A negative control: something is wrong on purpose, and the check of rp_judge_near has to find it.
 * The verdict is ok when that check misses, and not when there is no number. */
void rp_judge_control(rp_case_context *c, const char *what, double measured, double expected,
                      double limit, const char *unit);
/* Whether `expected` and `limit` make a range; and what stands before it: "must miss ", or "". */
bool rp_verdict_has_range(const rp_verdict *verdict);
const char *rp_verdict_prefix(const rp_verdict *verdict);
/* A figure that belongs to the context: fill it, do not destroy it. NULL when memory runs out,
 * which the functions of plot.h accept. */
rp_figure *rp_case_figure(rp_case_context *c, const char *title, const char *x_label,
                          const char *y_label);
/* Adds a line to the report. */
void rp_case_note(rp_case_context *c, const char *format, ...) RP_PRINTF(2, 3);
/* Reports progress. */
void rp_case_progress(rp_case_context *c, const char *format, ...) RP_PRINTF(2, 3);
/* Runs the world to a time, in `slices` even parts, and reports progress every few seconds. The
 * parts do not depend on the clock, so a run is the same each time. */
rp_code rp_case_run_to(rp_case_context *c, rp_world *world, double time, int slices);

/* Result of a case. */
typedef struct rp_case_result {
    const rp_case *which;
    char folder[4096];
    rp_case_context context;
    rp_code code;   /* of running it; RP_ERROR_FAILED when it ran and missed a limit */
    double seconds; /* wall-clock time */
} rp_case_result;

/* Runs a case that is in folder `root`. The context's `world`, `quick`, `say` and `user` are set by
 * the caller; end the result afterwards, whatever the code. */
rp_code rp_case_run(const rp_case *which, const char *root, rp_case_result *result);
void rp_case_result_end(rp_case_result *result);

/* One HTML page with everything: summary, and each case's text, numbers, figures and notes. Figures
 * are drawn in place; where gnuplot is missing the page says so. */
rp_code rp_case_write_html(const char *path, const rp_case_result *results, int count,
                           rp_report *report);
/* One page of Markdown with the numbers of every case there is. Cases that are not among the
 * results keep the numbers that the file has. */
rp_code rp_case_write_results(const char *path, const rp_case_result *results, int count,
                              rp_report *report);

/* --- elements of the HTML report -------------------------------------------------------------- */

/* Text with <, >, & and quotes escaped; bytes that XML forbids become question marks. */
void rp_html_text(rp_atomic *page, const char *text, size_t length);
/* The small part of Markdown that the cases' texts use: headings, paragraphs, lists, tables, code,
 * `code` and **bold**. The first heading, the case's name, is left out. */
void rp_html_markdown(rp_atomic *page, const char *text);
/* An SVG document without its prolog; its ids get a prefix, since a page may hold many. */
void rp_html_svg(rp_atomic *page, const char *svg, int number);

#endif
