/* Help on verbs and topics, and the manual page. The scene keys come from the tables of the scene
 * reader. */
#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const option_spec specs[] = {
    {"--markdown", NULL, NULL, OPTION_FLAG, offsetof(options, markdown),
     "print the scene keys as Markdown"},
};

/* The list of scenes begins with a typical one and ends with one whose grains do not interact. */
#define FIRST_SCENE "column-collapse"
#define LAST_SCENE "first-fall"

static void print_overview(void)
{
    printf("repose: simulate sand and other granular material\n\n"
           "  repose run " FIRST_SCENE "           simulate a scene\n"
           "  repose render runs/" FIRST_SCENE "   make a film of it\n\nverbs:\n");
    for (int i = 0; i < verb_count(); i++)
        printf("  %-11s %s\n", verb_at(i)->name, verb_at(i)->help);
    printf("\n`repose help VERB` explains a verb; other topics: scene, scenes, units, "
           "exit-codes, manual\n");
}

#define HELP_COLUMNS 96 /* width of option tables */
#define HELP_INDENT 25  /* column at which their texts begin */

/* Prints a text from column `at` on, wrapped at HELP_COLUMNS; further lines begin at HELP_INDENT.
 */
static void print_wrapped(const char *text, int at)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > HELP_INDENT && at + 1 + length > HELP_COLUMNS) {
            printf("\n%*s", HELP_INDENT, "");
            at = HELP_INDENT;
        }
        at += printf("%s%.*s", at > HELP_INDENT ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

/* Prints a name and its text as a row of a table; a long name gets a line of its own. */
static void print_row(const char *name, const char *text)
{
    if (strlen(name) + 3 > HELP_INDENT)
        printf("  %s\n%*s", name, HELP_INDENT, "");
    else
        printf("  %-*s", HELP_INDENT - 2, name);
    print_wrapped(text, HELP_INDENT);
}

/* Prints the words that may follow the verb, with a line about each where there is one. */
static void print_choices(const verb *v)
{
    char list[2048] = "";
    if (!v->choice) return;
    printf("\nchoices:\n");
    for (int i = 0; v->choice(i); i++) {
        size_t used = strlen(list);
        if (v->choice_help)
            print_row(v->choice(i), v->choice_help(i));
        else
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", v->choice(i));
    }
    if (!list[0]) return;
    printf("%*s", HELP_INDENT, "");
    print_wrapped(list, HELP_INDENT);
}

static void print_verb(const verb *v)
{
    printf("repose %s %s%s\n\n%s\n", v->name, v->words, v->spec_count ? " [OPTIONS]" : "", v->help);
    if (v->more) printf("\n%s", v->more);
    print_choices(v);
    if (v->spec_count) printf("\noptions:\n");
    for (int i = 0; i < v->spec_count; i++) {
        const option_spec *spec = &v->specs[i];
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s%s", spec->alias ? spec->alias : "",
                 spec->alias ? ", " : "", spec->name, spec->value ? " " : "",
                 spec->value ? spec->value : "");
        print_row(name, spec->help);
    }
}

static void print_help_line(void *user, const char *line)
{
    (void)user;
    puts(line);
}

static const char scene_page[] =
    "# Scene files\n\n"
    "A scene is one YAML document. Bare numbers are in SI units (angles in degrees); any number "
    "may\n"
    "carry a unit: `5 mm`, `30 deg`, `1.5 g/cm3`, `2 kPa`, `60 rpm`. Entries of `materials`,\n"
    "`sources`, `voids`, `emitters`, `bodies`, `joints`, `moisture`, `measurements`, "
    "`cameras` and `lamps`\n"
    "have names, which "
    "`--set` and other entries use. `include: other.yaml` (or a list) includes other files, "
    "relative to this\n"
    "one; maps are merged key by key, and values of this file take precedence. `--set "
    "key.path=value`\n"
    "overrides both; indices of lists count from 0: `--set bodies.plate.keys[0].time=2s`. The "
    "value\n"
    "`~` resets a key to its default, or removes a named entry. `repose check SCENE` lists all "
    "mistakes\n"
    "at once.\n\n"
    "This page is generated from the tables of the scene reader: `make docs`.\n";

static int print_scene_help(const char *section, bool markdown)
{
    if (markdown && !section) puts(scene_page);
    rp_help_style style = markdown ? RP_HELP_MARKDOWN : RP_HELP_TEXT;
    rp_report *report = rp_report_create();
    rp_code code = rp_scene_help(section, style, print_help_line, NULL, report);
    int result = print_faults(code, report, false);
    rp_report_destroy(report);
    return result;
}

static int print_units(void)
{
    puts("A number in a scene may carry a unit: 5 mm, 30 deg, 1.5 g/cm3, 9.81 m/s^2. Units may be\n"
         "joined by blanks, slashes and powers. Bare numbers are in the first unit of each line;\n"
         "angles and angular velocities are in degrees.\n");
    rp_unit_help(print_help_line, NULL);
    return 0;
}

