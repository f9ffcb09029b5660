/* A small scene, a view with every field set, and a folder to write to. */
#ifndef RP_TESTS_RECORD_FIXTURE_H
#define RP_TESTS_RECORD_FIXTURE_H

#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "repose/export.h"
#include "repose/record.h"
#include "scene/scene.h"
#include "system/atomic.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE_TEXT                                                                                 \
    "title: heap \"of\" sand\n"                                                                    \
    "seed: 7\n"                                                                                    \
    "time: {duration: 2 s, frame_rate: 25}\n"                                                      \
    "particles: {spacing: 1 cm}\n"                                                                 \
    "bodies:\n"                                                                                    \
    "  floor: {shape: plane}\n"                                                                    \
    "  ball: {shape: sphere, radius: 10 cm, position: [0, 0, 20 cm]}\n"

static inline rp_scene *test_scene(const char *more)
{
    char text[2048];
    snprintf(text, sizeof text, SCENE_TEXT "%s", more);
    rp_report *report = rp_report_create();
    rp_scene *scene = NULL;
    check_ok(rp_scene_parse(text, "test", &scene, report), report);
    rp_report_destroy(report);
    return scene;
}

/* Grains with random values, all bits used where any value is allowed, two fields of a
 * solver's own, contacts, a height field and a grid of values. */
#define TEST_FIELDS 18
#define TEST_CONTACTS 5
#define TEST_NODES 30
typedef struct test_grains {
    rp_view view;
    rp_field fields[TEST_FIELDS];
    rp_body_state bodies[2];
    rp_contact contacts[TEST_CONTACTS];
    rp_grid grids[2];
    float nodes[TEST_NODES];
    size_t bytes;
} test_grains;

static inline void *test_values(rp_field_type type, size_t count, uint64_t seed)
{
    size_t bytes = count * rp_field_type_size(type);
    unsigned char *data = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)rp_random(seed, RP_RANDOM_TEST, i).bits[0];
    for (size_t i = 0; type == RP_F32 && i < count; i++)
        ((float *)data)[i] = 2 * rp_random_unit(rp_random(seed, RP_RANDOM_TEST, i).bits[1]) - 1;
    for (size_t i = 0; type == RP_F64 && i < count; i++)
        ((double *)data)[i] = sin((double)(i + 1) * (double)(seed + 1));
    return data;
}

static inline void test_bodies(test_grains *grains)
{
    grains->bodies[0] = (rp_body_state){.orientation = {1, 0, 0, 0}, .force = {0, 0, -1.0 / 3}};
    grains->bodies[1] = (rp_body_state){.position = {0.1, 0.2, 0.3},
                                        .orientation = {0.6, 0, 0.8, 0},
                                        .velocity = {1, 2, 3},
                                        .angular_velocity = {4, 5, 6},
                                        .force = {1e-300, 2, 3},
                                        .torque = {-0.0, 5, 6},
                                        .contact_force = {7, 8, 9},
                                        .contact_torque = {-1, -2, -3}};
    grains->view.bodies = grains->bodies;
    grains->view.body_count = 2;
}

static inline void test_contacts(test_grains *grains)
{
    for (int i = 0; i < TEST_CONTACTS; i++) {
        rp_contact *contact = &grains->contacts[i];
        float *values = contact->position;
        contact->first = 4294967295u - (uint32_t)i;
        contact->with = (uint8_t)(i % 3);
        contact->second = i % 3 == RP_WITH_BODY ? 1 : (uint32_t)i;
        for (size_t k = 0; k < (sizeof *contact - offsetof(rp_contact, position)) / 4; k++)
            values[k] = 1.0f / (float)(i + 7 * (int)k + 3);
    }
    grains->view.contacts = grains->contacts;
    grains->view.contact_count = TEST_CONTACTS;
}

static inline void test_grids(test_grains *grains)
{
    for (int i = 0; i < TEST_NODES; i++)
        grains->nodes[i] = 1 / (float)(i + 3);
    grains->grids[0] = (rp_grid){.name = "height",
                                 .unit = "m",
                                 .kind = RP_GRID_HEIGHT,
                                 .size = {5, 3, 1},
                                 .spacing = {0.1, 0.2, 1},
                                 .origin = {-0.25, 1.0 / 3, 0.5},
                                 .values = grains->nodes};
    grains->grids[1] = (rp_grid){.name = "water-content",
                                 .unit = "kg/m3",
                                 .size = {2, 3, 5},
                                 .spacing = {0.5, 0.25, 0.125},
                                 .origin = {1, 2, -3},
                                 .values = grains->nodes};
    grains->view.grids = grains->grids;
    grains->view.grid_count = 2;
}

