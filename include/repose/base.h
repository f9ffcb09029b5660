/* Results, reports and hooks: what every other header of Repose builds on.
 *
 * A function that can fail returns an rp_code and takes an rp_report, to which it adds faults with
 * their evidence: file, line, key, what was found, what is allowed. A report may be NULL: then only
 * the code is left. The library never prints and never exits; what it wants to say goes through the
 * hooks. NULL for anything else that is needed is RP_ERROR_INPUT; functions without a code give 0,
 * NULL or nothing.
 *
 * Structs of options and definitions come from rp_default_...(), which also sets their first
 * member, `size`: so a program built against an older, shorter struct goes on working. Zeros alone
 * are refused.
 *
 * docs/guide/library.md says what a host program may do with threads, fork,
 * rounding modes, traps, signals and small stacks.
 */
#ifndef REPOSE_BASE_H
#define REPOSE_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RP_API __attribute__((visibility("default")))
#define RP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RP_API
#define RP_PRINTF(text, first)
#endif

/* Declares a function `name` that gives the defaults of a struct. The struct is made in the program
 * and filled by the library, so it has the size of the version that the program was built for. */
#define RP_DEFAULTS(type, name)                                                                    \
    RP_API void name##_fill(type *options, size_t size);                                           \
    static inline type name(void)                                                                  \
    {                                                                                              \
        type options;                                                                              \
        name##_fill(&options, sizeof options);                                                     \
        return options;                                                                            \
    }

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. The program's exit codes follow from these (see `repose help exit-codes`).
 */
typedef enum rp_code {
    RP_OK = 0,
    RP_ERROR_INPUT,       /* a scene, an option or an argument is not allowed */
    RP_ERROR_MEMORY,      /* memory ran out, or would */
    RP_ERROR_IO,          /* a file or folder could not be read or written */
    RP_ERROR_SPACE,       /* the disk is full */
    RP_ERROR_DAMAGED,     /* a recorded file is truncated or was changed */
    RP_ERROR_NUMERIC,     /* the simulation left the numbers that make sense */
    RP_ERROR_UNSUPPORTED, /* this build or solver cannot do what was asked */
    RP_ERROR_FAILED,      /* a measured number missed its limit */
    RP_INTERRUPTED        /* stopped on request; everything is saved */
} rp_code;

/* A short word for a code, such as "bad input". */
RP_API const char *rp_code_text(rp_code code);

/* One mistake, with evidence. Texts are never NULL; they are empty when there is nothing to say. */
typedef struct rp_fault {
    rp_code code;
    const char *file; /* where it was found: a path, or a flag such as "--set" */
    int line;         /* from 1; 0 when there is no line */
    int column;       /* from 1; 0 when there is no column */
    const char *key;  /* the parameter, field or object, as a path such as materials.sand.angle */
    const char *message; /* what was found, what is allowed, what to do */
    const char *excerpt; /* the line of the file, or empty */
} rp_fault;

/* A list of faults. It keeps the first hundred and counts the rest. */
typedef struct rp_report rp_report;

RP_API rp_report *rp_report_create(void);
RP_API void rp_report_destroy(rp_report *report);
RP_API void rp_report_clear(rp_report *report);
/* How many faults are kept, and how many there were. */
RP_API int rp_report_count(const rp_report *report);
RP_API int rp_report_total(const rp_report *report);
/* Fault number `index`; borrowed until the report changes. */
RP_API const rp_fault *rp_report_fault(const rp_report *report, int index);
/* Adds a copy of a fault, as the library does, and returns its code; NULL texts are empty ones. A
 * NULL report or fault changes nothing. */
RP_API rp_code rp_report_add(rp_report *report, const rp_fault *fault);
/* Writes one fault as text ("file:line:column: key: message", then the excerpt with a caret) and
 * returns the length it has or would have, as snprintf does. */
RP_API int rp_fault_text(const rp_fault *fault, char *text, size_t size);

typedef enum rp_level { RP_LOG_DEBUG, RP_LOG_INFO, RP_LOG_WARNING } rp_level;

/* What the host program may take over. Set before anything is created, or after all is destroyed.
 * By default memory comes from the C library, the log is dropped, and a failed assertion is
 * printed. */
typedef struct rp_hooks {
    size_t size; /* set by rp_default_hooks() */
    void *user;  /* handed to every hook */
    /* `alignment` is a power of two, 4096 at most; `size` is a multiple of it. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *block, size_t size);
    void (*log)(void *user, rp_level level, const char *message);
    /* A programmer's mistake. When it returns, the library aborts. */
    void (*assert_failed)(void *user, const char *condition, const char *file, int line);
} rp_hooks;

RP_DEFAULTS(rp_hooks, rp_default_hooks)
/* NULL changes nothing; so does a `size` that is not allowed, which is RP_ERROR_INPUT. */
RP_API rp_code rp_set_hooks(const rp_hooks *hooks);

/* Where scenes, meshes and animations are read from before they are looked for on the disk: a host
 * program may have its files in memory or in an archive, and a program on a web page has no disk at
 * all. `read` gives the bytes of the file of that name, or NULL when there is none; they stay as
 * they are until `release`, which may be NULL. A file may be read several times. */
typedef struct rp_file_reader {
    void *user; /* handed to both */
    const void *(*read)(void *user, const char *path, size_t *size);
    void (*release)(void *user, const void *bytes, size_t size);
} rp_file_reader;

/* Set while no other call runs. NULL: from the disk alone. */
RP_API void rp_set_file_reader(const rp_file_reader *reader);

/* What the values of an array are. */
typedef enum rp_field_type { RP_F32, RP_F64, RP_U8, RP_U16, RP_U32, RP_U64 } rp_field_type;

/* Bytes of one value. */
RP_API size_t rp_field_type_size(rp_field_type type);

/* Memory taken through the hooks. */
typedef struct rp_memory_use {
    size_t bytes;      /* held now */
    size_t peak_bytes; /* held at most since the start */
    uint64_t calls;    /* allocations since the start */
} rp_memory_use;
RP_API rp_memory_use rp_memory_now(void);

/* A host program may run Repose's tasks on its own threads: `run` calls task(argument, i) once for
 * each i below `tasks`, in any order, on any threads, and returns when all are done. */
typedef struct rp_executor {
    void *user;
    int threads; /* how many tasks may run at once */
    void (*run)(void *user, int tasks, void (*task)(void *argument, int index), void *argument);
} rp_executor;

/* "0.1.0", and a line on how it was built: compiler, libraries, what is missing. */
RP_API const char *rp_version(void);
RP_API const char *rp_build_text(void);
/* The instruction set that kernels run with here: "AVX-512", "AVX2", "SSE2", "NEON" or "scalar". */
RP_API const char *rp_instructions_text(void);

#ifdef __cplusplus
}
#endif
#endif
