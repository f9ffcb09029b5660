#include "cli.h"

static const option_spec specs[] = {
    {"--json", NULL, NULL, OPTION_FLAG, offsetof(options, json), "as one JSON object"},
};

static void print_missing(void)
{
    if (!rp_picture_can_write_png())
        printf("missing:      pictures (install libpng-dev and build again)\n");
    if (!rp_plot_can()) printf("missing:      plots (install gnuplot-nox)\n");
}

static int run(const verb *v, const options *o)
{
    (void)v;
    if (o->json) {
        printf("{\"version\": \"%s\", \"build\": ", rp_version());
        print_json_text(stdout, rp_build_text());
        printf(", \"instructions\": \"%s\", \"pictures\": %s, \"plots\": %s}\n",
               rp_instructions_text(), rp_picture_can_write_png() ? "true" : "false",
               rp_plot_can() ? "true" : "false");
        return 0;
    }
    printf("repose %s\n", rp_version());
    printf("build:        %s\n", rp_build_text());
    printf("instructions: %s\n", rp_instructions_text());
    printf("methods:     ");
    for (int i = 0; i < rp_method_count(); i++)
        printf(" %s", rp_method_name(i));
    printf("\n");
    print_missing();
    return 0;
}

const verb verb_version = {.name = "version",
                           .words = "",
                           .help = "what this is, how it was built, what is missing",
                           VERB_OPTIONS(specs),
                           .run = run};
