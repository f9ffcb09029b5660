/* Shell completion, made from the verbs' own tables. */
#include "cli.h"

#include <string.h>

static void print_bash(void)
{
    printf("_repose() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words\n"
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
        if (strcmp(v->words, "SCENE") == 0)
            printf(" '$(repose help scenes 2>/dev/null | cut -d' ' -f1)'");
        printf("' ;;\n");
    }
    printf("        esac\n    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
           "complete -o default -F _repose repose\n");
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
            printf(" '*%s[%s]%s%s'", v->specs[j].name, v->specs[j].help,
                   v->specs[j].value ? ":" : "", v->specs[j].value ? v->specs[j].value : "");
        printf(" '*:file:_files' ;;\n");
    }
    printf("esac\n");
}

static void print_fish(void)
{
    for (int i = 0; i < verb_count(); i++) {
        const verb *v = verb_at(i);
        printf("complete -c repose -n __fish_use_subcommand -a %s -d '%s'\n", v->name, v->help);
        for (int j = 0; j < v->spec_count; j++)
            printf("complete -c repose -n '__fish_seen_subcommand_from %s' -l %s%s -d '%s'\n",
                   v->name, v->specs[j].name + 2, v->specs[j].value ? " -r" : "", v->specs[j].help);
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
        return say_usage(v, "no completion for '%s'; there are bash, zsh and fish", o->words[0]);
    return 0;
}

const verb verb_completion = {.name = "completion",
                              .words = "bash|zsh|fish",
                              .help = "print completion for a shell",
                              .more = "bash: eval \"$(repose completion bash)\"\n",
                              .choice = choice,
                              .min_words = 1,
                              .max_words = 1,
                              .run = run};
