/* Validation: cases that compare Repose with theory and experiment. Each ends in numbers with
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
    char what[160]; /* the number in words */
    rp_judgement judgement;
    double measured, expected, limit; /* expected: NaN where there is only a limit */
    char unit[24];
    bool ok; /* never when the number is none */
} rp_verdict;

/* The cases there are; NULL beyond the last. The first rp_case_usual_count() of them are what `all`
 * means, the others take long. */
RP_API int rp_case_count(void);
RP_API int rp_case_usual_count(void);
RP_API const char *rp_case_name(int index);
RP_API const char *rp_case_title(int index);
/* Whether a word means this case: its name, or where no case has that name the group of all whose
 * names begin with it and a dash, such as `dem` for dem-pair. */
RP_API bool rp_case_is_meant(int index, const char *word);

typedef struct rp_validation_options {
    size_t size;        /* set by rp_default_validation_options() */
    const char *folder; /* that the cases are in; must be given */
    int threads;        /* 0: one per core */
    bool quick;         /* the short form of long cases: fewer grains, looser limits */
    /* How a case says how far it has come; may be NULL. */
    void (*say)(void *user, const char *name, const char *text);
    void *user;
} rp_validation_options;
RP_DEFAULTS(rp_validation_options, rp_default_validation_options)

/* What became of a case. Texts, verdicts and faults are good until the validation is destroyed. */
typedef struct rp_case_outcome {
    const char *name;
    rp_code code;   /* RP_ERROR_FAILED when it ran and missed a limit */
    double seconds; /* on the wall */
    const rp_verdict *verdicts;
    int verdict_count;
    const char *notes;       /* lines */
    const rp_report *faults; /* why it could not run */
} rp_case_outcome;

/* The cases of one session, with what became of them. */
typedef struct rp_validation rp_validation;
RP_API rp_code rp_validation_create(const rp_validation_options *options, rp_validation **out,
                                    rp_report *report);
RP_API void rp_validation_destroy(rp_validation *validation);
/* Runs a case; one that was run already is run again. Gives the outcome's code; `outcome` may be
 * NULL. */
RP_API rp_code rp_validation_run(rp_validation *validation, int index, rp_case_outcome *outcome);
/* What was run so far as one page: *.html with texts, numbers and figures (these need gnuplot), or
 * *.md with the numbers alone, where those of other cases in the file stay. */
RP_API rp_code rp_validation_write(const rp_validation *validation, const char *path,
                                   rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
