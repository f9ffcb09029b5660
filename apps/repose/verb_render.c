#include "base/memory.h"
#include "base/report.h"
#include "cli.h"
#include "record/folder.h"
#include "render/render.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_COLUMNS 3
#define SHEET_PICTURES 9
#define SHEET_CELL 480 /* pixels, unless --size is given */
/* Views that the shared camera is made from. */
#define FRAMING_VIEWS 12

static const option_spec specs[] = {
    {"--output", "-o", "FILE|DIR", OPTION_TEXT, offsetof(options, output),
     "picture (*.png: the last frame, or the sheet) or folder (default: RUN/pictures, or "
     "RUN/sheet.png)"},
    {"--size", NULL, "WxH", OPTION_TEXT, offsetof(options, size),
     "of a picture, or of each on the sheet (default 1280x720)"},
    {"--camera", NULL, "NAME", OPTION_TEXT, offsetof(options, camera),
     "a camera of the scene, or automatic (default: the scene's first)"},
    {"--grains", NULL, "KIND", OPTION_TEXT, offsetof(options, grains),
     "coarse or fine (default: fine where there are any)"},
    FRAMES_OPTION("all"),
    {"--sheet", NULL, NULL, OPTION_FLAG, offsetof(options, sheet),
     "nine frames on one contact sheet"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); the picture does not depend on it"},
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "say nothing"},
};

/* What to paint, and how. */
typedef struct job {
    const rp_record *record;
    const frame_kind *kind;
    const options *options;
    rp_paint_options paint;
    rp_framing framing;
    rp_threads *threads;
    int64_t first, count; /* places in the record's list of frames */
} job;

static bool is_picture(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".png") == 0;
}

static rp_code read_size(const char *text, rp_paint_options *paint, rp_report *report)
{
    char rest;
    if (!text) return RP_OK;
    if (sscanf(text, "%dx%d%c", &paint->width, &paint->height, &rest) == 2) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "--size %s: write it as 1280x720", text);
}

static rp_code read_frame(const job *j, int64_t place, rp_frame_file **frame, rp_report *report)
{
    return j->kind->read(j->record, j->kind->number(j->record, place), frame, report);
}

/* Place number n of `wanted` places spread evenly over the chosen frames, ends included. */
static int64_t spread(const job *j, int64_t n, int64_t wanted)
{
    return wanted > 1 ? j->first + n * (j->count - 1) / (wanted - 1) : j->first + j->count - 1;
}

/* One camera for all pictures, made from views all over the run. */
static rp_code frame_run(job *j, rp_report *report)
{
    rp_code code = RP_OK;
    int64_t wanted = j->count < FRAMING_VIEWS ? j->count : FRAMING_VIEWS;
    j->framing = rp_framing_empty();
    for (int64_t n = 0; n < wanted && code == RP_OK; n++) {
        rp_frame_file *frame = NULL;
        code = read_frame(j, spread(j, n, wanted), &frame, report);
        if (code == RP_OK)
            code = rp_framing_add(&j->framing, rp_frame_view(frame), rp_record_scene(j->record),
                                  report);
        rp_frame_close(frame);
    }
    j->paint.framing = &j->framing;
    return code;
}

static rp_code paint_place(const job *j, int64_t place, rp_picture **picture, rp_report *report)
{
    rp_frame_file *frame = NULL;
    rp_code code = read_frame(j, place, &frame, report);
    if (code == RP_OK)
        code = rp_paint(rp_frame_view(frame), rp_record_scene(j->record), &j->paint, j->threads,
                        picture, report);
    rp_frame_close(frame);
    return code;
}

static rp_code paint_sheet(const job *j, const char *path, rp_report *report)
{
    rp_picture *pictures[SHEET_PICTURES] = {0}, *sheet = NULL;
    int count = j->count < SHEET_PICTURES ? (int)j->count : SHEET_PICTURES;
    rp_code code = RP_OK;
    for (int n = 0; n < count && code == RP_OK; n++)
        code = paint_place(j, spread(j, n, count), &pictures[n], report);
    if (code == RP_OK)
        code = rp_picture_sheet((const rp_picture *const *)pictures, count, SHEET_COLUMNS,
                                j->options->size ? j->paint.width : SHEET_CELL, &sheet, report);
    if (code == RP_OK) code = rp_picture_write_png(sheet, path, report);
    for (int n = 0; n < count; n++)
        rp_picture_destroy(pictures[n]);
    rp_picture_destroy(sheet);
    return code;
}

static rp_code paint_one(const job *j, int64_t place, const char *path, rp_report *report)
{
    rp_picture *picture = NULL;
    rp_code code = paint_place(j, place, &picture, report);
    if (code == RP_OK) code = rp_picture_write_png(picture, path, report);
    rp_picture_destroy(picture);
    return code;
}

static rp_code paint_numbered(const job *j, int64_t place, const char *folder, rp_report *report)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%06lld.png", folder,
                          (long long)j->kind->number(j->record, place));
    if (length >= (int)sizeof path)
        return rp_fail(report, RP_ERROR_INPUT, "the path of the folder is too long");
    return paint_one(j, place, path, report);
}

static rp_code paint_folder(const job *j, const char *folder, rp_report *report)
{
    rp_code code = rp_folder_make(folder, report);
    for (int64_t n = 0; n < j->count && code == RP_OK; n++)
        code = paint_numbered(j, j->first + n, folder, report);
    return code;
}

static rp_code paint_asked(const job *j, rp_report *report)
{
    const options *o = j->options;
    char path[PATH_MAX];
    const char *where = o->output;
    if (!where) {
        snprintf(path, sizeof path, "%s/%s", o->words[0], o->sheet ? "sheet.png" : "pictures");
        where = path;
    }
    const char *slash = strrchr(where, '/'), *dot = strrchr(slash ? slash : where, '.');
    rp_code code;
    if (dot && dot[1] && !is_picture(where) && (o->sheet || strlen(dot) <= 5))
        code = rp_fail(report, RP_ERROR_INPUT, "%s: pictures are PNG files; name it *.png", where);
    else if (o->sheet)
        code = paint_sheet(j, where, report);
    else if (is_picture(where))
        code = paint_one(j, j->first + j->count - 1, where, report);
    else
        code = paint_folder(j, where, report);
    if (code == RP_OK && !o->quiet) printf("%s\n", where);
    return code;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = rp_record_open(o->words[0], &record, report);
    job j = {.record = record, .options = o, .paint = rp_default_paint_options()};
    j.paint.camera = o->camera;
    if (code == RP_OK) code = read_size(o->size, &j.paint, report);
    if (code == RP_OK && !(j.kind = choose_kind(record, o->grains, report))) code = RP_ERROR_INPUT;
    if (code == RP_OK)
        code = choose_frames(record, j.kind, o->frames_text, &j.first, &j.count, report);
    if (code == RP_OK) code = rp_threads_create((int)(o->threads & INT_MAX), &j.threads, report);
    if (code == RP_OK) code = frame_run(&j, report);
    if (code == RP_OK) code = paint_asked(&j, report);
    int result = say_faults(code, report, false);
    rp_threads_destroy(j.threads);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_render = {
    .name = "render",
    .words = "RUN",
    .help = "paint pictures of a run",
    .more =
        "With -o FILE.png the last chosen frame becomes one picture; with a folder every frame\n"
        "becomes one. --sheet puts nine frames, spread over the run, on one picture.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
