/* The list of cases, verdicts, and the public interface of repose/validate.h. */
#include "validation/validation.h"

#include "base/memory.h"
#include "base/report.h"
#include "base/threads.h"
#include "repose/validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- cases and verdicts ----------------------------------------------------------------------- */

#define SECONDS_BETWEEN 5.0 /* wall-clock seconds between progress messages */

extern const rp_case rp_case_free_flight, rp_case_bounce, rp_case_tilting_bed, rp_case_momentum,
    rp_case_closed_box, rp_case_settled_volume, rp_case_published, rp_case_pile_angle,
    rp_case_pile_angle_fine, rp_case_hourglass_outflow, rp_case_silo_janssen, rp_case_resting_pile,
    rp_case_sliding_box, rp_case_body_momentum, rp_case_resting_sphere, rp_case_spheres,
    rp_case_truck, rp_case_keep_out, rp_case_fine_grains, rp_case_dem_pair,
    rp_case_dem_conservation, rp_case_dem_forces, rp_case_dem_load, rp_case_dem_outflow,
    rp_case_dem_beverloo, rp_case_dem_arching, rp_case_dem_janssen, rp_case_dem_angle,
    rp_case_dem_avalanche, rp_case_dem_segregation, rp_case_dem_hopper, rp_case_dem_incline,
    rp_case_collapse, rp_case_earth_pressure, rp_case_vertical_cut, rp_case_strip_footing,
    rp_case_negative_control, rp_case_flowing_layer;

static const rp_case *const cases[] = {
    &rp_case_free_flight,       &rp_case_bounce,         &rp_case_momentum,
    &rp_case_closed_box,        &rp_case_settled_volume, &rp_case_tilting_bed,
    &rp_case_hourglass_outflow, &rp_case_silo_janssen,   &rp_case_resting_pile,
    &rp_case_sliding_box,       &rp_case_body_momentum,  &rp_case_resting_sphere,
    &rp_case_spheres,           &rp_case_truck,          &rp_case_pile_angle,
    &rp_case_collapse,          &rp_case_earth_pressure, &rp_case_vertical_cut,
    &rp_case_strip_footing,     &rp_case_flowing_layer,  &rp_case_negative_control,
    &rp_case_fine_grains,       &rp_case_dem_pair,       &rp_case_dem_conservation,
    &rp_case_published,         &rp_case_keep_out,       &rp_case_pile_angle_fine,
    &rp_case_dem_forces,        &rp_case_dem_load,       &rp_case_dem_angle,
    &rp_case_dem_outflow,       &rp_case_dem_beverloo,   &rp_case_dem_janssen,
    &rp_case_dem_arching,       &rp_case_dem_avalanche,  &rp_case_dem_segregation,
    &rp_case_dem_hopper,        &rp_case_dem_incline,
};

#define COUNT ((int)(sizeof cases / sizeof *cases))
#define LONG_COUNT 13 /* at the end of the table */

int rp_case_count(void)
{
    return COUNT;
}

int rp_case_usual_count(void)
{
    return COUNT - LONG_COUNT;
}

const rp_case *rp_case_at(int index)
{
    return index >= 0 && index < COUNT ? cases[index] : NULL;
}

const rp_case *rp_case_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(cases[i]->name, name) == 0) return cases[i];
    return NULL;
}

bool rp_case_matches(const rp_case *which, const char *word)
{
    if (rp_case_find(word)) return strcmp(which->name, word) == 0;
    size_t length = strlen(word);
    return length && strncmp(which->name, word, length) == 0 && which->name[length] == '-';
}

rp_code rp_case_scene(rp_case_context *c, const char *file, const rp_setting *settings,
                      int setting_count, rp_scene **out)
{
    char path[4096 + 256];
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    return rp_scene_load(path, settings, setting_count, out, c->report);
}

/* A verdict too many is dropped from the list but not from the outcome: the last one fails. */
static void add_verdict(rp_case_context *c, rp_verdict verdict, const char *what, const char *unit)
{
    snprintf(verdict.what, sizeof verdict.what, "%s", what);
    snprintf(verdict.unit, sizeof verdict.unit, "%s", unit);
    if (c->verdict_count == RP_VERDICTS_MAX)
        c->verdicts[RP_VERDICTS_MAX - 1].ok = false;
    else
        c->verdicts[c->verdict_count++] = verdict;
    if (c->slow)
        rp_case_progress(c, "%s %s: %.6g %s", verdict.ok ? "ok" : "MISS", what, verdict.measured,
                         unit);
}

void rp_judge_near(rp_case_context *c, const char *what, double measured, double expected,
                   double limit, const char *unit)
{
    rp_verdict verdict = {.judgement = RP_JUDGE_NEAR,
                          .measured = measured,
                          .expected = expected,
                          .limit = limit,
                          .ok = fabs(measured - expected) <= limit};
    add_verdict(c, verdict, what, unit);
}

