/* A measurement of all frames of a run, as one table. */
#include "measure/measure.h"
#include "base/memory.h"
#include "base/report.h"
#include "repose/run.h"

#define COLUMNS_MAX (2 + 2 * RP_MEASURED_MAX)

struct rp_measure_series {
    rp_table table;
    rp_measure_column columns[COLUMNS_MAX];
    int numbers; /* of each frame */
};

/* Adds a row: frame, time, values, uncertainties. What a frame could not give is NaN. */
static rp_code add_row(rp_measure_series *s, int64_t frame, double time, const rp_measured *numbers,
                       int count, rp_report *report)
{
    double row[COLUMNS_MAX] = {(double)frame, time};
    if (!s->numbers) {
        s->numbers = count;
        s->columns[0] = (rp_measure_column){"frame", ""};
        s->columns[1] = (rp_measure_column){"time", "s"};
        for (int i = 0; i < count; i++) {
            s->columns[2 + i] = (rp_measure_column){numbers[i].name, numbers[i].unit};
            s->columns[2 + count + i] = (rp_measure_column){"uncertainty", numbers[i].unit};
        }
        s->table.columns = s->columns;
        s->table.column_count = 2 + 2 * count;
    }
    for (int i = 0; i < s->numbers; i++) {
        row[2 + i] = i < count ? numbers[i].value : NAN;
        row[2 + s->numbers + i] = i < count ? numbers[i].uncertainty : NAN;
    }
    return rp_table_add(&s->table, row, report);
}

/* A frame in which there is nothing to measure is no fault. */
static rp_code measure_frame(rp_measure_series *s, const char *name, const rp_measure_input *in,
                             int64_t number, rp_report *report)
{
    rp_measured numbers[RP_MEASURED_MAX];
    int count = 0;
    rp_code code = rp_measure_numbers(name, in, numbers, &count, NULL);
    bool missing = (code == RP_ERROR_INPUT || code == RP_ERROR_UNSUPPORTED) && count > 0;
    if (code != RP_OK && !missing) return rp_measure_numbers(name, in, numbers, &count, report);
    return add_row(s, number, in->view->time, numbers, count, report);
}

static rp_code measure_frames(rp_measure_series *s, const rp_record *record, const char *name,
                              const rp_measure_options *options, rp_report *report)
{
    const rp_series *frames = rp_record_series(record, RP_SERIES_COARSE);
    rp_frame_file *before = NULL;
    rp_code code = RP_OK;
    bool pairs = rp_measure_info_of(name).frames == RP_MEASURE_PAIRS;
    for (int64_t i = 0; i < rp_series_count(frames) && code == RP_OK; i++) {
        int64_t number = rp_series_number(frames, i);
        rp_frame_file *frame = NULL;
        code = rp_series_read(frames, number, &frame, report);
        rp_measure_input in = {.view = rp_frame_view(frame),
                               .before = rp_frame_view(before),
                               .scene = rp_record_scene(record),
                               .options = options};
        if (code == RP_OK && (before || !pairs)) code = measure_frame(s, name, &in, number, report);
        rp_frame_close(before);
        before = frame;
    }
    rp_frame_close(before);
    return code;
}

rp_code rp_record_measure(const rp_record *record, const char *name,
                          const rp_measure_options *options, rp_measure_series **out,
                          rp_report *report)
{
    RP_NEED(record, report);
    RP_NEED(name, report);
    RP_NEED(out, report);
    RP_ENTER();
    *out = NULL;
    rp_measure_series *series = rp_allocate_zero(sizeof *series);
    if (!series) return rp_fail_memory(report, sizeof *series, "a series of measurements");
    rp_code code = measure_frames(series, record, name, options, report);
    if (code == RP_OK)
        *out = series;
    else
        rp_measure_series_destroy(series);
    return code;
}

const rp_table *rp_measure_series_table(const rp_measure_series *series)
{
    return series ? &series->table : NULL;
}

void rp_measure_series_destroy(rp_measure_series *series)
{
    if (!series) return;
    rp_table_release(&series->table);
    rp_release(series, sizeof *series);
}
