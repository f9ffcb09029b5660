/* A run keeps the meshes and animations of its scene, named by their content, so that it can be
 * looked at, moved and resumed when the files it was made from have changed or gone. */
#include "base/disk.h"
#include "base/memory.h"
#include "base/report.h"
#include "record/folder.h"
#include "scene/scene.h"

#include <string.h>

/* Whether the run has this content under this name already. */
static bool is_kept(const char *path, const char *data, size_t size)
{
    char *found;
    size_t found_size;
    if (!rp_disk_has(path) || rp_file_read(path, &found, &found_size, NULL) != RP_OK) return false;
    bool same = found_size == size && memcmp(found, data, size) == 0;
    rp_release(found, found_size + 1);
    return same;
}

static rp_code keep_file(const rp_record *record, rp_scene_file from, rp_report *report)
{
    if (!from.stored_name) return RP_OK;
    rp_path path = rp_record_path(record, from.stored_name);
    char *data = NULL;
    size_t size = 0;
    rp_atomic file;
    rp_code code = rp_folder_make(rp_record_path(record, "meshes").text, report);
    if (code == RP_OK && !from.memory) code = rp_file_fetch(from.file, &data, &size, report);
    RP_TRY(code);
    const char *content = from.memory ? from.memory->text : data;
    size_t length = from.memory ? from.memory->size : size;
    if (!is_kept(path.text, content, length)) {
        code = rp_atomic_open(&file, path.text, report);
        if (code == RP_OK) {
            rp_atomic_write(&file, content, length);
            code = rp_atomic_finish(&file, report);
        }
    }
    if (data) rp_release(data, size + 1);
    return code;
}

/* The scene names a file by its content when it is loaded: that must be the name it has. */
rp_code rp_record_check_meshes(const rp_record *record, rp_report *report)
{
    const rp_scene *scene = record->scene;
    for (int i = 0; i < rp_scene_file_count(scene); i++) {
        rp_scene_file file = rp_scene_file_at(scene, i);
        if (!file.stored_name || file.memory) continue;
        size_t length = strlen(file.file), end = strlen(file.stored_name);
        rp_place place = {.file = file.file};
        if (length < end || strcmp(file.file + length - end, file.stored_name) != 0)
            return rp_fail_at(
                report, RP_ERROR_DAMAGED, &place, NULL,
                "this file was changed or damaged since the run kept it: its name "
                "tells another content; put back the file that the run was made with");
    }
    return RP_OK;
}

rp_code rp_record_keep_meshes(const rp_record *record, rp_report *report)
{
    const rp_scene *scene = record->scene;
    rp_code code = RP_OK;
    for (int i = 0; i < rp_scene_file_count(scene) && code == RP_OK; i++)
        code = keep_file(record, rp_scene_file_at(scene, i), report);
    return code;
}

void rp_record_drop_meshes(const rp_record *record)
{
    const rp_scene *scene = record->scene;
    for (int i = 0; i < rp_scene_file_count(scene); i++) {
        rp_scene_file file = rp_scene_file_at(scene, i);
        if (file.stored_name) rp_disk_remove(rp_record_path(record, file.stored_name).text);
    }
    rp_disk_remove_folder(rp_record_path(record, "meshes").text);
}
