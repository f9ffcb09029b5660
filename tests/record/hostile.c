/* Sound, sealed HDF5 files with hostile content: the fuzzers' makers, driven by fixed random bytes,
 * so that every build meets some of it. */
#include "fixture.h"

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
        {{0, 0, 1}, "missing"},                /* left out */
        {{0, 0, 2, 0}, "type"},                /* big endian */
        {{0, 0, 2, 4}, "type"},                /* text */
        {{0, 0, 3, 1, 255, 50}, "not all"},    /* more than the file can hold */
        {{0, 0, 3, 3, 1, 0, 1}, "dimensions"}, /* three dimensions */
        {{0, 0, 4, 7}, "not all"},             /* data in another file */
        {{0, 0, 4, 3, 0}, "not all"},          /* a filter that is not ours */
        {{0, 0, 5}, "attribute"},              /* no unit */
        {{0, 0, 6}, "attribute"},              /* no index */
        {{0, 0, 7, 0}, "link"},                /* to another file */
        {{0, 0, 7, 1}, "link"},                /* soft, to itself */
        {{0, 0, 7, 2}, "deep"},                /* a circle */
        {{0, 0, 8}, "not all"},                /* never written */
    };
    rp_report *report = rp_report_create();
    check_ok(read_odd(NULL, 0, report), report);
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        rp_code code = read_odd(tricks[i].bytes, sizeof tricks[i].bytes, report);
        if (code != RP_ERROR_DAMAGED) print_error("trick %zu: code %d\n", i, (int)code);
        assert_int_equal(code, RP_ERROR_DAMAGED);
        check_fault(report, RP_ERROR_DAMAGED, tricks[i].words);
    }
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_do_no_harm),
        cmocka_unit_test(each_trick_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
