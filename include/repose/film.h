/* Films of runs: every frame becomes a picture, the pictures become a film.
 *
 * A film takes long, so its pictures wait on disk, in a folder FILM.frames beside it, until all are
 * there. Who is interrupted goes on by doing the same again: pictures that are there, that were
 * painted with the same settings and that are not older than their frame, are kept.
 *
 *     rp_film *film;
 *     rp_code code = rp_film_open(&options, &run, 1, &film, report);
 *     if (code == RP_OK) code = rp_film_render(film, report);
 *     if (code == RP_OK) code = rp_film_finish(film, report);
 *     rp_film_close(film);
 */
#ifndef REPOSE_FILM_H
#define REPOSE_FILM_H

#include "repose/picture.h"
#include "repose/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_film rp_film;

/* How far a film has come. */
typedef struct rp_film_progress {
    int64_t frame, frame_count; /* pictures that are there, and wanted */
    int64_t kept;               /* of those, from before */
    double part;                /* of the picture in hand, 0 to 1 */
    bool encoding;              /* all are painted; `frame` counts those in the film */
    double time;                /* s, simulated, of the frame painted last */
    size_t grains;              /* in it */
    double seconds;             /* on the wall, since opening, or since encoding began */
    double seconds_left;        /* estimate; negative when unknown */
} rp_film_progress;

/* Texts are borrowed and must outlive the film. */
typedef struct rp_film_options {
    size_t size;        /* set by rp_default_film_options() */
    const char *path;   /* *.mp4, *.webm, or a folder for pictures; NULL: nothing is written */
    int width, height;  /* pixels */
    int samples;        /* of a pixel: 1 is a draft, more are smoother */
    const char *camera; /* its name; NULL: the scene's first, else "automatic" */
    double orbit;       /* rad/s that the camera goes about what it looks at */
    double grain_scale; /* radius of a grain in half spacings; 1: neighbors touch */
    const char *colour; /* what grains show: NULL or "material"; "speed", "id", a field's name, or
                           "chains": force chains, of views with contacts */
    double range_low, range_high; /* of the colours; both 0: of the run */
    bool show_time;               /* write the simulated time into each picture */
    double frames_per_second;     /* 0: as the run, so that it plays in real time, up to 60 */
    /* The run is still going on: camera and colours are chosen by its first frame, and
     * rp_film_render is called again whenever there are more. */
    bool live;
    int threads; /* 0: one per core; pictures do not depend on it */
    /* Called now and then while a picture is painted, and after each; may be NULL. Return false to
     * stop: RP_INTERRUPTED, and what is whole is kept. */
    bool (*progress)(void *user, const rp_film_progress *progress);
    void *user;
} rp_film_options;
RP_DEFAULTS(rp_film_options, rp_default_film_options)

/* What it is of: frames `from` to `to` of a series. Its record is borrowed until the film is
 * closed. */
typedef struct rp_film_run {
    const rp_series *series;
    int64_t from, to; /* numbers; 0 and INT64_MAX: all */
} rp_film_run;

/* Runs side by side. */
#define RP_FILM_RUNS_MAX 2

/* Pictures a second that films may have, and rows and columns of contact sheets. */
#define RP_FILM_FPS_MIN 0.01
#define RP_FILM_FPS_MAX 1000.0
#define RP_FILM_SHEET_MAX 12

/* Samples of a pixel for "draft", "good" or "final"; 0 for other words. */
RP_API int rp_film_quality_samples(const char *quality);
/* True when ffmpeg is in PATH, so that pictures can become a film. */
RP_API bool rp_film_can_encode(void);
/* True for names of films: they end in .mp4 or .webm. */
RP_API bool rp_film_is_video(const char *path);

/* What can be told before anything is painted: bad options, a camera that a scene lacks, a missing
 * ffmpeg. */
RP_API rp_code rp_film_check(const rp_film_options *options, const rp_scene *scene,
                             rp_report *report);
/* Makes the folder for pictures and locks it. With two runs each gets half of the width, and the
 * shorter one holds its last frame. */
RP_API rp_code rp_film_open(const rp_film_options *options, const rp_film_run *runs, int run_count,
                            rp_film **out, rp_report *report);
/* Paints the frames that are there and have no picture yet. */
RP_API rp_code rp_film_render(rp_film *film, rp_report *report);
/* Makes the film of them and removes the pictures; keeps them where a folder was asked for. */
RP_API rp_code rp_film_finish(rp_film *film, rp_report *report);
/* Pictures in memory, of a film that needs no path: that of the last frame; and `columns` times
 * `rows` of them, spread over the run, each as large as the options say and with its time. */
RP_API rp_code rp_film_last(rp_film *film, rp_picture **out, rp_report *report);
RP_API rp_code rp_film_sheet(rp_film *film, int columns, int rows, rp_picture **out,
                             rp_report *report);
RP_API rp_film_progress rp_film_state(const rp_film *film);
/* Pictures of a film that was not finished stay. NULL is fine. */
RP_API void rp_film_close(rp_film *film);

/* One picture of a view, such as that of a world which is not recorded. Moving things are blurred
 * as in a film of the scene. Of the options all count but path, frames_per_second, live and
 * progress. */
RP_API rp_code rp_view_render(const rp_view *view, const rp_scene *scene,
                              const rp_film_options *options, rp_picture **out, rp_report *report);
/* The same as a PNG file. */
RP_API rp_code rp_view_picture(const rp_view *view, const rp_scene *scene,
                               const rp_film_options *options, const char *path, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
