/* Validation for the public interface: which cases there are, and a session that runs some. */
#include "repose/validate.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/options.h"
#include "validation/validation.h"

#include <string.h>

struct rp_validation {
    rp_validation_options options;
    rp_world_options world;
    rp_case_result *results; /* rp_case_count() of them: results must not move */
    int *indices;            /* which case each result is of */
    int count;
};

/* Who says something: a case knows its own name. */
typedef struct speaker {
    const rp_validation_options *options;
    const char *name;
} speaker;

const char *rp_case_name(int index)
{
    const rp_case *which = rp_case_at(index);
    return which ? which->name : NULL;
}

const char *rp_case_title(int index)
{
    const rp_case *which = rp_case_at(index);
    return which ? which->title : NULL;
}

bool rp_case_is_meant(int index, const char *word)
{
    const rp_case *which = rp_case_at(index);
    return which && word && rp_case_matches(which, word);
}

void rp_default_validation_options_fill(rp_validation_options *options, size_t size)
{
    rp_validation_options own = {.size = size};
    rp_options_give(options, size, &own, sizeof own);
}

rp_code rp_validation_create(const rp_validation_options *options, rp_validation **out,
                             rp_report *report)
{
    RP_NEED(options, report);
    RP_NEED(out, report);
    *out = NULL;
    rp_validation_options own = rp_default_validation_options();
    RP_TAKE_OPTIONS(&own, options, report);
    options = &own;
    RP_NEED(options->folder, report);
    size_t cases = (size_t)rp_case_count();
    rp_validation *v = rp_allocate_zero(sizeof *v);
    if (!v) return rp_fail_memory(report, sizeof *v, "validation");
    v->options = own;
    v->options.folder = rp_text_copy(own.folder);
    v->results = rp_allocate_zero(cases * sizeof *v->results);
    v->indices = rp_allocate_zero(cases * sizeof *v->indices);
    v->world = rp_default_world_options();
    v->world.threads = own.threads;
    if (v->options.folder && v->results && v->indices) {
        *out = v;
        return RP_OK;
    }
    rp_validation_destroy(v);
    return rp_fail_memory(report, cases * sizeof(rp_case_result), "the results of validation");
}

void rp_validation_destroy(rp_validation *validation)
{
    if (!validation) return;
    size_t cases = (size_t)rp_case_count();
    for (int i = 0; i < validation->count; i++)
        rp_case_result_end(&validation->results[i]);
    rp_release(validation->results, cases * sizeof *validation->results);
    rp_release(validation->indices, cases * sizeof *validation->indices);
    rp_text_release((char *)validation->options.folder);
    rp_release(validation, sizeof *validation);
}

static void pass_on(void *user, const char *text)
{
    const speaker *s = user;
    s->options->say(s->options->user, s->name, text);
}

/* The result of a case: the one it has, emptied, or the next. */
static rp_case_result *place_for(rp_validation *v, int index)
{
    for (int i = 0; i < v->count; i++)
        if (v->indices[i] == index) {
            rp_case_result_end(&v->results[i]);
            memset(&v->results[i], 0, sizeof v->results[i]);
            return &v->results[i];
        }
    v->indices[v->count] = index;
    return &v->results[v->count++];
}

rp_code rp_validation_run(rp_validation *validation, int index, rp_case_outcome *outcome)
{
    if (outcome) memset(outcome, 0, sizeof *outcome);
    const rp_case *which = rp_case_at(index);
    if (!validation || !which) return RP_ERROR_INPUT;
    RP_ENTER();
    speaker s = {&validation->options, which->name};
    rp_case_result *result = place_for(validation, index);
    result->context.world = &validation->world;
    result->context.quick = validation->options.quick;
    result->context.say = validation->options.say ? pass_on : NULL;
    result->context.user = &s;
    rp_case_progress(&result->context, "%s", which->title);
    rp_code code = rp_case_run(which, validation->options.folder, result);
    result->context.say = NULL; /* the speaker goes with this call */
    if (outcome)
        *outcome = (rp_case_outcome){.name = which->name,
                                     .code = code,
                                     .seconds = result->seconds,
                                     .verdicts = result->context.verdicts,
                                     .verdict_count = result->context.verdict_count,
                                     .notes = result->context.notes,
                                     .faults = result->context.report};
    return code;
}

rp_code rp_validation_write(const rp_validation *validation, const char *path, rp_report *report)
{
    RP_NEED(validation, report);
    RP_NEED(path, report);
    RP_ENTER();
    size_t length = strlen(path);
    bool plain = length > 3 && strcmp(path + length - 3, ".md") == 0;
    return plain ? rp_case_write_results(path, validation->results, validation->count, report)
                 : rp_case_write_html(path, validation->results, validation->count, report);
}
