/* What can be asked of all methods of solving at once: their names and parameters. */
#include "base/entry.h"
#include "solver/registry.h"

int rp_method_count(void)
{
    return rp_solver_schema()->method_count;
}

static const rp_param_table *method_at(int index)
{
    const rp_scene_schema *schema = rp_solver_schema();
    return index >= 0 && index < schema->method_count ? schema->method_at(index)->params : NULL;
}

const char *rp_method_name(int index)
{
    const rp_param_table *method = method_at(index);
    return method ? method->name : NULL;
}

const char *rp_method_help(int index)
{
    const rp_param_table *method = method_at(index);
    return method ? method->help : NULL;
}

rp_param_list *rp_param_list_create(void)
{
    return rp_param_list_create_with(rp_solver_schema());
}

rp_code rp_scene_help(const char *section, rp_help_style style, rp_line_fn *line, void *user,
                      rp_report *report)
{
    RP_NEED(line, report);
    return rp_scene_help_with(rp_solver_schema(), section, style, line, user, report);
}
