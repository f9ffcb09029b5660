/* repose: simulate sand from the command line. This file finds the verb; verb_*.c implement them.
 */
#include "cli.h"

#include <signal.h>
#include <string.h>

static const verb *const verbs[] = {
    &verb_run,    &verb_resume,  &verb_check,   &verb_info,       &verb_refine,
    &verb_render, &verb_measure, &verb_sample,  &verb_export,     &verb_validate,
    &verb_bench,  &verb_help,    &verb_version, &verb_completion,
};

#define COUNT ((int)(sizeof verbs / sizeof *verbs))

int verb_count(void)
{
    return COUNT;
}

const verb *verb_at(int index)
{
    return verbs[index];
}

const verb *verb_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
}

static int unknown_verb(const char *word)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; i++)
        names[i] = verbs[i]->name;
    return print_unknown_word(NULL, "unknown verb", word, names, COUNT);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_verb(const verb *v, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) {
            options asked = {.words = {v->name}, .word_count = 1};
            return verb_help.run(&verb_help, &asked);
        }
    options o;
    int code = options_read(v, argc, argv, &o) ? v->run(v, &o) : exit_code(RP_ERROR_INPUT);
    options_release(&o);
    /* Buffered output may fail late: `repose measure RUN energy > file` on a full disk. */
    if (fflush(stdout) != 0 && code == 0) {
        fprintf(stderr, "repose: cannot write to standard output\n");
        code = exit_code(RP_ERROR_IO);
    }
    return code;
}

static void log_line(void *user, rp_level level, const char *message)
{
    (void)user;
    if (level == RP_LOG_WARNING) fprintf(stderr, "repose: warning: %s\n", message);
}

int main(int argc, char **argv)
{
    rp_hooks hooks = rp_default_hooks();
    hooks.log = log_line;
    rp_set_hooks(&hooks);
    signal(SIGXFSZ, SIG_IGN); /* writing beyond `ulimit -f` then fails with EFBIG */
    if (argc < 2) {
        options none = {0};
        verb_help.run(&verb_help, &none);
        return exit_code(RP_ERROR_INPUT);
    }
    const char *word = argv[1];
    if (is_help(word)) word = "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) word = "version";
    const verb *v = verb_find(word);
    return v ? run_verb(v, argc - 2, argv + 2) : unknown_verb(word);
}
