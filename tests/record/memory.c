/* Every allocation in turn fails: an error code, no crash, no leak. */
#include "chunks.h"

#include "base/store.h"
#include "record/checkpoint.h"
#include "record/frame.h"

static rp_hooks plain;
static int allocations_left; /* negative: no limit */

static void *allocate(void *user, size_t size, size_t alignment)
{
    if (allocations_left == 0) return NULL;
    if (allocations_left > 0) allocations_left--;
    return plain.allocate(user, size, alignment);
}

typedef rp_code action(const char *folder);

static rp_view *view;
static rp_record *record;

static rp_code write_and_read_frame(const char *folder)
{
    static const char *const names[] = {"floor", "ball"};
    char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s/frame.h5", folder);
    rp_code code = rp_frame_write(path, 1, view, names, 0, NULL);
    rp_frame_file *frame = NULL;
    if (code == RP_OK) code = rp_frame_read(path, 1, &frame, NULL);
    rp_frame_close(frame);
    return code;
}

static rp_code write_and_read_checkpoint(const char *folder)
{
    rp_store store, found;
    char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    rp_store_begin(&store);
    rp_store_begin(&found);
    rp_code code = rp_store_put_u64(&store, "a/b", 1, NULL);
    if (code == RP_OK) code = rp_store_put_f64(&store, "c", "m", 1, NULL);
    if (code == RP_OK) code = rp_checkpoint_write(path, &store, NULL);
    if (code == RP_OK) code = rp_checkpoint_read(path, &found, NULL);
    rp_store_end(&store);
    rp_store_end(&found);
    return code;
}

static rp_chunk *chunks;

static rp_code write_and_read_fine(const char *folder)
{
    char path[RP_PATH_MAX];
    snprintf(path, sizeof path, "%s/fine", folder);
    rp_code code = chunks_write(path, 1, chunks, 2, 10, 0, NULL);
    assert_int_equal(exists(path) && count_files(path) == 3, code == RP_OK);
    rp_frame_file *frame = NULL;
    if (code == RP_OK) code = rp_fine_frame_read(path, 1, &frame, NULL);
    rp_frame_close(frame);
    return code;
}

static rp_code take_nothing(void *user, const rp_chunk *chunk, rp_report *report)
{
    (void)user, (void)chunk, (void)report;
    return RP_OK;
}

static rp_code save_and_load_fine(const char *folder)
{
    char path[RP_PATH_MAX];
    rp_store store;
    rp_store_begin(&store);
    snprintf(path, sizeof path, "%s/fine/checkpoints", folder);
    rp_code code = chunks_save(path, 1, chunks, 2, 10, NULL);
    if (code == RP_OK) code = rp_fine_checkpoint_read(path, 1, &store, take_nothing, NULL, NULL);
    rp_store_end(&store);
    return code;
}

static rp_code export_all(const char *folder)
{
    rp_code code = test_export(record, 1, view, "vtp", folder, NULL);
    if (code == RP_OK) code = test_export(record, 1, view, "ply", folder, NULL);
    if (code == RP_OK) code = test_export(record, 1, view, "csv", folder, NULL);
    if (code == RP_OK) code = test_export(record, 1, view, "usda", folder, NULL);
    if (code == RP_OK) code = test_export(record, 1, view, "usda-instances", folder, NULL);
    rp_export_options contacts = rp_default_export_options();
    contacts.folder = folder;
    contacts.stem = "x";
    contacts.grains = contacts.bodies = false;
    contacts.contacts = true;
    if (code == RP_OK) code = rp_record_export(record, 1, view, &contacts, NULL);
    return code;
}

static rp_code make_run(const char *folder)
{
    char path[RP_PATH_MAX];
    rp_record *made;
    snprintf(path, sizeof path, "%s/new", folder);
    rp_code code = rp_record_create(path, rp_record_scene(record), 1, &made, NULL);
    if (code == RP_OK) code = rp_record_write_frame(made, 0, view, NULL);
    rp_record_close(made);
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return code;
}

static void exhaust(const char *folder, action *act)
{
    size_t before = rp_memory_now().bytes;
    int limit = 0;
    rp_code code;
    do {
        allocations_left = limit++;
        code = act(folder);
        allocations_left = -1;
        assert_true(code == RP_OK || code == RP_ERROR_MEMORY);
        assert_int_equal(rp_memory_now().bytes, before);
        if (code != RP_OK) count_files(folder);
    } while (code != RP_OK);
    assert_true(limit > 4);
}

static void memory_may_run_out_at_any_time(void **state)
{
    rp_scene *scene = test_scene("");
    test_grains grains;
    test_grains_make(&grains, 4, 0);
    view = &grains.view;
    assert_int_equal(rp_record_create(in_folder(state, "run"), scene, 1, &record, NULL), RP_OK);
    exhaust(*state, write_and_read_frame);
    exhaust(*state, write_and_read_checkpoint);
    rp_chunk pair[] = {chunk_make(0, 10, 10, 1, 1), chunk_make(10, 9, 4, 1, 1)};
    chunks = pair;
    exhaust(*state, write_and_read_fine);
    exhaust(*state, save_and_load_fine);
    for (int i = 0; i < 2; i++)
        chunk_free(&pair[i]);
    exhaust(*state, export_all);
    exhaust(*state, make_run);
    rp_record_close(record);
    test_grains_free(&grains);
    rp_scene_destroy(scene);
}

int main(void)
{
    plain = rp_default_hooks();
    rp_hooks hooks = plain;
    allocations_left = -1;
    hooks.allocate = allocate;
    rp_set_hooks(&hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_may_run_out_at_any_time, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
