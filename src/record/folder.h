/* The run folder: where its files are, which there are, and what a resumed run does to them. */
#ifndef RP_RECORD_FOLDER_H
#define RP_RECORD_FOLDER_H

#include "base/atomic.h"
#include "repose/record.h"

/* The longest folder name; leaves room for the names inside. */
#define RP_FOLDER_MAX (RP_PATH_MAX - 512)

typedef struct rp_path {
    char text[RP_PATH_MAX];
} rp_path;

/* Numbers of files, rising. */
typedef struct rp_numbers {
    int64_t *items;
    size_t count, capacity;
} rp_numbers;

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

/* series.c: all series of a record, empty; then with the frames that the folder holds. */
void rp_series_begin(rp_record *record);
rp_code rp_series_list(rp_record *record, rp_report *report);
void rp_series_end(rp_record *record);
/* Notes a frame that was written. */
rp_code rp_series_add(rp_series *series, int64_t number, rp_report *report);
/* The file of a frame, or the index of its files. */
rp_path rp_series_path(const rp_series *series, int64_t number);

/* Copies the meshes of the scene into the run. */
rp_code rp_record_keep_meshes(const rp_record *record, rp_report *report);
/* A fault when one of them has another content than its name says. */
rp_code rp_record_check_meshes(const rp_record *record, rp_report *report);
/* Takes them back from a run that could not begin. */
void rp_record_drop_meshes(const rp_record *record);

/* A fault when one of the folders inside the run is a link, before anything is written through it.
 */
rp_code rp_record_check_links(const rp_record *record, rp_report *report);
/* What a run was started with: text that whoever resumes it may want, such as options. */
#define RP_COMMAND_FILE "command.txt"
/* rp_record_create that keeps a command, which may be NULL. */
rp_code rp_record_begin(const char *folder, const rp_scene *scene, int threads, const char *command,
                        rp_record **out, rp_report *report);
/* A run that is to be replaced: its folder with another scene, nothing changed yet; a folder that
 * has no manifest of ours is refused. rp_record_begin_again, once it is locked, removes what the
 * old run wrote; other files stay. */
rp_code rp_record_take_over(const char *folder, const rp_scene *scene, rp_record **out,
                            rp_report *report);
rp_code rp_record_begin_again(rp_record *record, int threads, const char *command,
                              rp_report *report);
/* True when the folder has a manifest, whatever is in it. */
bool rp_record_is_run(const char *folder);
/* Removes what the run wrote, checkpoints first: what is left cannot be resumed by mistake. */
rp_code rp_record_remove_output(const rp_record *record, rp_report *report);
/* All checkpoints present; release with rp_numbers_end. */
rp_code rp_record_checkpoints(const rp_record *record, rp_numbers *out, rp_report *report);
/* Keeps the newest `keep` checkpoints. */
rp_code rp_record_prune_checkpoints(const rp_record *record, int keep, rp_report *report);
/* Removes the frames behind `number`, those of fine grains and their checkpoints as well, and what
 * an interrupted write left behind. */
rp_code rp_record_remove_frames_after(rp_record *record, int64_t number, rp_report *report);
/* The same for fine grains alone. */
rp_code rp_record_remove_fine_after(rp_record *record, int64_t number, rp_report *report);
/* RP_OK when the scene is the recorded one; else a fault that shows the first line that differs. */
rp_code rp_record_same_scene(const rp_record *record, const rp_scene *scene, rp_report *report);

/* Makes a folder and its parents; one that exists is fine. */
rp_code rp_folder_make(const char *path, rp_report *report);
/* The numbers N of the files "<before>N<after>" of a folder, N with at least six digits. */
rp_code rp_folder_numbers(const char *path, const char *before, const char *after, rp_numbers *out,
                          rp_report *report);
/* Keeps the order and the numbers unique; false when memory runs out. */
bool rp_numbers_add(rp_numbers *numbers, int64_t number);
void rp_numbers_end(rp_numbers *numbers);

#endif
