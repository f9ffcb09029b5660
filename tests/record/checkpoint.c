/* Checkpoints: stores are read back identical, in their order. */
#include "fixture.h"

#include "base/store.h"
#include "record/checkpoint.h"

static void fill(rp_store *store, size_t count, rp_report *report)
{
    static const rp_field_type types[] = {RP_F32, RP_F64, RP_U8, RP_U16, RP_U32, RP_U64};
    static const char *const names[] = {"particles/zeta", "particles/x",   "solver/sph/lambda",
                                        "alone",          "bodies/states", "particles/alpha"};
    rp_store_begin(store);
    check_ok(rp_store_put_f64(store, "world/time", "s", 1.0 / 3, report), report);
    for (int i = 0; i < 6; i++) {
        void *data = test_values(types[i], count, (uint64_t)i);
        check_ok(rp_store_put(store, names[i], i % 2 ? "m/s" : "", types[i], data, count, report),
                 report);
        free(data);
    }
    check_ok(rp_store_put_u64(store, "world/steps", UINT64_MAX, report), report);
}

static void check_stores_equal(const rp_store *a, const rp_store *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const rp_store_entry *left = &a->entries[i], *right = &b->entries[i];
        assert_string_equal(left->name, right->name);
        assert_string_equal(left->unit, right->unit);
        assert_int_equal(left->type, right->type);
        assert_int_equal(left->count, right->count);
        if (left->count)
            assert_memory_equal(left->data, right->data,
                                left->count * rp_field_type_size(left->type));
    }
    assert_int_equal(rp_store_hash(a), rp_store_hash(b));
}

static void stores_come_back_identical(void **state)
{
    rp_report *report = rp_report_create();
    size_t before = rp_memory_now().bytes;
    const size_t counts[] = {0, 1, 1000, 70000};
    for (int i = 0; i < 4; i++) {
        rp_store written, found;
        fill(&written, counts[i], report);
        rp_store_begin(&found);
        check_ok(rp_checkpoint_write(in_folder(state, "a.h5"), &written, report), report);
        check_ok(rp_checkpoint_read(in_folder(state, "a.h5"), &found, report), report);
        check_stores_equal(&written, &found);
        rp_store_end(&written);
        rp_store_end(&found);
    }
    assert_int_equal(count_files(*state), 1);
    assert_int_equal(rp_memory_now().bytes, before);
    rp_report_destroy(report);
}

static void an_empty_store_comes_back(void **state)
{
    rp_store empty, found;
    rp_store_begin(&empty);
    rp_store_begin(&found);
    assert_int_equal(rp_checkpoint_write(in_folder(state, "e.h5"), &empty, NULL), RP_OK);
    assert_int_equal(rp_checkpoint_read(in_folder(state, "e.h5"), &found, NULL), RP_OK);
    assert_int_equal(found.count, 0);
}

static void names_that_clash_are_told(void **state)
{
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    check_ok(rp_store_put_u64(&store, "a", 1, report), report);
    check_ok(rp_store_put_u64(&store, "a/b", 1, report), report);
    assert_int_equal(rp_checkpoint_write(in_folder(state, "c.h5"), &store, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "a/b");
    assert_false(exists(in_folder(state, "c.h5")));
    rp_store_end(&store);
    rp_report_destroy(report);
}

static void a_missing_file_is_told(void **state)
{
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    assert_int_equal(rp_checkpoint_read(in_folder(state, "none.h5"), &store, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "none.h5");
    assert_int_equal(rp_checkpoint_read(*state, &store, report), RP_ERROR_IO);
    check_fault(report, RP_ERROR_IO, "directory");
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stores_come_back_identical, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(an_empty_store_comes_back, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(names_that_clash_are_told, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_missing_file_is_told, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
