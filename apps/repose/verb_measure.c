#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_spec specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per line"},
    {"--csv", NULL, NULL, OPTION_FLAG, offsetof(options, csv),
     "comma-separated values, one row per frame"},
    FRAMES_OPTION("all; the last for angle, forces and all tables"),
    {"--plot", NULL, "FILE", OPTION_TEXT, offsetof(options, plot),
     "also plot it as FILE.svg or FILE.png (needs gnuplot)"},
    {"--along", NULL, "x|y", OPTION_TEXT, offsetof(options, along),
     "profiles and front: along x or y instead of over the distance from the centre; "
     "velocity-profile: instead of along z"},
    {"--centre", NULL, "X,Y", OPTION_TEXT, offsetof(options, centre),
     "volume-profile and front: origin of distances; bare numbers in metres (default: the centre "
     "of mass)"},
    {"--plane", NULL, "AXIS=LENGTH", OPTION_TEXT, offsetof(options, plane),
     "flow: the plane, such as z=40cm; bare numbers in metres"},
    {"--region", NULL, "BOX", OPTION_TEXT, offsetof(options, region),
     "contacts, forces, fabric, stress and their tables, front, volume- and velocity-profile: only "
     "within this box, such as 0:10cm,0:10cm,0:0.2 (x, y and z from:to, bare numbers in metres; an "
     "end that is omitted is open)"},
    {"--only", NULL, "WORD", OPTION_TEXT, offsetof(options, only),
     "body: position, rotation, velocity, spin, force, torque, contact-force or contact-torque "
     "(default: all; --plot then draws the position)"},
};

#define AXIS_NAMES 28 /* characters that fit along an axis */

/* What to measure, and the results so far. */
typedef struct job {
    const rp_record *record;
    rp_measure_info kind;
    rp_measure_options options;
    bool json, csv;
    int64_t first, count; /* indices into the record's list of frames */
    int numbers;          /* per frame */
    rp_measured names[RP_MEASURED_MAX];
    rp_measure_column columns[1 + 2 * RP_MEASURED_MAX];
    rp_table series;   /* one row per frame: time, values, uncertainties */
    rp_figure *figure; /* NULL without --plot */
    rp_steady steady;  /* steady part of the first number, for measurements of pairs of frames */
    int64_t missed;    /* frames without a result */
    int64_t shown;     /* frames that have been printed */
} job;

static const rp_series *coarse_series(const job *j)
{
    return rp_record_series(j->record, RP_SERIES_COARSE);
}

static void print_json_value(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("null");
}

/* Prints one number; `width` is the width of the column of names. */
static void print_measured(int64_t frame, double time, const char *what, const rp_measured *m,
                           int width, bool json)
{
    if (json) {
        printf("{\"frame\": %lld, \"time\": %.9g, \"what\": \"%s\", \"name\": ", (long long)frame,
               time, what);
        print_json_text(stdout, m->name);
        printf(", \"value\": ");
        print_json_value(m->value);
        printf(", \"uncertainty\": ");
        print_json_number(stdout, m->uncertainty);
        printf(", \"unit\": \"%s\"}\n", m->unit);
    } else {
        printf("%6lld  %9.4f s  %-*s %15.8g +- %-9.2g %s\n", (long long)frame, time, width, m->name,
               m->value, m->uncertainty, m->unit);
    }
}

/* Prints three components in one line, under their common name. */
static void print_vector(int64_t frame, double time, const rp_measured *m)
{
    int length = (int)strlen(m->name) - 2;
    printf("%6lld  %9.4f s  %-14.*s %13.6g %13.6g %13.6g  %s\n", (long long)frame, time, length,
           m->name, m[0].value, m[1].value, m[2].value, m->unit);
}

static void print_csv_row(int64_t frame, double time, const rp_measured *measured, int count,
                          bool head)
{
    if (head) printf("frame,time [s]");
    for (int m = 0; m < count && head; m++)
        printf(",%s [%s]", measured[m].name, measured[m].unit);
    printf("%s%lld,%.17g", head ? "\n" : "", (long long)frame, time);
    for (int m = 0; m < count; m++)
        printf(",%.17g", measured[m].value);
    printf("\n");
}

