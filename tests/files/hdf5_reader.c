/* The strict HDF5 reader: files with a valid checksum and malicious content, made by the generators
 * of the fuzzers from fixed random bytes, so that every build tests some of them. */
#include "record/fixture.h"

#include "files/hdf5_reader.h"
#include "record/checkpoint.h"

#define LLVMFuzzerTestOneInput fuzz_frame
#include "fuzz/frame.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_checkpoint
#include "fuzz/checkpoint.c"

/* Mostly zeros, so that a file has only a few things wrong. */
static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++) {
        rp_random4 random = rp_random(seed, RP_RANDOM_TEST, i);
        bytes[i] = random.bits[0] % 16 < 1 + seed % 3 ? (uint8_t)random.bits[1] : 0;
    }
    bytes[0] = 1; /* structured */
}

static void hostile_files_do_no_harm(void **state)
{
    (void)state;
    size_t before = rp_memory_now().bytes;
    uint8_t bytes[128];
    for (uint64_t seed = 0; seed < 150; seed++) {
        fill(bytes, sizeof bytes, seed);
        fuzz_frame(bytes, sizeof bytes);
        bytes[1] = 4;
        fuzz_checkpoint(bytes, sizeof bytes);
    }
    assert_int_equal(rp_memory_now().bytes, before);
}

/* Reads a frame whose arrays are all as they should be but for the bytes. */
static rp_code read_odd(const uint8_t *data, size_t size, rp_report *report)
{
    fuzz_bytes bytes = {data, size};
    char path[64];
    rp_frame_file *frame;
    int descriptor = odd_frame(&bytes, path, sizeof path);
    rp_code code = rp_frame_read(path, 0, &frame, report);
    rp_frame_close(frame);
    close(descriptor);
    return code;
}

/* The maker's third byte and those behind it describe the first array. */
static void each_trick_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[8];
        const char *words;
    } tricks[] = {
        {{0, 0, 1}, "missing"},                   /* left out */
        {{0, 0, 2, 0}, "type"},                   /* big endian */
        {{0, 0, 2, 4}, "type"},                   /* text */
        {{0, 0, 3, 1, 255, 50}, "dimensions"},    /* more than could ever be */
        {{0, 0, 3, 1, 255, 20}, "not all there"}, /* more than the file can hold */
        {{0, 0, 3, 3, 1, 0, 1}, "dimensions"},    /* three dimensions */
        {{0, 0, 4, 7}, "not ours"},               /* data in another file */
        {{0, 0, 4, 2, 0}, "not ours"},            /* deflate alone */
        {{0, 0, 4, 3, 0}, "not ours"},            /* a filter that is not ours */
        {{0, 0, 4, 9, 0}, "not ours"},            /* deflate twice */
        {{0, 0, 5}, "attribute"},                 /* no unit */
        {{0, 0, 6}, "attribute"},                 /* no index */
        {{0, 0, 7, 0}, "not ours"},               /* a link to another file */
        {{0, 0, 7, 1}, "elsewhere"},              /* a soft link to itself */
        {{0, 0, 7, 2}, "deep"},                   /* a circle */
        {{0, 0, 8}, "not all there"},             /* never written */
    };
    rp_report *report = rp_report_create();
    static const uint8_t packed[] = {0, 0, 4, 8, 0};
    check_ok(read_odd(NULL, 0, report), report);
    check_ok(read_odd(packed, sizeof packed, report), report);
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        rp_code code = read_odd(tricks[i].bytes, sizeof tricks[i].bytes, report);
        if (code != RP_ERROR_DAMAGED) print_error("trick %zu: code %d\n", i, (int)code);
        assert_int_equal(code, RP_ERROR_DAMAGED);
        check_fault(report, RP_ERROR_DAMAGED, tricks[i].words);
    }
    rp_report_destroy(report);
}

/* A valid frame, whose bytes are changed one by one and given a new checksum. */
typedef struct sound_frame {
    rp_report *report;
    char path[RP_PATH_MAX];
    char *data;
    size_t size;
} sound_frame;

#define NUMBER 5
#define GRAINS 40

static void make_sound(void **state, sound_frame *f, int compress)
{
    static const char *const names[] = {"floor", "ball"};
    test_grains grains;
    test_grains_make(&grains, GRAINS, 1.5);
    f->report = rp_report_create();
    snprintf(f->path, sizeof f->path, "%s", in_folder(state, "000005.h5"));
    check_ok(rp_frame_write(f->path, NUMBER, &grains.view, names, compress, f->report), f->report);
    f->data = read_whole(f->path, &f->size);
    test_grains_free(&grains);
}

static void end_sound(sound_frame *f)
{
    rp_release(f->data, f->size + 1);
    rp_report_destroy(f->report);
}

/* The address of the link of that name, as rp_hdf5_list finds it. */
typedef struct search {
    const char *name;
    uint64_t object;
} search;

static const char *compare_name(void *user, const char *name, uint64_t object)
{
    search *s = user;
    if (strcmp(name, s->name) == 0) s->object = object;
    return NULL;
}

