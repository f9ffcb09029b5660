/* All solvers: registry.c has the list. The same file has the public functions that read scenes,
 * since these need the parameter tables of all methods. */
#ifndef RP_SOLVER_REGISTRY_H
#define RP_SOLVER_REGISTRY_H

#include "solver/solver.h"

/* The first is the default method. */
int rp_solver_count(void);
const rp_solver_type *rp_solver_at(int index);
const rp_solver_type *rp_solver_find(const char *name); /* NULL when unknown */
const rp_scene_schema *rp_solver_schema(void);

#endif
