/* The files of a run folder beside its frames: manifest, copies of meshes and animations,
 * checkpoints; and what is removed when a run is resumed or replaced. */
#include "base/memory.h"
#include "base/report.h"
#include "files/checksummed.h"
#include "record/fine.h"
#include "record/record.h"
#include "scene/scene.h"
#include "system/atomic.h"
#include "system/disk.h"
#include "system/system.h"
#include "view/view.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- manifest --------------------------------------------------------------------------------- */

/* A JSON string: quotes, backslashes and control characters escaped, the rest as it is (UTF-8). */
static void print_text(rp_atomic *file, const char *text)
{
    rp_atomic_write(file, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            rp_atomic_print(file, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            rp_atomic_print(file, "\\u%04x", (unsigned)*c);
        else
            rp_atomic_write(file, c, 1);
    }
    rp_atomic_write(file, "\"", 1);
}

static void print_entry(rp_atomic *file, const char *indent, const char *key, const char *value)
{
    rp_atomic_print(file, "%s\"%s\": ", indent, key);
    print_text(file, value);
    rp_atomic_print(file, ",\n");
}

static void print_program(rp_atomic *file)
{
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    print_entry(file, "  ", "created", text);
    print_entry(file, "  ", "version", rp_version());
    print_entry(file, "  ", "build", rp_build_text());
}

static void print_scene(rp_atomic *file, const rp_scene *scene, int threads)
{
    print_entry(file, "  ", "title", scene->title ? scene->title : "");
    print_entry(file, "  ", "scene", "scene.yaml");
    print_entry(file, "  ", "method", scene->method ? scene->method->name : "");
    rp_atomic_print(file, "  \"seed\": %" PRId64 ",\n", scene->seed);
    rp_atomic_print(file, "  \"frame_rate\": %.17g,\n", scene->time.frame_rate);
    rp_atomic_print(file, "  \"duration\": %.17g,\n", scene->time.duration);
    rp_atomic_print(file, "  \"frames_asked\": %" PRId64 ",\n", rp_scene_frame_count(scene));
    rp_atomic_print(file, "  \"threads\": %d,\n", threads);
}

static void print_coloured(rp_atomic *file, const char *name, const double colour[3], bool last)
{
    rp_atomic_print(file, "    {\"name\": ");
    print_text(file, name);
    rp_atomic_print(file, ", \"colour\": [%.6g, %.6g, %.6g]}%s\n", colour[0], colour[1], colour[2],
                    last ? "" : ",");
}

/* So that programs that read frames need not read scenes. */
static void print_colours(rp_atomic *file, const rp_scene *scene)
{
    rp_atomic_print(file, "  \"materials\": [\n");
    for (int i = 0; i < scene->materials.count; i++) {
        const rp_material_spec *material = &rp_scene_materials(scene)[i];
        print_coloured(file, material->name, material->colour, i + 1 == scene->materials.count);
    }
    rp_atomic_print(file, "  ],\n  \"bodies\": [\n");
    for (int i = 0; i < scene->bodies.count; i++) {
        const rp_body_spec *body = &rp_scene_bodies(scene)[i];
        print_coloured(file, body->name, body->colour, i + 1 == scene->bodies.count);
    }
    rp_atomic_print(file, "  ],\n");
}

static void print_machine(rp_atomic *file)
{
    rp_machine machine;
    rp_machine_describe(&machine);
    rp_atomic_print(file, "  \"machine\": {\n");
    print_entry(file, "    ", "kernel", machine.kernel);
    print_entry(file, "    ", "processor", machine.processor);
    rp_atomic_print(file, "    \"cores\": %ld,\n", machine.cores);
    rp_atomic_print(file, "    \"memory_bytes\": %lld\n  },\n", machine.memory);
}

static void print_units(rp_atomic *file)
{
    static const char *const units[][2] = {
        {"length", "m"},    {"mass", "kg"},      {"time", "s"},
        {"angle", "rad"},   {"velocity", "m/s"}, {"angular_velocity", "rad/s"},
        {"force", "N"},     {"torque", "N m"},   {"density", "kg/m3"},
        {"pressure", "Pa"},
    };
    size_t count = sizeof units / sizeof *units;
    rp_atomic_print(file, "  \"units\": {\n");
    for (size_t i = 0; i < count; i++)
        rp_atomic_print(file, "    \"%s\": \"%s\"%s\n", units[i][0], units[i][1],
                        i + 1 < count ? "," : "");
    rp_atomic_print(file, "  },\n");
}

/* The fields of all solvers; a solver's own are named, with their units, in each frame. */
static void print_fields(rp_atomic *file)
{
    static const char *const types[] = {"float32", "float64", "uint8",
                                        "uint16",  "uint32",  "uint64"};
    rp_atomic_print(file, "  \"grain_fields\": [\n");
    for (int i = 0; i < RP_VIEW_FIELDS; i++) {
        const rp_view_column *field = &rp_view_schema[i];
        rp_atomic_print(file, "    {\"name\": \"%s\", \"unit\": \"%s\", \"type\": \"%s\"}%s\n",
                        field->name, field->unit, types[field->type],
                        i + 1 < RP_VIEW_FIELDS ? "," : "");
    }
    rp_atomic_print(file, "  ]\n");
}

rp_code rp_record_manifest_write(const char *path, const rp_scene *scene, int threads,
                                 rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_atomic_open(&file, path, report));
    rp_atomic_print(&file, "{\n  \"program\": \"Repose\",\n  \"format\": %d,\n", RP_FILES_FORMAT);
    print_program(&file);
    print_scene(&file, scene, threads);
    print_colours(&file, scene);
    print_machine(&file);
    print_units(&file);
    print_fields(&file);
    rp_atomic_print(&file, "}\n");
    return rp_atomic_finish(&file, report);
}

