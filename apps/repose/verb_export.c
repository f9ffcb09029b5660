#include "base/report.h"
#include "cli.h"

static const option_spec specs[] = {
    {"--format", "-f", "FORMAT", OPTION_TEXT, offsetof(options, format),
     "vtp (ParaView, default), ply or csv"},
    {"--output", "-o", "DIR", OPTION_TEXT, offsetof(options, output),
     "where to (default: RUN/export)"},
    FRAMES_OPTION("all"),
    {"--quiet", "-q", NULL, OPTION_FLAG, offsetof(options, quiet), "say nothing"},
};

static rp_code export_frames(rp_record *record, const options *o, rp_report *report)
{
    const char *format = o->format ? o->format : "vtp";
    int64_t first, count;
    rp_code code = choose_frames(record, o->frames_text, &first, &count, report);
    for (int64_t i = 0; i < count && code == RP_OK; i++) {
        int64_t number = rp_record_frame_number(record, first + i);
        rp_frame_file *frame = NULL;
        code = rp_record_read_frame(record, number, &frame, report);
        if (code == RP_OK)
            code =
                rp_record_export(record, number, rp_frame_view(frame), format, o->output, report);
        rp_frame_close(frame);
    }
    if (code == RP_OK && !o->quiet)
        printf("%lld frames as %s in %s%s\n", (long long)count, format,
               o->output ? o->output : o->words[0], o->output ? "" : "/export");
    return code;
}

static int run(const verb *v, const options *o)
{
    (void)v;
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = rp_record_open(o->words[0], &record, report);
    if (code == RP_OK) code = export_frames(record, o, report);
    int result = say_faults(code, report, false);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_export = {
    .name = "export",
    .words = "RUN",
    .help = "write frames for other programs: ParaView, Blender, spreadsheets",
    .more = "vtp: open RUN/export/grains.pvd in ParaView; bodies are in bodies.pvd.\n"
            "ply: one binary point cloud a frame, for Blender, MeshLab, CloudCompare.\n"
            "csv: one table a frame, for Houdini, spreadsheets, scripts.\n",
    VERB_OPTIONS(specs),
    .min_words = 1,
    .max_words = 1,
    .run = run};
