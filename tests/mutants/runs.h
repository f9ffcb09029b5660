/* Small runs whose files are changed, given a checksum that is right, and used. For programs of one
 * file. */
#ifndef RP_TESTS_MUTANTS_RUNS_H
#define RP_TESTS_MUTANTS_RUNS_H

#include "files/checksum.h"
#include "mutants/use.h"

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 600
#define COMMON                                                                                     \
    "particles: {spacing: 5 cm}\n"                                                                 \
    "domain: {low: [-0.4, -0.4, 0], high: [0.4, 0.4, 1], roughness: {radius: 1 cm, period: 5 "     \
    "cm}}\n"                                                                                       \
    "sources: {block: {shape: box, size: [0.2, 0.2, 0.2], position: [0, 0, 0.3]}}\n"               \
    "bodies: {stone: {shape: sphere, radius: 10 cm, position: [0, 0, 0.1]}}\n"                     \
    "time: {duration: 0.1 s, frame_rate: 20}\n"

/* Runs to take files from: in one piece, packed, with contacts. */
static const char *const scenes[] = {
    COMMON "solver: {method: frictional}\ndetail: {factor: 4}\noutput: {checkpoint_every: 1}\n",
    COMMON
    "emitters: {spout: {radius: 8 cm, position: [0, 0, 0.8]}}\n"
    "solver: {method: null}\ndetail: {factor: 3}\noutput: {checkpoint_every: 1, compress: 6}\n",
    COMMON "grains: {gravel: {shape: tetrahedron, diameter: 4 cm}}\nsolver: {method: dem}\n"
           "output: {checkpoint_every: 1, contacts: yes}\n",
};
#define RUNS (sizeof scenes / sizeof *scenes)
#define GRID_RUN 1 /* the one whose frames get grids, packed */

/* What is done with a file. */
typedef enum use { USE_FRAME, USE_CHECKPOINT, USE_FINE, USE_REFINE } use;

static const struct {
    const char *name;
    int64_t number;
    use use;
} files[] = {
    {"frames/000001.h5", 1, USE_FRAME},
    {"frames/000002.h5", 2, USE_FRAME},
    {"checkpoints/000002.h5", 2, USE_CHECKPOINT},
    {"fine/000001.h5", 1, USE_FINE},
    {"fine/000001-000.h5", 1, USE_FINE},
    {"fine/checkpoints/000002.h5", 2, USE_REFINE},
    {"fine/checkpoints/000002-000.h5", 2, USE_REFINE},
};

/* A file of a run, whole. */
typedef struct victim {
    size_t run, file;
    char *bytes;
    size_t size;
} victim;

static victim victims[RUNS * sizeof files / sizeof *files];
static size_t victim_count;
static char base[64];

static inline void join(char *path, const char *folder, const char *name)
{
    int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    require(length < PATH_BYTES, "paths are short");
}

static inline void run_folder(char *path, const char *prefix, size_t run)
{
    char name[32];
    snprintf(name, sizeof name, "%s%zu", prefix, run);
    join(path, base, name);
}

static inline int remove_one(const char *path, const struct stat *status, int kind,
                             struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size, "a file can be written");
    fclose(file);
}

/* The index of a file set holds the checksums of its parts: writes the new one there. */
static inline void tell_index(const victim *v, const char *folder, uint64_t before, uint64_t now)
{
    char name[64], path[PATH_BYTES];
    snprintf(name, sizeof name, "%s", files[v->file].name);
    char *dash = strrchr(name, '-');
    if (!dash) return;
    strcpy(dash, ".h5");
    for (size_t i = 0; i < victim_count; i++) {
        const victim *index = &victims[i];
        if (index->run != v->run || strcmp(files[index->file].name, name) != 0) continue;
        char *bytes = malloc(index->size);
        memcpy(bytes, index->bytes, index->size);
        char *at = memmem(bytes + RP_CHECKSUM_BYTES, index->size - RP_CHECKSUM_BYTES, &before, 8);
        if (at) memcpy(at, &now, sizeof now);
        rp_checksum_write(bytes, index->size);
        join(path, folder, name);
        write_file(path, bytes, index->size);
        free(bytes);
    }
}

