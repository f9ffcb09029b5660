/* The public functions that make scenes: the reader of scene/ with the tables of all methods. */
#include "base/entry.h"
#include "solver/registry.h"

#include <string.h>

/* In the name of the public function that was called. */
static rp_code check_settings(const rp_setting *settings, int setting_count, const char *function,
                              rp_report *report)
{
    for (int i = 0; i < setting_count; i++) {
        if (!settings) return rp_fail_null(report, function, "settings");
        if (!settings[i].key) return rp_fail_null(report, function, "settings[i].key");
        if (!settings[i].value) return rp_fail_null(report, function, "settings[i].value");
    }
    return RP_OK;
}

rp_code rp_scene_load(const char *path, const rp_setting *settings, int setting_count,
                      rp_scene **out, rp_report *report)
{
    RP_NEED(path, report);
    RP_NEED(out, report);
    RP_ENTER();
    RP_TRY(check_settings(settings, setting_count, __func__, report));
    return rp_scene_read(path, settings, setting_count, rp_solver_schema(), out, report);
}

rp_code rp_scene_parse(const char *text, const char *name, rp_scene **out, rp_report *report)
{
    RP_NEED(text, report);
    RP_NEED(out, report);
    RP_ENTER();
    return rp_scene_read_text(text, strlen(text), name ? name : "", NULL, 0, rp_solver_schema(),
                              out, report);
}

rp_code rp_scene_parse_with(const char *text, size_t size, const char *name,
                            const rp_setting *settings, int setting_count, rp_scene **out,
                            rp_report *report)
{
    RP_NEED(text, report);
    RP_NEED(out, report);
    RP_ENTER();
    RP_TRY(check_settings(settings, setting_count, __func__, report));
    return rp_scene_read_text(text, size, name ? name : "", settings, setting_count,
                              rp_solver_schema(), out, report);
}

rp_code rp_draft_finish(rp_draft *draft, rp_scene **out, rp_report *report)
{
    if (!out) rp_draft_destroy(draft);
    RP_NEED(out, report);
    RP_ENTER();
    return rp_draft_finish_with(draft, rp_solver_schema(), out, report);
}
