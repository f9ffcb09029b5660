#include "view/grid.h"
#include "base/report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *const rp_grid_kind_names[RP_GRID_KINDS] = {
    [RP_GRID_VALUES] = "values", [RP_GRID_HEIGHT] = "height"};

const rp_grid *rp_view_grid(const rp_view *view, const char *name)
{
    if (!view || !name) return NULL;
    for (int i = 0; i < view->grid_count; i++)
        if (strcmp(view->grids[i].name, name) == 0) return &view->grids[i];
    return NULL;
}

size_t rp_grid_count(const rp_grid *grid)
{
    return grid->size[0] * grid->size[1] * grid->size[2];
}

bool rp_grid_is_name(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_') return false;
    return length > 0 && length <= RP_GRID_NAME_MAX;
}

/* More nodes than memory holds; products of sizes stay far from overflowing. */
#define NODES_MAX ((size_t)1 << 40)

static bool are_sizes_possible(const size_t size[3])
{
    size_t left = NODES_MAX;
    for (int a = 0; a < 3; a++) {
        if (size[a] == 0 || size[a] > left) return false;
        left /= size[a];
    }
    return true;
}

const char *rp_grid_fault(const rp_grid *grid)
{
    if (!grid->name || !rp_grid_is_name(grid->name))
        return "its name is not made of 1 to 48 letters, digits, - and _";
    if ((unsigned)grid->kind >= RP_GRID_KINDS) return "its kind is unknown";
    if (!are_sizes_possible(grid->size)) return "its size is impossible";
    if (grid->kind == RP_GRID_HEIGHT && grid->size[2] != 1)
        return "a height field has one layer of nodes";
    for (int a = 0; a < 3; a++)
        if (!(grid->spacing[a] > 0 && isfinite(grid->spacing[a])) || !isfinite(grid->origin[a]))
            return "its spacing is not above zero, or its origin is nowhere";
    return NULL;
}

static rp_code check_grid(const rp_view *view, int index, rp_report *report)
{
    const rp_grid *grid = &view->grids[index];
    const char *name = grid->name ? grid->name : "", *fault = rp_grid_fault(grid);
    if (!fault && (!grid->values || !grid->unit)) fault = "it has no values or no unit";
    if (!fault && rp_view_grid(view, name) != grid) fault = "another grid has its name";
    if (fault) return rp_fail(report, RP_ERROR_INPUT, "grid '%s': %s", name, fault);
    size_t count = rp_grid_count(grid);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(grid->values[i]))
            return rp_fail(report, RP_ERROR_NUMERIC, "grid '%s': value %zu is %g", name, i,
                           (double)grid->values[i]);
    return RP_OK;
}

rp_code rp_grids_check(const rp_view *view, rp_report *report)
{
    if (view->grid_count < 0 || view->grid_count > RP_GRIDS_MAX ||
        (view->grid_count && !view->grids))
        return rp_fail(report, RP_ERROR_INPUT, "the view has %d grids; 0 to %d are allowed",
                       view->grid_count, RP_GRIDS_MAX);
    rp_code code = RP_OK;
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = check_grid(view, i, report);
    return code;
}

rp_vec3 rp_grid_point(const rp_grid *grid, size_t i, size_t j, size_t k)
{
    double z = grid->kind == RP_GRID_HEIGHT ? (double)grid->values[j * grid->size[0] + i]
                                            : (double)k * grid->spacing[2];
    return rp_v3(grid->origin[0] + (double)i * grid->spacing[0],
                 grid->origin[1] + (double)j * grid->spacing[1], grid->origin[2] + z);
}

/*     c---d     Both triangles of a cell turn counter-clockwise, seen from above. The diagonal
 *     |\  |     changes from cell to cell like a chess board, so that slopes have no grain.
 *     | \ |
 *     a---b  */
static void add_cell(rp_mesh *mesh, const rp_grid *grid, size_t i, size_t j, bool *ok)
{
    uint32_t a = (uint32_t)(j * grid->size[0] + i), b = a + 1, c = a + (uint32_t)grid->size[0],
             d = c + 1;
    if ((i + j) % 2) {
        rp_mesh_add_triangle(mesh, a, b, d, ok);
        rp_mesh_add_triangle(mesh, a, d, c, ok);
    } else {
        rp_mesh_add_triangle(mesh, a, b, c, ok);
        rp_mesh_add_triangle(mesh, b, d, c, ok);
    }
}

rp_code rp_grid_mesh(const rp_grid *grid, rp_mesh **out, rp_report *report)
{
    RP_ASSERT(grid->kind == RP_GRID_HEIGHT && grid->size[2] == 1);
    *out = NULL;
    size_t count = rp_grid_count(grid);
    if (count > RP_MESH_MOST / 2)
        return rp_fail(report, RP_ERROR_UNSUPPORTED, "grid '%s' has too many nodes for a mesh",
                       grid->name);
    rp_mesh *mesh = rp_mesh_create();
    bool ok = mesh != NULL;
    for (size_t j = 0; j < grid->size[1]; j++)
        for (size_t i = 0; i < grid->size[0] && ok; i++)
            rp_mesh_add_vertex(mesh, rp_grid_point(grid, i, j, 0), &ok);
    for (size_t j = 0; j + 1 < grid->size[1]; j++)
        for (size_t i = 0; i + 1 < grid->size[0] && ok; i++)
            add_cell(mesh, grid, i, j, &ok);
    if (ok) {
        *out = mesh;
        return RP_OK;
    }
    rp_mesh_destroy(mesh);
    return rp_fail_memory(report, count * sizeof(rp_vec3), "the surface of a grid");
}
