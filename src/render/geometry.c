/* Geometry of a picture besides plain spheres: grains with shapes of their own, triangles and
 * planes of bodies, grains that are fixed on rough surfaces, and force chains. render_scene.c adds
 * them to the BVH. Points that go there are relative to the centre of the render scene. */
#include "base/memory.h"
#include "contact/contact.h"
#include "render/inside.h"
#include "view/view.h"

#include <math.h>
#include <string.h>

static void put(rp_bvh_vertex to, rp_vec3 at, double radius)
{
    to[0] = (float)at.x;
    to[1] = (float)at.y;
    to[2] = (float)at.z;
    to[3] = (float)radius;
}

/* --- grains with shapes of their own (P14) ---------------------------------------------------- */

#define BLOCK ((size_t)1 << 16)

static const rp_clump one_ball = {.count = 1, .balls = {{{0, 0, 0}, 0.5}}, .volume = RP_PI / 6};

/* The data of a field; NULL when the view has no such field of that type. */
static const void *field_of(const rp_view *view, const char *name, rp_field_type type)
{
    const rp_field *field = rp_view_field(view, name);
    return field && field->type == type ? field->data : NULL;
}

/* Finds several fields of floats: all of them, or none. */
static void find_floats(const rp_view *view, const char *const *names, int count, const float **out)
{
    bool all = true;
    for (int i = 0; i < count; i++) {
        out[i] = field_of(view, names[i], RP_F32);
        all = all && out[i];
    }
    for (int i = 0; i < count && !all; i++)
        out[i] = NULL;
}

/* The largest finite diameter of a range, m. */
static double largest_of_range(void *context, rp_range range)
{
    const float *diameter = context;
    float largest = 0;
    for (size_t i = range.begin; i < range.end; i++)
        if (diameter[i] > largest && isfinite(diameter[i])) largest = diameter[i];
    return (double)largest;
}

rp_grain_shapes rp_grain_shapes_find(const rp_view *view, const rp_scene *scene, double scale,
                                     rp_threads *threads)
{
    static const char *const orientations[] = {"orientation_w", "orientation_x", "orientation_y",
                                               "orientation_z"};
    static const char *const spins[] = {"spin_x", "spin_y", "spin_z"};
    rp_grain_shapes shapes = {.scene = scene, .scale = scale};
    /* The diameter decides: without it no grain has a shape. The other fields are optional. */
    shapes.diameter = field_of(view, "diameter", RP_F32);
    if (!shapes.diameter) return shapes;
    shapes.kind = field_of(view, "kind", RP_U8);
    find_floats(view, orientations, 4, shapes.orientation);
    find_floats(view, spins, 3, shapes.angular_velocity);
    if (view->count)
        shapes.largest = rp_parallel_max(threads, view->count, BLOCK, largest_of_range,
                                         (void *)(uintptr_t)shapes.diameter);
    return shapes;
}

const rp_clump *rp_grain_shapes_clump(const rp_grain_shapes *shapes, size_t grain)
{
    if (!shapes->kind || shapes->kind[grain] >= shapes->scene->grains.count) return &one_ball;
    return &rp_scene_grains(shapes->scene)[shapes->kind[grain]].clump;
}

double rp_grain_shapes_radius(const rp_grain_shapes *shapes, size_t grain)
{
    double radius = 0.5 * shapes->scale * (double)shapes->diameter[grain];
    return radius > 0 && isfinite(radius) ? radius : 0;
}

rp_quat rp_grain_shapes_orientation(const rp_grain_shapes *shapes, size_t grain)
{
    const float *const *q = shapes->orientation;
    if (!q[0]) return rp_quat_identity();
    rp_quat all = {(double)q[0][grain], (double)q[1][grain], (double)q[2][grain],
                   (double)q[3][grain]};
    return isfinite(all.w + all.x + all.y + all.z) ? rp_quat_normalized(all) : rp_quat_identity();
}

rp_vec3 rp_grain_shapes_angular_velocity(const rp_grain_shapes *shapes, size_t grain)
{
    const float *const *spin = shapes->angular_velocity;
    if (!spin[0] || rp_grain_shapes_clump(shapes, grain)->count < 2) return rp_v3(0, 0, 0);
    rp_vec3 w = {(double)spin[0][grain], (double)spin[1][grain], (double)spin[2][grain]};
    return isfinite(w.x + w.y + w.z) ? w : rp_v3(0, 0, 0);
}