/* Where in the file the values of "group/name" are. */
static char *find_values(const sound_frame *f, const char *group, const char *name)
{
    rp_hdf5 image;
    rp_hdf5_array array;
    search outer = {.name = group}, inner = {.name = name};
    assert_null(rp_hdf5_open(&image, f->data, f->size, RP_CHECKSUM_BYTES));
    assert_null(rp_hdf5_list(&image, image.root, compare_name, &outer));
    assert_null(rp_hdf5_list(&image, outer.object, compare_name, &inner));
    assert_null(rp_hdf5_array_open(&image, inner.object, &array));
    return f->data + RP_CHECKSUM_BYTES + array.address;
}

/* Writes bytes over those of the frame, reads it, and puts the old ones back. */
static void check_changed(sound_frame *f, char *at, const void *bytes, size_t size,
                          const char *words)
{
    char before[64];
    rp_frame_file *frame;
    memcpy(before, at, size);
    memcpy(at, bytes, size);
    rp_checksum_write(f->data, f->size);
    write_whole(f->path, f->data, f->size);
    memcpy(at, before, size);
    assert_int_equal(rp_frame_read(f->path, NUMBER, &frame, f->report), RP_ERROR_DAMAGED);
    assert_null(frame);
    check_fault(f->report, RP_ERROR_DAMAGED, words);
}

static void facts_that_cannot_be_are_refused(void **state)
{
    static const struct {
        char name[8];
        double value;
        const char *words;
    } facts[] = {{"spacing", 1e20, "spacing: value 0 is 1e+20; allowed are 1e-12 to 1e+06"},
                 {"spacing", NAN, "spacing: value 0 is nan"},
                 {"spacing", 0, "spacing"},
                 {"time", 1e18, "time: value 0 is 1e+18; allowed are 0 to 1e+12"},
                 {"time", -1, "time"},
                 {"time", NAN, "time"},
                 {"dt", INFINITY, "dt"}};
    sound_frame f;
    make_sound(state, &f, 0);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char *at = memmem(f.data, f.size, facts[i].name, sizeof facts[i].name);
        assert_non_null(at); /* the name in 8 bytes, the type in 24, the dataspace in 8 */
        check_changed(&f, at + 40, &facts[i].value, sizeof(double), facts[i].words);
    }
    end_sound(&f);
}

static void values_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *group, *name;
        float value;
    } floats[] = {{"grains", "x", NAN},           {"grains", "y", INFINITY},
                  {"grains", "z", -1e30f},        {"grains", "velocity_x", NAN},
                  {"grains", "velocity_y", NAN},  {"grains", "velocity_z", -INFINITY},
                  {"grains", "mass", 0},          {"grains", "mass", NAN},
                  {"grains", "density", -1},      {"grains", "pressure", NAN},
                  {"grains", "moisture", 1.5f},   {"grains", "moisture", -0.1f},
                  {"grains", "normal_x", NAN},    {"contacts", "position", NAN},
                  {"contacts", "normal", 2},      {"contacts", "normal_force", NAN},
                  {"contacts", "overlap", 1e30f}, {"contacts", "branch", INFINITY}};
    static const double nowhere = NAN, longer = 0.9;
    static const uint8_t many = 7;
    sound_frame f;
    make_sound(state, &f, 0);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        char words[256], *at = find_values(&f, floats[i].group, floats[i].name);
        snprintf(words, sizeof words, "%s/%s: value 0 is", floats[i].group, floats[i].name);
        check_changed(&f, at, &floats[i].value, sizeof(float), words);
    }
    check_changed(&f, find_values(&f, "grains", "x") + 7 * sizeof(float), &floats[0].value,
                  sizeof(float),
                  "000005.h5: grains/x: value 7 is nan; allowed are -1e+12 to 1e+12");
    check_changed(&f, find_values(&f, "grains", "clock"), &nowhere, sizeof nowhere, "clock");
    check_changed(&f, find_values(&f, "grains", "asleep"), &many, 1, "grains/asleep: value 0 is 7");
    check_changed(&f, find_values(&f, "contacts", "with"), &many, 1, "contacts/with: value 0 is 7");
    check_changed(&f, find_values(&f, "bodies", "force"), &nowhere, sizeof nowhere, "bodies/force");
    check_changed(&f, find_values(&f, "bodies", "orientation"), &longer, sizeof longer,
                  "bodies/orientation: value 0 has the length 0.9");
    end_sound(&f);
}

/* A name in the heap of a group becomes that of its neighbor. */
static void two_arrays_of_one_name_are_refused(void **state)
{
    static const char names[16] = "x\0\0\0\0\0\0\0y";
    sound_frame f;
    make_sound(state, &f, 0);
    char *at = memmem(f.data, f.size, names, sizeof names);
    assert_non_null(at);
    check_changed(&f, at + 8, "x", 1, "one name");
    check_changed(&f, at + 8, "\033", 1, "impossible name"); /* what a terminal would obey */
    end_sound(&f);
}

