/* Shell completion, generated from the option tables of the verbs. */
#include "cli.h"

#include <string.h>

/* Shell command that lists the scene keys for --set: "time.duration=". It contains no single quote,
 * since it is printed inside single quotes. */
static const char list_keys[] =
    "repose help scene 2>/dev/null | sed -n \"s/^  \\([a-z_.]*\\)$/\\1=/p\"";

/* Whether the help of an option lists all its values: "draft|good|final". Words in capitals are
 * placeholders. */
static bool has_choices(const option_spec *spec)
{
    return spec->value && strchr(spec->value, '|') &&
           !(spec->value[0] >= 'A' && spec->value[0] <= 'Z');
}

/* Prints the values, separated by blanks. */
static void print_choices(const option_spec *spec)
{
    for (const char *c = spec->value; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

static bool takes_scene(const verb *v)
{
    return strcmp(v->words, "SCENE") == 0;
}

/* Prints the cases that complete the value of an option. */
static void print_bash_values(void)
{
    printf("    case \"$verb $before\" in\n");
    for (int i = 0; i < verb_count(); i++)
        for (int j = 0; j < verb_at(i)->spec_count; j++) {
            const option_spec *spec = &verb_at(i)->specs[j];
            if (!has_choices(spec)) continue;
            printf("    '%s %s'", verb_at(i)->name, spec->name);
            if (spec->alias) printf(" | '%s %s'", verb_at(i)->name, spec->alias);
            printf(") words='");
            print_choices(spec);
            printf("' ;;\n");
        }
    printf("    *' --set') words=$(%s); compopt -o nospace ;;\n    esac\n", list_keys);
}

static void print_bash(void)
{
    printf("_repose() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words\n"
           "    local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    for (int i = 0; i < verb_count(); i++)
        printf("%s%s", i ? " " : "", verb_at(i)->name);
    printf("'\n    else\n        case $verb in\n");
    for (int i = 0; i < verb_count(); i++) {
        const verb *v = verb_at(i);
        printf("        %s) words='", v->name);
        for (int j = 0; j < v->spec_count; j++)
            printf("%s%s", j ? " " : "", v->specs[j].name);
        for (int j = 0; v->choice && v->choice(j); j++)
            printf(" %s", v->choice(j));
        if (takes_scene(v)) printf(" '$(repose help scenes 2>/dev/null | cut -d' ' -f1)'");
        printf("' ;;\n");
    }
    printf("        esac\n    fi\n");
    print_bash_values();
    printf("    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
           "complete -o default -F _repose repose\n");
}

static void print_zsh_option(const option_spec *spec)
{
    printf(" '*%s[%s]", spec->name, spec->help);
    if (spec->value) printf(":%s", has_choices(spec) ? "value" : spec->value);
    if (has_choices(spec)) {
        printf(":(");
        print_choices(spec);
        printf(")");
    } else if (spec->kind == OPTION_SET) {
        printf(":($(%s))", list_keys);
    } else if (spec->kind == OPTION_TEXT) {
        printf(":_files");
    }
    printf("'");
}

static void print_zsh_words(const verb *v)
{
    if (takes_scene(v)) {
        printf(" \"*:scene:($(repose help scenes 2>/dev/null | cut -d' ' -f1))\"");
    } else if (v->choice) {
        printf(" '*:word:(");
        for (int i = 0; v->choice(i); i++)
            printf("%s%s", i ? " " : "", v->choice(i));
        printf(")'");
    }
    printf(" '*:file:_files'");
}

static void print_zsh(void)
{
    printf("#compdef repose\nlocal -a verbs\nverbs=(\n");
    for (int i = 0; i < verb_count(); i++)
        printf("    '%s:%s'\n", verb_at(i)->name, verb_at(i)->help);
    printf(")\nif (( CURRENT == 2 )); then\n    _describe 'verb' verbs\n    return\nfi\n"
           "case $words[2] in\n");
    for (int i = 0; i < verb_count(); i++) {
        const verb *v = verb_at(i);
        printf("%s) _arguments", v->name);
        for (int j = 0; j < v->spec_count; j++)
            print_zsh_option(&v->specs[j]);
        print_zsh_words(v);
        printf(" ;;\n");
    }
    printf("esac\n");
}

static void print_fish_option(const verb *v, const option_spec *spec)
{
    printf("complete -c repose -n '__fish_seen_subcommand_from %s' -l %s%s -d '%s'", v->name,
           spec->name + 2, spec->value ? " -r" : "", spec->help);
    if (has_choices(spec)) {
        printf(" -f -a '");
        print_choices(spec);
        printf("'");
    } else if (spec->kind == OPTION_SET) {
        printf(" -f -a '(%s)'", list_keys);
    }
    printf("\n");
}

static void print_fish(void)
{
    for (int i = 0; i < verb_count(); i++) {
        const verb *v = verb_at(i);
        printf("complete -c repose -n __fish_use_subcommand -a %s -d '%s'\n", v->name, v->help);
        for (int j = 0; j < v->spec_count; j++)
            print_fish_option(v, &v->specs[j]);
        for (int j = 0; v->choice && v->choice(j); j++)
            printf("complete -c repose -n '__fish_seen_subcommand_from %s' -a %s\n", v->name,
                   v->choice(j));
        if (takes_scene(v))
            printf("complete -c repose -n '__fish_seen_subcommand_from %s' -a '(repose help scenes "
                   "2>/dev/null | cut -d\" \" -f1)'\n",
                   v->name);
    }
}

static const char *choice(int index)
{
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    return shells[index];
}

static int run(const verb *v, const options *o)
{
    if (strcmp(o->words[0], "bash") == 0)
        print_bash();
    else if (strcmp(o->words[0], "zsh") == 0)
        print_zsh();
    else if (strcmp(o->words[0], "fish") == 0)
        print_fish();
    else
        return print_usage_error(v, "no completion for '%s'; there are bash, zsh and fish",
                                 o->words[0]);
    return 0;
}

const verb verb_completion = {.name = "completion",
                              .words = "bash|zsh|fish",
                              .help = "print completion code for a shell",
                              .more = "bash: eval \"$(repose completion bash)\"\n",
                              .choice = choice,
                              .min_words = 1,
                              .max_words = 1,
                              .run = run};
