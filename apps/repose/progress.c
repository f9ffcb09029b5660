/* Progress of runs and films: a bar on a terminal, lines in a log, JSON objects for other programs.
 */
#include "cli.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BAR_WIDTH 24
#define SECONDS_BETWEEN 0.1
#define LOG_COLUMNS 80
#define LONG_FILM 60.0 /* remaining seconds above which a faster quality is suggested */

double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    interrupted = 1;
    signal(signal_number, SIG_DFL); /* the second one ends the program */
}

bool is_interrupted(void *user)
{
    (void)user;
    return interrupted;
}

void stop_on_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL); /* the terminal was closed */
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* The parts of a progress line, the most important first. */
typedef struct line {
    char parts[7 + RP_STEP_NUMBERS][64];
    int count;
} line;

/* Adds a bar that is filled to `part`, 0 to 1. */
static void add_bar(line *l, double part, int64_t frame, int64_t frame_count)
{
    char bar[BAR_WIDTH + 1];
    int full = (int)(part * BAR_WIDTH + 0.5);
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < full ? '=' : ' ';
    bar[BAR_WIDTH] = 0;
    snprintf(l->parts[l->count++], 64, "[%s] %lld/%lld", bar, (long long)frame,
             (long long)frame_count);
}

/* Adds the numbers that the method reports of a step: "density error 0.012", "iterations 7". */
static void add_numbers(line *l, const rp_step_info *step)
{
    for (int i = 0; i < step->number_count; i++) {
        const rp_step_number *n = &step->numbers[i];
        char name[40];
        if (isnan(n->value)) continue;
        snprintf(name, sizeof name, "%s", n->name);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = ' ';
        snprintf(l->parts[l->count++], 64, "%s %.3g%s%s", name, n->value, n->unit[0] ? " " : "",
                 n->unit);
    }
}

/* Parts that do not fit into the columns are omitted. */
static void print_parts(const line *l, int columns)
{
    int remaining = columns;
    for (int i = 0; i < l->count; i++) {
        int length = (int)strlen(l->parts[i]) + (i ? 2 : 0);
        if (length > remaining) break;
        fprintf(stderr, "%s%s", i ? "  " : "", l->parts[i]);
        remaining -= length;
    }
}

static void draw_line(const line *l)
{
    fputc('\r', stderr);
    print_parts(l, terminal_columns() - 1);
    fputs("\033[K", stderr);
    fflush(stderr);
}

static void draw_bar(const rp_progress *p)
{
    char number[32];
    line l = {0};
    add_bar(&l, p->duration > 0 ? p->time / p->duration : 1, p->frame, p->frame_count);
    double rate = p->seconds > 0 ? (double)p->steps * (double)p->grains / p->seconds : 0;
    snprintf(l.parts[l.count++], 64, "left %s",
             short_duration(p->seconds_left, number, sizeof number));
    snprintf(l.parts[l.count++], 64, "%s grains",
             short_number((double)p->grains, number, sizeof number));
    if (p->step.reason) snprintf(l.parts[l.count++], 64, "v max %.3g m/s", p->step.max_speed);
    if (p->steps)
        snprintf(l.parts[l.count++], 64, "%s grain-steps/s",
                 short_number(rate, number, sizeof number));
    add_numbers(&l, &p->step);
    draw_line(&l);
}

static void draw_film_bar(const rp_film_progress *p)
{
    char number[32];
    line l = {0};
    double done = (double)p->frame + p->part;
    add_bar(&l, p->frame_count > 0 ? done / (double)p->frame_count : 1, p->frame, p->frame_count);
    if (p->encoding) snprintf(l.parts[l.count++], 64, "encoding");
    if (p->part > 0 && p->frame_count == 1)
        snprintf(l.parts[l.count++], 64, "%.0f %%", 100 * p->part);
    snprintf(l.parts[l.count++], 64, "left %s",
             short_duration(p->seconds_left, number, sizeof number));
    if (p->grains && !p->encoding)
        snprintf(l.parts[l.count++], 64, "%s grains",
                 short_number((double)p->grains, number, sizeof number));
    draw_line(&l);
}

/* Prints one line of a log; --json has all numbers of a step. */
static void print_line(const rp_progress *p)
{
    char number[32];
    line l = {0};
    snprintf(l.parts[l.count++], 64, "frame %lld/%lld", (long long)p->frame,
             (long long)p->frame_count);
    snprintf(l.parts[l.count++], 64, "t %.3f s", p->time);
    snprintf(l.parts[l.count++], 64, "left %s",
             short_duration(p->seconds_left, number, sizeof number));
    snprintf(l.parts[l.count++], 64, "%s grains",
             short_number((double)p->grains, number, sizeof number));
    if (p->step.reason && p->steps) { /* refinement has no solver steps */
        snprintf(l.parts[l.count++], 64, "dt %.3g ms", 1e3 * p->step.dt);
        snprintf(l.parts[l.count++], 64, "v max %.3g m/s", p->step.max_speed);
    }
    add_numbers(&l, &p->step);
    print_parts(&l, LOG_COLUMNS);
    fputc('\n', stderr);
}

