/* Random numbers, hashes and stores. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/report.h"
#include "base/store.h"

#include <string.h>

/* The published answer of Philox 4x32-10 to counter 0 under key 0. */
static void philox_gives_the_known_answer(void **state)
{
    (void)state;
    rp_random4 r = rp_random(0, (rp_random_stream)0, 0);
    assert_int_equal(r.bits[0], 0x6627e8d5u);
    assert_int_equal(r.bits[1], 0xe169c58du);
    assert_int_equal(r.bits[2], 0xbc57ac4cu);
    assert_int_equal(r.bits[3], 0x9b00dbd8u);
}

static void units_are_even(void **state)
{
    (void)state;
    int bins[16] = {0};
    const int count = 160000;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        float u = rp_random_unit(rp_random(7, RP_RANDOM_TEST, (uint64_t)i).bits[i % 4]);
        assert_true(u >= 0 && u < 1);
        bins[(int)(u * 16)]++;
        sum += u;
    }
    check_near(sum / count, 0.5, 0.003);
    for (int b = 0; b < 16; b++)
        check_near(bins[b], count / 16.0, 500); /* five standard deviations */
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    uint32_t a = rp_random(1, RP_RANDOM_TEST, 5).bits[0];
    assert_true(a != rp_random(2, RP_RANDOM_TEST, 5).bits[0]);
    assert_true(a != rp_random(1, RP_RANDOM_JITTER, 5).bits[0]);
    assert_true(a != rp_random(1, RP_RANDOM_TEST, 6).bits[0]);
    assert_true(a == rp_random(1, RP_RANDOM_TEST, 5).bits[0]);
}

static void every_bit_moves_the_hash(void **state)
{
    (void)state;
    unsigned char data[75];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37);
    uint64_t hash = rp_hash(data, sizeof data, 0);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        uint64_t other = rp_hash(data, sizeof data, 0);
        assert_true(other != hash);
        int changed = __builtin_popcountll(other ^ hash);
        assert_true(changed > 10 && changed < 54);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t size = 0; size < sizeof data; size++)
        assert_true(rp_hash(data, size, 0) != hash);
    assert_true(rp_hash(data, sizeof data, 1) != hash);
}

static void stores_give_back_what_was_put(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    float values[3] = {1, 2, 3}, got[3];
    check_ok(rp_store_put(&store, "a/b", "m", RP_F32, values, 3, report), report);
    check_ok(rp_store_put_u64(&store, "n", 42, report), report);
    check_ok(rp_store_put_f64(&store, "t", "s", 0.1, report), report);
    values[1] = 9; /* a copy was taken */
    check_ok(rp_store_get(&store, "a/b", RP_F32, got, 3, report), report);
    assert_true(got[1] == 2);
    uint64_t n;
    double t;
    check_ok(rp_store_get_u64(&store, "n", &n, report), report);
    check_ok(rp_store_get_f64(&store, "t", &t, report), report);
    assert_true(n == 42 && t == 0.1);
    assert_string_equal(rp_store_find(&store, "a/b")->unit, "m");
    rp_store_end(&store);
    rp_report_destroy(report);
}

static void stores_refuse_what_does_not_fit(void **state)
{
    (void)state;
    rp_report *report = rp_report_create();
    rp_store store;
    rp_store_begin(&store);
    float values[3] = {1, 2, 3}, got[4];
    store.borrow = true;
    check_ok(rp_store_put(&store, "v", "m", RP_F32, values, 3, report), report);
    assert_int_equal(rp_store_get(&store, "w", RP_F32, got, 3, report), RP_ERROR_DAMAGED);
    assert_int_equal(rp_store_get(&store, "v", RP_F32, got, 4, report), RP_ERROR_DAMAGED);
    assert_int_equal(rp_store_get(&store, "v", RP_U32, got, 3, report), RP_ERROR_DAMAGED);
    assert_int_equal(rp_report_count(report), 3);
    uint64_t hash = rp_store_hash(&store);
    values[2] = 4; /* borrowed: the store sees it */
    assert_true(rp_store_hash(&store) != hash);
    rp_store_end(&store);
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answer),
        cmocka_unit_test(units_are_even),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(every_bit_moves_the_hash),
        cmocka_unit_test(stores_give_back_what_was_put),
        cmocka_unit_test(stores_refuse_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