/* Returns the end of the string that starts at `c`, or NULL when it does not end. */
static const char *skip_text(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        if (*c == '\\' && c[1]) c++;
    return *c ? c + 1 : NULL;
}

/* Returns the value of a key of the outermost object, or NULL; `*whole` says whether all brackets
 * are closed. Enough of JSON for a file that we wrote and an editor may have formatted. */
static const char *find_value(const char *json, const char *key, bool *whole)
{
    int depth = 0;
    const char *found = NULL;
    *whole = false;
    for (const char *c = json; *c;) {
        if (*c == '"') {
            const char *end = skip_text(c);
            if (!end) return found;
            const char *colon = end + strspn(end, " \t\r\n");
            size_t length = (size_t)(end - c) - 2;
            if (depth == 1 && *colon == ':' && !found && length == strlen(key) &&
                strncmp(c + 1, key, length) == 0)
                found = colon + 1 + strspn(colon + 1, " \t\r\n");
            c = end;
            continue;
        }
        if (*c == '{' || *c == '[') depth++;
        if (*c == '}' || *c == ']') *whole = --depth == 0;
        c++;
    }
    return found;
}

static rp_code check_program(const char *path, const char *text, rp_report *report)
{
    rp_place place = {.file = path};
    bool whole;
    const char *program = find_value(text, "program", &whole);
    if (whole && program && strncmp(program, "\"Repose\"", 8) == 0) return RP_OK;
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                      "this is not a complete manifest of a run of Repose");
}

static rp_code check_format(const char *path, const char *text, rp_report *report)
{
    rp_place place = {.file = path};
    bool whole;
    const char *format = find_value(text, "format", &whole);
    if (!format || !isdigit((unsigned char)*format))
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "format", "the number is missing");
    long number = strtol(format, NULL, 10);
    if (number != RP_FILES_FORMAT)
        return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, "format",
                          "the run has format %ld; this program knows format %d: use the version "
                          "of Repose that the manifest names",
                          number, RP_FILES_FORMAT);
    return RP_OK;
}

/* More than the longest list of bodies needs. */
#define MANIFEST_MOST ((size_t)256 << 20)

