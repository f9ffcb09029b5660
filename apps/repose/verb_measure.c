#include "base/report.h"
#include "cli.h"
#include "figures/figures.h"
#include "measure/body.h"
#include "measure/measure.h"
#include "scene/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_spec specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object a line"},
    {"--csv", NULL, NULL, OPTION_FLAG, offsetof(options, csv),
     "a table with commas, a row a frame"},
    FRAMES_OPTION("all; the last for angle, forces and all tables"),
    {"--plot", NULL, "FILE", OPTION_TEXT, offsetof(options, plot),
     "also draw it, as FILE.svg or FILE.png (needs gnuplot)"},
    {"--along", NULL, "x|y", OPTION_TEXT, offsetof(options, along),
     "profiles and front: along x or y instead of over the distance from the axis; "
     "velocity-profile: instead of along z"},
    {"--centre", NULL, "X,Y", OPTION_TEXT, offsetof(options, centre),
     "volume-profile and front: where distances count from, metres without a unit (default: the "
     "middle of the mass)"},
    {"--plane", NULL, "AXIS=LENGTH", OPTION_TEXT, offsetof(options, plane),
     "flow: the plane, such as z=40cm; metres without a unit"},
    {"--region", NULL, "BOX", OPTION_TEXT, offsetof(options, region),
     "contacts, forces, fabric, stress and their tables, front, volume- and velocity-profile: only "
     "there, such as "
     "0:10cm,0:10cm,0:0.2 (x, y and z from:to, metres without a unit; an end that is left out is "
     "open)"},
    {"--only", NULL, "WORD", OPTION_TEXT, offsetof(options, only),
     "body: position, rotation, velocity, spin, force, torque, contact-force or contact-torque "
     "(default: all; --plot draws the position then)"},
};

#define AXIS_NAMES 28 /* letters that fit along an axis */

/* What to measure, and what has been. */
typedef struct job {
    const rp_record *record;
    const rp_measure_kind *kind;
    rp_measure_options options;
    bool json, csv;
    int64_t first, count; /* places in the record's list of frames */
    int numbers;          /* that each frame gives */
    rp_measured names[RP_MEASURED_MAX];
    rp_column columns[1 + 2 * RP_MEASURED_MAX];
    rp_table series;   /* a row a frame: time, values, uncertainties */
    rp_figure *figure; /* NULL: none is wanted */
    rp_steady steady;  /* of the first number, where frames are compared */
    int64_t missed;    /* frames in which there was nothing to measure */
    int64_t shown;     /* frames that have been printed */
} job;

static const rp_series *frames_of(const job *j)
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

/* `width` is that of the column of names. */
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

/* Three numbers in a line, under the name that they share. */
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
    bool vectors = j->kind->of_body && !j->json;
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
                print_measured(frame, time, j->kind->name, &measured[m], width, j->json);
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

/* Wide enough for numbers and for its own name. */
static int column_width(const rp_column *column)
{
    int length = (int)(strlen(column->name) + strlen(column->unit)) + 5;
    return length > 13 ? length : 13;
}

static void print_head(const rp_column *column)
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

