/* The parameters of scenes: every key that a scene file may have, with kind, unit, default, range
 * and a line of help, and the methods of solving there are. Help, completion, sliders of a viewer
 * and documentation can be made from it.
 *
 *     rp_param_list *list = rp_param_list_create();
 *     for (int i = 0; i < rp_param_list_count(list); i++)
 *         printf("%s: %s\n", rp_param_list_at(list, i)->path, rp_param_list_at(list, i)->help);
 *     rp_param_list_destroy(list);
 */
#ifndef REPOSE_PARAMS_H
#define REPOSE_PARAMS_H

#include "repose/words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a value is written in a scene. */
typedef enum rp_param_kind {
    RP_PARAM_REAL,   /* 5, 5 mm, 30 deg */
    RP_PARAM_EACH,   /* 5, or {left: 5}: one number for all of `words`, or a map of some */
    RP_PARAM_VEC3,   /* [0, 0, 1 m] */
    RP_PARAM_COUNT,  /* 12 */
    RP_PARAM_SWITCH, /* yes / no, true / false */
    RP_PARAM_WORD,   /* one of `words` */
    RP_PARAM_WORDS,  /* [vtp, ply]: some of `words` */
    RP_PARAM_TEXT,   /* any text */
    RP_PARAM_FILE,   /* a path, relative to the file that names it */
    RP_PARAM_COLOUR, /* [0.8, 0.7, 0.5], #c8b080 or a name */
    RP_PARAM_NAME,   /* the name of an entry of the section `words`, such as "materials" */
    /* Sections, which hold other parameters: not among those of a list. */
    RP_PARAM_TABLE,  /* a map */
    RP_PARAM_PART,   /* no key: what several tables share */
    RP_PARAM_OWN,    /* no key: what methods add to the section `words` */
    RP_PARAM_METHOD, /* a map with `method:` and the parameters of the method that it names */
    RP_PARAM_NAMED,  /* a map of named entries */
    RP_PARAM_LIST    /* a list of entries */
} rp_param_kind;

typedef struct rp_param_info {
    const char *path;         /* "time.duration", "bodies.NAME.keys[N].time", "solver.tolerance" */
    const char *key;          /* the last part of it */
    const char *section;      /* all but the last part, such as "bodies.NAME"; "" at the top */
    const char *section_help; /* one line on the section */
    const char *method;       /* the only method of solving that knows it; NULL: all do */
    rp_param_kind kind;
    const char *unit;   /* of bare numbers: "m", "deg", "" … */
    const char *preset; /* the default, as a scene would say it; "": none; NULL: must be given */
    double low, high;   /* allowed, in `unit`, of each number; equal: any finite one */
    const char *words;  /* "a|b|c", or the section of a NAME; "" where there are none */
    const char *also;   /* other spellings: "block=box|cube=box"; "" where there are none */
    const char *help;   /* one line */
    bool can_change;    /* it may be changed while a world runs */
} rp_param_info;

typedef struct rp_param_list rp_param_list;
/* All parameters of all sections, then those of each method. NULL when memory runs out. */
RP_API rp_param_list *rp_param_list_create(void);
RP_API void rp_param_list_destroy(rp_param_list *list);
RP_API int rp_param_list_count(const rp_param_list *list);
/* Borrowed until the list is destroyed; NULL beyond the last. */
RP_API const rp_param_info *rp_param_list_at(const rp_param_list *list, int index);
/* The parameter of that path, with any name in the place of NAME and any number in that of N:
 * "materials.sand.angle". `method` says of which method where several know it; NULL: the first. */
RP_API const rp_param_info *rp_param_list_find(const rp_param_list *list, const char *path,
                                               const char *method);

/* The methods of solving that `solver: method:` may name; the first is the default. NULL beyond the
 * last. */
RP_API int rp_method_count(void);
RP_API const char *rp_method_name(int index);
RP_API const char *rp_method_help(int index);

/* The same as text: help on all of a scene, or on one section such as "bodies" or "solver".
 * RP_ERROR_INPUT, with a suggestion, when there is no such section. `section` may be NULL: all. */
typedef enum rp_help_style { RP_HELP_TEXT, RP_HELP_MARKDOWN } rp_help_style;
RP_API rp_code rp_scene_help(const char *section, rp_help_style style, rp_line_fn *line, void *user,
                             rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
