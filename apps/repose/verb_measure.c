#include "base/report.h"
#include "cli.h"
#include "measure/measure.h"

static const option_spec specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a line"},
};

static void print_measured(int64_t frame, double time, const char *what, const rp_measured *m,
                           bool json)
{
    if (json) {
        printf("{\"frame\": %lld, \"time\": %.9g, \"what\": \"%s\", \"name\": ", (long long)frame,
               time, what);
        print_json_text(stdout, m->name);
        printf(", \"value\": %.17g, \"uncertainty\": ", m->value);
        print_json_number(stdout, m->uncertainty);
        printf(", \"unit\": \"%s\"}\n", m->unit);
    } else {
        printf("%6lld  %9.4f s  %-10s %15.8g +- %-9.2g %s\n", (long long)frame, time, m->name,
               m->value, m->uncertainty, m->unit);
    }
}

static rp_code measure_frames(const rp_record *record, const rp_measure_kind *kind, bool json,
                              rp_report *report)
{
    rp_code code = RP_OK;
    int64_t count = rp_record_frame_count(record);
    for (int64_t i = 0; i < count && code == RP_OK; i++) {
        int64_t number = rp_record_frame_number(record, i);
        rp_frame_file *frame = NULL;
        code = rp_record_read_frame(record, number, &frame, report);
        if (code != RP_OK) break;
        rp_measured measured[RP_MEASURED_MAX];
        const rp_view *view = rp_frame_view(frame);
        int found = kind->take(view, rp_record_scene(record), measured);
        for (int m = 0; m < found; m++)
            print_measured(number, view->time, kind->name, &measured[m], json);
        rp_frame_close(frame);
    }
    return code;
}

static const char *choice(int index)
{
    const rp_measure_kind *kind = rp_measure_at(index);
    return kind ? kind->name : NULL;
}

static int unknown_kind(const verb *v, const char *word)
{
    const char *names[32];
    for (int i = 0; i < rp_measure_count(); i++)
        names[i] = rp_measure_at(i)->name;
    return say_unknown(v, "cannot measure", word, names, rp_measure_count());
}

static int run(const verb *v, const options *o)
{
    const rp_measure_kind *kind = rp_measure_find(o->words[1]);
    if (!kind) return unknown_kind(v, o->words[1]);
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = measure_frames(record, kind, o->json, report);
    int result = say_faults(code, report, o->json);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_measure = {
    .name = "measure",
    .words = "RUN WHAT",
    .help = "measure a run",
    .more = "Every number comes with its unit and with what rounding in the recorded floats may\n"
            "have changed. WHAT is one of the kinds that a scene may name under measurements.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .min_words = 2,
    .max_words = 2,
    .run = run};
