/* Blocks, growing arrays, the arena and the hooks they go through. */
#include "check.h"

#include "base/memory.h"
#include "base/report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    rp_memory_use before = rp_memory_now();
    void *block = rp_allocate(100);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % RP_ALIGNMENT, 0);
    rp_memory_use during = rp_memory_now();
    assert_true(during.bytes >= before.bytes + 100);
    assert_true(during.calls == before.calls + 1);
    rp_release(block, 100);
    assert_true(rp_memory_now().bytes == before.bytes);
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(rp_allocate(SIZE_MAX));
    assert_null(rp_allocate(SIZE_MAX - 10));
    int *array = NULL;
    size_t capacity = 0;
    assert_false(rp_reserve((void **)&array, &capacity, 0, SIZE_MAX / 2, sizeof *array));
    assert_null(array);
}

static void arrays_keep_their_contents_as_they_grow(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    uint64_t calls = rp_memory_now().calls;
    for (size_t i = 0; i < 100000; i++) {
        assert_true(rp_reserve((void **)&array, &capacity, i, i + 1, sizeof *array));
        array[i] = (int)i;
    }
    for (int i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    assert_true(rp_memory_now().calls - calls < 40);
    rp_release(array, capacity * sizeof *array);
}

static void a_warm_arena_allocates_nothing(void **state)
{
    (void)state;
    rp_arena arena = {0};
    uint64_t calls = 0;
    for (int round = 0; round < 5; round++) {
        rp_arena_reset(&arena);
        if (round == 2) calls = rp_memory_now().calls;
        char *last = NULL;
        for (int i = 0; i < 200; i++) {
            char *block = rp_arena_take(&arena, 10000);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % RP_ALIGNMENT, 0);
            assert_true(block != last);
            memset(block, i, 10000);
            if (last) assert_int_equal((unsigned char)last[9999], (unsigned char)(i - 1));
            last = block;
        }
    }
    assert_true(rp_memory_now().calls == calls);
    assert_null(rp_arena_take(&arena, SIZE_MAX));
    rp_arena_destroy(&arena);
}

/* What is given back to a mark is taken again, in a cold arena and in a warm one, and what was
 * taken before the mark stays as it was. */
static void an_arena_returns_to_a_mark(void **state)
{
    (void)state;
    rp_arena arena = {0};
    size_t held = rp_memory_now().bytes;
    for (int round = 0; round < 3; round++) {
        rp_arena_reset(&arena);
        char *lasting = rp_arena_take(&arena, 100000);
        memset(lasting, round, 100000);
        size_t mark = rp_arena_mark(&arena);
        for (int i = 0; i < 10; i++) {
            char *first = rp_arena_take(&arena, 70000), *second = rp_arena_take(&arena, 200000);
            memset(first, 3, 70000);
            memset(second, 4, 200000);
            assert_int_equal(first[69999], 3);
            rp_arena_return(&arena, mark);
        }
        for (int i = 0; i < 100000; i++)
            assert_int_equal(lasting[i], round);
    }
    /* Joined, it has room for the most that was there at a time. */
    assert_true(rp_memory_now().bytes - held < 380000);
    rp_arena_destroy(&arena);
    rp_arena_return(&arena, 0);
    assert_int_equal(rp_memory_now().bytes, held);
}

/* Of memory that is no longer used, nothing stays beside a block that is large enough; and that one
 * has room for the most that was there at a time. */
static void an_empty_arena_grows_in_place(void **state)
{
    (void)state;
    rp_arena arena = {0};
    size_t held = rp_memory_now().bytes;
    for (int i = 0; i < 3; i++)
        assert_non_null(rp_arena_take(&arena, 200000));
    rp_arena_return(&arena, 0);
    assert_non_null(rp_arena_take(&arena, 550000));
    assert_true(rp_memory_now().bytes - held < 620000);
    uint64_t calls = rp_memory_now().calls;
    rp_arena_reset(&arena);
    assert_non_null(rp_arena_take(&arena, 600000));
    assert_int_equal(rp_memory_now().calls, calls);
    rp_arena_reset(&arena);
    assert_non_null(rp_arena_take(&arena, 900000));
    assert_true(rp_memory_now().bytes - held < 920000);
    rp_arena_destroy(&arena);
    assert_int_equal(rp_memory_now().bytes, held);
}

/* Arrays that are gone through side by side must not share their places in a cache; and they are
 * given back whole. */
static void large_blocks_begin_at_different_places(void **state)
{
    (void)state;
    static const size_t sizes[] = {100000, 3000000};
    size_t held = rp_memory_now().bytes;
    for (int s = 0; s < 2; s++) {
        char *blocks[16];
        for (int n = 0; n < 16; n++) {
            blocks[n] = rp_allocate(sizes[s]);
            assert_non_null(blocks[n]);
            assert_int_equal((uintptr_t)blocks[n] % RP_ALIGNMENT, 0);
            memset(blocks[n], n, sizes[s]);
            for (int k = 0; k < n; k++)
                assert_true((uintptr_t)blocks[n] % 4096 != (uintptr_t)blocks[k] % 4096);
        }
        size_t bytes = rp_memory_now().bytes - held;
        assert_true(bytes >= 16 * sizes[s] && bytes < 16 * (sizes[s] + 4096 + 1024));
        for (int n = 0; n < 16; n++) {
            assert_int_equal(blocks[n][sizes[s] - 1], n);
            rp_release(blocks[n], sizes[s]);
        }
        assert_int_equal(rp_memory_now().bytes, held);
    }
}

