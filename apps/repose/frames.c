/* Which frames of a run a verb is about. */
#include "base/report.h"
#include "cli.h"
#include "scene/words.h"

#include <limits.h>
#include <string.h>

const frame_kind frame_kinds[FRAME_KINDS] = {
    {"coarse", "grains", "frames", RP_SERIES_COARSE},
    {"fine", "fine", "fine frames", RP_SERIES_FINE},
};

const rp_series *series_of(const rp_record *record, const frame_kind *kind)
{
    return rp_record_series(record, kind->series);
}

rp_code fail_no_frames(const rp_record *record, const frame_kind *kind, rp_report *report)
{
    return rp_fail(report, RP_ERROR_INPUT, "%s holds no %s%s", rp_record_folder(record),
                   kind->called, kind == &frame_kinds[1] ? "; make them with `repose refine`" : "");
}

rp_code fail_other_frames(const rp_record *record, const frame_kind *kind, rp_report *report)
{
    long long count = rp_series_count(series_of(record, kind));
    if (!count) return fail_no_frames(record, kind, report);
    return rp_fail(report, RP_ERROR_INPUT, "%s holds no such frame; it has %lld %s, %lld to %lld",
                   rp_record_folder(record), count, kind->called,
                   (long long)rp_series_number(series_of(record, kind), 0),
                   (long long)rp_series_number(series_of(record, kind), count - 1));
}

const frame_kind *choose_kind(const rp_record *record, const char *word, rp_report *report)
{
    const frame_kind *chosen = &frame_kinds[0];
    for (int i = 0; i < FRAME_KINDS; i++) {
        const frame_kind *kind = &frame_kinds[i];
        if (word ? strcmp(word, kind->word) == 0 : rp_series_count(series_of(record, kind)) > 0)
            chosen = kind;
    }
    if (word && strcmp(word, chosen->word) != 0) {
        char hint[128];
        rp_nearest nearest = rp_nearest_to(word);
        rp_nearest_try_words(&nearest, FRAME_KIND_WORDS);
        rp_nearest_hint(&nearest, hint, sizeof hint);
        rp_fail(report, RP_ERROR_INPUT, "--grains %s: there are coarse and fine%s", word, hint);
        return NULL;
    }
    if (rp_series_count(series_of(record, chosen)) > 0) return chosen;
    fail_no_frames(record, chosen, report);
    return NULL;
}

rp_code read_frame_range(const char *text, int64_t *from, int64_t *to, rp_report *report)
{
    long long first = 0, last = LLONG_MAX;
    char rest;
    if (text && sscanf(text, "%lld:%lld%c", &first, &last, &rest) != 2) {
        if (sscanf(text, "%lld%c", &first, &rest) != 1)
            return rp_fail(report, RP_ERROR_INPUT, "--frames %s: write it as A:B or A", text);
        last = first;
    }
    *from = first;
    *to = last;
    return RP_OK;
}

rp_code choose_frames(const rp_record *record, const frame_kind *kind, const char *text,
                      int64_t *first, int64_t *count, rp_report *report)
{
    int64_t from = 0, to = 0;
    *first = *count = 0;
    rp_code code = read_frame_range(text, &from, &to, report);
    if (code != RP_OK) return code;
    int64_t total = rp_series_count(series_of(record, kind));
    for (int64_t i = 0; i < total; i++) {
        int64_t number = rp_series_number(series_of(record, kind), i);
        if (number < from || number > to) continue;
        if (!*count) *first = i;
        ++*count;
    }
    if (*count) return RP_OK;
    return fail_other_frames(record, kind, report);
}