/* Sort key: the first scene, the others by name, the last scene. */
static int rank_of_scene(const char *name)
{
    if (strcmp(name, FIRST_SCENE ".yaml") == 0) return 0;
    return strcmp(name, LAST_SCENE ".yaml") == 0 ? 2 : 1;
}

static int by_rank(const struct dirent **a, const struct dirent **b)
{
    int difference = rank_of_scene((*a)->d_name) - rank_of_scene((*b)->d_name);
    return difference ? difference : alphasort(a, b);
}

static int print_scenes(void)
{
    const char *folder = data_folder("scenes");
    struct dirent **entries = NULL;
    int count = folder ? scandir(folder, &entries, NULL, by_rank) : 0;
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && strcmp(dot, ".yaml") == 0) {
            char path[4096];
            rp_scene *scene = NULL;
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            rp_scene_load(path, NULL, 0, &scene, NULL);
            *dot = 0;
            printf("%-16s %s\n", entries[i]->d_name,
                   scene ? plain(rp_scene_title(scene)) : "(broken)");
            rp_scene_destroy(scene);
        }
        free(entries[i]);
    }
    free(entries);
    if (count <= 0) printf("there are no bundled scenes\n");
    return 0;
}

static int print_exit_codes(void)
{
    static const struct {
        int code;
        const char *meaning;
    } rows[] = {
        {0, "success"},
        {1, "a validation case missed its limit"},
        {2, "bad input: a scene, an option or a word on the command line"},
        {3, "not enough memory"},
        {4, "a file or folder could not be read or written"},
        {5, "the disk is full"},
        {6, "a recorded file is damaged"},
        {7, "the simulation became unstable: a number is not finite or out of range"},
        {8, "not supported by this build or by this method"},
        {130, "stopped by Ctrl-C; everything is saved"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%4d  %s\n", rows[i].code, rows[i].meaning);
    return 0;
}

/* Prints the manual page, in the man macros. */
static int print_manual(void)
{
    printf(".TH REPOSE 1 \"\" \"repose %s\"\n.SH NAME\nrepose \\- simulate sand and other granular "
           "material\n.SH SYNOPSIS\n.B repose\n.I VERB\n[\\fIWORDS\\fR] [\\fIOPTIONS\\fR]\n"
           ".SH VERBS\n",
           rp_version());
    for (int i = 0; i < verb_count(); i++) {
        const verb *v = verb_at(i);
        printf(".SS \"%s %s\"\n%s.\n", v->name, v->words, v->help);
        if (v->more) printf(".PP\n%s", v->more);
        for (int j = 0; j < v->spec_count; j++)
            printf(".TP\n\\fB%s%s%s\\fR %s\n%s\n", v->specs[j].alias ? v->specs[j].alias : "",
                   v->specs[j].alias ? ", " : "", v->specs[j].name,
                   v->specs[j].value ? v->specs[j].value : "", v->specs[j].help);
    }
    printf(".SH \"EXIT CODES\"\n.nf\n");
    print_exit_codes();
    printf(".fi\n.SH \"SCENE FILES\"\n.nf\n");
    print_scene_help(NULL, false);
    printf(".fi\n");
    return 0;
}

static const char *const topics[] = {"scene", "scenes", "units", "exit-codes", "manual"};
#define TOPICS ((int)(sizeof topics / sizeof *topics))

/* Topics, then verbs. */
static const char *choice(int index)
{
    if (index < TOPICS) return topics[index];
    return index - TOPICS < verb_count() ? verb_at(index - TOPICS)->name : NULL;
}

static int unknown_topic(const char *word)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && choice(count)) {
        names[count] = choice(count);
        count++;
    }
    return print_unknown_word(&verb_help, "no help on", word, names, count);
}

static int run(const verb *v, const options *o)
{
    (void)v;
    const char *topic = o->word_count ? o->words[0] : NULL;
    if (!topic) {
        print_overview();
        return 0;
    }
    const verb *asked = verb_find(topic);
    if (asked) {
        print_verb(asked);
        return 0;
    }
    if (strcmp(topic, "scene") == 0)
        return print_scene_help(o->word_count > 1 ? o->words[1] : NULL, o->markdown);
    if (strcmp(topic, "scenes") == 0) return print_scenes();
    if (strcmp(topic, "units") == 0) return print_units();
    if (strcmp(topic, "exit-codes") == 0) return print_exit_codes();
    if (strcmp(topic, "manual") == 0) return print_manual();
    return unknown_topic(topic);
}

const verb verb_help = {
    .name = "help",
    .words = "[TOPIC]",
    .help = "help on a verb or topic",
    .more = "Topics: any verb; scene (all keys of a scene file; `help scene materials` for one\n"
            "section); scenes (bundled scenes); units; exit-codes; manual (the manual page in man "
            "format).\n"
            "Bundled scenes are found beside the program or below its prefix; the environment "
            "variable\n"
            "REPOSE_DATA names another folder that holds `scenes` and `validation`.\n",
    VERB_OPTIONS(specs),
    .choice = choice,
    .min_words = 0,
    .max_words = 2,
    .run = run};
