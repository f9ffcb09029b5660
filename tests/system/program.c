/* Programs: found where PATH says, started with the files given, and nothing goes through a shell.
 */
#include "check.h"

#include "base/report.h"
#include "system/program.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void programs_are_found_in_path(void **state)
{
    (void)state;
    char path[PATH_MAX], tiny[4];
    char *before = strdup(getenv("PATH") ? getenv("PATH") : "");
    assert_true(rp_program_find("sh", path, sizeof path));
    assert_int_equal(access(path, X_OK), 0);
    assert_false(rp_program_find("no-such-program", path, sizeof path));
    assert_false(rp_program_find("sh", tiny, sizeof tiny));
    setenv("PATH", ":/nowhere::/usr/bin:/bin", 1);
    assert_true(rp_program_find("sh", path, sizeof path));
    assert_false(rp_program_find("share", path, sizeof path));
    setenv("PATH", "", 1);
    assert_false(rp_program_find("sh", path, sizeof path));
    unsetenv("PATH");
    assert_false(rp_program_find("sh", path, sizeof path));
    setenv("PATH", before, 1);
    free(before);
}

static void arguments_arrive_as_they_are(void **state)
{
    (void)state;
    char path[PATH_MAX], text[64] = "";
    char *arguments[] = {"printf", "%s|%s", "$HOME `id`", "two  words", NULL};
    rp_report *report = rp_report_create();
    FILE *output = tmpfile();
    int files[3] = {STDIN_FILENO, fileno(output), STDERR_FILENO}, status = -1;
    pid_t child;
    assert_true(rp_program_find("printf", path, sizeof path));
    check_ok(rp_program_start(path, arguments, files, &child, report), report);
    check_ok(rp_program_wait("printf", child, &status, report), report);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    rewind(output);
    assert_non_null(fgets(text, sizeof text, output));
    assert_string_equal(text, "$HOME `id`|two  words");
    fclose(output);
    rp_report_destroy(report);
}

static void what_cannot_be_started_is_named(void **state)
{
    (void)state;
    char *arguments[] = {"nothing", NULL};
    int files[3] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    pid_t child;
    rp_report *report = rp_report_create();
    assert_int_equal(rp_program_start("/no/such/program", arguments, files, &child, report),
                     RP_ERROR_IO);
    assert_string_equal(rp_report_fault(report, 0)->file, "/no/such/program");
    rp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_found_in_path),
        cmocka_unit_test(arguments_arrive_as_they_are),
        cmocka_unit_test(what_cannot_be_started_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
