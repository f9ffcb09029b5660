/* Any bytes as a mesh or animation file: nothing breaks, a refusal has a message, and a mesh that
 * is accepted is a solid whose BVH finds what a search finds, and that can be weighed, prepared
 * and sampled. The first byte chooses the format. */
#include "base/memory.h"
#include "geom/mass.h"
#include "geom/samples.h"
#include "mesh/bvh.h"
#include "meshfile/meshfile.h"

#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_bvh(const rp_mesh *mesh)
{
    for (int i = 0; i < 4; i++) {
        size_t slow, quick;
        rp_vec3 at =
            rp_v3_madd(mesh->bounds.low, 0.3 * i, rp_v3_sub(mesh->bounds.high, mesh->bounds.low));
        rp_mesh_nearest(mesh, at, &slow);
        rp_mesh_bvh_nearest(mesh->bvh, mesh, at, INFINITY, &quick);
        require(slow == quick);
        rp_mesh_bvh_winding(mesh->bvh, mesh, at);
    }
}

static void check_mesh(rp_mesh *mesh)
{
    require(mesh->triangle_count >= 4 && rp_mesh_check(mesh, "fuzz", NULL) == RP_OK);
    rp_vec3 size = rp_v3_sub(mesh->bounds.high, mesh->bounds.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    rp_shape shape = {.kind = RP_SHAPE_MESH, .mesh = mesh};
    rp_mass mass;
    rp_samples samples = {0};
    require(rp_mesh_prepare(mesh, longest / 8, NULL, NULL) == RP_OK);
    check_bvh(mesh);
    rp_shape_mass(&shape, 1, &mass);
    require(mass.mass > 0 && isfinite(mass.mass + rp_v3_length(mass.centre) + mass.inertia[0]));
    rp_shape_sample(&shape, longest / 2, NULL, &samples, NULL);
    rp_samples_release(&samples);
}

static rp_code read_animation(const rp_mesh_bytes *bytes, rp_report *report)
{
    rp_animation_key *keys;
    int count;
    rp_code code = rp_gltf_animation_read_bytes(bytes, NULL, &keys, &count, report);
    require((code == RP_OK) == (keys != NULL));
    for (int i = 0; i < count; i++)
        require(isfinite(rp_v3_length(keys[i].position)) &&
                (i == 0 || keys[i].time > keys[i - 1].time));
    rp_gltf_animation_release(keys, count);
    return code;
}

static rp_code read_mesh(rp_mesh_reader *reader, const rp_mesh_bytes *bytes, rp_report *report)
{
    rp_mesh *mesh = NULL;
    rp_code code = rp_mesh_read_bytes(reader, bytes, &mesh, report);
    require((code == RP_OK) == (mesh != NULL));
    if (mesh) check_mesh(mesh);
    rp_mesh_destroy(mesh);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rp_mesh_reader *const readers[] = {rp_mesh_read_obj, rp_mesh_read_stl, rp_mesh_read_ply,
                                              rp_mesh_read_off, rp_mesh_read_gltf};
    if (size < 1) return 0;
    rp_report *report = rp_report_create();
    rp_mesh_bytes bytes = {
        .name = "fuzz", .data = (const char *)data + 1, .size = size - 1, .scale = 1};
    int format = data[0] % 6;
    rp_code code =
        format < 5 ? read_mesh(readers[format], &bytes, report) : read_animation(&bytes, report);
    require((code == RP_OK) == (rp_report_count(report) == 0));
    for (int i = 0; i < rp_report_count(report); i++)
        require(rp_report_fault(report, i)->message[0] != 0);
    rp_report_destroy(report);
    require(rp_memory_now().bytes == 0);
    return 0;
}
