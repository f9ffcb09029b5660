/* Which frames of a run a verb is about. */
#include "base/report.h"
#include "cli.h"

#include <limits.h>

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

rp_code choose_frames(const rp_record *record, const char *text, int64_t *first, int64_t *count,
                      rp_report *report)
{
    int64_t from = 0, to = 0;
    *first = *count = 0;
    rp_code code = read_frame_range(text, &from, &to, report);
    if (code != RP_OK) return code;
    int64_t total = rp_record_frame_count(record);
    for (int64_t i = 0; i < total; i++) {
        int64_t number = rp_record_frame_number(record, i);
        if (number < from || number > to) continue;
        if (!*count) *first = i;
        ++*count;
    }
    if (*count) return RP_OK;
    return rp_fail(report, RP_ERROR_INPUT, "%s holds no such frame; it has %lld",
                   rp_record_folder(record), (long long)total);
}
