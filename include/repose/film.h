/* Films of runs: every frame is rendered into a picture, the pictures are encoded into a film.
 *
 * A film takes long, so its pictures are stored on disk, in a folder FILM.frames beside it, until
 * all are there. An interrupted film is continued by the same calls: pictures that were rendered
 * with the same settings and that are not older than their frame are reused.
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

/* Progress of a film. */
typedef struct rp_film_progress {
    int64_t frame, frame_count; /* pictures that are done, and all */
    int64_t kept;               /* of those done, reused from before */
    double part;                /* of the present picture, 0 to 1 */
    bool encoding;              /* all are rendered; `frame` counts those in the film */
    double time;                /* s, simulated, of the frame rendered last */
    size_t grains;              /* in it */
    double seconds;             /* wall-clock time since opening, or since encoding began */
    double seconds_left;        /* estimate; negative when unknown */
} rp_film_progress;

/* Texts are borrowed and must outlive the film. */
typedef struct rp_film_options {
    size_t size;        /* set by rp_default_film_options() */
    const char *path;   /* *.mp4, *.webm, or a folder for pictures; NULL: nothing is written */
    int width, height;  /* pixels */
    int samples;        /* of a pixel: 1 is a draft, more have less noise */
    const char *camera; /* its name; NULL: the scene's first, else "automatic" */
    double orbit;       /* rad/s at which the camera orbits its target */
    double grain_scale; /* radius of a grain in half spacings; 1: neighbors touch */
    const char *colour; /* of grains: NULL or "material"; "speed", "id", a field's name, or
                           "chains": force chains, of views with contacts */
    double range_low, range_high; /* of the colour scale; both 0: those of the run */
    bool show_time;               /* write the simulated time into each picture */
    double frames_per_second;     /* 0: as the run, up to 60, so that it plays in real time */
    /* The run has not finished: camera and colour scale are chosen by its first frame, and
     * rp_film_render is called again whenever there are more frames. */
    bool live;
    int threads; /* 0: one per core; pictures do not depend on it */
    /* Called now and then while a picture is rendered, and after each; may be NULL. Return false to
     * stop: RP_INTERRUPTED, and complete pictures stay. */
    bool (*progress)(void *user, const rp_film_progress *progress);
    void *user;
} rp_film_options;
RP_DEFAULTS(rp_film_options, rp_default_film_options)

/* What a film shows: frames `from` to `to` of a series. Its record is borrowed until the film is
 * closed. */
typedef struct rp_film_run {
    const rp_series *series;
    int64_t from, to; /* numbers; 0 and INT64_MAX: all */
} rp_film_run;

/* Runs side by side, at most. */
#define RP_FILM_RUNS_MAX 2

/* Limits of pictures per second, and of rows and columns of contact sheets. */
#define RP_FILM_FPS_MIN 0.01
#define RP_FILM_FPS_MAX 1000.0
#define RP_FILM_SHEET_MAX 12

/* Samples of a pixel for "draft", "good" or "final"; 0 for other words. */
RP_API int rp_film_quality_samples(const char *quality);
/* True when ffmpeg is in PATH, so that pictures can become a film. */
RP_API bool rp_film_can_encode(void);
/* True for names of films: they end in .mp4 or .webm. */
RP_API bool rp_film_is_video(const char *path);

/* Checks what can be known before anything is rendered: bad options, a camera that a scene lacks, a
 * missing ffmpeg. */
RP_API rp_code rp_film_check(const rp_film_options *options, const rp_scene *scene,
                             rp_report *report);
/* Makes the folder for pictures and locks it. With two runs each gets half of the width, and the
 * shorter one holds its last frame. */
RP_API rp_code rp_film_open(const rp_film_options *options, const rp_film_run *runs, int run_count,
                            rp_film **out, rp_report *report);
/* Renders the frames that are there and have no picture yet. */
RP_API rp_code rp_film_render(rp_film *film, rp_report *report);
/* Encodes the film and removes the pictures. Where the path is a folder the pictures stay, and
 * there is no film. */
RP_API rp_code rp_film_finish(rp_film *film, rp_report *report);
/* Pictures in memory, of a film that needs no path: that of the last frame; and a contact sheet of
 * `columns` times `rows` pictures, spread over the run, each of the size of the options and with
 * its time. */
RP_API rp_code rp_film_last(rp_film *film, rp_picture **out, rp_report *report);
RP_API rp_code rp_film_sheet(rp_film *film, int columns, int rows, rp_picture **out,
                             rp_report *report);
RP_API rp_film_progress rp_film_state(const rp_film *film);
/* Pictures of a film that was not finished stay. NULL is allowed. */
RP_API void rp_film_close(rp_film *film);

/* Renders one picture of a view, such as that of a world which is not recorded, with the motion
 * blur of a film of the scene. All options count except path, frames_per_second, live and progress.
 */
RP_API rp_code rp_view_render(const rp_view *view, const rp_scene *scene,
                              const rp_film_options *options, rp_picture **out, rp_report *report);
/* The same as a PNG file. */
RP_API rp_code rp_view_picture(const rp_view *view, const rp_scene *scene,
                               const rp_film_options *options, const char *path, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
