#include "cli.h"

#include <limits.h>
#include <string.h>

static const option_spec specs[] = {
    {"--size", NULL, "N", OPTION_TEXT, offsetof(options, size),
     "number of particles (default: that of the case)"},
    {"--threads", NULL, "N", OPTION_COUNT, offsetof(options, threads),
     "threads (default: one per core)"},
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "one JSON object per line"},
};

static void print_machine(rp_bench_machine m, bool json)
{
    if (json)
        printf("{\"case\": \"machine\", \"copying\": %.6g, \"reading\": %.6g, \"multiply_adds\": "
               "%.6g}\n",
               m.bandwidth, m.reading, m.arithmetic);
    else
        printf("this machine: copy %.3g GB/s (read and written), read %.3g GB/s, %.3g G "
               "multiply-adds/s\n",
               1e-9 * m.bandwidth, 1e-9 * m.reading, 1e-9 * m.arithmetic);
}

static void print_object(const rp_bench_result *r)
{
    printf("{\"case\": \"%s\", \"particles\": %zu, \"steps\": %d, \"seconds\": %.6g, \"rate\": "
           "%.6g, \"limit\": ",
           r->name, r->particles, r->steps, r->seconds, r->rate);
    if (r->limit > 0)
        printf("%.6g", r->limit);
    else
        printf("null");
    for (const rp_bench_figure *f = r->figures; f->name; f++)
        printf(", \"%s\": %.6g", f->name, f->value);
    printf("}\n");
}

static void print_line(const rp_bench_result *r)
{
    char particles[32], rate[32], limit[32];
    printf("%-26s %8s particles  %9.3f ms  %8s particle-steps/s", r->name,
           short_number((double)r->particles, particles, sizeof particles), 1e3 * r->seconds,
           short_number(r->rate, rate, sizeof rate));
    if (r->limit > 0)
        printf("  %3.0f %% of this machine's limit (%s)", 100 * r->rate / r->limit,
               short_number(r->limit, limit, sizeof limit));
    for (const rp_bench_figure *f = r->figures; f->name; f++)
        printf("%s%s %.4g%s%s", f == r->figures ? "\n    " : ", ", f->name, f->value,
               f->unit[0] ? " " : "", f->unit);
    printf("\n");
}

static rp_code run_case(const char *name, size_t size, const options *o, rp_report *report)
{
    rp_bench_list *list = NULL;
    rp_bench_options wanted = rp_default_bench_options();
    wanted.particles = size;
    wanted.threads = (int)(o->threads < INT_MAX ? o->threads : INT_MAX);
    wanted.scenes = data_folder("scenes");
    rp_code code = rp_bench_run(name, &wanted, &list, report);
    if (code != RP_OK) return code;
    print_machine(rp_bench_list_machine(list), o->json);
    for (int i = 0; i < rp_bench_list_count(list); i++) {
        if (o->json)
            print_object(rp_bench_list_at(list, i));
        else
            print_line(rp_bench_list_at(list, i));
    }
    rp_bench_list_destroy(list);
    return code;
}

static rp_code run_cases(const char *name, size_t size, const options *o, int *found,
                         rp_report *report)
{
    rp_code code = RP_OK;
    for (int i = 0; i < rp_bench_count() && code == RP_OK; i++) {
        if (strcmp(name, "all") != 0 && strcmp(name, rp_bench_name(i)) != 0) continue;
        (*found)++;
        code = run_case(rp_bench_name(i), size, o, report);
    }
    return code;
}

static int unknown_case(const verb *v, const char *name)
{
    const char *names[64];
    int count = 0;
    for (; count < 64 && rp_bench_name(count); count++)
        names[count] = rp_bench_name(count);
    return print_unknown_word(v, "no such case:", name, names, count);
}

static const char *choice(int index)
{
    return index == 0 ? "all" : rp_bench_name(index - 1);
}

static int run(const verb *v, const options *o)
{
    long long size = 0;
    char rest;
    if (o->size && (sscanf(o->size, "%lld%c", &size, &rest) != 1 || size < 1))
        return print_usage_error(v, "--size %s: expected a whole number, 1 or more", o->size);
    rp_report *report = rp_report_create();
    int found = 0;
    rp_code code = run_cases(o->words[0], (size_t)size, o, &found, report);
    int result = found ? print_faults(code, report, o->json) : unknown_case(v, o->words[0]);
    rp_report_destroy(report);
    return result;
}

const verb verb_bench = {.name = "bench",
                         .words = "NAME|all",
                         .help = "benchmark a part of the program on this machine",
                         .more =
                             "Times are medians of several repeats. The limit is the rate that the "
                             "memory bandwidth or the\n"
                             "arithmetic of this machine, measured in the same run, would allow.\n",
                         VERB_OPTIONS(specs),
                         .choice = choice,
                         .min_words = 1,
                         .max_words = 1,
                         .run = run};