static inline void test_grains_make(test_grains *grains, size_t count, double time)
{
    static const struct {
        const char *name, *unit;
        rp_field_type type;
    } all[TEST_FIELDS] = {
        {"x", "m", RP_F32},
        {"y", "m", RP_F32},
        {"z", "m", RP_F32},
        {"velocity_x", "m/s", RP_F32},
        {"velocity_y", "m/s", RP_F32},
        {"velocity_z", "m/s", RP_F32},
        {"mass", "kg", RP_F32},
        {"density", "kg/m3", RP_F32},
        {"pressure", "Pa", RP_F32},
        {"id", "", RP_U32},
        {"material", "", RP_U8},
        {"asleep", "", RP_U8},
        {"moisture", "", RP_F32},
        {"normal_x", "", RP_F32},
        {"normal_y", "", RP_F32},
        {"normal_z", "", RP_F32},
        {"clock", "s", RP_F64},
        {"kin", "", RP_U16},
    };
    *grains = (test_grains){0};
    for (int i = 0; i < TEST_FIELDS; i++)
        grains->fields[i] = (rp_field){all[i].name, all[i].unit, all[i].type,
                                       test_values(all[i].type, count, (uint64_t)i + 1)};
    const rp_field *f = grains->fields;
    for (size_t i = 0; i < count; i++) {
        float *mass = (float *)f[6].data, *density = (float *)f[7].data;
        float *moisture = (float *)f[12].data;
        mass[i] += 1.5f;
        density[i] += 1.5f;
        moisture[i] = fabsf(moisture[i]);
        ((uint8_t *)f[10].data)[i] = 0; /* the scene's only material */
        ((uint8_t *)f[11].data)[i] &= 1;
    }
    grains->view = (rp_view){.time = time,
                             .step = 12345678901ull,
                             .dt = 1.0 / 3000,
                             .spacing = 0.01,
                             .count = count,
                             .x = f[0].data,
                             .y = f[1].data,
                             .z = f[2].data,
                             .vx = f[3].data,
                             .vy = f[4].data,
                             .vz = f[5].data,
                             .mass = f[6].data,
                             .density = f[7].data,
                             .pressure = f[8].data,
                             .id = f[9].data,
                             .material = f[10].data,
                             .asleep = f[11].data,
                             .moisture = f[12].data,
                             .fields = f,
                             .field_count = TEST_FIELDS};
    test_bodies(grains);
    test_contacts(grains);
    test_grids(grains);
}

static inline void test_grains_free(test_grains *grains)
{
    for (int i = 0; i < TEST_FIELDS; i++)
        free((void *)grains->fields[i].data);
}

/* Everything of a view, in a format. */
static inline rp_code test_export(rp_record *record, int64_t number, const rp_view *view,
                                  const char *format, const char *folder, rp_report *report)
{
    rp_export_options options = rp_default_export_options();
    options.format = format;
    options.folder = folder;
    return rp_record_export(record, number, view, &options, report);
}

/* A fresh folder for every test, as the tests' group fixture hands it out. */
static inline int make_folder(void **state)
{
    char *folder = malloc(64);
    snprintf(folder, 64, "/tmp/repose-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *status, int kind,
                             struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static inline int drop_folder(void **state)
{
    nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

static inline const char *in_folder(void **state, const char *name)
{
    static char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", (const char *)*state, name);
    return path;
}

static inline bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* How many entries a folder has; none may be left over from a write. */
static inline int count_files(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        assert_null(strstr(entry->d_name, RP_ATOMIC_SUFFIX));
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

/* The report's only fault has this code and its text holds these words. */
static inline void check_fault(rp_report *report, rp_code code, const char *words)
{
    char text[4096] = "";
    assert_int_equal(rp_report_count(report), 1);
    rp_fault_text(rp_report_fault(report, 0), text, sizeof text);
    if (rp_report_fault(report, 0)->code != code || !strstr(text, words))
        print_error("fault %d: %s\n", (int)rp_report_fault(report, 0)->code, text);
    assert_int_equal(rp_report_fault(report, 0)->code, code);
    assert_non_null(strstr(text, words));
    rp_report_clear(report);
}

/* Kept out of line: inlined, GCC 12 takes the result for a pointer to `data` itself. */
static __attribute__((noinline, unused)) char *read_whole(const char *path, size_t *size)
{
    char *data;
    assert_int_equal(rp_file_read(path, &data, size, NULL), RP_OK);
    return data;
}

static inline void write_whole(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

#endif