void print_json_step_numbers(const rp_step_info *step)
{
    for (int i = 0; i < step->number_count; i++) {
        printf(", \"%s\": ", step->numbers[i].name);
        print_json_number(stdout, step->numbers[i].value);
    }
}

static void print_step(const rp_step_info *step)
{
    printf(", \"dt\": %.9g, \"reason\": ", step->dt);
    print_json_text(stdout, step->reason);
    printf(", \"max_speed\": %.9g", step->max_speed);
    print_json_step_numbers(step);
    printf(", \"removed\": %zu", step->removed);
}

static void print_object(const rp_progress *p)
{
    printf("{\"frame\": %lld, \"frames\": %lld, \"time\": %.9g, \"grains\": %zu, \"steps\": %llu",
           (long long)p->frame, (long long)p->frame_count, p->time, p->grains,
           (unsigned long long)p->steps);
    if (p->step.reason) print_step(&p->step); /* refinement has no solver steps */
    printf(", \"seconds\": %.6g}\n", p->seconds);
    fflush(stdout);
}

bool progress_show(void *user, const rp_progress *progress)
{
    progress_bar *bar = user;
    bool new_frame = progress->frame != bar->frames_shown;
    bar->frames_shown = progress->frame;
    if (bar->json) {
        if (new_frame) print_object(progress);
    } else if (!bar->quiet && bar->terminal) {
        double now = wall_clock();
        bool end = progress->frame == progress->frame_count && new_frame;
        if (end || now - bar->shown >= SECONDS_BETWEEN) {
            draw_bar(progress);
            bar->shown = now;
        }
    } else if (!bar->quiet && new_frame) {
        print_line(progress);
    }
    return !interrupted;
}

/* Prints one line of a log per picture; pictures of an earlier attempt have none. */
static void print_film_line(progress_bar *bar, const rp_film_progress *p)
{
    char grains[32], left[32];
    if (p->encoding) {
        if (!bar->encoding_shown) fprintf(stderr, "encoding the film\n");
        bar->encoding_shown = true;
    } else if (p->kept == bar->kept_shown) {
        fprintf(stderr, "picture %lld/%lld  t %.3f s  %s grains  left %s\n", (long long)p->frame,
                (long long)p->frame_count, p->time,
                short_number((double)p->grains, grains, sizeof grains),
                short_duration(p->seconds_left, left, sizeof left));
    }
    bar->kept_shown = p->kept;
}

static void print_film_object(const rp_film_progress *p)
{
    printf("{\"picture\": %lld, \"pictures\": %lld, \"kept\": %lld, \"encoding\": %s, \"time\": "
           "%.9g, \"grains\": %zu, \"seconds\": %.6g}\n",
           (long long)p->frame, (long long)p->frame_count, (long long)p->kept,
           p->encoding ? "true" : "false", p->time, p->grains, p->seconds);
    fflush(stdout);
}

/* Suggests a faster quality once, as soon as the remaining time is known. */
static void suggest_faster(progress_bar *bar, const rp_film_progress *progress)
{
    char left[32];
    if (!bar->faster || progress->encoding || !(progress->seconds_left > LONG_FILM)) return;
    fprintf(stderr, "%srepose: rendering will take another %s; %s\n",
            bar->shown > 0 ? "\r\033[K" : "",
            short_duration(progress->seconds_left, left, sizeof left), bar->faster);
    bar->faster = NULL;
}

bool progress_show_film(void *user, const rp_film_progress *progress)
{
    progress_bar *bar = user;
    bool new_picture = progress->frame != bar->frames_shown && progress->frame > 0;
    bar->frames_shown = progress->frame;
    if (!bar->quiet && !bar->json) suggest_faster(bar, progress);
    if (bar->json) {
        if (new_picture) print_film_object(progress);
    } else if (!bar->quiet && bar->terminal) {
        double now = wall_clock();
        bool end = progress->frame == progress->frame_count && new_picture;
        if (end || now - bar->shown >= SECONDS_BETWEEN) {
            draw_film_bar(progress);
            bar->shown = now;
        }
    } else if (!bar->quiet && new_picture) {
        print_film_line(bar, progress);
    }
    return !interrupted;
}

bool progress_quiet_film(void *user, const rp_film_progress *progress)
{
    (void)user;
    (void)progress;
    return !interrupted;
}

void progress_end(progress_bar *bar)
{
    if (bar->terminal && !bar->quiet && !bar->json && bar->shown > 0) fputc('\n', stderr);
    bar->shown = 0;
}
