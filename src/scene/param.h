/* Parameter tables: each parameter is declared once, with key, kind, unit, default, range and a
 * line of help. The scene reader fills structs from them, `repose help` prints them, the manual is
 * made from them, and the scene as run is written with them. */
#ifndef RP_SCENE_PARAM_H
#define RP_SCENE_PARAM_H

#include "repose/params.h"

#include <stddef.h>

/* What a value becomes at its offset, by its rp_param_kind:
 *   REAL           double, SI
 *   EACH           double[]: one number for all keys of `table`, which are numbers one after
 *                  another; or a map of some, the others have the default
 *   VEC3           rp_vec3, SI
 *   COUNT          int64_t
 *   SWITCH         bool
 *   WORD           int, its place in the list
 *   WORDS          uint32_t, a bit per word of the list
 *   TEXT, FILE     char *; of FILE absolute
 *   COLOUR         double[3], linear 0 to 1
 *   NAME           int, index of an entry; the section stands above in the table of the scene
 *   TABLE          a section of its own: the table is in `table`; the struct is inside
 *   PART           no key: the parameters of `table`, which several tables share
 *   OWN            no key: what methods add to the section `words` (such as "materials") by tables
 *                  of their own; void *, the struct of the method that the scene chose; NULL
 *                  where it adds nothing
 *   METHOD         a section with `method:` and the parameters of the method that it names
 *   NAMED          rp_named_list, a map of named entries, all by `table`
 *   LIST           rp_plain_list, a list of entries, all by `table` */

struct rp_param_table;

/* What is wrong with values that are each in their range. */
typedef struct rp_param_fault {
    const char *key; /* the one to blame; NULL: nothing is wrong */
    char text[256];
} rp_param_fault;

typedef struct rp_param {
    const char *key;
    rp_param_kind kind;
    size_t offset;      /* in the struct that the table fills */
    const char *unit;   /* SI unit that a bare number has: "m", "rad", "kg/m3", "" …  Angles are
                           written in degrees when bare: give "deg"; they are stored in radians. */
    const char *preset; /* the default, as a scene file would say it; NULL: must be given; "": may
                           be left out, and is zero then. Of NAMED: an entry that is there when no
                           other is. */
    double low, high;   /* allowed, inclusive, in the unit above; for VEC3 of each component.
                           Infinite values need an infinite bound; equal bounds: any finite one. */
    const char *words;  /* "a|b|c" for WORD and WORDS; section for NAME and OWN */
    const struct rp_param_table *table; /* for TABLE, NAMED, LIST and EACH */
    const char *help;                   /* one line */
    const char *also;                   /* other spellings of words and numbers, such as "block=box"
                                           or "rough=inf" */
} rp_param;

typedef struct rp_param_table {
    const char *name; /* for messages and help, such as "material" */
    const char *help; /* one line */
    size_t size;      /* of the struct */
    const rp_param *params;
    int count;
    /* Of the tables that methods add to sections: what ranges cannot say. `entry` is the struct of
     * the section, `values` that of this table. NULL: there is nothing more to check. */
    rp_param_fault (*check)(const void *entry, const void *values);
} rp_param_table;

/* A table of the struct `type` with the lines of `list`; further members may follow. */
#define RP_TABLE(type, list, name_, ...)                                                           \
    {                                                                                              \
        .name = name_, .size = sizeof(type), .params = list,                                       \
        .count = (int)(sizeof list / sizeof *list), .help = __VA_ARGS__                            \
    }

/* Lines of a table: the struct's type and member that a key fills, the key, and what its kind
 * needs. Bounds and units are those of rp_param. */
#define RP_KEY_REAL(type, member, name, unit_, preset_, low_, high_, help_)                        \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_REAL, .offset = offsetof(type, member), .unit = unit_,       \
        .preset = preset_, .low = low_, .high = high_, .help = help_                               \
    }
#define RP_KEY_VEC3(type, member, name, unit_, preset_, low_, high_, help_)                        \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_VEC3, .offset = offsetof(type, member), .unit = unit_,       \
        .preset = preset_, .low = low_, .high = high_, .help = help_                               \
    }
#define RP_KEY_COUNT(type, member, name, preset_, low_, high_, help_)                              \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_COUNT, .offset = offsetof(type, member), .preset = preset_,  \
        .low = low_, .high = high_, .help = help_                                                  \
    }
#define RP_KEY_SWITCH(type, member, name, preset_, help_)                                          \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_SWITCH, .offset = offsetof(type, member), .preset = preset_, \
        .help = help_                                                                              \
    }
#define RP_KEY_WORD(type, member, name, words_, preset_, help_)                                    \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_WORD, .offset = offsetof(type, member), .words = words_,     \
        .preset = preset_, .help = help_                                                           \
    }
#define RP_KEY_WORDS(type, member, name, words_, preset_, help_)                                   \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_WORDS, .offset = offsetof(type, member), .words = words_,    \
        .preset = preset_, .help = help_                                                           \
    }
#define RP_KEY_TEXT(type, member, name, preset_, help_)                                            \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_TEXT, .offset = offsetof(type, member), .preset = preset_,   \
        .help = help_                                                                              \
    }
#define RP_KEY_COLOUR(type, member, name, preset_, help_)                                          \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_COLOUR, .offset = offsetof(type, member), .preset = preset_, \
        .help = help_                                                                              \
    }
#define RP_KEY_NAME(type, member, name, section, preset_, help_)                                   \
    {                                                                                              \
        .key = name, .kind = RP_PARAM_NAME, .offset = offsetof(type, member), .words = section,    \
        .preset = preset_, .help = help_                                                           \
    }
#define RP_KEY_TABLE(kind_, type, member, name, preset_, table_, help_)                            \
    {                                                                                              \
        .key = name, .kind = kind_, .offset = offsetof(type, member), .preset = preset_,           \
        .table = &table_, .help = help_                                                            \
    }

/* Entries of a NAMED parameter in the order of the file: `count` structs of the table's size, one
 * after another. The first member of such a struct is always `char *name`. */
typedef struct rp_named_list {
    void *items;
    int count;
} rp_named_list;

typedef struct rp_plain_list {
    void *items;
    int count;
} rp_plain_list;

/* True for parameters that hold others. */
static inline bool rp_param_is_section(const rp_param *param)
{
    return param->kind == RP_PARAM_TABLE || param->kind == RP_PARAM_NAMED ||
           param->kind == RP_PARAM_LIST || param->kind == RP_PARAM_METHOD;
}
/* What stands between the key of a section and the keys inside: "bodies.NAME.", "keys[N].". */
static inline const char *rp_param_entry(const rp_param *section)
{
    return section->kind == RP_PARAM_NAMED  ? ".NAME."
           : section->kind == RP_PARAM_LIST ? "[N]."
                                            : ".";
}

/* help.c: the table as text, a line at a time, for the terminal or for the manual. Sections inside
 * come after the section that names them; methods are listed by the caller. `path` is put before
 * every key, such as "solver"; NULL for none. */
void rp_param_help(const rp_param_table *table, const char *path, rp_help_style style,
                   rp_line_fn *line, void *user);

#endif