static void print_numbers(const job *j, int64_t frame, double time, const rp_measured *measured,
                          int count)
{
    bool vectors = j->kind.of_body && !j->json;
    int width = 10;
    for (int m = 0; m < count; m++)
        if ((int)strlen(measured[m].name) > width) width = (int)strlen(measured[m].name);
    if (j->csv)
        print_csv_row(frame, time, measured, count, j->shown == 0);
    else
        for (int m = 0; m < count; m += vectors ? 3 : 1)
            if (vectors)
                print_vector(frame, time, &measured[m]);
            else
                print_measured(frame, time, j->kind.name, &measured[m], width, j->json);
}

static void print_row_json(int64_t frame, double time, const char *what, const rp_table *table,
                           const double *row)
{
    printf("{\"frame\": %lld, \"time\": %.9g, \"what\": \"%s\"", (long long)frame, time, what);
    for (int c = 0; c < table->column_count; c++) {
        printf(", \"%s\": ", table->columns[c].name);
        print_json_value(row[c]);
    }
    printf("}\n");
}

static void print_table_csv(int64_t frame, double time, const rp_table *table, bool head)
{
    if (head) printf("frame,time [s]");
    for (int c = 0; c < table->column_count && head; c++)
        printf(",%s [%s]", table->columns[c].name, table->columns[c].unit);
    if (head) printf("\n");
    for (size_t i = 0; i < table->rows; i++) {
        printf("%lld,%.17g", (long long)frame, time);
        for (int c = 0; c < table->column_count; c++)
            printf(",%.17g", table->values[i * (size_t)table->column_count + (size_t)c]);
        printf("\n");
    }
}

/* Returns a width that fits both numbers and the heading. */
static int column_width(const rp_measure_column *column)
{
    int length = (int)(strlen(column->name) + strlen(column->unit)) + 5;
    return length > 13 ? length : 13;
}

static void print_head(const rp_measure_column *column)
{
    char text[128];
    snprintf(text, sizeof text, column->unit[0] ? "%s [%s]" : "%s", column->name, column->unit);
    printf("%*s", column_width(column), text);
}

static void print_table(int64_t frame, double time, const char *what, const rp_table *table,
                        bool json)
{
    if (!json) {
        printf("frame %lld, %.4f s\n", (long long)frame, time);
        for (int c = 0; c < table->column_count; c++)
            print_head(&table->columns[c]);
        printf("\n");
    }
    for (size_t i = 0; i < table->rows; i++) {
        const double *row = table->values + i * (size_t)table->column_count;
        if (json) print_row_json(frame, time, what, table, row);
        for (int c = 0; c < table->column_count && !json; c++)
            printf("%*.6g", column_width(&table->columns[c]), row[c]);
        if (!json) printf("\n");
    }
}

/* Appends the numbers of a frame to the series, for plots and for the steady part. */
static rp_code store_numbers(job *j, double time, const rp_measured *measured, int count,
                             rp_report *report)
{
    double row[1 + 2 * RP_MEASURED_MAX] = {time};
    j->numbers = count;
    j->series.columns = j->columns;
    j->series.column_count = 1 + 2 * count;
    for (int m = 0; m < count; m++) {
        j->names[m] = measured[m];
        row[1 + m] = measured[m].value;
        row[1 + count + m] = measured[m].uncertainty;
    }
    return rp_table_add(&j->series, row, report);
}

/* A frame without a result shows as nan among others. Only the first fault is reported, and only
 * when no frame has a result. */
static bool skip_frame(job *j, rp_code code)
{
    if (code != RP_ERROR_INPUT && code != RP_ERROR_UNSUPPORTED) return false;
    j->missed++;
    return j->count > 1;
}

/* Prints the rows that have not been printed yet. Rows before the first result are held back, so
 * that a run without any result prints the reason and nothing else. */
static void print_pending(job *j)
{
    for (size_t row = (size_t)j->shown; row < j->series.rows; row++) {
        const double *values = j->series.values + row * (size_t)j->series.column_count;
        rp_measured measured[RP_MEASURED_MAX];
        int64_t place = j->first + (int64_t)row + (j->kind.frames == RP_MEASURE_PAIRS);
        for (int m = 0; m < j->numbers; m++) {
            measured[m] = j->names[m];
            measured[m].value = values[1 + m];
            measured[m].uncertainty = values[1 + j->numbers + m];
        }
        print_numbers(j, rp_series_number(coarse_series(j), place), values[0], measured,
                      j->numbers);
        j->shown++;
    }
}

