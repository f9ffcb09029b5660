/* A run folder knows its scene and what was asked for: the same again, from the last checkpoint. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const option_spec specs[] = {
    {"--frames", NULL, "N", OPTION_COUNT, offsetof(options, frames),
     "the number of the last frame (default: as when the run began)"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core); results do not depend on it"},
    {"--memory", NULL, "MB", OPTION_BYTES, offsetof(options, memory_mb),
     "memory the run may take, such as 4GB (default: what is free)"},
    {"--film", NULL, NULL, OPTION_FLAG, offsetof(options, film),
     "make a film as well (default: as when the run began)"},
    SIZE_OPTION("of the film", "1280x720"),
    LOOKS_OPTIONS,
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "say nothing but mistakes"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a frame"},
};

#define COMMAND_BYTES (64 << 10) /* of the longest command */

/* The options that the run began with, as rp_run keeps them; `*text` stays behind them. */
static rp_code recall(const rp_record *record, options *o, char **text, rp_report *report)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/command.txt", rp_record_folder(record));
    if (access(path, F_OK) != 0) return RP_OK; /* begun by another program */
    FILE *file = fopen(path, "rb");
    if (!file) return fail_errno(report, errno, path, "read");
    *text = calloc(1, COMMAND_BYTES + 1);
    size_t size = *text ? fread(*text, 1, COMMAND_BYTES, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) return fail_errno(report, EIO, path, "read");
    if (!*text || size == COMMAND_BYTES)
        return fail_at(report, RP_ERROR_DAMAGED, path, "this is no list of options");
    return options_add_text(&verb_run, *text, o) ? RP_OK : RP_ERROR_INPUT;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    options chosen = *o;
    char *text = NULL;
    bool film_kept = !o->film && !looks_given(o);
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = recall(record, &chosen, &text, report);
    if (code == RP_OK && !chosen.film && looks_given(&chosen))
        code =
            fail(report, RP_ERROR_INPUT, "%s is about pictures: add --film", looks_given(&chosen));
    if (code == RP_OK) {
        chosen.output = o->words[0];
        chosen.resume = true;
        code = run_scene(rp_record_scene(record), &chosen, film_kept, report);
    }
    int result = say_faults(code, report, o->json);
    free(text);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_resume = {
    .name = "resume",
    .words = "RUN",
    .help = "go on with a run that was interrupted",
    .more =
        "From the last checkpoint to the end, to the same bits as in one go: the folder keeps the\n"
        "scene as it was run, with every --set, and the options that say what is made (--frames,\n"
        "--film and how it looks). Options given here win over those. A run that is finished\n"
        "stays as it is.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
