/* Scenes for everybody: the reader of scene/, with the solvers' parameter tables. */
#include "solver/registry.h"

#include <string.h>

rp_code rp_scene_load(const char *path, const rp_setting *settings, int setting_count,
                      rp_scene **out, rp_report *report)
{
    return rp_scene_read(path, settings, setting_count, rp_solver_schema(), out, report);
}

rp_code rp_scene_parse(const char *text, const char *name, rp_scene **out, rp_report *report)
{
    return rp_scene_read_text(text, strlen(text), name, NULL, 0, rp_solver_schema(), out, report);
}

rp_code rp_draft_finish(rp_draft *draft, rp_scene **out, rp_report *report)
{
    return rp_draft_finish_with(draft, rp_solver_schema(), out, report);
}
