/* Grids in frames: a group each, "grids/NAME", with the values as one array, whose attributes say
 * where the nodes are. A frame of a view without grids has no such group. */
#include "base/memory.h"
#include "base/report.h"
#include "record/frame.h"
#include "record/limits.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

#define GROUP "grids"
#define VALUES "/values"
#define PATH_MAX_LENGTH (sizeof GROUP + sizeof VALUES + RP_GRID_NAME_MAX + 1)

static const char *const size_names[3] = {"size_x", "size_y", "size_z"};
static const char *const spacing_names[3] = {"spacing_x", "spacing_y", "spacing_z"};
static const char *const origin_names[3] = {"origin_x", "origin_y", "origin_z"};

size_t rp_frame_grid_bytes(const rp_view *view)
{
    size_t bytes = 0;
    for (int i = 0; i < view->grid_count; i++)
        bytes += rp_grid_count(&view->grids[i]) * sizeof(float);
    return bytes;
}

static void put_grid(rp_sealed_writer *file, const rp_grid *grid)
{
    char path[PATH_MAX_LENGTH];
    snprintf(path, sizeof path, GROUP "/%s" VALUES, grid->name);
    rp_sealed_put(file, path, grid->unit, RP_F32, grid->values, rp_grid_count(grid), 1);
    rp_sealed_note_text(file, path, "kind", rp_grid_kind_names[grid->kind]);
    rp_sealed_note_u64(file, path, "material", grid->material);
    for (int a = 0; a < 3; a++) {
        rp_sealed_note_u64(file, path, size_names[a], grid->size[a]);
        rp_sealed_note_f64(file, path, spacing_names[a], grid->spacing[a]);
        rp_sealed_note_f64(file, path, origin_names[a], grid->origin[a]);
    }
}

void rp_frame_put_grids(rp_sealed_writer *file, const rp_view *view)
{
    if (!view->grid_count) return;
    rp_sealed_put_u64(file, "grid_count", (uint64_t)view->grid_count);
    for (int i = 0; i < view->grid_count; i++)
        put_grid(file, &view->grids[i]);
}

static rp_code damaged(const char *path, const char *key, const char *what, rp_report *report)
{
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_DAMAGED, &place, key, "%s", what);
}

static rp_code get_kind(const rp_sealed_reader *file, const char *path, const char *array,
                        rp_grid_kind *kind, rp_report *report)
{
    char word[RP_SEALED_TEXT];
    RP_TRY(rp_sealed_noted_text(file, array, "kind", word, report));
    for (int i = 0; i < RP_GRID_KINDS; i++)
        if (strcmp(word, rp_grid_kind_names[i]) == 0) {
            *kind = (rp_grid_kind)i;
            return RP_OK;
        }
    return damaged(path, array, "the kind of the grid is unknown", report);
}

/* Where the nodes are; limits have been checked, what they make together has not. */
static rp_code get_geometry(const rp_sealed_reader *file, const char *array, rp_grid *grid,
                            rp_report *report)
{
    rp_code code = RP_OK;
    for (int a = 0; a < 3 && code == RP_OK; a++) {
        uint64_t size = 0;
        code = rp_sealed_noted_u64(file, array, size_names[a], &size, report);
        if (code == RP_OK)
            code = rp_sealed_noted_f64(file, array, spacing_names[a], &grid->spacing[a], report);
        if (code == RP_OK)
            code = rp_sealed_noted_f64(file, array, origin_names[a], &grid->origin[a], report);
        grid->size[a] = (size_t)size;
    }
    return code;
}

/* A height is a place: it has the limits of one. */
static rp_code check_heights(const char *path, const char *array, const rp_grid *grid,
                             rp_report *report)
{
    rp_limits range = rp_limits_of("z");
    size_t count = rp_grid_count(grid);
    if (grid->kind != RP_GRID_HEIGHT ||
        rp_limits_leave(&range, RP_F32, grid->values, count) == count)
        return RP_OK;
    return damaged(path, array, "a height is out of reach", report);
}

static rp_code get_grid(const rp_sealed_reader *file, const char *path, const rp_store_entry *entry,
                        rp_grid *grid, rp_report *report)
{
    char array[PATH_MAX_LENGTH];
    uint64_t material = 0;
    snprintf(array, sizeof array, GROUP "/%s" VALUES, grid->name);
    *grid = (rp_grid){.name = grid->name, .unit = entry->unit, .values = entry->data};
    if (entry->type != RP_F32) return damaged(path, array, "the array has the wrong type", report);
    RP_TRY(get_kind(file, path, array, &grid->kind, report));
    RP_TRY(rp_sealed_noted_u64(file, array, "material", &material, report));
    if (material > UINT8_MAX)
        RP_TRY(damaged(path, array, "the grid has an impossible material", report));
    RP_TRY(get_geometry(file, array, grid, report));
    grid->material = (uint8_t)material;
    const char *fault = rp_grid_fault(grid);
    if (!fault && rp_grid_count(grid) != entry->count)
        fault = "the array's length is not the number of nodes";
    if (fault) return damaged(path, array, fault, report);
    return check_heights(path, array, grid, report);
}

/* The NAME of "NAME/values"; false for any other path. */
static bool take_name(const char *path, rp_grid_name name)
{
    const char *slash = strchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (!slash || strcmp(slash, VALUES) != 0 || length > RP_GRID_NAME_MAX) return false;
    memcpy(name, path, length);
    name[length] = 0;
    return rp_grid_is_name(name);
}

static rp_code list_grids(const rp_sealed_reader *file, const char *path, rp_frame_file *frame,
                          rp_report *report)
{
    size_t count = frame->grid_store.count;
    frame->grids = rp_allocate_zero(count * sizeof *frame->grids);
    frame->grid_names = rp_allocate_zero(count * sizeof *frame->grid_names);
    if (!frame->grids || !frame->grid_names)
        return rp_fail_memory(report, count * sizeof *frame->grids, path);
    frame->view.grids = frame->grids;
    frame->view.grid_count = (int)count;
    rp_code code = RP_OK;
    for (size_t i = 0; i < count && code == RP_OK; i++) {
        const rp_store_entry *entry = &frame->grid_store.entries[i];
        if (!take_name(entry->name, frame->grid_names[i]))
            return damaged(path, GROUP, "a grid has an impossible name", report);
        frame->grids[i].name = frame->grid_names[i];
        code = get_grid(file, path, entry, &frame->grids[i], report);
    }
    return code;
}

rp_code rp_frame_get_grids(const rp_sealed_reader *file, const char *path, rp_frame_file *frame,
                           rp_report *report)
{
    uint64_t count = 0;
    if (!rp_sealed_has_fact(file, "grid_count")) return RP_OK;
    RP_TRY(rp_sealed_get_u64(file, "grid_count", &count, report));
    RP_TRY(rp_sealed_get_group(file, GROUP, RP_SEALED_ANY, &frame->grid_store, report));
    if (count != frame->grid_store.count || count > RP_GRIDS_MAX)
        return damaged(path, "grid_count", "not as many grids as the file holds", report);
    return list_grids(file, path, frame, report);
}
