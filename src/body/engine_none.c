/* A build without a rigid-body engine: nothing here is ever called but the first. */
#include "base/report.h"
#include "body/inside.h"

bool rp_engine_is_there(void)
{
    return false;
}

rp_code rp_engine_create(const rp_engine_host *host, const rp_body_state *states,
                         const uint8_t *broken, rp_engine **out, rp_report *report)
{
    (void)host, (void)states, (void)broken, (void)report;
    *out = NULL;
    return RP_ERROR_UNSUPPORTED;
}

void rp_engine_destroy(rp_engine *engine)
{
    RP_ASSERT(!engine);
}

void rp_engine_set_gravity(rp_engine *engine, const rp_gravity *gravity)
{
    (void)engine, (void)gravity;
}

rp_code rp_engine_begin(rp_engine *engine, const rp_body_state *states, double *rest_time,
                        double time, double dt, rp_report *report)
{
    (void)engine, (void)states, (void)rest_time, (void)time, (void)dt, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_engine_predict(rp_engine *engine, const rp_load *loads, rp_body_state *states,
                          rp_report *report)
{
    (void)engine, (void)loads, (void)states, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

rp_code rp_engine_finish(rp_engine *engine, rp_body_state *states, rp_report *report)
{
    (void)engine, (void)states, (void)report;
    return RP_ERROR_UNSUPPORTED;
}

bool rp_engine_joint_holds(const rp_engine *engine, int joint)
{
    (void)engine, (void)joint;
    return false;
}

void rp_engine_read_joint(rp_engine *engine, const rp_body_state *states, int joint,
                          double *position, double *rate)
{
    (void)engine, (void)states, (void)joint;
    *position = *rate = 0;
}

void rp_engine_release_joint(rp_engine *engine, int joint)
{
    (void)engine, (void)joint;
}

const uint8_t *rp_engine_broken(const rp_engine *engine)
{
    (void)engine;
    return NULL;
}

rp_mass rp_engine_mass(const rp_engine *engine, int body)
{
    (void)engine, (void)body;
    return (rp_mass){0};
}