static rp_code measure_numbers(job *j, const rp_measure_input *in, rp_report *report)
{
    rp_measured measured[RP_MEASURED_MAX];
    int count = 0;
    rp_code code =
        rp_measure_numbers(j->kind.name, in, measured, &count, j->missed ? NULL : report);
    bool found = code == RP_OK;
    if (!found && !skip_frame(j, code)) return code;
    code = store_numbers(j, in->view->time, measured, count, report);
    if (code == RP_OK && (found || j->shown)) print_pending(j);
    return code;
}

static rp_code measure_table(job *j, const rp_measure_input *in, int64_t number, rp_report *report)
{
    rp_table table = {0};
    rp_code code = rp_measure_table(j->kind.name, in, &table, j->missed ? NULL : report);
    if (code == RP_OK && j->csv)
        print_table_csv(number, in->view->time, &table, j->shown++ == 0);
    else if (code == RP_OK)
        print_table(number, in->view->time, j->kind.name, &table, j->json);
    if (code != RP_OK && skip_frame(j, code)) code = RP_OK;
    rp_table_release(&table);
    return code;
}

/* Measurements with a figure of their own are drawn for a single frame, tables for every frame. */
static rp_code measure_view(job *j, const rp_measure_input *in, int64_t number, rp_report *report)
{
    int64_t missed = j->missed;
    rp_code code =
        !j->kind.is_table ? measure_numbers(j, in, report) : measure_table(j, in, number, report);
    bool own = rp_measure_has_figure(j->kind.name) && (j->count == 1 || j->kind.is_table);
    if (code == RP_OK && j->figure && own && j->missed == missed)
        code = rp_measure_draw(j->kind.name, in, j->figure, report);
    return code;
}

static rp_code measure_frames(job *j, rp_report *report)
{
    rp_code code = RP_OK;
    rp_frame_file *before = NULL;
    bool pairs = j->kind.frames == RP_MEASURE_PAIRS;
    for (int64_t i = 0; i < j->count && code == RP_OK; i++) {
        int64_t number = rp_series_number(coarse_series(j), j->first + i);
        rp_frame_file *frame = NULL;
        code = rp_series_read(coarse_series(j), number, &frame, report);
        if (code != RP_OK) break;
        rp_measure_input in = {.view = rp_frame_view(frame),
                               .before = before ? rp_frame_view(before) : NULL,
                               .scene = rp_record_scene(j->record),
                               .options = &j->options};
        if (!pairs || before || j->count == 1) code = measure_view(j, &in, number, report);
        rp_frame_close(before);
        before = pairs ? frame : NULL;
        if (!pairs) rp_frame_close(frame);
    }
    rp_frame_close(before);
    return code;
}

/* Returns a column of the series; release with free. */
static double *column_of(const job *j, int column)
{
    double *values = malloc((j->series.rows + 1) * sizeof *values);
    if (values) rp_table_column(&j->series, column, values);
    return values;
}

static void print_steady(const job *j, const rp_measured *m, const rp_steady *s,
                         const double *times)
{
    double from = s->count ? times[s->first] : NAN;
    double to = s->count ? times[s->first + s->count - 1] : NAN;
    if (j->json) {
        printf("{\"what\": \"%s\", \"name\": \"%s\", \"steady_from\": ", j->kind.name, m->name);
        print_json_number(stdout, from);
        printf(", \"steady_to\": ");
        print_json_number(stdout, to);
        printf(", \"mean\": ");
        print_json_value(s->count ? s->mean : NAN);
        printf(", \"spread\": ");
        print_json_number(stdout, s->count ? s->spread : NAN);
        printf(", \"unit\": \"%s\"}\n", m->unit);
    } else {
        printf("steady  %-10s %15.8g +- %-9.2g %s, from %.4g s to %.4g s\n", m->name, s->mean,
               s->spread, m->unit, from, to);
    }
}

