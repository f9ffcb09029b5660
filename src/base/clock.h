/* Time on the wall, and stop watches that add up the stages of a step. */
#ifndef RP_BASE_CLOCK_H
#define RP_BASE_CLOCK_H

#include <stdint.h>

/* Seconds from some fixed moment, never going back. */
double rp_clock(void);

typedef struct rp_timer {
    double total; /* s */
    uint64_t calls;
    double started; /* s, on rp_clock */
} rp_timer;

static inline void rp_timer_start(rp_timer *timer)
{
    timer->started = rp_clock();
}

static inline void rp_timer_stop(rp_timer *timer)
{
    timer->total += rp_clock() - timer->started;
    timer->calls++;
}

#endif