static void wrong_states_are_refused(void **state)
{
    static const char *const names[] = {"particles/spin_y", "particles/orientation_w",
                                        "particles/x", "bodies/force", "world/time"};
    rp_report *report = rp_report_create();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rp_store written, found;
        rp_store_begin(&written);
        rp_store_begin(&found);
        double values[] = {0.5, 0.5, NAN, 0.5};
        check_ok(rp_store_put(&written, names[i], "", RP_F64, values, 4, report), report);
        check_ok(rp_checkpoint_write(in_folder(state, "a.h5"), &written, report), report);
        assert_int_equal(rp_checkpoint_read(in_folder(state, "a.h5"), &found, report),
                         RP_ERROR_DAMAGED);
        check_fault(report, RP_ERROR_DAMAGED, "value 2 is nan");
        assert_int_equal(rp_store_put(&written, names[i], "", RP_F64, values, 4, report),
                         RP_ERROR_DAMAGED);
        check_fault(report, RP_ERROR_DAMAGED, "two arrays have the name");
        assert_int_equal(found.count, 0);
        rp_store_end(&written);
    }
    rp_report_destroy(report);
}

/* A small file whose arrays all lie in the same bytes would take any amount of memory. */
static void arrays_that_share_their_bytes_are_refused(void **state)
{
    (void)state;
    fuzz_bytes none = {0};
    char path[64], name[64];
    rp_store store;
    rp_store_begin(&store);
    rp_report *report = rp_report_create();
    const uint64_t one = 1;
    hid_t file = begin_file();
    put_array(file, "alone", H5T_IEEE_F32LE, 1000, 1, 0, &none);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        H5Lcreate_hard(file, "alone", file, name, H5P_DEFAULT, H5P_DEFAULT);
    }
    put_text(file, "kind", "checkpoint", &none);
    put_fact(file, "format_version", H5T_STD_U64LE, &one, &none);
    int descriptor = checksummed_file(file, path, sizeof path);
    assert_int_equal(rp_checkpoint_read(path, &store, report), RP_ERROR_DAMAGED);
    check_fault(report, RP_ERROR_DAMAGED, "more bytes than the file");
    close(descriptor);
    rp_report_destroy(report);
}

/* Every byte of a file in turn, and the ones behind it, in a few ways: read or refused. */
static void any_byte_may_be_wrong(void **state)
{
    size_t before = rp_memory_now().bytes;
    for (int compress = 0; compress < 2; compress++) {
        sound_frame f;
        make_sound(state, &f, compress);
        size_t step = compress ? 61 : 17;
        for (size_t at = RP_CHECKSUM_BYTES; at + 8 < f.size; at += step) {
            static const uint8_t patterns[][4] = {{0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0x80}, {1}};
            char original[4];
            rp_frame_file *frame;
            memcpy(original, f.data + at, sizeof original);
            memcpy(f.data + at, patterns[at % 3], 1 + at % 4);
            rp_checksum_write(f.data, f.size);
            int descriptor = memory_file(f.data, f.size, f.path, sizeof f.path);
            rp_code code = rp_frame_read(f.path, NUMBER, &frame, f.report);
            assert_true((code == RP_OK) == (rp_report_count(f.report) == 0));
            if (code == RP_OK) sum_of(rp_frame_view(frame));
            rp_frame_close(frame);
            rp_report_clear(f.report);
            close(descriptor);
            memcpy(f.data + at, original, sizeof original);
        }
        end_sound(&f);
    }
    assert_int_equal(rp_memory_now().bytes, before);
}

/* What its beginning says about a file is known before the rest is read. */
static void a_stretched_file_is_refused_at_once(void **state)
{
    sound_frame f;
    make_sound(state, &f, 0);
    rp_frame_file *frame;
    assert_int_equal(truncate(f.path, (off_t)5 << 30), 0);
    uint64_t calls = rp_memory_now().calls;
    assert_int_equal(rp_frame_read(f.path, NUMBER, &frame, f.report), RP_ERROR_DAMAGED);
    check_fault(f.report, RP_ERROR_DAMAGED, "the file has 5368708608 bytes behind its checksum");
    assert_true(rp_memory_now().peak_bytes < (size_t)1 << 30);
    assert_true(rp_memory_now().calls - calls < 20);
    end_sound(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_do_no_harm),
        cmocka_unit_test(each_trick_is_refused),
        cmocka_unit_test_setup_teardown(facts_that_cannot_be_are_refused, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(values_that_cannot_be_are_refused, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(two_arrays_of_one_name_are_refused, make_folder,
                                        drop_folder),
        cmocka_unit_test_setup_teardown(wrong_states_are_refused, make_folder, drop_folder),
        cmocka_unit_test(arrays_that_share_their_bytes_are_refused),
        cmocka_unit_test_setup_teardown(any_byte_may_be_wrong, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(a_stretched_file_is_refused_at_once, make_folder,
                                        drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
