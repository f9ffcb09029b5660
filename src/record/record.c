#include "base/memory.h"
#include "record/folder.h"
#include "record/frame.h"
#include "record/manifest.h"
#include "scene/scene.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

rp_path rp_record_frame_path(const rp_record *record, int64_t number)
{
    char name[64];
    snprintf(name, sizeof name, "frames/%06" PRId64 ".h5", number);
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
    if (record->folder) return record;
    rp_release(record, sizeof *record);
    return NULL;
}

void rp_record_close(rp_record *record)
{
    if (!record) return;
    rp_numbers_end(&record->frames);
    if (record->owned_scene) rp_scene_destroy(record->owned_scene);
    rp_text_release(record->folder);
    rp_release(record, sizeof *record);
}

/* The first entry of an open folder beyond "." and "..", or NULL. */
static const char *first_entry(DIR *folder)
{
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

/* A folder may be missing or empty; `*missing` tells which. */
static rp_code check_free(const char *path, bool *missing, rp_report *report)
{
    DIR *folder = opendir(path);
    *missing = !folder && errno == ENOENT;
    if (*missing) return RP_OK;
    rp_place place = {.file = path};
    if (!folder && errno == ENOTDIR)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is a file, not a folder; choose another folder with -o");
    if (!folder) return rp_fail_errno(report, errno, path, "list the folder");
    rp_code code = RP_OK;
    const char *entry = first_entry(folder);
    if (access(inside(path, "manifest.json").text, F_OK) == 0)
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the folder holds another run; go on with it by --resume, or choose "
                          "another folder with -o");
    else if (entry)
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the folder is not empty (it holds '%s'); choose another folder with -o",
                          entry);
    closedir(folder);
    return code;
}

static rp_code write_text(const char *path, const char *text, rp_report *report)
{
    rp_aside file;
    rp_code code = rp_aside_open(&file, path, report);
    if (code != RP_OK) return code;
    rp_aside_write(&file, text, strlen(text));
    return rp_aside_finish(&file, report);
}

/* The manifest comes last: a folder that has one is a run. */
static rp_code fill_folder(const rp_record *record, int threads, rp_report *report)
{
    rp_code code = rp_folder_make(rp_record_path(record, "frames").text, report);
    if (code == RP_OK) code = rp_folder_make(rp_record_path(record, "checkpoints").text, report);
    if (code == RP_OK)
        code = write_text(rp_record_path(record, "scene.yaml").text, rp_scene_text(record->scene),
                          report);
    if (code == RP_OK)
        code = rp_manifest_write(rp_record_path(record, "manifest.json").text, record->scene,
                                 threads, report);
    return code;
}

/* Takes back what fill_folder made, so that the same command may be tried again. */
static void clear_folder(const rp_record *record, bool made)
{
    unlink(rp_record_path(record, "manifest.json").text);
    unlink(rp_record_path(record, "scene.yaml").text);
    rmdir(rp_record_path(record, "frames").text);
    rmdir(rp_record_path(record, "checkpoints").text);
    if (made) rmdir(record->folder);
}

rp_code rp_record_create(const char *folder, const rp_scene *scene, int threads, rp_record **out,
                         rp_report *report)
{
    *out = NULL;
    bool missing = false;
    rp_code code = check_length(folder, report);
    if (code == RP_OK) code = check_free(folder, &missing, report);
    if (code != RP_OK) return code;
    rp_record *record = make_record(folder);
    if (!record) return rp_fail_memory(report, sizeof *record, "a record");
    record->scene = scene;
    code = rp_folder_make(folder, report);
    if (code == RP_OK) {
        code = fill_folder(record, threads, report);
        if (code != RP_OK) clear_folder(record, missing);
    }
    if (code == RP_OK)
        *out = record;
    else
        rp_record_close(record);
    return code;
}

static rp_code check_run(const rp_record *record, rp_report *report)
{
    rp_path manifest = rp_record_path(record, "manifest.json");
    rp_place place = {.file = record->folder};
    if (access(record->folder, F_OK) != 0)
        return rp_fail_errno(report, errno, record->folder, "open the run folder");
    if (access(manifest.text, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is not the folder of a run: it has no manifest.json");
    return rp_manifest_check(manifest.text, report);
}

rp_code rp_record_open(const char *folder, rp_record **out, rp_report *report)
{
    *out = NULL;
    rp_code code = check_length(folder, report);
    if (code != RP_OK) return code;
    rp_record *record = make_record(folder);
    if (!record) return rp_fail_memory(report, sizeof *record, "a record");
    code = check_run(record, report);
    if (code == RP_OK)
        code = rp_scene_load(rp_record_path(record, "scene.yaml").text, NULL, 0,
                             &record->owned_scene, report);
    record->scene = record->owned_scene;
    if (code == RP_OK)
        code = rp_folder_numbers(rp_record_path(record, "frames").text, "", ".h5", &record->frames,
                                 report);
    if (code == RP_OK)
        *out = record;
    else
        rp_record_close(record);
    return code;
}

const rp_scene *rp_record_scene(const rp_record *record)
{
    return record->scene;
}

const char *rp_record_folder(const rp_record *record)
{
    return record->folder;
}

int64_t rp_record_frame_count(const rp_record *record)
{
    return (int64_t)record->frames.count;
}

int64_t rp_record_frame_number(const rp_record *record, int64_t index)
{
    return index >= 0 && (size_t)index < record->frames.count ? record->frames.items[index] : -1;
}

static rp_code write_named(rp_record *record, int64_t number, const rp_view *view,
                           const char **names, rp_report *report)
{
    const rp_body_spec *bodies = rp_scene_bodies(record->scene);
    for (int i = 0; i < view->body_count; i++)
        names[i] = bodies[i].name;
    rp_code code = rp_frame_write(rp_record_frame_path(record, number).text, number, view, names,
                                  (int)record->scene->output.compress, report);
    if (code == RP_OK && !rp_numbers_add(&record->frames, number))
        code = rp_fail_memory(report, sizeof number, "the list of frames");
    return code;
}

rp_code rp_record_write_frame(rp_record *record, int64_t number, const rp_view *view,
                              rp_report *report)
{
    if (number < 0)
        return rp_fail(report, RP_ERROR_INPUT, "a frame cannot have the number %" PRId64, number);
    if (view->body_count != record->scene->bodies.count)
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d bodies, the record's scene has %d",
                       view->body_count, record->scene->bodies.count);
    size_t bytes = (size_t)view->body_count * sizeof(char *);
    const char **names = rp_allocate(bytes);
    if (!names) return rp_fail_memory(report, bytes, "the names of bodies");
    rp_code code = write_named(record, number, view, names, report);
    rp_release((void *)names, bytes);
    return code;
}

rp_code rp_record_read_frame(const rp_record *record, int64_t number, rp_frame_file **out,
                             rp_report *report)
{
    rp_path path = rp_record_frame_path(record, number);
    rp_code code = rp_frame_read(path.text, number, out, report);
    if (code != RP_OK) return code;
    int found = rp_frame_view(*out)->body_count, wanted = record->scene->bodies.count;
    if (found == wanted) return RP_OK;
    rp_frame_close(*out);
    *out = NULL;
    rp_place place = {.file = path.text};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "body_count",
                      "the frame has %d bodies, the scene has %d", found, wanted);
}