rp_ball rp_grain_shapes_ball(const rp_grain_shapes *shapes, size_t grain, int ball,
                             rp_quat orientation)
{
    const rp_ball *own = &rp_grain_shapes_clump(shapes, grain)->balls[ball];
    double diameter = 2 * rp_grain_shapes_radius(shapes, grain);
    return (rp_ball){rp_quat_rotate(orientation, rp_v3_scale(own->centre, diameter)),
                     own->radius * diameter};
}

/* --- meshes of bodies and height fields, planes ----------------------------------------------- */

#define SEGMENTS 96        /* of circles, in tessellations */
#define CREASE_COSINE 0.75 /* of normals: edges that are less sharp are shaded smoothly */
#define BOTTOM_BIT 16u     /* of RP_SIDE_WORDS */

const double rp_render_floor_colour[3] = {0.50, 0.48, 0.45};

rp_pose rp_render_body_pose(const rp_view *view, const rp_scene *scene, int body)
{
    if (body >= view->body_count) return rp_scene_bodies(scene)[body].pose;
    const rp_body_state *state = &view->bodies[body];
    const double *p = state->position, *q = state->orientation;
    return (rp_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

/* Which triangles touch a vertex: those of vertex v are list[first[v]] to list[first[v + 1] - 1].
 */
typedef struct adjacency {
    uint32_t *first, *list;
    rp_vec3 *face; /* normals of the triangles, as long as twice their areas */
    size_t first_size, list_size, face_size;
} adjacency;

static void release_adjacency(adjacency *a)
{
    rp_release(a->first, a->first_size);
    rp_release(a->list, a->list_size);
    rp_release(a->face, a->face_size);
}

/* False when memory runs out. */
static bool find_adjacency(adjacency *a, const rp_mesh *mesh)
{
    a->first_size = (mesh->vertex_count + 2) * sizeof *a->first;
    a->list_size = 3 * mesh->triangle_count * sizeof *a->list;
    a->face_size = mesh->triangle_count * sizeof *a->face;
    a->first = rp_allocate_zero(a->first_size);
    a->list = rp_allocate(a->list_size);
    a->face = rp_allocate(a->face_size);
    if (!a->first || !a->list || !a->face) return false;

    /* Counting sort of triangles by vertex. Counts are stored two places on: the prefix sum makes
     * them starts, one place on, and filling moves these to the ends, which are the starts of the
     * next vertex. */
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            a->first[mesh->triangles[t][k] + 2]++;
    for (size_t v = 2; v < mesh->vertex_count + 2; v++)
        a->first[v] += a->first[v - 1];
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        for (int k = 0; k < 3; k++)
            a->list[a->first[c[k] + 1]++] = (uint32_t)t;
        rp_vec3 p = mesh->vertices[c[0]];
        a->face[t] =
            rp_v3_cross(rp_v3_sub(mesh->vertices[c[1]], p), rp_v3_sub(mesh->vertices[c[2]], p));
    }
    return true;
}

/* Shading normal: the mean normal, weighted by area, of the faces around a vertex that meet this
 * one without a crease. */
static rp_vec3 corner_normal(const adjacency *a, uint32_t triangle, uint32_t vertex)
{
    rp_vec3 own = rp_v3_normalized(a->face[triangle]);
    rp_vec3 sum = rp_v3(0, 0, 0);
    for (uint32_t i = a->first[vertex]; i < a->first[vertex + 1]; i++) {
        rp_vec3 face = a->face[a->list[i]];
        if (rp_v3_dot(own, rp_v3_normalized(face)) > CREASE_COSINE) sum = rp_v3_add(sum, face);
    }
    return rp_v3_normalized(sum);
}

/* Adds the triangles of a mesh, in the world, with shading normals. */
static rp_code add_mesh(rp_render_meshes *meshes, const rp_mesh *mesh, rp_pose pose, int body,
                        int material, rp_report *report)
{
    if (mesh->triangle_count == 0) return RP_OK;
    size_t wanted = meshes->triangle_count + mesh->triangle_count;
    adjacency around = {0};
    if (!find_adjacency(&around, mesh) ||
        !rp_reserve((void **)&meshes->triangles, &meshes->triangle_capacity, meshes->triangle_count,
                    wanted, sizeof *meshes->triangles)) {
        release_adjacency(&around);
        return rp_fail_memory(report, wanted * sizeof *meshes->triangles,
                              "the surfaces of a picture");
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_render_triangle *triangle = &meshes->triangles[meshes->triangle_count++];
        triangle->body = body;
        triangle->material = material;
        for (int k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[t][k];
            triangle->corner[k] = rp_pose_to_world(pose, mesh->vertices[v]);
            triangle->normal[k] =
                rp_quat_rotate(pose.orientation, corner_normal(&around, (uint32_t)t, v));
        }
    }
    release_adjacency(&around);
    return RP_OK;
}

static rp_code add_plane(rp_render_meshes *meshes, rp_vec3 point, rp_vec3 normal,
                         const double colour[3], rp_report *report)
{
    if (!rp_reserve((void **)&meshes->planes, &meshes->plane_capacity, meshes->plane_count,
                    meshes->plane_count + 1, sizeof *meshes->planes))
        return rp_fail_memory(report, sizeof *meshes->planes, "planes");
    meshes->planes[meshes->plane_count++] =
        (rp_render_plane){point, normal, rp_v3(colour[0], colour[1], colour[2])};
    return RP_OK;
}

/* A body as a plane, its own mesh, or a tessellation. */
static rp_code add_body(rp_render_meshes *meshes, const rp_body_spec *spec, rp_pose pose, int body,
                        rp_report *report)
{
    if (spec->shape.kind == RP_SHAPE_PLANE)
        return add_plane(meshes, pose.position, rp_quat_rotate(pose.orientation, rp_v3(0, 0, 1)),
                         spec->colour, report);
    if (spec->shape.kind == RP_SHAPE_MESH)
        return add_mesh(meshes, spec->shape.mesh, pose, body, 0, report);
    rp_mesh *mesh;
    RP_TRY(rp_shape_tessellate(&spec->shape, SEGMENTS, 1, &mesh, report));
    rp_code code = add_mesh(meshes, mesh, pose, body, 0, report);
    rp_mesh_destroy(mesh);
    return code;
}

/* The surface of a height field; other grids are not drawn. */
static rp_code add_grid(rp_render_meshes *meshes, const rp_grid *grid, rp_report *report)
{
    if (grid->kind != RP_GRID_HEIGHT) return RP_OK;
    rp_mesh *mesh;
    RP_TRY(rp_grid_mesh(grid, &mesh, report));
    rp_code code = add_mesh(meshes, mesh, (rp_pose){.orientation = rp_quat_identity()}, -1,
                            grid->material, report);
    rp_mesh_destroy(mesh);
    return code;
}

/* The domain's bottom carries grains, so it is drawn; its other walls would hide what is inside. */
static rp_code add_floor_plane(rp_render_meshes *meshes, const rp_domain_spec *domain,
                               rp_report *report)
{
    bool solid = isfinite(domain->low.z) && domain->low.z < domain->high.z &&
                 !(domain->open & BOTTOM_BIT) && !(domain->periodic & 4u);
    if (!solid) return RP_OK;
    return add_plane(meshes, rp_v3(0, 0, domain->low.z), rp_v3(0, 0, 1), rp_render_floor_colour,
                     report);
}

rp_code rp_render_meshes_gather(rp_render_meshes *meshes, const rp_view *view,
                                const rp_scene *scene, rp_report *report)
{
    memset(meshes, 0, sizeof *meshes);
    rp_code code = RP_OK;
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++) {
        const rp_body_spec *spec = &rp_scene_bodies(scene)[i];
        if (spec->hidden || !rp_view_has_body(view, i)) continue;
        code = add_body(meshes, spec, rp_render_body_pose(view, scene, i), i, report);
    }
    if (code == RP_OK) code = rp_grids_check(view, report);
    for (int i = 0; i < view->grid_count && code == RP_OK; i++)
        code = add_grid(meshes, &view->grids[i], report);
    /* Last: of two planes at the same place the first is hit, and that of a body has a colour of
     * its own. */
    return code == RP_OK ? add_floor_plane(meshes, &scene->domain, report) : code;
}

