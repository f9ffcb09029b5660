/* Damaged checksummed files: truncated anywhere, changed anywhere, or made to mislead; always a
 * fault that names the file, never a crash. */
#include "record/fixture.h"

#include "base/store.h"
#include "files/checksum.h"
#include "files/checksummed.h"
#include "files/limits.h"
#include "record/checkpoint.h"
#include "record/frame.h"
#include "view/view.h"

typedef struct damage_case {
    rp_report *report;
    char path[RP_PATH_MAX];
    char *data;
    size_t size;
    bool frame;
} damage_case;

static void make_frame(void **state, damage_case *c)
{
    static const char *const names[] = {"floor", "ball"};
    test_grains grains;
    test_grains_make(&grains, 40, 1.5);
    *c = (damage_case){.report = rp_report_create(), .frame = true};
    snprintf(c->path, sizeof c->path, "%s", in_folder(state, "000005.h5"));
    check_ok(rp_frame_write(c->path, 5, &grains.view, names, 0, c->report), c->report);
    c->data = read_whole(c->path, &c->size);
    test_grains_free(&grains);
}

static void make_checkpoint(void **state, damage_case *c)
{
    rp_store store;
    rp_store_begin(&store);
    *c = (damage_case){.report = rp_report_create()};
    check_ok(rp_store_put_f64(&store, "world/time", "s", 2, c->report), c->report);
    check_ok(rp_store_put(&store, "particles/x", "m", RP_F32, SCENE_TEXT, 20, c->report),
             c->report);
    snprintf(c->path, sizeof c->path, "%s", in_folder(state, "checkpoint.h5"));
    check_ok(rp_checkpoint_write(c->path, &store, c->report), c->report);
    c->data = read_whole(c->path, &c->size);
    rp_store_end(&store);
}

static void end_case(damage_case *c)
{
    rp_release(c->data, c->size + 1);
    rp_report_destroy(c->report);
}

/* Writes the bytes, reads the file, expects damage. */
static void check_damaged(damage_case *c, const char *data, size_t size)
{
    write_whole(c->path, data, size);
    rp_code code;
    if (c->frame) {
        rp_frame_file *frame;
        code = rp_frame_read(c->path, 5, &frame, c->report);
        assert_null(frame);
    } else {
        rp_store store;
        rp_store_begin(&store);
        code = rp_checkpoint_read(c->path, &store, c->report);
        assert_int_equal(store.count, 0);
    }
    assert_int_equal(code, RP_ERROR_DAMAGED);
    check_fault(c->report, RP_ERROR_DAMAGED, c->path);
}

static void check_all_cuts(damage_case *c)
{
    for (size_t size = 0; size < c->size; size += 1 + size / 13)
        check_damaged(c, c->data, size);
    check_damaged(c, c->data, c->size - 1);
    char *longer = calloc(c->size + 1, 1);
    memcpy(longer, c->data, c->size);
    check_damaged(c, longer, c->size + 1);
    free(longer);
}

static void check_all_flips(damage_case *c)
{
    for (size_t at = 0; at < c->size; at += at < 600 ? 7 : 61) {
        char before = c->data[at];
        c->data[at] ^= (char)(1 << (at % 8));
        check_damaged(c, c->data, c->size);
        c->data[at] = before;
    }
}

static void cut_files_are_refused(void **state)
{
    damage_case c;
    make_frame(state, &c);
    check_all_cuts(&c);
    end_case(&c);
    make_checkpoint(state, &c);
    check_all_cuts(&c);
    end_case(&c);
}

static void changed_files_are_refused(void **state)
{
    damage_case c;
    make_frame(state, &c);
    check_all_flips(&c);
    end_case(&c);
    make_checkpoint(state, &c);
    check_all_flips(&c);
    end_case(&c);
}

static void foreign_files_are_refused(void **state)
{
    damage_case c;
    make_frame(state, &c);
    char *text = calloc(4000, 1);
    memset(text, 'x', 4000);
    check_damaged(&c, text, 4000);
    /* A valid checksum of what is not HDF5. */
    rp_checksum_write(text, 4000);
    check_damaged(&c, text, 4000);
    rp_checksum_write(text, RP_CHECKSUM_BYTES);
    check_damaged(&c, text, RP_CHECKSUM_BYTES);
    free(text);
    end_case(&c);
}

