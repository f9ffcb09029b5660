/* Any bytes as a mesh file: nothing breaks, a refusal has a message, and a mesh that is accepted is
 * a solid whose tree finds what a search finds. The first byte chooses the format. */
#include "base/memory.h"
#include "geom/mesh_file.h"
#include "geom/tree.h"

#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_mesh(const rp_mesh *mesh)
{
    require(mesh->triangle_count >= 4 && rp_mesh_volume(mesh) > 0);
    require(rp_mesh_check(mesh, "fuzz", NULL) == RP_OK);
    rp_mesh_tree *tree;
    require(rp_mesh_tree_create(mesh, &tree, NULL) == RP_OK);
    for (int i = 0; i < 4; i++) {
        size_t slow, quick;
        rp_vec3 at =
            rp_v3_madd(mesh->bounds.low, 0.3 * i, rp_v3_sub(mesh->bounds.high, mesh->bounds.low));
        rp_mesh_nearest(mesh, at, &slow);
        rp_mesh_tree_nearest(tree, mesh, at, INFINITY, &quick);
        require(slow == quick);
        rp_mesh_tree_winding(tree, mesh, at);
    }
    rp_mesh_tree_destroy(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rp_mesh_reader *const readers[] = {rp_mesh_read_obj, rp_mesh_read_stl, rp_mesh_read_ply};
    if (size < 1) return 0;
    rp_report *report = rp_report_create();
    rp_mesh_bytes bytes = {
        .name = "fuzz", .data = (const char *)data + 1, .size = size - 1, .scale = 1};
    rp_mesh *mesh = NULL;
    rp_code code = rp_mesh_read_bytes(readers[data[0] % 3], &bytes, &mesh, report);
    require((code == RP_OK) == (mesh != NULL));
    require((code == RP_OK) == (rp_report_count(report) == 0));
    for (int i = 0; i < rp_report_count(report); i++)
        require(rp_report_fault(report, i)->message[0] != 0);
    if (mesh) check_mesh(mesh);
    rp_mesh_destroy(mesh);
    rp_report_destroy(report);
    require(rp_memory_now().bytes == 0);
    return 0;
}
