/* Parameter tables: each parameter is declared once, with key, kind, unit, default, range and a
 * line of help. The scene reader fills structs from them, `repose help` prints them, the manual is
 * made from them, and the scene as run is written with them. */
#ifndef RP_SCENE_PARAM_H
#define RP_SCENE_PARAM_H

#include <stddef.h>

/* How a value is written, and what it becomes at its offset. */
typedef enum rp_param_kind {
    RP_PARAM_REAL,   /* 5, 5 mm, 30 deg         double, SI */
    RP_PARAM_EACH,   /* 5, or {left: 5}         double[]: one number for all keys of `table`, which
                        are numbers one after another; or a map of some, the others have the
                        default */
    RP_PARAM_VEC3,   /* [0, 0, 1 m]             rp_vec3, SI */
    RP_PARAM_COUNT,  /* 12                      int64_t */
    RP_PARAM_SWITCH, /* yes / no, true / false  bool */
    RP_PARAM_WORD,   /* one of `words`          int, its place in the list */
    RP_PARAM_WORDS,  /* [vtp, ply]              uint32_t, a bit per word of the list */
    RP_PARAM_TEXT,   /* any text                char * */
    RP_PARAM_FILE,   /* a path                  char *, absolute; relative to the naming file */
    RP_PARAM_COLOUR, /* [0.8, 0.7, 0.5], #c8b080 or a name     double[3], linear 0 to 1 */
    RP_PARAM_NAME,   /* an entry of the section `words` (such as "materials")   int, its index;
                        the section stands above in the table of the scene */
    RP_PARAM_TABLE,  /* a section of its own: the table is in `table`; the struct is inside */
    RP_PARAM_PART,   /* no key: the parameters of `table`, which several tables share */
    RP_PARAM_OWN,    /* no key: what methods add to the section `words` (such as "materials") by
                        tables of their own      void *, the struct of the method that the scene
                        chose; NULL where it adds nothing */
    RP_PARAM_METHOD, /* a section with `method:` and the parameters of the method that it names */
    RP_PARAM_NAMED,  /* a map of named entries, all by `table`     rp_named_list */
    RP_PARAM_LIST    /* a list of entries, all by `table`          rp_plain_list */
} rp_param_kind;

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

/* help.c: the table as text, a line at a time, for the terminal or for the manual. Sections inside
 * come after the section that names them; methods are listed by the caller. `path` is put before
 * every key, such as "solver"; NULL for none. */
typedef enum rp_help_style { RP_HELP_TEXT, RP_HELP_MARKDOWN } rp_help_style;
typedef void rp_help_line(void *user, const char *line);
void rp_param_help(const rp_param_table *table, const char *path, rp_help_style style,
                   rp_help_line *line, void *user);

#endif
