/* Films by ffmpeg: PNG files go in one after another, an MP4 or WebM file comes out. */
#ifndef RP_FILM_ENCODE_H
#define RP_FILM_ENCODE_H

#include "repose/film.h"
#include "system/program.h"

#include <stdbool.h>

typedef struct rp_encoder rp_encoder;

/* True when ffmpeg is in PATH; otherwise the fault that says so. */
bool rp_encoder_can(void);
rp_code rp_encoder_check(rp_report *report);
/* True for names that end in .mp4 or .webm. */
bool rp_encoder_knows(const char *path);

/* Starts a film. It is written to a private folder beside `path`, which appears when it is whole.
 */
rp_code rp_encoder_start(const char *path, double frames_per_second, rp_encoder **out,
                         rp_report *report);
/* Asked whenever ffmpeg keeps us waiting: false makes adding and finishing RP_INTERRUPTED. */
void rp_encoder_watch(rp_encoder *encoder, rp_program_poll_fn *keep_on, void *user);
/* The bytes of the next PNG file; all have the same size in pixels. After a fault only
 * rp_encoder_abandon is left. */
rp_code rp_encoder_add(rp_encoder *encoder, const void *bytes, size_t size, rp_report *report);
/* The film is there, with every picture, once this returns RP_OK; otherwise nothing of it is.
 * Releases the encoder. */
rp_code rp_encoder_finish(rp_encoder *encoder, rp_report *report);
/* Ends ffmpeg and removes what it has written. NULL is fine. */
void rp_encoder_abandon(rp_encoder *encoder);

#endif
