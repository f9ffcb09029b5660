/* Records: a run folder is created, replaced or opened. */
#include "record/record.h"
#include "base/memory.h"
#include "base/report.h"
#include "files/file_set.h"
#include "record/fine.h"
#include "record/frame.h"
#include "record/record.h"
#include "scene/scene.h"
#include "system/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static rp_path inside(const char *folder, const char *name)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

rp_path rp_record_path(const rp_record *record, const char *name)
{
    return inside(record->folder, name);
}

/* The folders inside it must not be too long either. */
static rp_code check_length(const char *folder, rp_report *report)
{
    if (folder[0] && strlen(folder) <= RP_FOLDER_MAX - 64) return RP_OK;
    if (folder[0]) return rp_fail_errno(report, ENAMETOOLONG, folder, "use the run folder");
    return rp_fail(report, RP_ERROR_INPUT, "the run folder has no name");
}

static rp_record *make_record(const char *folder)
{
    rp_record *record = rp_allocate_zero(sizeof *record);
    if (!record) return NULL;
    record->folder = rp_text_copy(folder);
    rp_series_begin(record);
    if (record->folder) return record;
    rp_release(record, sizeof *record);
    return NULL;
}

void rp_record_close(rp_record *record)
{
    if (!record) return;
    rp_series_end(record);
    if (record->owned_scene) rp_scene_destroy(record->owned_scene);
    rp_text_release(record->folder);
    rp_release(record, sizeof *record);
}

/* A folder, not a link to one, with nothing in it but temporaries. */
static bool is_empty(const char *path)
{
    rp_disk_list list;
    if (!rp_disk_is(path, RP_FILE_FOLDER) || rp_disk_list_open(&list, path)) return false;
    bool found = false;
    for (const char *name; !found && (name = rp_disk_list_next(&list));)
        found = !rp_atomic_is_temporary(name);
    rp_disk_list_close(&list);
    return !found;
}

/* True for what fill_folder makes before the manifest, so that a run that was killed meanwhile may
 * be started again. The scene is written after both folders: alone it is a file of the user. */
static bool is_beginning(const char *path, const char *name)
{
    rp_path entry = inside(path, name);
    if (strcmp(name, "frames") == 0 || strcmp(name, "checkpoints") == 0)
        return is_empty(entry.text);
    /* Copies that are named by their content: those that are there are used. */
    if (strcmp(name, "meshes") == 0)
        return rp_disk_is(inside(path, "scene.yaml").text, RP_FILE_PLAIN);
    if (strcmp(name, RP_COMMAND_FILE) == 0)
        return rp_disk_is(entry.text, RP_FILE_PLAIN) &&
               rp_disk_is(inside(path, "scene.yaml").text, RP_FILE_PLAIN);
    if (!rp_disk_is(entry.text, RP_FILE_PLAIN)) return false;
    if (strcmp(name, "scene.yaml") == 0)
        return is_empty(inside(path, "frames").text) && is_empty(inside(path, "checkpoints").text);
    return strcmp(name, "lock") == 0 || rp_atomic_is_temporary(name);
}

/* The first entry of an open folder that is not from the beginning of a run, or NULL. */
static const char *foreign_entry(rp_disk_list *list, const char *path)
{
    const char *name = rp_disk_list_next(list);
    while (name && is_beginning(path, name))
        name = rp_disk_list_next(list);
    return name;
}

bool rp_record_is_run(const char *folder)
{
    return rp_disk_has(inside(folder, "manifest.json").text);
}

/* A folder may be missing (`*missing`), empty, or hold the beginning of a run. */
static rp_code check_free(const char *path, bool *missing, rp_report *report)
{
    rp_disk_list list;
    int error = rp_disk_list_open(&list, path);
    *missing = error == ENOENT;
    if (*missing) return RP_OK;
    rp_place place = {.file = path};
    if (error == ENOTDIR)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is a file, not a folder; choose another folder with -o");
    if (error) return rp_fail_errno(report, error, path, "list the folder");
    rp_code code = RP_OK;
    const char *entry = foreign_entry(&list, path);
    if (rp_record_is_run(path))
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the folder holds another run; replace it with --overwrite, continue it "
                          "with --resume, or choose another folder with -o");
    else if (entry)
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the folder is not empty (it holds '%s'); choose another folder with -o",
                          entry);
    rp_disk_list_close(&list);
    return code;
}

/* The manifest is written last: a folder that has one is a run. What is written before it,
 * is_beginning must know. */
static rp_code fill_folder(const rp_record *record, int threads, const char *command,
                           rp_report *report)
{
    RP_TRY(rp_folder_make(rp_record_path(record, "frames").text, report));
    RP_TRY(rp_folder_make(rp_record_path(record, "checkpoints").text, report));
    RP_TRY(
        rp_file_write(rp_record_path(record, "scene.yaml").text, record->scene->portable, report));
    if (command)
        RP_TRY(rp_file_write(rp_record_path(record, RP_COMMAND_FILE).text, command, report));
    RP_TRY(rp_record_copy_meshes(record, report));
    return rp_record_manifest_write(rp_record_path(record, "manifest.json").text, record->scene,
                                    threads, report);
}