void rp_render_meshes_release(rp_render_meshes *meshes)
{
    rp_release(meshes->triangles, meshes->triangle_capacity * sizeof *meshes->triangles);
    rp_release(meshes->planes, meshes->plane_capacity * sizeof *meshes->planes);
    memset(meshes, 0, sizeof *meshes);
}

/* --- grains fixed on rough surfaces (P14a) ---------------------------------------------------- */

/* Fixed grains of a plane; more are finer than pixels. */
#define FIXED_MAX 1e6
#define SIDE_BOTTOM 4 /* place in RP_SIDE_WORDS */

/* Context of add_fixed: one surface. */
typedef struct fixing {
    rp_fixed_grains *fixed;
    rp_pose pose;
    double radius; /* m */
    int body;
    bool failed; /* memory ran out */
} fixing;

/* Receives the place of one fixed grain, in the coordinates of its surface. */
static void add_fixed(void *user, rp_fixed_grain number, rp_vec3 place)
{
    fixing *l = user;
    rp_fixed_grains *f = l->fixed;
    (void)number;
    bool fits = rp_reserve((void **)&f->spheres, &f->sphere_capacity, f->count, f->count + 1,
                           sizeof *f->spheres) &&
                rp_reserve((void **)&f->bodies, &f->body_capacity, f->count, f->count + 1,
                           sizeof *f->bodies);
    if (!fits || l->failed) {
        l->failed = true;
        return;
    }
    rp_vec3 at = rp_v3_sub(rp_pose_to_world(l->pose, place), f->centre);
    put(f->spheres[f->count], at, l->radius);
    f->bodies[f->count++] = l->body;
}

