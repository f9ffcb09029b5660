/* Single pictures and contact sheets: painted in memory, nothing is kept in between. */
#include "base/report.h"
#include "film/film.h"
#include "scene/scene.h"

/* At least as wide as the margin of a sheet. */
#define MARGIN 16

static rp_code paint_next(rp_film *film, int64_t picture, rp_picture **out, rp_report *report)
{
    rp_code code = rp_film_picture(film, picture, out, report);
    film->progress.part = 0;
    RP_TRY(code);
    film->progress.frame++;
    bool last = film->progress.frame == film->progress.frame_count;
    return rp_film_show(film) || last ? RP_OK : RP_INTERRUPTED;
}

static void begin(rp_film *film, int64_t count)
{
    film->progress = (rp_film_progress){.frame_count = count};
}

rp_code rp_film_last(rp_film *film, rp_picture **out, rp_report *report)
{
    RP_NEED(film, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    begin(film, 1);
    return paint_next(film, rp_film_count(film) - 1, out, report);
}

rp_code rp_view_paint(const rp_view *view, const rp_scene *scene, const rp_film_options *options,
                      rp_picture **out, rp_report *report)
{
    if (out) *out = NULL;
    RP_NEED(view, report);
    RP_NEED(scene, report);
    RP_NEED(options, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_film_options own = rp_default_film_options();
    RP_TAKE_OPTIONS(&own, options, report);
    own.path = NULL; /* no film */
    RP_TRY(rp_film_check(&own, scene, report));
    rp_paint_options paint = rp_film_paint_options(&own);
    rp_colour_range range = {own.range_low, own.range_high};
    if (range.low < range.high) paint.range = &range;
    paint.frame_time = 1 / scene->time.frame_rate;
    rp_threads *threads = NULL;
    rp_code code = rp_threads_create(own.threads, &threads, report);
    if (code == RP_OK) code = rp_paint(view, scene, &paint, threads, out, report);
    rp_threads_destroy(threads);
    return code;
}

rp_code rp_view_picture(const rp_view *view, const rp_scene *scene, const rp_film_options *options,
                        const char *path, rp_report *report)
{
    RP_NEED(view, report);
    RP_NEED(scene, report);
    RP_NEED(options, report);
    RP_NEED(path, report);
    RP_ENTER();
    rp_picture *picture = NULL;
    RP_TRY(rp_view_paint(view, scene, options, &picture, report));
    rp_code code = rp_picture_write_png(picture, path, report);
    rp_picture_destroy(picture);
    return code;
}

/* Told before hours of painting. */
static rp_code check_size(const rp_film *film, int columns, int rows, rp_report *report)
{
    int64_t width = (int64_t)columns * (film->options.width + MARGIN);
    int64_t height = (int64_t)rows * (film->options.height + MARGIN);
    if (columns < 1 || rows < 1 || columns > RP_FILM_SHEET_MAX || rows > RP_FILM_SHEET_MAX)
        return rp_fail(report, RP_ERROR_INPUT,
                       "a sheet of %d x %d pictures: 1x1 to %dx%d are allowed", columns, rows,
                       RP_FILM_SHEET_MAX, RP_FILM_SHEET_MAX);
    if (width <= RP_PICTURE_EDGE_MAX && height <= RP_PICTURE_EDGE_MAX) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT,
                   "a sheet of %d x %d pictures of %d x %d pixels: more than %d pixels wide or "
                   "high; take smaller ones by --size",
                   columns, rows, film->options.width, film->options.height, RP_PICTURE_EDGE_MAX);
}

rp_code rp_film_sheet(rp_film *film, int columns, int rows, rp_picture **out, rp_report *report)
{
    RP_NEED(film, report);
    RP_NEED(out, report);
    RP_ENTER();
    rp_picture *pictures[RP_FILM_SHEET_MAX * RP_FILM_SHEET_MAX] = {0};
    int64_t total = rp_film_count(film), wanted = (int64_t)columns * rows;
    *out = NULL;
    rp_code code = check_size(film, columns, rows, report);
    RP_TRY(code);
    int count = (int)(total < wanted ? total : wanted);
    film->options.show_time = true; /* what else tells them apart? */
    begin(film, count);
    for (int n = 0; n < count && code == RP_OK; n++) { /* spread evenly, ends included */
        int64_t picture = count > 1 ? n * (total - 1) / (count - 1) : total - 1;
        code = paint_next(film, picture, &pictures[n], report);
    }
    if (code == RP_OK)
        code = rp_picture_sheet((const rp_picture *const *)pictures, count, columns,
                                film->options.width, out, report);
    for (int n = 0; n < count; n++)
        rp_picture_destroy(pictures[n]);
    return code;
}
