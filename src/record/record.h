/* The run folder: where its files are, which there are, and how a run is resumed or replaced. */
#ifndef RP_RECORD_RECORD_H
#define RP_RECORD_RECORD_H

#include "files/folder.h"
#include "repose/record.h"
#include "scene/scene.h"
#include "system/atomic.h"

/* The frames of one kind. */
struct rp_series {
    const rp_record *record; /* whose member this is */
    rp_series_kind kind;
    rp_numbers numbers;
};

struct rp_record {
    char *folder;
    const rp_scene *scene;
    rp_scene *owned_scene; /* the same, when the record read it itself */
    rp_series series[RP_SERIES_KINDS];
};

/* Where frames are; those of fine grains, and their checkpoints (record/fine.h). */
#define RP_FRAMES_FOLDER "frames"
#define RP_FINE_FOLDER "fine"
#define RP_FINE_CHECKPOINTS RP_FINE_FOLDER "/checkpoints"

/* A file or folder of the run, such as "scene.yaml". */
rp_path rp_record_path(const rp_record *record, const char *name);
rp_path rp_record_checkpoint_path(const rp_record *record, int64_t number);

/* All series of a record, empty; then with the frames that the folder holds. */
void rp_series_begin(rp_record *record);
rp_code rp_series_list(rp_record *record, rp_report *report);
void rp_series_end(rp_record *record);
/* Adds the number of a frame that was written. */
rp_code rp_series_add(rp_series *series, int64_t number, rp_report *report);
/* The file of a frame, or the index of its file set. */
rp_path rp_series_path(const rp_series *series, int64_t number);

/* Copies the meshes of the scene into the run. */
rp_code rp_record_copy_meshes(const rp_record *record, rp_report *report);
/* A fault when one of them has another content than its name says. */
rp_code rp_record_check_meshes(const rp_record *record, rp_report *report);
/* Removes them from a run that could not begin. */
void rp_record_remove_meshes(const rp_record *record);

/* A fault when one of the folders inside the run is a link, before anything is written through it.
 */
rp_code rp_record_check_links(const rp_record *record, rp_report *report);
/* What a run was started with: a text such as the options, for `repose resume`. */
#define RP_COMMAND_FILE "command.txt"
/* rp_record_create that also writes a command, which may be NULL. */
rp_code rp_record_begin(const char *folder, const rp_scene *scene, int threads, const char *command,
                        rp_record **out, rp_report *report);
/* Opens a run that is to be replaced: its folder with another scene, nothing is changed yet; a
 * folder that has no manifest of ours is refused. rp_record_replace, once it is locked, removes
 * what the old run wrote; other files stay. */
rp_code rp_record_open_to_replace(const char *folder, const rp_scene *scene, rp_record **out,
                                  rp_report *report);
rp_code rp_record_replace(rp_record *record, int threads, const char *command, rp_report *report);
/* True when the folder has a manifest, whatever is in it. */
bool rp_record_is_run(const char *folder);
/* Removes what the run wrote, checkpoints first: an interrupted removal cannot be resumed by
 * mistake.
 */
rp_code rp_record_remove_output(const rp_record *record, rp_report *report);
/* Lists all checkpoints; release with rp_numbers_end. */
rp_code rp_record_checkpoints(const rp_record *record, rp_numbers *out, rp_report *report);
/* Removes all but the newest `keep` checkpoints. */
rp_code rp_record_prune_checkpoints(const rp_record *record, int keep, rp_report *report);
/* Removes the frames behind `number`, those of fine grains and their checkpoints as well, and what
 * an interrupted write left behind. */
rp_code rp_record_remove_frames_after(rp_record *record, int64_t number, rp_report *report);
/* The same for fine grains alone. */
rp_code rp_record_remove_fine_after(rp_record *record, int64_t number, rp_report *report);
/* RP_OK when the scene is the recorded one; else a fault that shows the first line that differs. */
rp_code rp_record_same_scene(const rp_record *record, const rp_scene *scene, rp_report *report);

/* --- manifest --------------------------------------------------------------------------------- */

/* The manifest of a run folder: which program computed what, when, on what machine, in which units.
 */
rp_code rp_record_manifest_write(const char *path, const rp_scene *scene, int threads,
                                 rp_report *report);
/* Checks that the manifest is that of a run of Repose, of any format. */
rp_code rp_record_manifest_check_program(const char *path, rp_report *report);
/* Checks that the manifest is there, complete, and of a format that this program knows. */
rp_code rp_record_manifest_check(const char *path, rp_report *report);

#endif
