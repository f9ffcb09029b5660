#include "solver/registry.h"

#include <string.h>

extern const rp_solver_type rp_dem_solver, rp_frictional_solver, rp_null_solver, rp_pcisph_solver;
extern const rp_param_table rp_dem_table, rp_frictional_table, rp_null_table, rp_pcisph_table;

static const rp_solver_type *const solvers[] = {
    &rp_frictional_solver,
    &rp_pcisph_solver,
    &rp_dem_solver,
    &rp_null_solver,
};

/* Their parameter tables, in the same order. */
static const rp_param_table *const methods[] = {
    &rp_frictional_table,
    &rp_pcisph_table,
    &rp_dem_table,
    &rp_null_table,
};

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

const rp_scene_schema *rp_solver_schema(void)
{
    static const rp_scene_schema schema = {.methods = methods, .method_count = COUNT};
    return &schema;
}