/* Writes other bytes in the place of a file, with a checksum that is right. */
static inline void write_victim(const victim *v, const char *folder, char *bytes, size_t size)
{
    char path[PATH_BYTES];
    uint64_t now = rp_checksum_write(bytes, size);
    join(path, folder, files[v->file].name);
    write_file(path, bytes, size);
    tell_index(v, folder, rp_checksum_hash(v->bytes), now);
}

/* Refining changes the folder, so that it gets a copy. */
static inline void copy_run(size_t run, const char *folder)
{
    char from[PATH_BYTES], command[3 * PATH_BYTES];
    run_folder(from, "sound", run);
    snprintf(command, sizeof command, "cp -r %s %s", from, folder);
    require(system(command) == 0, "a folder can be copied");
}

/* The files of a run as they were. */
static inline void restore_run(size_t run)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    run_folder(folder, "sound", run);
    for (size_t i = 0; i < victim_count; i++) {
        if (victims[i].run != run) continue;
        join(path, folder, files[victims[i].file].name);
        write_file(path, victims[i].bytes, victims[i].size);
    }
}

/* Which run a case uses, and an empty folder for what it makes. */
static inline void begin_case(const victim *v, char *run, char *folder)
{
    bool copied = files[v->file].use == USE_REFINE;
    join(folder, base, "made");
    remove_tree(folder);
    require(mkdir(folder, 0777) == 0, "a folder can be made");
    if (copied)
        join(run, folder, "run");
    else
        run_folder(run, "sound", v->run);
    if (copied) copy_run(v->run, run);
}

static inline void end_case(const victim *v)
{
    if (files[v->file].use != USE_REFINE) restore_run(v->run);
}

/* --- what is done with them ------------------------------------------------------------------- */

static inline void use_frame(rp_record *record, int64_t number, bool fine, const char *folder)
{
    rp_report *report = rp_report_create();
    rp_frame_file *frame;
    rp_code code =
        fine ? rp_series_read(rp_record_series(record, RP_SERIES_FINE), number, &frame, report)
             : rp_series_read(rp_record_series(record, RP_SERIES_COARSE), number, &frame, report);
    check_report(code, report);
    if (code == RP_OK) use_view(record, rp_frame_view(frame), folder);
    rp_frame_close(frame);
    rp_report_destroy(report);
}

static inline void use_checkpoint(const rp_scene *scene, const char *run, const char *folder)
{
    char path[PATH_BYTES];
    rp_report *report = rp_report_create();
    rp_world_options options = rp_default_world_options();
    options.threads = 1;
    options.memory_limit = 256 << 20;
    rp_world *world;
    require(rp_world_create(scene, &options, &world, report) == RP_OK, "the scene is sound");
    join(path, run, "checkpoints/000002.h5");
    rp_code code = rp_world_load(world, path, report);
    check_report(code, report);
    for (int i = 0; i < 3 && code == RP_OK; i++)
        code = rp_world_step(world, NULL);
    if (code == RP_OK) {
        rp_view view;
        rp_world_view(world, &view);
        check_numbers(&view);
        join(path, folder, "again.h5");
        check_report(rp_world_save(world, path, report), report);
    }
    rp_world_destroy(world);
    rp_report_destroy(report);
}

/* Resumes from the checkpoints of fine grains, or starts again in another folder. */
static inline void use_refine(const char *run, const char *output)
{
    rp_report *report = rp_report_create();
    rp_refine_options options = rp_default_refine_options();
    rp_setting factor = {"detail.factor", "2"};
    options.folder = run;
    options.threads = 1;
    options.memory_limit = 256 << 20;
    options.output = output;
    options.settings = &factor;
    options.setting_count = output ? 1 : 0;
    check_report(rp_refine(&options, NULL, report), report);
    rp_report_destroy(report);
}