void rp_judge_at_most(rp_case_context *c, const char *what, double measured, double limit,
                      const char *unit)
{
    rp_verdict verdict = {.judgement = RP_JUDGE_AT_MOST,
                          .measured = measured,
                          .expected = NAN,
                          .limit = limit,
                          .ok = measured <= limit};
    add_verdict(c, verdict, what, unit);
}

void rp_judge_at_least(rp_case_context *c, const char *what, double measured, double limit,
                       const char *unit)
{
    rp_verdict verdict = {.judgement = RP_JUDGE_AT_LEAST,
                          .measured = measured,
                          .expected = NAN,
                          .limit = limit,
                          .ok = measured >= limit};
    add_verdict(c, verdict, what, unit);
}

void rp_judge_control(rp_case_context *c, const char *what, double measured, double expected,
                      double limit, const char *unit)
{
    rp_verdict verdict = {.judgement = RP_JUDGE_CONTROL,
                          .measured = measured,
                          .expected = expected,
                          .limit = limit,
                          .ok = fabs(measured - expected) > limit && isfinite(measured)};
    add_verdict(c, verdict, what, unit);
}

bool rp_verdict_has_range(const rp_verdict *verdict)
{
    return verdict->judgement == RP_JUDGE_NEAR || verdict->judgement == RP_JUDGE_CONTROL;
}

const char *rp_verdict_prefix(const rp_verdict *verdict)
{
    return verdict->judgement == RP_JUDGE_CONTROL ? "must miss " : "";
}

rp_figure *rp_case_figure(rp_case_context *c, const char *title, const char *x_label,
                          const char *y_label)
{
    if (c->figure_count == RP_FIGURES_MAX) return NULL;
    rp_figure *figure = rp_figure_create(title, x_label, y_label);
    if (figure) c->figures[c->figure_count++] = figure;
    return figure;
}

void rp_case_note(rp_case_context *c, const char *format, ...)
{
    size_t used = strlen(c->notes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->notes + used, sizeof c->notes - used, format, arguments);
    va_end(arguments);
    if (c->slow) rp_case_progress(c, "%s", c->notes + used);
    used = strlen(c->notes);
    if (used + 1 < sizeof c->notes) memcpy(c->notes + used, "\n", 2);
}

void rp_case_progress(rp_case_context *c, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->say) c->say(c->user, text);
}

rp_code rp_case_run_to(rp_case_context *c, rp_world *world, double time, int slices)
{
    double start = rp_world_time(world);
    rp_code code = RP_OK;
    if (!(c->said > 0)) c->said = rp_clock();
    for (int i = 1; i <= slices && code == RP_OK; i++) {
        double next = i < slices ? start + (time - start) * i / slices : time;
        code = rp_world_run_to(world, next, c->report);
        if (rp_clock() - c->said < SECONDS_BETWEEN) continue;
        rp_view view;
        rp_world_view(world, &view);
        rp_case_progress(c, "%.3g of %.3g s, %zu grains", view.time, time, view.count);
        c->said = rp_clock();
        c->slow = true;
    }
    return code;
}

rp_code rp_case_run(const rp_case *which, const char *root, rp_case_result *result)
{
    rp_case_context *c = &result->context;
    double start = rp_clock();
    result->which = which;
    snprintf(result->folder, sizeof result->folder, "%s/%s", root, which->name);
    c->folder = result->folder;
    c->report = rp_report_create();
    result->code = which->run(c);
    for (int i = 0; i < c->verdict_count && result->code == RP_OK; i++)
        if (!c->verdicts[i].ok) result->code = RP_ERROR_FAILED;
    result->seconds = rp_clock() - start;
    return result->code;
}

void rp_case_result_end(rp_case_result *result)
{
    for (int i = 0; i < result->context.figure_count; i++)
        rp_figure_destroy(result->context.figures[i]);
    rp_report_destroy(result->context.report);
    result->context.figure_count = 0;
    result->context.report = NULL;
}

/* --- public interface ------------------------------------------------------------------------- */

/* Validation for the public interface: which cases there are, and a session that runs some. */

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
    size_t case_count = (size_t)rp_case_count();
    rp_validation *v = rp_allocate_zero(sizeof *v);
    if (!v) return rp_fail_memory(report, sizeof *v, "validation");
    v->options = own;
    v->options.folder = rp_text_copy(own.folder);
    v->results = rp_allocate_zero(case_count * sizeof *v->results);
    v->indices = rp_allocate_zero(case_count * sizeof *v->indices);
    v->world = rp_default_world_options();
    v->world.threads = own.threads;
    if (v->options.folder && v->results && v->indices) {
        *out = v;
        return RP_OK;
    }
    rp_validation_destroy(v);
    return rp_fail_memory(report, case_count * sizeof(rp_case_result), "the results of validation");
}

void rp_validation_destroy(rp_validation *validation)
{
    if (!validation) return;
    size_t case_count = (size_t)rp_case_count();
    for (int i = 0; i < validation->count; i++)
        rp_case_result_end(&validation->results[i]);
    rp_release(validation->results, case_count * sizeof *validation->results);
    rp_release(validation->indices, case_count * sizeof *validation->indices);
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
