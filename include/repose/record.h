/* Records: a run folder on disk with everything that was computed.
 *
 *     RUN/manifest.json          version, scene, seed, units, machine, fields
 *     RUN/scene.yaml             the scene as run, complete
 *     RUN/meshes/                the scene's meshes, named by their content
 *     RUN/frames/000012.h5       one HDF5 file a frame
 *     RUN/checkpoints/000010.h5  what `--resume` starts from
 *     RUN/fine/000012.h5         a frame of fine grains: the index to 000012-000.h5 …
 *     RUN/fine/checkpoints/      what computing fine grains goes on from
 *     RUN/export/                what other programs read
 *
 * A file appears whole or not at all: it is written aside and renamed. Every HDF5 file carries a
 * seal (length and hash) that is checked before it is opened.
 */
#ifndef REPOSE_RECORD_H
#define REPOSE_RECORD_H

#include "repose/scene.h"
#include "repose/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rp_record rp_record;
typedef struct rp_series rp_series;
typedef struct rp_frame_file rp_frame_file;

/* The kinds of frames that a run may hold: what the solver computed, and fine grains, whose views
 * have no mass, density, pressure, asleep and moisture. */
typedef enum rp_series_kind { RP_SERIES_COARSE, RP_SERIES_FINE } rp_series_kind;
#define RP_SERIES_KINDS 2

/* Makes the folder (and its parents) for a new run. A folder that holds another run, or anything
 * else, is refused and left as it is. The scene must outlive the record; `threads` is only noted in
 * the manifest. */
RP_API rp_code rp_record_create(const char *folder, const rp_scene *scene, int threads,
                                rp_record **out, rp_report *report);
/* Opens an existing run, finished or not. */
RP_API rp_code rp_record_open(const char *folder, rp_record **out, rp_report *report);
RP_API void rp_record_close(rp_record *record);

RP_API const rp_scene *rp_record_scene(const rp_record *record); /* as run; borrowed */
RP_API const char *rp_record_folder(const rp_record *record);
RP_API rp_code rp_record_write_frame(rp_record *record, int64_t number, const rp_view *view,
                                     rp_report *report);

/* The frames of one kind, in the order of their numbers: all that were there when the record was
 * opened, and those written since. Every kind is read alike. The series belongs to its record; NULL
 * for a kind that there is not. */
RP_API const rp_series *rp_record_series(const rp_record *record, rp_series_kind kind);
RP_API const rp_record *rp_series_record(const rp_series *series);
RP_API const char *rp_series_name(const rp_series *series); /* "coarse", "fine" */
/* How many frames there are, and the number of each; -1 beyond the last. */
RP_API int64_t rp_series_count(const rp_series *series);
RP_API int64_t rp_series_number(const rp_series *series, int64_t index);
/* The index of the frame of that number; -1 when there is none. */
RP_API int64_t rp_series_find(const rp_series *series, int64_t number);
/* Reads the frame of that number; close it with rp_frame_close. */
RP_API rp_code rp_series_read(const rp_series *series, int64_t number, rp_frame_file **out,
                              rp_report *report);
/* Its time in seconds, without reading its grains. */
RP_API rp_code rp_series_time(const rp_series *series, int64_t number, double *time,
                              rp_report *report);
/* Good until the frame is closed. */
RP_API const rp_view *rp_frame_view(const rp_frame_file *frame);
RP_API void rp_frame_close(rp_frame_file *frame);

#ifdef __cplusplus
}
#endif
#endif