static inline void use_run(const victim *v, const char *run, const char *folder)
{
    char path[PATH_BYTES];
    rp_record *record;
    use how = files[v->file].use;
    int64_t number = files[v->file].number;
    require(rp_record_open(run, &record, NULL) == RP_OK, "the folder is a run");
    if (how == USE_FRAME || how == USE_FINE) use_frame(record, number, how == USE_FINE, folder);
    if (how == USE_CHECKPOINT) use_checkpoint(rp_record_scene(record), run, folder);
    rp_record_close(record);
    join(path, folder, "refined");
    if (how == USE_FRAME) use_refine(run, path);
    if (how == USE_REFINE) use_refine(run, NULL);
    require(rp_memory_now().bytes == 0, "nothing is left in memory");
}

/* --- the runs --------------------------------------------------------------------------------- */

/* Frames 1 and 2 once more, with a height field and a grid of values beside the grains. */
static inline void add_grids(size_t run)
{
    static float nodes[24];
    const rp_grid grids[] = {
        {"height", "m", RP_GRID_HEIGHT, 0, {6, 4, 1}, {0.1, 0.1, 1}, {-0.3, -0.2, 0.1}, nodes},
        {"speed", "m/s", RP_GRID_VALUES, 0, {2, 3, 4}, {0.1, 0.2, 0.1}, {0, 0, 0}, nodes}};
    char folder[PATH_BYTES];
    run_folder(folder, "sound", run);
    rp_record *record;
    rp_frame_file *frame = NULL;
    rp_code code = rp_record_open(folder, &record, NULL);
    for (int64_t number = 1; number <= 2 && code == RP_OK; number++) {
        code = rp_series_read(rp_record_series(record, RP_SERIES_COARSE), number, &frame, NULL);
        if (code != RP_OK) break;
        rp_view view = *rp_frame_view(frame);
        view.grids = grids;
        view.grid_count = 2;
        code = rp_record_write_frame(record, number, &view, NULL);
        rp_frame_close(frame);
    }
    rp_record_close(record);
    require(code == RP_OK, "frames can be written with grids");
}

static inline void make_run(size_t run)
{
    char folder[PATH_BYTES];
    run_folder(folder, "sound", run);
    rp_scene *scene = NULL;
    rp_report *report = rp_report_create();
    rp_code code = rp_scene_parse(scenes[run], "mutants", &scene, report);
    if (code == RP_OK) {
        rp_run_options options = rp_default_run_options();
        options.folder = folder;
        rp_world_options of_world = rp_default_world_options();
        of_world.threads = 1;
        options.world = &of_world;
        code = rp_run(scene, &options, NULL, report);
    }
    require(code == RP_OK, code == RP_OK ? "" : rp_report_fault(report, 0)->message);
    rp_report_destroy(report);
    rp_scene_destroy(scene); /* fuzz/file.c makes the runs in a process that counts its memory */
    if (run == GRID_RUN) add_grids(run);
}

static inline void take_files(size_t run)
{
    char folder[PATH_BYTES], path[PATH_BYTES];
    run_folder(folder, "sound", run);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        join(path, folder, files[i].name);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        victim *v = &victims[victim_count++];
        *v = (victim){.run = run, .file = i, .bytes = malloc(1 << 20)};
        v->size = fread(v->bytes, 1, 1 << 20, file);
        require(v->size > RP_CHECKSUM_BYTES && v->size < 1 << 20, "files are small");
        fclose(file);
    }
}

static inline void make_base(void)
{
    snprintf(base, sizeof base, "%s/repose-mutants-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    require(mkdtemp(base) != NULL, "a folder can be made");
}

static inline void drop_runs(void)
{
    for (size_t i = 0; i < victim_count; i++)
        free(victims[i].bytes);
    remove_tree(base);
}

#endif