/* Adds the fixed grains of one rough surface: points of a mesh, or those of a plane near the
 * centre. */
static rp_code add_rough(rp_fixed_grains *fixed, const rp_rough_surface *rough, rp_pose pose,
                         int body, double radius, rp_report *report)
{
    fixing l = {fixed, pose, rough->radius, body, false};
    /* Of a plane, the grains within the radius are counted by the period of their pattern. */
    double across = 2 * radius / rough->roughness.period;
    if (!(rough->radius > 0)) return RP_OK;
    for (size_t i = 0; i < rough->point_count; i++)
        add_fixed(&l, (rp_fixed_grain){0, 0}, rough->points[i]);
    if (rough->plane && across * across <= FIXED_MAX)
        rp_rough_surface_near(rough, rp_pose_to_local(pose, fixed->centre), radius, add_fixed, &l);
    if (!l.failed) return RP_OK;
    return rp_fail_memory(report, fixed->count * sizeof *fixed->spheres, "fixed grains");
}

static rp_code add_rough_floor(rp_fixed_grains *fixed, const rp_scene *scene, double radius,
                               rp_threads *threads, rp_report *report)
{
    rp_rough_surface rough;
    rp_vec3 foot, inward;
    rp_code code = rp_scene_rough_wall(scene, SIDE_BOTTOM, radius, threads, &rough, report);
    rp_scene_domain_wall(&scene->domain, SIDE_BOTTOM, &foot, &inward);
    if (code == RP_OK)
        code = add_rough(fixed, &rough, rp_scene_wall_pose(foot, inward), -1, radius, report);
    rp_rough_surface_release(&rough);
    return code;
}

rp_code rp_fixed_grains_gather(rp_fixed_grains *fixed, const rp_view *view, const rp_scene *scene,
                               rp_vec3 centre, double radius, rp_threads *threads,
                               rp_report *report)
{
    rp_code code = RP_OK;
    *fixed = (rp_fixed_grains){.centre = centre};
    for (int i = 0; i < scene->bodies.count && code == RP_OK; i++) {
        rp_rough_surface rough;
        if (rp_scene_bodies(scene)[i].hidden || !rp_view_has_body(view, i)) continue;
        code = rp_scene_rough_body(scene, i, radius, threads, &rough, report);
        if (code == RP_OK)
            code = add_rough(fixed, &rough, rp_render_body_pose(view, scene, i), i, radius, report);
        rp_rough_surface_release(&rough);
    }
    return code == RP_OK ? add_rough_floor(fixed, scene, radius, threads, report) : code;
}

void rp_fixed_grains_release(rp_fixed_grains *fixed)
{
    rp_release(fixed->spheres, fixed->sphere_capacity * sizeof *fixed->spheres);
    rp_release(fixed->bodies, fixed->body_capacity * sizeof *fixed->bodies);
    memset(fixed, 0, sizeof *fixed);
}

