/* Mesh files that are not read by ourselves, through Assimp's C interface. The library keeps single
 * precision and names no lines.
 *
 * Transforms of nodes are worked in here, in double precision, rather than by Assimp's own step,
 * which fails on files that hold a part without faces. */
#include "base/log.h"
#include "geom/mesh_file.h"

#ifdef RP_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#define DEEPEST_NODE 1000

/* What is being read, and what came of it so far. */
typedef struct reading {
    const char *path;
    const struct aiScene *scene;
    rp_mesh *mesh;
    double scale;
    size_t left_out; /* points and lines */
    bool ok;         /* memory lasts */
    bool sound;      /* indices lie inside their arrays */
} reading;

typedef struct affine {
    rp_mat3 turn;
    rp_vec3 shift;
} affine;

bool rp_mesh_can_read(void)
{
    return true;
}

static affine affine_of(const struct aiMatrix4x4 *m)
{
    return (affine){{{{m->a1, m->a2, m->a3}, {m->b1, m->b2, m->b3}, {m->c1, m->c2, m->c3}}},
                    {m->a4, m->b4, m->c4}};
}

/* First `inner`, then `outer`. */
static affine affine_after(affine outer, affine inner)
{
    return (affine){rp_m3_mul(outer.turn, inner.turn),
                    rp_v3_add(rp_m3_apply(outer.turn, inner.shift), outer.shift)};
}

static void take_triangle(reading *r, const struct aiFace *face, uint32_t first, bool mirrored)
{
    uint32_t a = first + face->mIndices[0], b = first + face->mIndices[1],
             c = first + face->mIndices[2];
    rp_mesh_add_triangle(r->mesh, a, mirrored ? c : b, mirrored ? b : c, &r->ok);
}

static void take_part(reading *r, const struct aiMesh *part, affine place)
{
    uint32_t first = (uint32_t)r->mesh->vertex_count;
    for (unsigned i = 0; i < part->mNumVertices && r->ok; i++) {
        const struct aiVector3D *v = &part->mVertices[i];
        rp_vec3 at = rp_v3_add(rp_m3_apply(place.turn, rp_v3(v->x, v->y, v->z)), place.shift);
        rp_mesh_add_vertex(r->mesh, rp_v3_scale(at, r->scale), &r->ok);
    }
    /* A mirror image runs around its faces the other way. */
    bool mirrored = rp_m3_det(place.turn) < 0;
    for (unsigned f = 0; f < part->mNumFaces && r->ok && r->sound; f++) {
        const struct aiFace *face = &part->mFaces[f];
        for (unsigned i = 0; i < face->mNumIndices; i++)
            r->sound = r->sound && face->mIndices[i] < part->mNumVertices;
        if (face->mNumIndices != 3)
            r->left_out++;
        else if (r->sound)
            take_triangle(r, face, first, mirrored);
    }
}

static void take_node(reading *r, const struct aiNode *node, affine above, int depth)
{
    affine place = affine_after(above, affine_of(&node->mTransformation));
    for (unsigned i = 0; i < node->mNumMeshes; i++)
        take_part(r, r->scene->mMeshes[node->mMeshes[i]], place);
    if (depth == DEEPEST_NODE) r->sound = false;
    for (unsigned i = 0; i < node->mNumChildren && r->ok && r->sound; i++)
        take_node(r, node->mChildren[i], place, depth + 1);
}

static rp_code collect(reading *r, rp_report *report)
{
    rp_place place = {.file = r->path};
    affine still = {rp_m3_identity(), {0, 0, 0}};
    take_node(r, r->scene->mRootNode, still, 0);
    if (!r->ok)
        return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
    if (!r->sound)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: faces name vertices that are not there");
    if (r->left_out)
        rp_log(RP_LOG_WARNING, "%s: %zu points or lines of the mesh are left out", r->path,
               r->left_out);
    return RP_OK;
}

static rp_code import(const char *path, const struct aiScene **scene, rp_report *report)
{
    rp_place place = {.file = path};
    *scene = aiImportFile(path, aiProcess_Triangulate);
    if (!*scene)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: %s (OBJ, STL, PLY, glTF and others can be read)",
                          aiGetErrorString());
    if (!(*scene)->mRootNode) {
        aiReleaseImport(*scene);
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "the mesh has no triangles");
    }
    return RP_OK;
}

rp_code rp_mesh_read_other(const char *path, double scale, rp_mesh *mesh, rp_report *report)
{
    reading r = {.path = path, .mesh = mesh, .scale = scale, .ok = true, .sound = true};
    rp_code code = import(path, &r.scene, report);
    if (code != RP_OK) return code;
    code = collect(&r, report);
    aiReleaseImport(r.scene);
    return code;
}

#else

bool rp_mesh_can_read(void)
{
    return false;
}

rp_code rp_mesh_read_other(const char *path, double scale, rp_mesh *mesh, rp_report *report)
{
    (void)scale;
    (void)mesh;
    rp_place place = {.file = path};
    return rp_fail_at(report, RP_ERROR_UNSUPPORTED, &place, NULL,
                      "this build reads mesh files of the formats OBJ, STL and PLY; for others "
                      "install Assimp (libassimp-dev) and configure and build Repose again");
}

#endif
