/* Every method, the default first: a line each. */
#define RP_SOLVERS(X)                                                                              \
    X(rp_frictional_solver)                                                                        \
    X(rp_pcisph_solver)                                                                            \
    X(rp_dem_solver)                                                                               \
    X(rp_null_solver)                                                                              \
    RP_EXTRA_SOLVERS(X)

/* Methods whose rooms are not in src/: a build names them on its command line. */
#ifndef RP_EXTRA_SOLVERS
#define RP_EXTRA_SOLVERS(X)
#endif

#include "solver/registry.h"

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