/* Removes what fill_folder made, so that the same command may be tried again. */
static void clear_folder(const rp_record *record, bool made)
{
    rp_disk_remove(rp_record_path(record, "manifest.json").text);
    rp_disk_remove(rp_record_path(record, "scene.yaml").text);
    rp_disk_remove(rp_record_path(record, RP_COMMAND_FILE).text);
    rp_record_remove_meshes(record);
    rp_disk_remove_folder(rp_record_path(record, "frames").text);
    rp_disk_remove_folder(rp_record_path(record, "checkpoints").text);
    if (made) rp_disk_remove_folder(record->folder);
}

/* Removes what a run that was killed at its start was writing. */
static rp_code sweep_folder(const rp_record *record, rp_report *report)
{
    RP_TRY(rp_atomic_sweep(record->folder, report));
    RP_TRY(rp_atomic_sweep(rp_record_path(record, "frames").text, report));
    return rp_atomic_sweep(rp_record_path(record, "checkpoints").text, report);
}

/* The beginning of a run that has just been started looks like that of a killed one, so only one
 * process at a time starts a run in a folder: a lock on the folder itself. */
static rp_code start_folder(const rp_record *record, int threads, const char *command, bool made,
                            rp_report *report)
{
    RP_TRY(rp_folder_make(record->folder, report));
    int lock = rp_disk_lock_folder(record->folder);
    bool missing;
    rp_code code =
        check_free(record->folder, &missing, report); /* again, now that we hold the lock */
    if (code == RP_OK) {
        code = sweep_folder(record, report);
        if (code == RP_OK) code = fill_folder(record, threads, command, report);
        if (code != RP_OK) clear_folder(record, made);
    }
    rp_disk_close(lock);
    return code;
}

rp_code rp_record_begin(const char *folder, const rp_scene *scene, int threads, const char *command,
                        rp_record **out, rp_report *report)
{
    *out = NULL;
    bool missing = false;
    RP_TRY(check_length(folder, report));
    RP_TRY(check_free(folder, &missing, report));
    rp_record *record = make_record(folder);
    if (!record) return rp_fail_memory(report, sizeof *record, "a record");
    record->scene = scene;
    rp_code code = start_folder(record, threads, command, missing, report);
    if (code == RP_OK)
        *out = record;
    else
        rp_record_close(record);
    return code;
}

rp_code rp_record_create(const char *folder, const rp_scene *scene, int threads, rp_record **out,
                         rp_report *report)
{
    RP_NEED(folder, report);
    RP_NEED(scene, report);
    RP_NEED(out, report);
    RP_ENTER();
    return rp_record_begin(folder, scene, threads, NULL, out, report);
}

rp_code rp_record_open_to_replace(const char *folder, const rp_scene *scene, rp_record **out,
                                  rp_report *report)
{
    *out = NULL;
    RP_TRY(check_length(folder, report));
    RP_TRY(rp_record_manifest_check_program(inside(folder, "manifest.json").text, report));
    *out = make_record(folder);
    if (!*out) return rp_fail_memory(report, sizeof **out, "a record");
    (*out)->scene = scene;
    return RP_OK;
}

/* The manifest of the old run stays until the new one takes its place, so that a folder whose
 * replacement was cut short is still a run, and may be replaced again. */
rp_code rp_record_replace(rp_record *record, int threads, const char *command, rp_report *report)
{
    rp_code code = rp_record_remove_output(record, report);
    int error = code == RP_OK ? rp_disk_remove(rp_record_path(record, RP_COMMAND_FILE).text) : 0;
    if (error) code = rp_fail_errno(report, error, record->folder, "remove the command in");
    return code == RP_OK ? fill_folder(record, threads, command, report) : code;
}

static rp_code check_run(const rp_record *record, rp_report *report)
{
    rp_path manifest = rp_record_path(record, "manifest.json");
    rp_place place = {.file = record->folder};
    rp_file_info info;
    int error = rp_disk_status(record->folder, &info);
    if (error) return rp_fail_errno(report, error, record->folder, "open the run folder");
    error = rp_disk_status(manifest.text, &info);
    if (error == ENOENT || error == ENOTDIR)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is not the folder of a run: it has no manifest.json");
    return rp_record_manifest_check(manifest.text, report);
}

rp_code rp_record_open(const char *folder, rp_record **out, rp_report *report)
{
    RP_NEED(folder, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    RP_TRY(check_length(folder, report));
    rp_record *record = make_record(folder);
    if (!record) return rp_fail_memory(report, sizeof *record, "a record");
    rp_code code = check_run(record, report);
    if (code == RP_OK)
        code = rp_scene_load(rp_record_path(record, "scene.yaml").text, NULL, 0,
                             &record->owned_scene, report);
    record->scene = record->owned_scene;
    if (code == RP_OK) code = rp_record_check_meshes(record, report);
    if (code == RP_OK) code = rp_series_list(record, report);
    if (code == RP_OK)
        *out = record;
    else
        rp_record_close(record);
    return code;
}

const rp_scene *rp_record_scene(const rp_record *record)
{
    return record ? record->scene : NULL;
}

const char *rp_record_folder(const rp_record *record)
{
    return record ? record->folder : NULL;
}
