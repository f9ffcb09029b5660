/* Results, reports and hooks: what every other header of Repose builds on.
 *
 * A function that can fail returns an rp_code and takes an rp_report, to which it adds faults with
 * evidence: file, line, key, what was found, what is allowed. A report may be NULL; then only the
 * code is returned. The library never prints and never exits; messages go through the hooks. NULL
 * for any other required argument is RP_ERROR_INPUT; functions that return no code then return 0 or
 * NULL, or do nothing.
 *
 * Structs of options and definitions come from rp_default_...(), which also sets their first
 * member, `size`, so that a program built against an older, shorter struct keeps working. A struct
 * of zeros is refused.
 *
 * docs/guide/library.md describes threads, fork, rounding modes, traps, signals and stack sizes.
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

/* Declares a function `name` that returns the defaults of a struct. The struct is allocated by the
 * program and filled by the library, so it has the size of the version that the program was built
 * with. */
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

/* Result of a call. The exit codes of the program correspond to these (`repose help exit-codes`).
 */
typedef enum rp_code {
    RP_OK = 0,
    RP_ERROR_INPUT,       /* a scene, an option or an argument is invalid */
    RP_ERROR_MEMORY,      /* memory ran out, or would */
    RP_ERROR_IO,          /* a file or folder could not be read or written */
    RP_ERROR_SPACE,       /* the disk is full */
    RP_ERROR_DAMAGED,     /* a recorded file is truncated or was changed */
    RP_ERROR_NUMERIC,     /* a value of the simulation is not finite or out of range */
    RP_ERROR_UNSUPPORTED, /* not supported by this build or this solver */
    RP_ERROR_FAILED,      /* a measured number missed its limit */
    RP_INTERRUPTED        /* stopped on request; everything is saved */
} rp_code;

/* Returns a short text for a code, such as "bad input". */
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

/* A list of faults. It stores the first hundred and counts the rest. */
typedef struct rp_report rp_report;

RP_API rp_report *rp_report_create(void);
RP_API void rp_report_destroy(rp_report *report);
RP_API void rp_report_clear(rp_report *report);
/* Number of faults stored, and number of faults added. */
RP_API int rp_report_count(const rp_report *report);
RP_API int rp_report_total(const rp_report *report);
/* Returns fault number `index`; borrowed until the report changes. */
RP_API const rp_fault *rp_report_fault(const rp_report *report, int index);
/* Adds a copy of a fault, as the library does, and returns its code; NULL texts are empty ones. A
 * NULL report or fault changes nothing. */
RP_API rp_code rp_report_add(rp_report *report, const rp_fault *fault);
/* Writes one fault as text ("file:line:column: key: message", then the excerpt with a caret) and
 * returns the length it has or would have, as snprintf does. */
RP_API int rp_fault_text(const rp_fault *fault, char *text, size_t size);

typedef enum rp_level { RP_LOG_DEBUG, RP_LOG_INFO, RP_LOG_WARNING } rp_level;

/* Functions that the host program may replace. Set them before any object is created, or after all
 * are destroyed. By default memory comes from the C library, the log is discarded, and a failed
 * assertion is printed. */
typedef struct rp_hooks {
    size_t size; /* set by rp_default_hooks() */
    void *user;  /* passed to every hook */
    /* `alignment` is a power of two, 4096 at most; `size` is a multiple of it. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *block, size_t size);
    void (*log)(void *user, rp_level level, const char *message);
    /* A programmer's mistake. When it returns, the library aborts. */
    void (*assert_failed)(void *user, const char *condition, const char *file, int line);
} rp_hooks;

RP_DEFAULTS(rp_hooks, rp_default_hooks)
/* NULL changes nothing. An invalid `size` is RP_ERROR_INPUT and changes nothing. */
RP_API rp_code rp_set_hooks(const rp_hooks *hooks);

/* Source of scenes, meshes and animations that is asked before the disk: a host program may have
 * its files in memory or in an archive, and a program in a web page has no disk. `read` returns the
 * bytes of the file, or NULL when it has no such file; they must not change until `release`, which
 * may be NULL. A file may be read several times. */
typedef struct rp_file_reader {
    void *user; /* passed to both functions */
    const void *(*read)(void *user, const char *path, size_t *size);
    void (*release)(void *user, const void *bytes, size_t size);
} rp_file_reader;

/* Must not be called while another call runs. NULL: read from disk only. */
RP_API void rp_set_file_reader(const rp_file_reader *reader);

/* Type of the values of an array. */
typedef enum rp_field_type { RP_F32, RP_F64, RP_U8, RP_U16, RP_U32, RP_U64 } rp_field_type;

/* Returns the size of one value, bytes. */
RP_API size_t rp_field_type_size(rp_field_type type);

/* Memory allocated through the hooks. */
typedef struct rp_memory_use {
    size_t bytes;      /* allocated now */
    size_t peak_bytes; /* maximum since the start */
    uint64_t calls;    /* allocations since the start */
} rp_memory_use;
RP_API rp_memory_use rp_memory_now(void);

/* Lets a host program run the tasks of Repose on its own threads: `run` calls task(argument, i)
 * once for each i < tasks, in any order, on any thread, and returns when all are done. */
typedef struct rp_executor {
    void *user;
    int threads; /* how many tasks may run at once */
    void (*run)(void *user, int tasks, void (*task)(void *argument, int index), void *argument);
} rp_executor;

/* Return "0.1.0", and a line about the build: compiler, libraries, missing parts. */
RP_API const char *rp_version(void);
RP_API const char *rp_build_text(void);
/* Returns the instruction set of the kernels: "AVX-512", "AVX2", "SSE2", "NEON" or "scalar". */
RP_API const char *rp_instructions_text(void);

#ifdef __cplusplus
}
#endif
#endif