static rp_code check_manifest_size(const char *path, const char *head, size_t size,
                                   rp_report *report)
{
    (void)head;
    if (size <= MANIFEST_MOST) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                      "a manifest of %zu bytes is not one of Repose", size);
}

static rp_code check_manifest(const char *path, bool any_format, rp_report *report)
{
    char *text;
    size_t size;
    RP_TRY(rp_file_read_checked(path, 0, check_manifest_size, &text, &size, report));
    rp_code code = check_program(path, text, report);
    if (code == RP_OK && !any_format) code = check_format(path, text, report);
    rp_release(text, size + 1);
    return code;
}

rp_code rp_record_manifest_check_program(const char *path, rp_report *report)
{
    return check_manifest(path, true, report);
}

rp_code rp_record_manifest_check(const char *path, rp_report *report)
{
    return check_manifest(path, false, report);
}

/* --- meshes ----------------------------------------------------------------------------------- */

/* A run has copies of the meshes and animations of its scene, named by their content, so that it
 * can be viewed, moved and resumed when the original files have changed or are gone. */

/* Whether the run has a file of this content and name already. */
static bool has_copy(const char *path, const char *data, size_t size)
{
    char *found;
    size_t found_size;
    if (!rp_disk_has(path) || rp_file_read(path, &found, &found_size, NULL) != RP_OK) return false;
    bool same = found_size == size && memcmp(found, data, size) == 0;
    rp_release(found, found_size + 1);
    return same;
}

static rp_code copy_file(const rp_record *record, rp_scene_file from, rp_report *report)
{
    if (!from.stored_name) return RP_OK;
    rp_path path = rp_record_path(record, from.stored_name);
    char *data = NULL;
    size_t size = 0;
    rp_atomic file;
    rp_code code = rp_folder_make(rp_record_path(record, "meshes").text, report);
    if (code == RP_OK && !from.memory) code = rp_file_load(from.file, &data, &size, report);
    RP_TRY(code);
    const char *content = from.memory ? from.memory->text : data;
    size_t length = from.memory ? from.memory->size : size;
    if (!has_copy(path.text, content, length)) {
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
                "this file was changed or damaged since the run was made: its content does "
                "not match its name; restore the file that the run was made with");
    }
    return RP_OK;
}

rp_code rp_record_copy_meshes(const rp_record *record, rp_report *report)
{
    const rp_scene *scene = record->scene;
    rp_code code = RP_OK;
    for (int i = 0; i < rp_scene_file_count(scene) && code == RP_OK; i++)
        code = copy_file(record, rp_scene_file_at(scene, i), report);
    return code;
}

void rp_record_remove_meshes(const rp_record *record)
{
    const rp_scene *scene = record->scene;
    for (int i = 0; i < rp_scene_file_count(scene); i++) {
        rp_scene_file file = rp_scene_file_at(scene, i);
        if (file.stored_name) rp_disk_remove(rp_record_path(record, file.stored_name).text);
    }
    rp_disk_remove_folder(rp_record_path(record, "meshes").text);
}

/* --- checkpoints, removal, resuming ----------------------------------------------------------- */

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

/* The folders that a run writes to. */
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

/* Removes what killed programs were writing. */
static rp_code remove_partial(const rp_record *record, rp_report *report)
{
    rp_code code = RP_OK;
    for (size_t i = 0; i < FOLDERS && code == RP_OK; i++)
        code = rp_atomic_sweep(rp_record_path(record, folders[i]).text, report);
    return code;
}

/* Removes the plain files of a folder; one that is missing is no error. */
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

/* Frames on disk first, then the list in memory: after a failure the list still has them. */
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

/* Both texts begin with the line that differs. */
static rp_code lines_differ(const char *path, int line, const char *recorded, const char *now,
                            rp_report *report)
{
    rp_place place = {.file = path, .line = line};
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the run was made from another scene: this line is '%.*s' there and '%.*s' "
        "now; `repose resume` uses the recorded scene, --overwrite or -o start a new run",
        (int)strcspn(recorded, "\n"), recorded, (int)strcspn(now, "\n"), now);
}

/* Line by line, so that the fault can show the first line that differs. */
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