static void draw_steady(job *j, const rp_steady *s, const double *times)
{
    const double span[] = {times[s->first], times[s->first + s->count - 1]};
    const double level[] = {s->mean, s->mean};
    char name[128];
    snprintf(name, sizeof name, "steady: %.4g ± %.2g %s", s->mean, s->spread, j->names[0].unit);
    rp_figure_add(j->figure, name, RP_PLOT_DASHED, span, level, NULL, 2);
}

/* Finds the steady part of the first number, the net flow. All numbers share it. */
static void find_steady(job *j)
{
    double *values = column_of(j, 1);
    if (values) j->steady = rp_steady_of(values, j->series.rows);
    free(values);
}

/* Prints mean and standard deviation (from frame to frame) of each number in the steady part. */
static void print_steady_numbers(const job *j)
{
    double *times = column_of(j, 0);
    for (int m = 0; m < j->numbers && times && (j->steady.count || j->json); m++) {
        double *values = column_of(j, 1 + m);
        if (!values) break;
        rp_steady s = j->steady;
        if (s.count) s = rp_steady_within(values, s.first, s.count);
        print_steady(j, &j->names[m], &s, times);
        free(values);
    }
    if (!j->steady.count && !j->json) printf("no steady part\n");
    free(times);
}

/* Whether error bars are large enough to be seen and are more than rounding. */
static bool is_visible(const double *values, const double *spread, size_t count)
{
    double low = INFINITY, high = -INFINITY, widest = 0;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
        widest = fmax(widest, spread[i]);
    }
    return widest > 0.002 * (high - low) && widest > 1e-4 * fmax(fabs(low), fabs(high));
}

/* Whether a number is dimensionless and whole in all frames. Numbers share an axis when they have
 * the same unit; dimensionless counts share one only with counts. */
static bool is_count(const job *j, int number)
{
    bool whole = j->names[number].unit[0] == 0;
    for (size_t i = 0; i < j->series.rows && whole; i++) {
        double value = j->series.values[i * (size_t)j->series.column_count + 1 + (size_t)number];
        whole = !isfinite(value) || value == floor(value);
    }
    return whole;
}

static bool share_axis(const job *j, int a, int b)
{
    return strcmp(j->names[a].unit, j->names[b].unit) == 0 && is_count(j, a) == is_count(j, b);
}

/* Writes the label of an axis: "height, radius [m]", or "stress [Pa]" when the names do not fit. */
static void name_axis(const job *j, int number, char *label, size_t size)
{
    const char *unit = j->names[number].unit;
    char names[AXIS_NAMES + 1] = "";
    size_t used = 0;
    for (int i = 0; i < j->numbers && used <= AXIS_NAMES && !j->kind.of_body; i++)
        if (share_axis(j, i, number))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     j->names[i].name);
    if (used > AXIS_NAMES)
        snprintf(names, sizeof names, "%s", is_count(j, number) ? "count" : j->kind.name);
    if (j->kind.of_body) /* its numbers are called "force x" and so on */
        snprintf(names, sizeof names, "%.*s", (int)strlen(j->names[number].name) - 2,
                 j->names[number].name);
    snprintf(label, size, "%s%s%s%s", names, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
}

static void draw_number(const job *j, int number, const double *times)
{
    double *values = column_of(j, 1 + number), *spread = column_of(j, 1 + j->numbers + number);
    bool shown = values && spread && is_visible(values, spread, j->series.rows);
    bool points = shown || j->series.rows == 1; /* a line through one point is invisible */
    if (values && spread)
        rp_figure_add(j->figure, j->names[number].name, points ? RP_PLOT_POINTS : RP_PLOT_LINE,
                      times, values, shown ? spread : NULL, j->series.rows);
    free(values);
    free(spread);
}

/* Draws the numbers over time, one panel per unit; of a body only the first quantity. */
static void draw_series(job *j)
{
    char label[128];
    double *times = column_of(j, 0);
    bool drawn[RP_MEASURED_MAX] = {false};
    for (int first = 0; first < j->numbers && times; first++) {
        if (drawn[first]) continue;
        name_axis(j, first, label, sizeof label);
        if (first == 0)
            rp_figure_set_labels(j->figure, "time [s]", label);
        else
            rp_figure_add_panel(j->figure, label);
        for (int m = first; m < j->numbers; m++) {
            if (!share_axis(j, first, m)) continue;
            draw_number(j, m, times);
            drawn[m] = true;
        }
        if (first == 0 && j->steady.count) draw_steady(j, &j->steady, times);
        if (j->kind.of_body) break;
    }
    free(times);
}

