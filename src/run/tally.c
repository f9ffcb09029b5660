/* How long the steps of a run were and why. Solvers give a handful of reasons; should there be
 * more than there is room for, the last place counts the rest. */
#include "run/run.h"

#include <math.h>
#include <string.h>

typedef struct rp_step_reason step_reason;

static step_reason *find_reason(rp_step_tally *tally, const char *reason)
{
    for (int i = 0; i < tally->reason_count; i++)
        if (strcmp(tally->reasons[i].reason, reason) == 0) return &tally->reasons[i];
    if (tally->reason_count == RP_STEP_REASONS) {
        tally->reasons[RP_STEP_REASONS - 1].reason = "other reasons";
        return &tally->reasons[RP_STEP_REASONS - 1];
    }
    step_reason *fresh = &tally->reasons[tally->reason_count++];
    *fresh = (step_reason){.reason = reason};
    return fresh;
}

void rp_tally_add(rp_step_tally *tally, double dt, const char *reason)
{
    tally->shortest = tally->steps ? fmin(tally->shortest, dt) : dt;
    tally->longest = fmax(tally->longest, dt);
    tally->steps++;
    tally->mean += (dt - tally->mean) / (double)tally->steps;
    find_reason(tally, reason)->steps++;
}

void rp_tally_sort(rp_step_tally *tally)
{
    for (int i = 1; i < tally->reason_count; i++)
        for (int k = i; k > 0 && tally->reasons[k].steps > tally->reasons[k - 1].steps; k--) {
            step_reason moved = tally->reasons[k];
            tally->reasons[k] = tally->reasons[k - 1];
            tally->reasons[k - 1] = moved;
        }
}
