/* The folder of a film's pictures: its lock, the settings that its pictures depend on, and which of
 * them are still valid.
 *
 *     FOLDER/settings.txt   written before the first picture
 *     FOLDER/000012.png     complete or absent
 *     FOLDER/.repose-lock   while a process renders into it
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/text.h"
#include "film/inside.h"
#include "scene/scene.h"
#include "system/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_FILE "settings.txt"
#define LOCK_FILE ".repose-lock"
#define HEADING                                                                                    \
    "What the pictures of this folder depend on; repose paints others when it changes.\n"
#define LOCK_TRIES 8

static rp_path inside(const rp_film *film, const char *name)
{
    rp_path path;
    snprintf(path.text, sizeof path.text, "%.*s/%s", RP_FOLDER_MAX, film->folder, name);
    return path;
}

rp_path rp_film_picture_path(const rp_film *film, int64_t picture)
{
    char name[64];
    snprintf(name, sizeof name, "%06" PRId64 ".png", rp_film_number(film, picture));
    return inside(film, name);
}

/* --- the lock --------------------------------------------------------------------------------- */

static rp_code lock_folder(rp_film *film, rp_report *report)
{
    rp_path path = inside(film, LOCK_FILE);
    rp_place place = {.file = film->folder};
    for (int i = 0; i < LOCK_TRIES; i++) {
        rp_code code = rp_folder_make(film->folder, report);
        RP_TRY(code);
        code = rp_disk_open(path.text, true, &film->lock, NULL);
        if (code != RP_OK && !rp_disk_has(film->folder)) continue; /* just removed by another */
        if (code != RP_OK)                                         /* again, to report why */
            code = rp_disk_open(path.text, true, &film->lock, report);
        RP_TRY(code);
        int error = rp_disk_lock(film->lock);
        /* A process that finishes removes the folder with the lock file: check that the locked file
         * is still the one of that name. */
        if (!error && rp_disk_is_open(film->lock, path.text)) return RP_OK;
        rp_disk_close(film->lock);
        film->lock = -1;
        if (error == EWOULDBLOCK) break;
        if (error && error != EINTR) return rp_fail_errno(report, error, path.text, "lock");
    }
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                      "another repose is rendering into this folder; wait for it, or take another "
                      "name with -o");
}

void rp_film_folder_close(rp_film *film)
{
    if (film->lock < 0) return;
    rp_disk_remove(inside(film, LOCK_FILE).text);
    rp_disk_close(film->lock);
    film->lock = -1;
    if (film->encodes) rp_disk_remove_folder(film->folder);
}

/* --- settings --------------------------------------------------------------------------------- */

static void print_source(FILE *file, const rp_film_source *source)
{
    const rp_scene *scene = rp_record_scene(rp_film_source_record(source));
    const rp_box3 *b = &source->framing.bounds;
    fprintf(file, "run: %016" PRIx64 "\nscene: %016" PRIx64 "\ngrains: %s\n", source->identity,
            rp_hash(scene->portable, strlen(scene->portable), 0),
            rp_series_name(source->run.series));
    fprintf(file, "framing: %.17g %.17g %.17g to %.17g %.17g %.17g hull %016" PRIx64 "\n", b->low.x,
            b->low.y, b->low.z, b->high.x, b->high.y, b->high.z,
            rp_hash(source->framing.hull, sizeof source->framing.hull, 0));
}

static void print_settings(FILE *file, const rp_film *film)
{
    const rp_film_options *o = &film->options;
    fputs(HEADING, file);
    fprintf(file, "version: %s\nsize: %dx%d\nsamples: %d\ncamera: %s\norbit: %.17g\n", rp_version(),
            o->width, o->height, o->samples, o->camera ? o->camera : "", o->orbit);
    fprintf(file, "grain_scale: %.17g\ncolour: %s\nrange: %.17g to %.17g\nframe_time: %.17g\n",
            o->grain_scale, o->colour ? o->colour : "material", film->range.low, film->range.high,
            rp_film_frame_time(film));
    if (o->show_time) fputs("time: yes\n", file);
    for (int i = 0; i < film->source_count; i++) {
        print_source(file, &film->sources[i]);
        if (film->source_count > 1) fprintf(file, "caption: %s\n", rp_film_caption(film, i).text);
    }
}

/* The text of the settings, with decimal points in any locale. Release with free. */
static char *make_settings(const rp_film *film)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        void *before = rp_locale_enter();
        print_settings(file, film);
        rp_locale_leave(before);
    }
    bool well = file && fclose(file) == 0;
    if (well) return text;
    free(text);
    return NULL;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* "000012.png". */
static bool is_picture(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits >= 6 && strcmp(name + digits, ".png") == 0;
}