static rp_code finish(job *j, const char *plot, rp_report *report)
{
    bool own = rp_figure_series(j->figure) > 0, pairs = j->kind.frames == RP_MEASURE_PAIRS;
    if (pairs) find_steady(j);
    if (j->figure && !own) draw_series(j);
    if (pairs && !j->csv) print_steady_numbers(j);
    return plot ? rp_figure_write(j->figure, plot, report) : RP_OK;
}

static rp_code measure(job *j, const char *plot, rp_report *report)
{
    rp_code code = measure_frames(j, report);
    if (code != RP_OK) return code;
    int64_t measured = j->count - (j->kind.frames == RP_MEASURE_PAIRS);
    if (j->missed && j->missed >= measured) return rp_report_fault(report, 0)->code;
    rp_report_clear(report); /* some frames had a result */
    return finish(j, plot, report);
}

static rp_code open_job(job *j, const options *o, rp_record **record, rp_report *report)
{
    rp_code code = read_measure_options(o, &j->kind, &j->options, report);
    if (code == RP_OK) code = rp_record_open(o->words[0], record, report);
    j->record = *record;
    if (code == RP_OK && j->kind.of_body)
        code =
            rp_measure_find_body(rp_record_scene(*record), o->words[2], &j->options.body, report);
    if (code == RP_OK)
        code =
            select_frames(*record, &frame_kinds[0], o->frames_text, &j->first, &j->count, report);
    if (code != RP_OK) return code;
    if (j->kind.frames == RP_MEASURE_LAST && !o->frames_text) {
        j->first += j->count - 1;
        j->count = 1;
    }
    char title[512];
    snprintf(title, sizeof title, "%s: %s%s%s", rp_scene_title(rp_record_scene(*record)),
             j->kind.name, j->kind.of_body ? " " : "", j->kind.of_body ? o->words[2] : "");
    if (o->plot) j->figure = rp_figure_create(title, "", "");
    return RP_OK;
}

static const char *choice(int index)
{
    return rp_measure_info_at(index).name;
}

static const char *choice_help(int index)
{
    return rp_measure_info_at(index).help;
}

static int unknown_measurement(const verb *v, const char *word)
{
    const char *names[64];
    int count = 0;
    for (; count < 64 && choice(count); count++)
        names[count] = choice(count);
    return print_unknown_word(v, "cannot measure", word, names, count);
}

static int run(const verb *v, const options *o)
{
    job j = {.kind = rp_measure_info_of(o->words[1]), .json = o->json, .csv = o->csv};
    if (!j.kind.name) return unknown_measurement(v, o->words[1]);
    if (o->words[2] && !j.kind.of_body)
        return print_usage_error(v, "'%s' is one word too many", o->words[2]);
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = open_job(&j, o, &record, report);
    if (code == RP_OK) code = measure(&j, o->plot, report);
    int result = print_faults(code, report, o->json);
    rp_figure_destroy(j.figure);
    rp_table_release(&j.series);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_measure = {
    .name = "measure",
    .words = "RUN WHAT [NAME]",
    .help = "compute quantities of a run: angles, energies, profiles, forces",
    .more =
        "Every number has a unit and an uncertainty: the rounding error of recorded floats, or "
        "the\n"
        "standard error of a fit. Angle, forces and all tables use the last frame unless --frames\n"
        "selects others; with several frames, those without a result show as nan.\n"
        "Flow compares each frame with the one before and ends with mean and standard deviation "
        "of\n"
        "its steady part, if there is one.\n"
        "Body needs the NAME of a body. Its rotation is in degrees about x, then y, then z, as in\n"
        "scenes; torques are about its origin; forces and torques are means since the frame "
        "before.\n"
        "Front and volume-profile use the distance from the centre of mass, or from --centre, or "
        "the\n"
        "coordinate of --along; velocity-profile is binned along z.\n"
        "Contacts, forces, fabric, stress and their tables need a run whose scene has\n"
        "output: {contacts: yes}.\n"
        "Measurements of a single frame can also be listed in a scene, under measurements.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .choice_help = choice_help,
    .min_words = 2,
    .max_words = 3,
    .run = run};
