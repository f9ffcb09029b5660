#include "validation/validation.h"

#include <math.h>
#include <stdio.h>

extern const rp_case rp_case_free_flight, rp_case_bounce;

static const rp_case *const cases[] = {
    &rp_case_free_flight,
    &rp_case_bounce,
};

#define COUNT ((int)(sizeof cases / sizeof *cases))

int rp_case_count(void)
{
    return COUNT;
}

const rp_case *rp_case_at(int index)
{
    return index >= 0 && index < COUNT ? cases[index] : NULL;
}

rp_verdict rp_judge(const char *case_name, const char *what, double measured, double expected,
                    double limit, const char *unit)
{
    return (rp_verdict){
        case_name, what, measured, expected, limit, unit, fabs(measured - expected) <= limit};
}

rp_code rp_case_scene(const char *folder, const char *name, rp_scene **out, rp_report *report)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/scene.yaml", folder, name);
    return rp_scene_load(path, NULL, 0, out, report);
}
