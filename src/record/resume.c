/* What a resumed run asks of its folder, and does to it. */
#include "base/disk.h"
#include "base/memory.h"
#include "base/report.h"
#include "record/fine.h"
#include "record/folder.h"
#include "scene/scene.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

rp_path rp_record_checkpoint_path(const rp_record *record, int64_t number)
{
    char name[64];
    snprintf(name, sizeof name, "checkpoints/%06" PRId64 ".h5", number);
    return rp_record_path(record, name);
}

rp_code rp_record_checkpoints(const rp_record *record, rp_numbers *out, rp_report *report)
{
    return rp_folder_numbers(rp_record_path(record, "checkpoints").text, "", ".h5", out, report);
}

static rp_code remove_file(const char *path, rp_report *report)
{
    int error = rp_disk_remove(path);
    return error ? rp_fail_errno(report, error, path, "remove the file") : RP_OK;
}

rp_code rp_record_prune_checkpoints(const rp_record *record, int keep, rp_report *report)
{
    rp_numbers all;
    rp_code code = rp_record_checkpoints(record, &all, report);
    RP_TRY(code);
    for (size_t i = 0; i + (size_t)keep < all.count && code == RP_OK; i++)
        code = remove_file(rp_record_checkpoint_path(record, all.items[i]).text, report);
    rp_numbers_end(&all);
    return code;
}

/* What a run writes to. */
static const char *const folders[] = {"frames",       "checkpoints",  "export",
                                      "measurements", RP_FINE_FOLDER, RP_FINE_CHECKPOINTS};
#define FOLDERS (sizeof folders / sizeof *folders)

rp_code rp_record_check_links(const rp_record *record, rp_report *report)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        rp_path path = rp_record_path(record, folders[i]);
        rp_place place = {.file = path.text};
        if (rp_disk_is(path.text, RP_FILE_LINK))
            return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                              "this is a link, and runs write inside their own folder only; put "
                              "the folder itself in its place");
    }
    return RP_OK;
}

/* What killed programs were writing when they died. */
static rp_code remove_partial(const rp_record *record, rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < FOLDERS && code == RP_OK; i++)
        code = rp_atomic_sweep(rp_record_path(record, folders[i]).text, report);
    return code;
}

/* Removes the plain files of a folder; one that is missing is fine. */
static rp_code remove_files(const char *path, rp_report *report)
{
    rp_disk_list list;
    int error = rp_disk_list_open(&list, path);
    if (error == ENOENT) return RP_OK;
    if (error) return rp_fail_errno(report, error, path, "list the folder");
    rp_code code = RP_OK;
    for (const char *name; code == RP_OK && (name = rp_disk_list_next(&list));) {
        char file[RP_PATH_MAX + NAME_MAX + 2];
        snprintf(file, sizeof file, "%s/%s", path, name);
        if (rp_disk_is(file, RP_FILE_PLAIN)) code = remove_file(file, report);
    }
    rp_disk_list_close(&list);
    return code;
}

rp_code rp_record_remove_output(const rp_record *record, rp_report *report)
{
    rp_code code = remove_files(rp_record_path(record, "checkpoints").text, report);
    for (size_t i = 0; i < FOLDERS && code == RP_OK; i++)
        code = remove_files(rp_record_path(record, folders[i]).text, report);
    if (code == RP_OK) code = remove_file(rp_record_path(record, "film.mp4").text, report);
    return code;
}

rp_code rp_record_remove_fine_after(rp_record *record, int64_t number, rp_report *report)
{
    rp_numbers *fine = &record->series[RP_SERIES_FINE].numbers;
    rp_path frames = rp_record_path(record, RP_FINE_FOLDER);
    rp_path checkpoints = rp_record_path(record, RP_FINE_CHECKPOINTS);
    rp_code code = rp_fine_remove_after(frames.text, number, report);
    if (code == RP_OK) code = rp_fine_remove_after(checkpoints.text, number, report);
    while (code == RP_OK && fine->count && fine->items[fine->count - 1] > number)
        fine->count--;
    return code;
}

rp_code rp_record_remove_frames_after(rp_record *record, int64_t number, rp_report *report)
{
    rp_series *series = &record->series[RP_SERIES_COARSE];
    rp_numbers *frames = &series->numbers;
    rp_code code = remove_partial(record, report);
    while (code == RP_OK && frames->count && frames->items[frames->count - 1] > number) {
        int64_t last = frames->items[frames->count - 1];
        code = remove_file(rp_series_path(series, last).text, report);
        if (code == RP_OK) frames->count--;
    }
    return code == RP_OK ? rp_record_remove_fine_after(record, number, report) : code;
}

/* Both stand at the start of a line that differs. */
static rp_code lines_differ(const char *path, int line, const char *recorded, const char *now,
                            rp_report *report)
{
    rp_place place = {.file = path, .line = line};
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the run was made from another scene: this line is '%.*s' there and '%.*s' "
        "now; `repose resume` takes the scene as it was, --overwrite or -o start a new run",
        (int)strcspn(recorded, "\n"), recorded, (int)strcspn(now, "\n"), now);
}

static rp_code compare_texts(const char *path, const char *recorded, const char *now,
                             rp_report *report)
{
    for (int line = 1; *recorded || *now; line++) {
        size_t length = strcspn(recorded, "\n");
        if (length != strcspn(now, "\n") || strncmp(recorded, now, length) != 0)
            return lines_differ(path, line, recorded, now, report);
        recorded += length + (recorded[length] == '\n');
        now += length + (now[length] == '\n');
    }
    return RP_OK;
}

rp_code rp_record_same_scene(const rp_record *record, const rp_scene *scene, rp_report *report)
{
    return compare_texts(rp_record_path(record, "scene.yaml").text, record->scene->portable,
                         scene->portable, report);
}
