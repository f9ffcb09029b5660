/* A run folder knows its scene and what was asked for: the same again, from the last checkpoint. */
#include "base/memory.h"
#include "base/report.h"
#include "cli.h"
#include "record/folder.h"

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

/* The options that the run began with; `*text` stays behind them. */
static rp_code recall(const rp_record *record, options *o, char **text, size_t *size,
                      rp_report *report)
{
    rp_path path = rp_record_path(record, RP_COMMAND_FILE);
    if (access(path.text, F_OK) != 0) return RP_OK; /* begun by another program */
    rp_code code = rp_file_read(path.text, text, size, report);
    if (code != RP_OK) return code;
    return options_add_text(&verb_run, *text, o) ? RP_OK : RP_ERROR_INPUT;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    options chosen = *o;
    char *text = NULL;
    size_t size = 0;
    bool film_kept = !o->film && !looks_given(o);
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = recall(record, &chosen, &text, &size, report);
    if (code == RP_OK && !chosen.film && looks_given(&chosen))
        code = rp_fail(report, RP_ERROR_INPUT, "%s is about pictures: add --film",
                       looks_given(&chosen));
    if (code == RP_OK) {
        chosen.output = o->words[0];
        chosen.resume = true;
        code = run_scene(rp_record_scene(record), &chosen, film_kept, report);
    }
    int result = say_faults(code, report, o->json);
    if (text) rp_release(text, size + 1);
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