/* --- force chains (P15) ----------------------------------------------------------------------- */

/* Radius of a capsule at the end of the scale, in half spacings; stronger contacts are thicker, up
 * to a factor. */
#define CHAIN_RADIUS 0.4
#define CHAIN_RADIUS_MAX 1.5
/* Contacts below this many mean forces are left out: most of them are, and carry the least. */
#define FORCE_MIN 1.0

/* Mean of the positive normal forces of a view, N. */
static double mean_force(const rp_view *view)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < view->contact_count; i++) {
        double force = view->contacts[i].normal_force;
        if (!(force > 0) || !isfinite(force)) continue;
        sum += force;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static bool is_finite(rp_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* From the centre of the first grain along the branch vector: to that of the second, or to the
 * point on a body. */
static void add_capsule(rp_force_chains *chains, const rp_grain_colours *colours,
                        const rp_grain_ids *ids, const rp_contact *c, rp_vec3 centre)
{
    const rp_view *view = colours->view;
    rp_vec3 branch = {c->branch[0], c->branch[1], c->branch[2]};
    rp_vec3 from = rp_v3_sub(rp_contact_first_centre(view, ids, c), centre);
    if (!is_finite(from) || !is_finite(branch)) return;
    double force = c->normal_force, high = colours->range.high;
    /* The area of the section is proportional to the force. */
    double size = fmin(CHAIN_RADIUS_MAX, high > 0 ? sqrt(force / high) : 1);
    double radius = CHAIN_RADIUS * 0.5 * view->spacing * size;
    put(chains->ends[2 * chains->count], from, radius);
    put(chains->ends[2 * chains->count + 1], rp_v3_add(from, branch), radius);
    chains->forces[chains->count++] = c->normal_force;
}

static rp_code reserve_chains(rp_force_chains *chains, size_t count, rp_report *report)
{
    chains->capacity = count;
    chains->ends = rp_allocate(2 * count * sizeof *chains->ends);
    chains->forces = rp_allocate(count * sizeof *chains->forces);
    if (chains->ends && chains->forces) return RP_OK;
    return rp_fail_memory(report, count * (2 * sizeof *chains->ends), "force chains");
}

rp_code rp_force_chains_gather(rp_force_chains *chains, const rp_grain_colours *colours,
                               rp_vec3 centre, rp_report *report)
{
    const rp_view *view = colours->view;
    rp_grain_ids ids = {0};
    *chains = (rp_force_chains){0};
    if (colours->kind != RP_COLOUR_CHAINS) return RP_OK;
    /* Strong contacts only. Contacts name grains by their ids, which are looked up in a table. */
    double least = FORCE_MIN * mean_force(view);
    rp_code code = reserve_chains(chains, view->contact_count, report);
    if (code == RP_OK) code = rp_grain_ids_make(view, &ids, report);
    for (size_t i = 0; code == RP_OK && i < view->contact_count; i++) {
        double force = view->contacts[i].normal_force;
        if (force > 0 && force >= least && isfinite(force))
            add_capsule(chains, colours, &ids, &view->contacts[i], centre);
    }
    rp_grain_ids_release(&ids);
    return code;
}

void rp_force_chains_release(rp_force_chains *chains)
{
    rp_release(chains->ends, chains->ends ? 2 * chains->capacity * sizeof *chains->ends : 0);
    rp_release(chains->forces, chains->forces ? chains->capacity * sizeof *chains->forces : 0);
    *chains = (rp_force_chains){0};
}

/* Away from the nearest point of the axis segment: the caps are round. */
rp_vec3 rp_force_chains_normal(const rp_force_chains *chains, size_t capsule, rp_vec3 point)
{
    const float *a = chains->ends[2 * capsule], *b = chains->ends[2 * capsule + 1];
    rp_vec3 from = {a[0], a[1], a[2]}, axis = rp_v3_sub(rp_v3(b[0], b[1], b[2]), from);
    double square = rp_v3_dot(axis, axis);
    double t = square > 0 ? rp_v3_dot(rp_v3_sub(point, from), axis) / square : 0;
    return rp_v3_normalized(rp_v3_sub(point, rp_v3_madd(from, fmax(0, fmin(1, t)), axis)));
}

double rp_force_chains_radius(const rp_force_chains *chains, size_t capsule)
{
    return (double)chains->ends[2 * capsule][3];
}