/* Keeps the frame's numbers, for plots and for the steady part. */
static rp_code keep_numbers(job *j, double time, const rp_measured *measured, int count,
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

/* A frame in which there is nothing to measure shows as nan among others; a first fault is kept in
 * case that all are so. */
static bool may_miss(job *j, rp_code code)
{
    if (code != RP_ERROR_INPUT && code != RP_ERROR_UNSUPPORTED) return false;
    j->missed++;
    return j->count > 1;
}

/* The rows of the frames before the first that has something to measure: they are held back, so
 * that a run without any gives the reason and nothing else. */
static void print_held(job *j)
{
    for (size_t row = (size_t)j->shown; row < j->series.rows; row++) {
        const double *values = j->series.values + row * (size_t)j->series.column_count;
        rp_measured measured[RP_MEASURED_MAX];
        int64_t place = j->first + (int64_t)row + (j->kind->frames == RP_MEASURE_PAIRS);
        for (int m = 0; m < j->numbers; m++) {
            measured[m] = j->names[m];
            measured[m].value = values[1 + m];
            measured[m].uncertainty = values[1 + j->numbers + m];
        }
        print_numbers(j, rp_series_number(frames_of(j), place), values[0], measured, j->numbers);
        j->shown++;
    }
}

static rp_code measure_numbers(job *j, const rp_measure_input *in, rp_report *report)
{
    rp_measured measured[RP_MEASURED_MAX];
    int count = 0;
    rp_code code = j->kind->take(in, measured, &count, j->missed ? NULL : report);
    bool found = code == RP_OK;
    if (!found && !may_miss(j, code)) return code;
    code = keep_numbers(j, in->view->time, measured, count, report);
    if (code == RP_OK && (found || j->shown)) print_held(j);
    return code;
}

static rp_code measure_table(job *j, const rp_measure_input *in, int64_t number, rp_report *report)
{
    rp_table table = {0};
    rp_code code = j->kind->fill(in, &table, j->missed ? NULL : report);
    if (code == RP_OK && j->csv)
        print_table_csv(number, in->view->time, &table, j->shown++ == 0);
    else if (code == RP_OK)
        print_table(number, in->view->time, j->kind->name, &table, j->json);
    if (code != RP_OK && may_miss(j, code)) code = RP_OK;
    rp_table_release(&table);
    return code;
}

/* Kinds with a picture of their own get it for a single frame; tables for every frame. */
static rp_code measure_view(job *j, const rp_measure_input *in, int64_t number, rp_report *report)
{
    int64_t missed = j->missed;
    rp_code code =
        j->kind->take ? measure_numbers(j, in, report) : measure_table(j, in, number, report);
    bool own = rp_figures_has(j->kind) && (j->count == 1 || j->kind->fill);
    if (code == RP_OK && j->figure && own && j->missed == missed)
        code = rp_figures_draw(j->kind, in, j->figure, report);
    return code;
}

static rp_code measure_frames(job *j, rp_report *report)
{
    rp_code code = RP_OK;
    rp_frame_file *before = NULL;
    bool pairs = j->kind->frames == RP_MEASURE_PAIRS;
    for (int64_t i = 0; i < j->count && code == RP_OK; i++) {
        int64_t number = rp_series_number(frames_of(j), j->first + i);
        rp_frame_file *frame = NULL;
        code = rp_series_read(frames_of(j), number, &frame, report);
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

/* A column of the series; free it. */
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
        printf("{\"what\": \"%s\", \"name\": \"%s\", \"steady_from\": ", j->kind->name, m->name);
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

/* The steady part is that of the first number, the net flow: there is one for all of them, or none.
 */
static void find_steady(job *j)
{
    double *values = column_of(j, 1);
    if (values) j->steady = rp_steady_of(values, j->series.rows);
    free(values);
}

/* Spreads are from frame to frame. */
static void tell_steady(const job *j)
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

/* Where uncertainties are too small to be seen, or mere rounding, they are not drawn. */
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

/* What may share an axis: numbers of one unit; of those without, counts only with counts. */
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

/* "height, radius [m]", or "stress [Pa]" where there are too many names. */
static void name_axis(const job *j, int number, char *label, size_t size)
{
    const char *unit = j->names[number].unit;
    char names[AXIS_NAMES + 1] = "";
    size_t used = 0;
    for (int i = 0; i < j->numbers && used <= AXIS_NAMES && !j->kind->of_body; i++)
        if (share_axis(j, i, number))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     j->names[i].name);
    if (used > AXIS_NAMES)
        snprintf(names, sizeof names, "%s", is_count(j, number) ? "count" : j->kind->name);
    if (j->kind->of_body) /* its numbers are called "force x" and so on */
        snprintf(names, sizeof names, "%.*s", (int)strlen(j->names[number].name) - 2,
                 j->names[number].name);
    snprintf(label, size, "%s%s%s%s", names, unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
}

static void draw_number(const job *j, int number, const double *times)
{
    double *values = column_of(j, 1 + number), *spread = column_of(j, 1 + j->numbers + number);
    bool shown = values && spread && is_visible(values, spread, j->series.rows);
    bool points = shown || j->series.rows == 1; /* a line of one point is not seen */
    if (values && spread)
        rp_figure_add(j->figure, j->names[number].name, points ? RP_PLOT_POINTS : RP_PLOT_LINE,
                      times, values, shown ? spread : NULL, j->series.rows);
    free(values);
    free(spread);
}

/* The numbers over time, a panel per unit; of a body only those of the first unit. */
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
        if (j->kind->of_body) break;
    }
    free(times);
}

static rp_code finish(job *j, const char *plot, rp_report *report)
{
    bool own = rp_figure_series(j->figure) > 0, pairs = j->kind->frames == RP_MEASURE_PAIRS;
    if (pairs) find_steady(j);
    if (j->figure && !own) draw_series(j);
    if (pairs && !j->csv) tell_steady(j);
    return plot ? rp_figure_write(j->figure, plot, report) : RP_OK;
}

static rp_code measure(job *j, const char *plot, rp_report *report)
{
    rp_code code = measure_frames(j, report);
    if (code != RP_OK) return code;
    int64_t measured = j->count - (j->kind->frames == RP_MEASURE_PAIRS);
    if (j->missed && j->missed >= measured) return rp_report_fault(report, 0)->code;
    rp_report_clear(report); /* some frames had nothing to measure, others did */
    return finish(j, plot, report);
}

/* "z=0.4" */
static rp_code read_plane(const char *text, rp_measure_options *out, rp_report *report)
{
    char axis;
    int used = 0;
    if (!text) return RP_OK;
    if (sscanf(text, " %c =%n", &axis, &used) != 1 || !used || axis < 'x' || axis > 'z')
        return rp_fail(report, RP_ERROR_INPUT,
                       "--plane %s: write it as x=0.1, y=10cm or z=0.4, in metres without a unit",
                       text);
    out->plane_axis = axis - 'x';
    return read_quantity("--plane", text + used, "m", &out->plane_at, report);
}

/* A kind that goes along z unless told otherwise, and never over a radius. */
static bool is_upward(const rp_measure_kind *kind)
{
    return strcmp(kind->name, "velocity-profile") == 0;
}

static rp_code read_along(const char *text, const rp_measure_kind *kind, rp_measure_options *out,
                          rp_report *report)
{
    bool upward = is_upward(kind);
    if (!text) return RP_OK;
    if (strlen(text) != 1 || text[0] < 'x' || text[0] > (upward ? 'z' : 'y'))
        return rp_fail(report, RP_ERROR_INPUT, "--along %s: write x%s", text,
                       upward ? ", y or z" : " or y");
    out->along = text[0] - 'x';
    return RP_OK;
}

/* "0.1,20cm" */
static rp_code read_centre(const char *text, rp_measure_options *out, rp_report *report)
{
    char first[64];
    const char *comma = text ? strchr(text, ',') : NULL;
    if (!text) return RP_OK;
    if (!comma || (size_t)(comma - text) >= sizeof first)
        return rp_fail(report, RP_ERROR_INPUT,
                       "--centre %s: write it as 0.1,20cm, which is x and y in metres without a "
                       "unit",
                       text);
    snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    rp_code code = read_quantity("--centre", first, "m", &out->centre[0], report);
    return code == RP_OK ? read_quantity("--centre", comma + 1, "m", &out->centre[1], report)
                         : code;
}

/* "0:1,:,0.2:" */
static rp_code read_region(const char *text, rp_measure_options *out, rp_report *report)
{
    double *ends[] = {&out->region.low.x,  &out->region.high.x, &out->region.low.y,
                      &out->region.high.y, &out->region.low.z,  &out->region.high.z};
    const char *at = text;
    for (int i = 0; at && i < 6; i++) {
        char end[64];
        size_t length = strcspn(at, ":,");
        bool closed = length < sizeof end && at[length] == (i == 5 ? 0 : i % 2 ? ',' : ':');
        snprintf(end, sizeof end, "%.*s", (int)length, at);
        rp_code code = RP_OK;
        if (closed && end[strspn(end, " ")])
            code = read_quantity("--region", end, "m", ends[i], report);
        if (code != RP_OK) return code;
        if (!closed || (i % 2 && !(*ends[i - 1] < *ends[i])))
            return rp_fail(report, RP_ERROR_INPUT,
                           "--region %s: write it as 0:10cm,0:10cm,0:0.2, which is x, y and z "
                           "from:to, metres without a unit; an end that is left out is open",
                           text);
        at += length + 1;
    }
    return RP_OK;
}

static rp_code read_only(const char *text, rp_measure_options *out, rp_report *report)
{
    char list[256], hint[96];
    if (!text) return RP_OK;
    out->quantity = rp_words_find(RP_BODY_QUANTITY_WORDS, text);
    if (out->quantity >= 0) return RP_OK;
    rp_words_list(RP_BODY_QUANTITY_WORDS, list, sizeof list);
    rp_nearest nearest = rp_nearest_to(text);
    rp_nearest_try_words(&nearest, RP_BODY_QUANTITY_WORDS);
    rp_nearest_hint(&nearest, hint, sizeof hint);
    return rp_fail(report, RP_ERROR_INPUT, "--only %s: write one of: %s%s", text, list, hint);
}

/* What can be found wrong before anything is read. */
static rp_code check_options(job *j, const options *o, rp_report *report)
{
    j->options = rp_default_measure_options();
    rp_code code = read_plane(o->plane, &j->options, report);
    if (code == RP_OK) code = read_along(o->along, j->kind, &j->options, report);
    if (code == RP_OK) code = read_centre(o->centre, &j->options, report);
    if (code == RP_OK) code = read_only(o->only, &j->options, report);
    if (code == RP_OK) code = read_region(o->region, &j->options, report);
    if (code == RP_OK && o->region && !j->kind->of_contacts && !j->kind->of_layer)
        code = rp_fail(report, RP_ERROR_INPUT,
                       "--region is for contacts and layers; %s takes all grains", j->kind->name);
    if (code == RP_OK && o->centre && (!j->kind->of_layer || is_upward(j->kind) || o->along))
        code = rp_fail(report, RP_ERROR_INPUT,
                       "--centre is for front and volume-profile without --along");
    if (code == RP_OK && o->json && o->csv)
        code = rp_fail(report, RP_ERROR_INPUT, "--json or --csv, not both");
    if (code == RP_OK && o->plot) code = rp_plot_check_name(o->plot, report);
    if (code == RP_OK && j->kind->frames == RP_MEASURE_PAIRS && !o->plane)
        code = rp_fail(report, RP_ERROR_INPUT, "%s wants a plane: --plane z=0.4", j->kind->name);
    return code;
}

static rp_code open_job(job *j, const options *o, rp_record **record, rp_report *report)
{
    rp_code code = check_options(j, o, report);
    if (code == RP_OK) code = rp_record_open(o->words[0], record, report);
    j->record = *record;
    if (code == RP_OK && j->kind->of_body)
        code =
            rp_measure_find_body(rp_record_scene(*record), o->words[2], &j->options.body, report);
    if (code == RP_OK)
        code =
            choose_frames(*record, &frame_kinds[0], o->frames_text, &j->first, &j->count, report);
    if (code != RP_OK) return code;
    if (j->kind->frames == RP_MEASURE_LAST && !o->frames_text) {
        j->first += j->count - 1;
        j->count = 1;
    }
    char title[512];
    snprintf(title, sizeof title, "%s: %s%s%s", rp_scene_title(rp_record_scene(*record)),
             j->kind->name, j->kind->of_body ? " " : "", j->kind->of_body ? o->words[2] : "");
    if (o->plot) j->figure = rp_figure_create(title, "", "");
    return RP_OK;
}

static const char *choice(int index)
{
    const rp_measure_kind *kind = rp_measure_at(index);
    return kind ? kind->name : NULL;
}

static const char *choice_help(int index)
{
    return rp_measure_at(index)->help;
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
    job j = {.kind = rp_measure_find(o->words[1]), .json = o->json, .csv = o->csv};
    if (!j.kind) return unknown_kind(v, o->words[1]);
    if (o->words[2] && !j.kind->of_body)
        return say_usage(v, "'%s' is one word too many", o->words[2]);
    rp_report *report = rp_report_create();
    rp_record *record = NULL;
    rp_code code = open_job(&j, o, &record, report);
    if (code == RP_OK) code = measure(&j, o->plot, report);
    int result = say_faults(code, report, o->json);
    rp_figure_destroy(j.figure);
    rp_table_release(&j.series);
    rp_record_close(record);
    rp_report_destroy(report);
    return result;
}

const verb verb_measure = {
    .name = "measure",
    .words = "RUN WHAT [NAME]",
    .help = "measure a run",
    .more =
        "Every number comes with its unit and its uncertainty: what rounding in the recorded\n"
        "floats may have changed, or the standard error of a fit. Angle, forces and all tables\n"
        "are of the last frame unless --frames says otherwise; a frame of several in which there\n"
        "is nothing to measure shows as nan. Flow compares each frame with the one before and\n"
        "ends with the mean and spread of its steady part, where it has one. Body wants the\n"
        "NAME of one; its rotation is in degrees about x, then y, then z, as scenes say it, its\n"
        "torques are about its origin, and forces and torques are means since the frame before.\n"
        "Front and volume-profile take distances from the middle of the mass, or places along\n"
        "x or y; velocity-profile goes along z.\n"
        "Contacts, forces, fabric, stress and their tables want a run whose scene says\n"
        "output: {contacts: yes}.\n"
        "A scene may name the kinds that need one instant only under measurements, too.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .choice_help = choice_help,
    .min_words = 2,
    .max_words = 3,
    .run = run};
