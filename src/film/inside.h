/* Films as the files of this room share them: film_pictures.c renders, film_folder.c stores the
 * pictures, encode.c runs ffmpeg, film.c controls all three. The public half is repose/film.h. */
#ifndef RP_FILM_INSIDE_H
#define RP_FILM_INSIDE_H

#include "record/record.h"
#include "render/render.h"
#include "repose/film.h"
#include "system/program.h"

#include <stdbool.h>

/* Views that the shared camera and the shared colour scale are made from: at least so many, and
 * more as long as they have fewer grains than this together. */
#define RP_FRAMING_VIEWS 12
#define RP_FRAMING_GRAINS 20000000
/* Films of runs with more frames a second play slower than real time. */
#define RP_FILM_RATE_MAX 60.0

/* One of the runs that a film shows. */
typedef struct rp_film_source {
    rp_film_run run;
    int64_t first, count; /* indices into the series */
    rp_framing framing;
    uint64_t identity; /* of the record: a hash of its manifest */
} rp_film_source;

struct rp_film {
    rp_film_options options;
    rp_film_source sources[RP_FILM_RUNS_MAX];
    int source_count;
    rp_colour_range range;
    rp_threads *threads;
    char folder[RP_PATH_MAX]; /* of the pictures; empty: none */
    bool encodes;             /* a film is wanted, not just pictures */
    int lock;                 /* descriptor of the locked file; -1: none */
    rp_film_progress progress;
    double started; /* s, on rp_clock */
};

/* --- film.c ----------------------------------------------------------------------------------- */

/* Calls the host's progress function; false when the host wants to stop. */
bool rp_film_report_progress(const rp_film *film);

/* --- film_pictures.c -------------------------------------------------------------------------- */

/* Number of pictures with the frames that are there now. */
int64_t rp_film_count(const rp_film *film);
/* The number in the file name of a picture: that of its frame. */
int64_t rp_film_number(const rp_film *film, int64_t picture);
/* Simulated time from picture to picture, s. */
double rp_film_frame_time(const rp_film *film);
/* Counts the frames of the runs again. */
void rp_film_count_frames(rp_film *film);
/* Finds what all pictures share: the framing for the camera, and the colour range. */
rp_code rp_film_survey(rp_film *film, rp_report *report);
/* The caption of a run beside another: its folder's name, or path where both have one name. */
rp_path rp_film_caption(const rp_film *film, int index);
/* Renders picture number `picture` of rp_film_count. */
rp_code rp_film_picture(rp_film *film, int64_t picture, rp_picture **out, rp_report *report);
/* The part of the options that each picture has. */
rp_render_options rp_film_render_options(const rp_film_options *options);
/* The file of the frame that a picture shows of a run. */
rp_path rp_film_source_path(const rp_film_source *source, int64_t picture);
const rp_record *rp_film_source_record(const rp_film_source *source);
bool rp_film_source_is_fine(const rp_film_source *source);

/* --- film_folder.c ---------------------------------------------------------------------------- */

/* Makes and locks the folder. */
rp_code rp_film_folder_open(rp_film *film, rp_report *report);
/* Removes pictures that were rendered with other settings, and writes the present ones. */
rp_code rp_film_folder_apply_settings(const rp_film *film, rp_report *report);
rp_path rp_film_picture_path(const rp_film *film, int64_t picture);
/* True when the picture is there, complete, and not older than its frames. */
bool rp_film_has_picture(const rp_film *film, int64_t picture);
/* Removes our files and the folder; it stays where it has others. */
void rp_film_folder_remove(rp_film *film);
/* Unlocks the folder; that of a film is removed when it is empty. */
void rp_film_folder_close(rp_film *film);

/* --- encode.c: films by ffmpeg ---------------------------------------------------------------- */

/* PNG files go in one after another, an MP4 or WebM file comes out. */
typedef struct rp_encoder rp_encoder;

/* True when ffmpeg is in PATH; the second function adds the fault that says so. */
bool rp_encoder_available(void);
rp_code rp_encoder_check(rp_report *report);
/* True for names that end in .mp4 or .webm. */
bool rp_encoder_accepts(const char *path);

/* Starts a film. It is written into a temporary folder beside `path` and renamed when complete. */
rp_code rp_encoder_start(const char *path, double frames_per_second, rp_encoder **out,
                         rp_report *report);
/* Sets a function that is called while we wait for ffmpeg: when it returns false, adding and
 * finishing return RP_INTERRUPTED. */
void rp_encoder_watch(rp_encoder *encoder, rp_program_poll_fn *keep_on, void *user);
/* Adds the bytes of the next PNG file; all have the same size in pixels. After a fault only
 * rp_encoder_abandon may be called. */
rp_code rp_encoder_add(rp_encoder *encoder, const void *bytes, size_t size, rp_report *report);
/* When this returns RP_OK the film is there, with every picture; otherwise there is none. Releases
 * the encoder. */
rp_code rp_encoder_finish(rp_encoder *encoder, rp_report *report);
/* Ends ffmpeg and removes its files. NULL is allowed. */
void rp_encoder_abandon(rp_encoder *encoder);

#endif
