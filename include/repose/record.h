/* Records: a run folder on disk with everything that was computed.
 *
 *     RUN/manifest.json          version, scene, seed, units, machine, fields
 *     RUN/scene.yaml             the scene as run, complete
 *     RUN/meshes/                the scene's meshes, named by their content
 *     RUN/frames/000012.h5       one HDF5 file per frame
 *     RUN/checkpoints/000010.h5  state from which a run is resumed
 *     RUN/fine/000012.h5         a frame of fine grains: index of the file set 000012-000.h5 …
 *     RUN/fine/checkpoints/      state from which a refinement is resumed
 *     RUN/export/                files for other programs
 *
 * Files are written atomically: under a temporary name, then renamed, so that a file is complete or
 * absent. Every HDF5 file begins with a header of length and checksum, which is verified before the
 * file is read.
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

/* The kinds of frames of a run: results of the solver, and fine grains, whose views have no mass,
 * density, pressure, asleep and moisture. */
typedef enum rp_series_kind { RP_SERIES_COARSE, RP_SERIES_FINE } rp_series_kind;
#define RP_SERIES_KINDS 2

/* Creates the folder of a new run, and its parents. A folder that is not empty is refused and not
 * changed. The scene must outlive the record; `threads` is only written to the manifest. */
RP_API rp_code rp_record_create(const char *folder, const rp_scene *scene, int threads,
                                rp_record **out, rp_report *report);
/* Opens an existing run, complete or not. */
RP_API rp_code rp_record_open(const char *folder, rp_record **out, rp_report *report);
RP_API void rp_record_close(rp_record *record);

RP_API const rp_scene *rp_record_scene(const rp_record *record); /* as run; borrowed */
RP_API const char *rp_record_folder(const rp_record *record);
RP_API rp_code rp_record_write_frame(rp_record *record, int64_t number, const rp_view *view,
                                     rp_report *report);

/* Returns the frames of one kind, sorted by number: those that existed when the record was opened,
 * and those written since. The series belongs to its record; NULL for an unknown kind. */
RP_API const rp_series *rp_record_series(const rp_record *record, rp_series_kind kind);
RP_API const rp_record *rp_series_record(const rp_series *series);
RP_API const char *rp_series_name(const rp_series *series); /* "coarse", "fine" */
/* Number of frames, and the frame number at an index; -1 beyond the last. */
RP_API int64_t rp_series_count(const rp_series *series);
RP_API int64_t rp_series_number(const rp_series *series, int64_t index);
/* Returns the index of a frame number; -1 when there is no such frame. */
RP_API int64_t rp_series_find(const rp_series *series, int64_t number);
/* Reads the frame with that number; close it with rp_frame_close. */
RP_API rp_code rp_series_read(const rp_series *series, int64_t number, rp_frame_file **out,
                              rp_report *report);
/* Reads the time of a frame, s, without its grains. */
RP_API rp_code rp_series_time(const rp_series *series, int64_t number, double *time,
                              rp_report *report);
/* Returns the view of a frame, valid until the frame is closed. */
RP_API const rp_view *rp_frame_view(const rp_frame_file *frame);
RP_API void rp_frame_close(rp_frame_file *frame);

#ifdef __cplusplus
}
#endif
#endif