static void kinds_are_not_mixed_up(void **state)
{
    damage_case frame, checkpoint;
    make_frame(state, &frame);
    make_checkpoint(state, &checkpoint);
    check_damaged(&frame, checkpoint.data, checkpoint.size);
    check_damaged(&checkpoint, frame.data, frame.size);
    end_case(&frame);
    end_case(&checkpoint);
}

static void a_frame_under_another_number_is_refused(void **state)
{
    damage_case c;
    make_frame(state, &c);
    rp_frame_file *frame;
    assert_int_equal(rp_frame_read(c.path, 6, &frame, c.report), RP_ERROR_DAMAGED);
    check_fault(c.report, RP_ERROR_DAMAGED, "another frame");
    end_case(&c);
}

/* Values that are allowed for anything; four of them are a rotation. */
static const float halves[16] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f,
                                 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
static const double wide_halves[4] = {0.5, 0.5, 0.5, 0.5};
static const uint32_t zeros[4];

/* A checksummed, valid HDF5 file with one thing wrong. */
enum wrong {
    MISSING_FIELD,
    MISSING_MATERIAL,
    WRONG_TYPE,
    WRONG_LENGTH,
    TWO_COLUMNS,
    NO_FACTS,
    NO_BODIES,
    MANY_BODIES,
    NO_CONTACTS,
    MANY_CONTACTS,
    FEW_NORMALS,
    CONTACT_WITH_NOTHING,
    CONTACT_WITH_NOBODY,
    GRID_MISSING,
    GRID_MANY,
    GRID_KIND,
    GRID_LAYERS,
    GRID_LENGTH,
    GRID_SIZE,
    GRID_SPACING,
    GRID_MATERIAL,
    GRID_TYPE,
    GRID_FAR,
    GRID_NAME
};

static void put_odd_grains(rp_checksummed_writer *file, enum wrong wrong, const char *const *names)
{
    for (int i = 0; i < 13; i++) {
        char name[64];
        rp_field_type type = i == 9 ? RP_U32 : i == 10 || i == 11 ? RP_U8 : RP_F32;
        size_t rows = wrong == WRONG_LENGTH && i == 4 ? 3 : 4;
        if (wrong == MISSING_FIELD && i == 6) continue;
        if (wrong == MISSING_MATERIAL && i == 10) continue;
        if (wrong == WRONG_TYPE && i == 9) type = RP_F32;
        snprintf(name, sizeof name, "grains/%s", names[i]);
        const void *values = type == RP_F32 ? (const void *)halves : (const void *)zeros;
        rp_checksummed_put(file, name, "", type, values, rows,
                           wrong == TWO_COLUMNS && i == 2 ? 2 : 1);
    }
}

/* Two contacts with the one body. */
static void put_odd_contacts(rp_checksummed_writer *file, enum wrong wrong)
{
    uint32_t second[] = {0, wrong == CONTACT_WITH_NOBODY};
    uint8_t with[] = {RP_WITH_BODY, wrong == CONTACT_WITH_NOTHING ? 3 : RP_WITH_BODY};
    rp_checksummed_put_u64(file, "contact_count", wrong == MANY_CONTACTS ? UINT64_MAX / 8 : 2);
    for (int i = 0; i < RP_CONTACT_PARTS && wrong != NO_CONTACTS; i++) {
        const rp_contact_part *part = &rp_contact_parts[i];
        const void *data = i == 1                 ? (void *)second
                           : i == 2               ? (void *)with
                           : part->type == RP_F32 ? (const void *)halves
                                                  : (const void *)zeros;
        size_t rows = wrong == FEW_NORMALS && i == 4 ? 1 : 2;
        rp_checksummed_put(file, part->path, part->unit, part->type, data, rows, part->width);
    }
}

