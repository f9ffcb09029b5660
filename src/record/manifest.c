#include "record/manifest.h"
#include "base/atomic.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/report.h"
#include "record/sealed.h"
#include "view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A JSON text: quotes, backslashes and control characters escaped, the rest as it is (UTF-8). */
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

/* What programs that read frames would otherwise need to know of scenes. */
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

/* A solver's own fields are named, with their units, in each frame. */
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

rp_code rp_manifest_write(const char *path, const rp_scene *scene, int threads, rp_report *report)
{
    rp_atomic file;
    RP_TRY(rp_atomic_open(&file, path, report));
    rp_atomic_print(&file, "{\n  \"program\": \"Repose\",\n  \"format\": %d,\n", RP_RECORD_FORMAT);
    print_program(&file);
    print_scene(&file, scene, threads);
    print_colours(&file, scene);
    print_machine(&file);
    print_units(&file);
    print_fields(&file);
    rp_atomic_print(&file, "}\n");
    return rp_atomic_finish(&file, report);
}

/* Behind the text that starts at `c`, or NULL when it does not end. */
static const char *skip_text(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        if (*c == '\\' && c[1]) c++;
    return *c ? c + 1 : NULL;
}

/* The value of a key of the outermost object, or NULL; `*whole` tells whether all brackets close.
 * Enough of JSON for a file of our own making that somebody may have laid out anew. */
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
                      "this is not a whole manifest of a run of Repose");
}

static rp_code check_format(const char *path, const char *text, rp_report *report)
{
    rp_place place = {.file = path};
    bool whole;
    const char *format = find_value(text, "format", &whole);
    if (!format || !isdigit((unsigned char)*format))
        return rp_fail_at(report, RP_ERROR_DAMAGED, &place, "format", "the number is missing");
    long number = strtol(format, NULL, 10);
    if (number != RP_RECORD_FORMAT)
        return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, "format",
                          "the run has format %ld; this program knows format %d: use the version "
                          "of Repose that the manifest names",
                          number, RP_RECORD_FORMAT);
    return RP_OK;
}

/* More than the longest list of bodies takes. */
#define MANIFEST_MOST ((size_t)256 << 20)

static rp_code check_size(const char *path, const char *head, size_t size, rp_report *report)
{
    (void)head;
    if (size <= MANIFEST_MOST) return RP_OK;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, NULL,
                      "a manifest of %zu bytes is none of Repose", size);
}

static rp_code check(const char *path, bool any_format, rp_report *report)
{
    char *text;
    size_t size;
    RP_TRY(rp_file_read_checked(path, 0, check_size, &text, &size, report));
    rp_code code = check_program(path, text, report);
    if (code == RP_OK && !any_format) code = check_format(path, text, report);
    rp_release(text, size + 1);
    return code;
}

rp_code rp_manifest_check_program(const char *path, rp_report *report)
{
    return check(path, true, report);
}

rp_code rp_manifest_check(const char *path, rp_report *report)
{
    return check(path, false, report);
}
