/* Validation cases: each runs a scene of its own folder and ends in numbers with limits and
 * verdicts. The limits stand here and in the case's README before anything is measured. */
#ifndef RP_VALIDATION_H
#define RP_VALIDATION_H

#include "repose/repose.h"

#define RP_VERDICTS_MAX 32

typedef struct rp_verdict {
    const char *case_name;
    const char *what; /* the number in words */
    double measured, expected;
    double limit; /* |measured - expected| may be this much */
    const char *unit;
    bool ok;
} rp_verdict;

typedef struct rp_case {
    const char *name; /* and the folder's name */
    rp_code (*run)(const char *folder, const rp_world_options *options, rp_verdict *verdicts,
                   int *count, rp_report *report);
} rp_case;

int rp_case_count(void);
const rp_case *rp_case_at(int index);

/* Judges: |measured - expected| <= limit. */
rp_verdict rp_judge(const char *case_name, const char *what, double measured, double expected,
                    double limit, const char *unit);
/* The case's own scene, FOLDER/NAME/scene.yaml. */
rp_code rp_case_scene(const char *folder, const char *name, rp_scene **out, rp_report *report);

#endif
