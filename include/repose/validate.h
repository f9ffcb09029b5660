/* Validation: cases that compare Repose with theory and experiments. Each case yields numbers with
 * limits and verdicts.
 *
 *     rp_validation_options options = rp_default_validation_options();
 *     options.folder = "/usr/share/repose/validation";
 *     rp_validation *validation;
 *     rp_code code = rp_validation_create(&options, &validation, report);
 *     rp_case_outcome outcome;
 *     if (code == RP_OK) code = rp_validation_run(validation, 0, &outcome);
 *     ...
 *     rp_validation_destroy(validation);
 */
#ifndef REPOSE_VALIDATE_H
#define REPOSE_VALIDATE_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rp_judgement {
    RP_JUDGE_NEAR,     /* |measured - expected| <= limit */
    RP_JUDGE_AT_MOST,  /* measured <= limit */
    RP_JUDGE_AT_LEAST, /* measured >= limit */
    RP_JUDGE_CONTROL   /* |measured - expected| > limit: the same check must miss */
} rp_judgement;

typedef struct rp_verdict {
    char what[160]; /* description of the number */
    rp_judgement judgement;
    double measured, expected, limit; /* expected: NaN when there is only a limit */
    char unit[24];
    bool ok; /* false when the number is NaN */
} rp_verdict;

/* Number, names and titles of the cases; NULL beyond the last. `all` stands for the first
 * rp_case_usual_count() of them; the others take long. */
RP_API int rp_case_count(void);
RP_API int rp_case_usual_count(void);
RP_API const char *rp_case_name(int index);
RP_API const char *rp_case_title(int index);
/* Returns whether a word names this case: by its name or, when no case has that name, as a group:
 * `dem` stands for all cases whose names begin with "dem-". */
RP_API bool rp_case_is_meant(int index, const char *word);

typedef struct rp_validation_options {
    size_t size;        /* set by rp_default_validation_options() */
    const char *folder; /* of the cases; required */
    int threads;        /* 0: one per core */
    bool quick;         /* the short form of long cases: fewer grains, looser limits */
    /* Receives progress messages of a case; may be NULL. */
    void (*say)(void *user, const char *name, const char *text);
    void *user;
} rp_validation_options;
RP_DEFAULTS(rp_validation_options, rp_default_validation_options)

/* Outcome of a case. Texts, verdicts and faults are valid until the validation is destroyed. */
typedef struct rp_case_outcome {
    const char *name;
    rp_code code;   /* RP_ERROR_FAILED when it ran and missed a limit */
    double seconds; /* wall-clock time */
    const rp_verdict *verdicts;
    int verdict_count;
    const char *notes;       /* lines of text */
    const rp_report *faults; /* why it could not run */
} rp_case_outcome;

/* The cases of one session, with their outcomes. */
typedef struct rp_validation rp_validation;
RP_API rp_code rp_validation_create(const rp_validation_options *options, rp_validation **out,
                                    rp_report *report);
RP_API void rp_validation_destroy(rp_validation *validation);
/* Runs a case, again if it was run before. Returns the code of the outcome; `outcome` may be NULL.
 */
RP_API rp_code rp_validation_run(rp_validation *validation, int index, rp_case_outcome *outcome);
/* Writes the outcomes so far as one page: *.html with texts, numbers and figures (which need
 * gnuplot), or *.md with the numbers only; numbers of other cases in an existing *.md file are
 * kept. */
RP_API rp_code rp_validation_write(const rp_validation *validation, const char *path,
                                   rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
