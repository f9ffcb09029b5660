/* A film in hand: pictures.c paints, folder.c keeps what is painted, film.c leads both. The public
 * half is repose/film.h. */
#ifndef RP_FILM_FILM_H
#define RP_FILM_FILM_H

#include "record/record.h"
#include "render/render.h"
#include "repose/film.h"

/* Views that the shared camera and the shared colours are made from: at least so many, and as many
 * as have so many grains together. */
#define RP_FRAMING_VIEWS 12
#define RP_FRAMING_GRAINS 20000000
/* Films of runs with more frames a second play slower than real time. */
#define RP_FILM_RATE_MAX 60.0

/* A run of the film. */
typedef struct rp_shown {
    rp_film_run run;
    int64_t first, count; /* indices into the series */
    rp_framing framing;
    uint64_t identity; /* of the record: a hash of its manifest */
} rp_shown;

struct rp_film {
    rp_film_options options;
    rp_shown shown[RP_FILM_RUNS_MAX];
    int shown_count;
    rp_colour_range range;
    rp_threads *threads;
    char folder[RP_PATH_MAX]; /* of the pictures; empty: none */
    bool encodes;             /* a film is wanted, not just pictures */
    int lock;                 /* descriptor of the locked file; -1: none */
    rp_film_progress progress;
    double started; /* s, on rp_clock */
};

/* pictures.c: how many pictures there are now; the number that the name of one is made of. */
int64_t rp_film_count(const rp_film *film);
int64_t rp_film_number(const rp_film *film, int64_t picture);
/* film.c: tells how far it is; false when the host wants to stop. */
bool rp_film_show(const rp_film *film);
/* s from picture to picture, simulated. */
double rp_film_frame_time(const rp_film *film);
/* Counts the frames of the runs anew. */
void rp_film_look(rp_film *film);
/* Chooses what all pictures share: bounds for the camera, and colours. */
rp_code rp_film_survey(rp_film *film, rp_report *report);
/* What stands below a run beside another: its folder's name, or path where both have one name. */
rp_path rp_film_caption(const rp_film *film, int index);
/* Picture number `picture` of rp_film_count. */
rp_code rp_film_picture(rp_film *film, int64_t picture, rp_picture **out, rp_report *report);
/* What options say of each picture. */
rp_paint_options rp_film_paint_options(const rp_film_options *options);
/* The file of the frame that a picture shows of a run. */
rp_path rp_shown_path(const rp_shown *shown, int64_t picture);

const rp_record *rp_shown_record(const rp_shown *shown);
bool rp_shown_is_fine(const rp_shown *shown);

/* folder.c */
/* Makes and locks the folder. */
rp_code rp_film_folder_open(rp_film *film, rp_report *report);
/* Clears away pictures that were painted with other settings, and notes those of now. */
rp_code rp_film_folder_settle(const rp_film *film, rp_report *report);
rp_path rp_film_picture_path(const rp_film *film, int64_t picture);
/* True when the picture is there, whole, and not older than what it shows. */
bool rp_film_has_picture(const rp_film *film, int64_t picture);
/* Removes the folder and what we put there; anything else stays, and the folder with it. */
void rp_film_folder_remove(rp_film *film);
/* Unlocks it; that of a film goes while nothing is in it. */
void rp_film_folder_close(rp_film *film);

#endif