static int hook_calls;
static bool hook_refuses;

static void *hook_allocate(void *user, size_t size, size_t alignment)
{
    assert_ptr_equal(user, &hook_calls);
    assert_true(alignment <= 4096 && size % alignment == 0);
    hook_calls++;
    return hook_refuses ? NULL : aligned_alloc(alignment, size);
}

static void hook_release(void *user, void *block, size_t size)
{
    assert_ptr_equal(user, &hook_calls);
    assert_true(size >= 64);
    free(block);
}

static void the_host_program_may_take_over(void **state)
{
    (void)state;
    rp_hooks hooks = rp_default_hooks();
    hooks.user = &hook_calls;
    hooks.allocate = hook_allocate;
    hooks.release = hook_release;
    rp_set_hooks(&hooks);
    static const size_t sizes[] = {1, 100000, 3000000};
    for (int n = 0; n < 3; n++) {
        void *block = rp_allocate(sizes[n]);
        assert_non_null(block);
        rp_release(block, sizes[n]);
    }
    hook_refuses = true;
    assert_null(rp_allocate(1));
    assert_int_equal(hook_calls, 4);
    hooks = rp_default_hooks();
    rp_set_hooks(&hooks);
}

static void write_assert(void *user, const char *condition, const char *file, int line)
{
    (void)file;
    bool right = strcmp(condition, "1 > 2") == 0 && line > 0;
    if (write(*(int *)user, right ? "y" : "n", 1) != 1) _exit(1);
}

/* In a child, since a failed assertion aborts once the hook has returned. */
static void a_failed_assertion_is_told_and_ends(void **state)
{
    (void)state;
    int pipes[2], status;
    char answer = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        rp_hooks hooks = rp_default_hooks();
        hooks.user = &pipes[1];
        hooks.assert_failed = write_assert;
        rp_set_hooks(&hooks);
        signal(SIGABRT, SIG_DFL);
        RP_ASSERT(1 > 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_int_equal(read(pipes[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    close(pipes[0]);
    close(pipes[1]);
}

static void a_budget_is_kept(void **state)
{
    (void)state;
    const size_t large = 1000000;
    rp_budget budget = {.limit = 3 * large};
    assert_null(rp_budget_now());
    void *outside = rp_allocate(large);
    rp_budget *before = rp_budget_enter(&budget);
    void *first = rp_allocate(large), *second = rp_allocate(large);
    assert_true(first && second);
    assert_true(budget.used >= (ptrdiff_t)(2 * large)); /* what is outside does not count */
    assert_null(rp_allocate(large));
    rp_report *report = rp_report_create(); /* small blocks pass: messages need them */
    assert_int_equal(rp_fail_memory(report, large, "sand"), RP_ERROR_MEMORY);
    assert_non_null(strstr(rp_report_fault(report, 0)->message,
                           "1.0 MB for sand would exceed the limit of 3.0 MB"));
    rp_report_destroy(report);
    rp_release(first, large);
    first = rp_allocate(large);
    assert_non_null(first);
    rp_release(first, large);
    rp_release(second, large);
    assert_int_equal(budget.used, 0);
    rp_budget_enter(before);
    assert_int_equal(rp_budget_remaining(), SIZE_MAX);
    rp_release(outside, large);
}

static char logged[64];

static void keep_log(void *user, rp_level level, const char *message)
{
    (void)user;
    snprintf(logged, sizeof logged, "%d %s", (int)level, message);
}

static void the_log_goes_to_the_hook(void **state)
{
    (void)state;
    rp_hooks hooks = rp_default_hooks();
    hooks.log = keep_log;
    rp_set_hooks(&hooks);
    rp_log(RP_LOG_WARNING, "grain %d", 7);
    assert_string_equal(logged, "2 grain 7");
    hooks = rp_default_hooks();
    rp_set_hooks(&hooks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_counted),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(arrays_keep_their_contents_as_they_grow),
        cmocka_unit_test(a_warm_arena_allocates_nothing),
        cmocka_unit_test(an_arena_returns_to_a_mark),
        cmocka_unit_test(an_empty_arena_grows_in_place),
        cmocka_unit_test(large_blocks_begin_at_different_places),
        cmocka_unit_test(the_host_program_may_take_over),
        cmocka_unit_test(a_failed_assertion_is_told_and_ends),
        cmocka_unit_test(the_log_goes_to_the_hook),
        cmocka_unit_test(a_budget_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