/* Removes temporary files of killed processes, or all pictures. */
static rp_code remove_pictures(const rp_film *film, bool all, rp_report *report)
{
    rp_code code = rp_atomic_sweep(film->folder, report);
    if (code != RP_OK || !all) return code;
    rp_disk_list list;
    int error = rp_disk_list_open(&list, film->folder);
    if (error) return rp_fail_errno(report, error, film->folder, "list the folder");
    for (const char *name; code == RP_OK && (name = rp_disk_list_next(&list));) {
        if (!is_picture(name)) continue;
        rp_path path = inside(film, name);
        error = rp_disk_remove(path.text);
        if (error) code = rp_fail_errno(report, error, path.text, "remove");
    }
    rp_disk_list_close(&list);
    return code;
}

/* The name of a picture in the folder; empty when there is none. */
static rp_path find_picture(const rp_film *film)
{
    rp_path name = {""};
    rp_disk_list list;
    rp_disk_list_open(&list, film->folder);
    for (const char *entry; !name.text[0] && (entry = rp_disk_list_next(&list));)
        if (is_picture(entry)) snprintf(name.text, sizeof name.text, "%s", entry);
    rp_disk_list_close(&list);
    return name;
}

/* In a folder without settings pictures are neither overwritten nor reused: they are not ours. */
static rp_code refuse_foreign(const rp_film *film, rp_report *report)
{
    rp_path name = find_picture(film);
    rp_place place = {.file = film->folder};
    if (!name.text[0]) return RP_OK;
    return rp_fail_at(
        report, RP_ERROR_INPUT, &place, NULL,
        "the folder has numbered pictures that repose did not make, such as %s, and no "
        "%s; choose another folder, or remove them",
        name.text, SETTINGS_FILE);
}

/* Compares the settings with those in the folder; if they differ, removes all pictures and writes
 * the new ones. */
static rp_code apply_settings(const rp_film *film, const char *wanted, rp_report *report)
{
    rp_path path = inside(film, SETTINGS_FILE);
    rp_place place = {.file = path.text};
    char *found = NULL;
    size_t size = 0;
    bool there = rp_disk_has(path.text);
    rp_code code =
        there ? rp_file_read(path.text, &found, &size, report) : refuse_foreign(film, report);
    RP_TRY(code);
    bool same = there && strcmp(found, wanted) == 0;
    bool ours = !there || strncmp(found, HEADING, strlen(HEADING)) == 0;
    if (found) rp_release(found, size + 1);
    if (!ours)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is not a file of repose; choose another folder for pictures");
    code = remove_pictures(film, !same, report);
    return code == RP_OK && !same ? rp_file_write(path.text, wanted, report) : code;
}

rp_code rp_film_folder_open(rp_film *film, rp_report *report)
{
    const char *path = film->options.path;
    rp_file_info info;
    int length =
        snprintf(film->folder, sizeof film->folder, "%s%s", path, film->encodes ? ".frames" : "");
    if (length >= RP_FOLDER_MAX) return rp_fail_errno(report, ENAMETOOLONG, path, "write");
    if (film->encodes && rp_disk_status(path, &info) == 0 && info.kind == RP_FILE_FOLDER)
        return rp_fail_errno(report, EISDIR, path, "write");
    rp_place place = {.file = film->folder};
    if (film->encodes && rp_disk_is(film->folder, RP_FILE_LINK))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is a link, where the pictures of the film would go; remove it, or "
                          "take another name with -o");
    if (rp_disk_has(inside(film, "manifest.json").text))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "this is the folder of a run; give its pictures one of their own, such "
                          "as %s/pictures",
                          film->folder);
    return lock_folder(film, report);
}

rp_code rp_film_folder_apply_settings(const rp_film *film, rp_report *report)
{
    char *settings = make_settings(film);
    if (!settings) return rp_fail_memory(report, sizeof *film, "the settings of a film");
    rp_code code = apply_settings(film, settings, report);
    free(settings);
    if (film->encodes) rp_atomic_folder_sweep(film->options.path);
    return code;
}

/* A power cut may leave files that are empty or truncated, and disks change bytes: ffmpeg would
 * leave such pictures out of the film, or fail on them every time. */
static bool is_whole(const rp_film *film, const char *path)
{
    char *bytes;
    size_t size;
    if (rp_file_read(path, &bytes, &size, NULL) != RP_OK) return false;
    bool whole = rp_picture_png_is_whole(bytes, size, film->options.width, film->options.height);
    rp_release(bytes, size + 1);
    return whole;
}

bool rp_film_has_picture(const rp_film *film, int64_t picture)
{
    rp_file_info written, frame;
    rp_path file = rp_film_picture_path(film, picture);
    if (rp_disk_link_status(file.text, &written) || written.kind != RP_FILE_PLAIN) return false;
    for (int i = 0; i < film->source_count; i++) {
        rp_path path = rp_film_source_path(&film->sources[i], picture);
        if (rp_disk_status(path.text, &frame) || written.changed < frame.changed) return false;
    }
    return is_whole(film, file.text);
}

void rp_film_folder_remove(rp_film *film)
{
    remove_pictures(film, true, NULL);
    rp_disk_remove(inside(film, SETTINGS_FILE).text);
    rp_film_folder_close(film);
}
