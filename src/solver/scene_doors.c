/* The public functions that make scenes: the reader of scene/ with the tables of all methods. */
#include "base/entry.h"
#include "solver/registry.h"

#include <string.h>

rp_code rp_scene_load(const char *path, const rp_setting *settings, int setting_count,
                      rp_scene **out, rp_report *report)
{
    RP_NEED(path, report);
    RP_NEED(out, report);
    RP_ENTER();
    for (int i = 0; i < setting_count; i++) {
        RP_NEED(settings, report);
        RP_NEED(settings[i].key, report);
        RP_NEED(settings[i].value, report);
    }
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

rp_code rp_draft_finish(rp_draft *draft, rp_scene **out, rp_report *report)
{
    if (!out) rp_draft_destroy(draft);
    RP_NEED(out, report);
    RP_ENTER();
    return rp_draft_finish_with(draft, rp_solver_schema(), out, report);
}