/* A height field of 2 x 2 nodes. */
static void put_odd_grid(rp_checksummed_writer *file, enum wrong wrong)
{
    static const float far[4] = {1e20f, 0, 0, 0};
    const char *path = wrong == GRID_NAME ? "grids/a b/values" : "grids/height/values";
    rp_checksummed_put_u64(file, "grid_count", wrong == GRID_MANY ? 2 : 1);
    if (wrong == GRID_MISSING) return;
    rp_checksummed_put(file, path, "m", wrong == GRID_TYPE ? RP_U32 : RP_F32,
                       wrong == GRID_TYPE  ? (const void *)zeros
                       : wrong == GRID_FAR ? far
                                           : halves,
                       wrong == GRID_LENGTH ? 3 : 4, 1);
    rp_checksummed_attribute_put_text(file, path, "kind", wrong == GRID_KIND ? "depth" : "height");
    rp_checksummed_attribute_put_u64(file, path, "material", wrong == GRID_MATERIAL ? 256 : 0);
    const uint64_t sizes[3] = {wrong == GRID_SIZE ? (uint64_t)1 << 63 : 2,
                               wrong == GRID_LAYERS ? 1 : 2, wrong == GRID_LAYERS ? 2 : 1};
    static const char *const names[3][3] = {{"size_x", "spacing_x", "origin_x"},
                                            {"size_y", "spacing_y", "origin_y"},
                                            {"size_z", "spacing_z", "origin_z"}};
    for (int a = 0; a < 3; a++) {
        rp_checksummed_attribute_put_u64(file, path, names[a][0], sizes[a]);
        rp_checksummed_attribute_put_f64(file, path, names[a][1],
                                         wrong == GRID_SPACING && a == 1 ? 0 : 1);
        rp_checksummed_attribute_put_f64(file, path, names[a][2], 0);
    }
}

static void put_odd_rest(rp_checksummed_writer *file, enum wrong wrong)
{
    static const char *const parts[] = {"position",         "orientation",   "velocity",
                                        "angular_velocity", "force",         "torque",
                                        "contact_force",    "contact_torque"};
    for (int i = 0; i < 8 && wrong != NO_BODIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "bodies/%s", parts[i]);
        rp_checksummed_put(file, name, "", RP_F64, wide_halves, 1, i == 1 ? 4 : 3);
    }
    rp_checksummed_put_f64(file, "dt", 1);
    rp_checksummed_put_f64(file, "spacing", 1);
    rp_checksummed_put_u64(file, "count", 4);
    rp_checksummed_put_u64(file, "frame", 5);
    rp_checksummed_put_u64(file, "body_count", wrong == MANY_BODIES ? UINT64_MAX / 8 : 1);
    if (wrong >= NO_CONTACTS) put_odd_contacts(file, wrong);
    if (wrong >= GRID_MISSING) put_odd_grid(file, wrong);
    if (wrong == NO_FACTS) return;
    rp_checksummed_put_f64(file, "time", 1);
    rp_checksummed_put_u64(file, "step", 1);
}

static void misleading_frames_are_refused(void **state)
{
    static const char *const names[] = {
        "x",       "y",        "z",  "velocity_x", "velocity_y", "velocity_z", "mass",
        "density", "pressure", "id", "material",   "asleep",     "moisture"};
    static const struct {
        enum wrong wrong;
        const char *words;
    } cases[] = {{MISSING_FIELD, "mass"},
                 {MISSING_MATERIAL, "material"},
                 {WRONG_TYPE, "id"},
                 {WRONG_LENGTH, "velocity_y"},
                 {TWO_COLUMNS, "z"},
                 {NO_FACTS, "time"},
                 {NO_BODIES, "bodies"},
                 {MANY_BODIES, "body_count"},
                 {NO_CONTACTS, "contacts"},
                 {MANY_CONTACTS, "number of contacts"},
                 {FEW_NORMALS, "normal"},
                 {CONTACT_WITH_NOTHING, "contacts/with"},
                 {CONTACT_WITH_NOBODY, "contacts/second"},
                 {GRID_MISSING, "grids"},
                 {GRID_MANY, "grid_count"},
                 {GRID_KIND, "kind"},
                 {GRID_LAYERS, "layer"},
                 {GRID_LENGTH, "number of nodes"},
                 {GRID_SIZE, "size"},
                 {GRID_SPACING, "spacing_y"},
                 {GRID_MATERIAL, "material"},
                 {GRID_TYPE, "type"},
                 {GRID_FAR, "height"},
                 {GRID_NAME, "impossible name"}};
    rp_report *report = rp_report_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rp_checksummed_writer *file;
        rp_frame_file *frame;
        const char *path = in_folder(state, "odd.h5");
        check_ok(rp_checksummed_create(path, "frame", 0, 0, &file, report), report);
        put_odd_grains(file, cases[i].wrong, names);
        put_odd_rest(file, cases[i].wrong);
        check_ok(rp_checksummed_finish(file, report), report);
        assert_int_equal(rp_frame_read(path, 5, &frame, report), RP_ERROR_DAMAGED);
        check_fault(report, RP_ERROR_DAMAGED, cases[i].words);
    }
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cut_files_are_refused, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(changed_files_are_refused, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(foreign_files_are_refused, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(kinds_are_not_mixed_up, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_frame_under_another_number_is_refused, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(misleading_frames_are_refused, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
