/* The registry: all methods, their names and parameter tables, and the public functions that read
 * scenes, which need the tables of all methods. */

/* Every method, the default first: a line each. */
#define RP_SOLVERS(X)                                                                              \
    X(rp_frictional_solver)                                                                        \
    X(rp_pcisph_solver)                                                                            \
    X(rp_dem_solver)                                                                               \
    X(rp_null_solver)                                                                              \
    RP_EXTRA_SOLVERS(X)

/* Methods outside of src/: a build names them on its command line. */
#ifndef RP_EXTRA_SOLVERS
#define RP_EXTRA_SOLVERS(X)
#endif

#include "solver/registry.h"
#include "base/report.h"

#include <string.h>

#define DECLARE(type) extern const rp_solver_type type;
RP_SOLVERS(DECLARE)

#define ADDRESS(type) &type,
static const rp_solver_type *const solvers[] = {RP_SOLVERS(ADDRESS)};

#define COUNT ((int)(sizeof solvers / sizeof *solvers))

int rp_solver_count(void)
{
    return COUNT;
}

const rp_solver_type *rp_solver_at(int index)
{
    return index >= 0 && index < COUNT ? solvers[index] : NULL;
}

const rp_solver_type *rp_solver_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(solvers[i]->name, name) == 0) return solvers[i];
    return NULL;
}

static const rp_scene_method *method_at(int index)
{
    return &solvers[index]->scene;
}

const rp_scene_schema *rp_solver_schema(void)
{
    static const rp_scene_schema schema = {.method_at = method_at, .method_count = COUNT};
    return &schema;
}

/* --- names, help and parameters of all methods --- */

int rp_method_count(void)
{
    return rp_solver_schema()->method_count;
}

static const rp_param_table *params_at(int index)
{
    const rp_scene_schema *schema = rp_solver_schema();
    return index >= 0 && index < schema->method_count ? schema->method_at(index)->params : NULL;
}

const char *rp_method_name(int index)
{
    const rp_param_table *method = params_at(index);
    return method ? method->name : NULL;
}

const char *rp_method_help(int index)
{
    const rp_param_table *method = params_at(index);
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

/* --- the public functions that make scenes: the reader of scene/ with the tables of all methods
 * --- */

/* Checks the settings of the public function of that name. */
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
