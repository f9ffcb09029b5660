/* Grains for USD: as points ("usda"), or as instances of a sphere for each material
 * ("usda-instances"); or single grains as instances of their shapes.
 *
 * They are in the order of their ids. Programs that draw between two frames may mix arrays of the
 * same length value by value; in this order that moves each grain along its own path, while none
 * comes or goes. */
#include "export/usda.h"
#include "base/memory.h"
#include "export/digits.h"
#include "geom/clump.h"
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- single grains: sizes, shapes, orientations ----------------------------------------------- */

/* Single grains, of views that have diameters: widths of points, and instances of clumps of spheres
 * of one metre, scaled and rotated. There is a prototype for each
 * kind in the colour of each material; that of material m and kind k has the number m K + k, K
 * being the number of kinds. */

static const rp_clump one_ball = {.count = 1, .balls = {{{0, 0, 0}, 0.5}}};

static const void *field_of(const rp_usda *usda, const char *name, rp_field_type type)
{
    const rp_field *field = rp_view_field(usda->export->view, name);
    return field && field->type == type ? field->data : NULL;
}

static bool has_shapes(const rp_usda *usda)
{
    return field_of(usda, "diameter", RP_F32) != NULL;
}

/* Zero when the view has no kinds: all are spheres. */
static int kind_count(const rp_usda *usda)
{
    return field_of(usda, "kind", RP_U8) ? usda->export->scene->grains.count : 0;
}

static void put_float(rp_usda *usda, float value)
{
    char text[RP_DIGITS_MAX];
    rp_atomic_write(&usda->file, text, rp_digits_f32(text, value));
}

/* Writes a tuple of numbers for each grain; single numbers have no brackets. */
static void put_floats(rp_usda *usda, const char *type, const char *name, const char *interpolation,
                       const float *const *parts, int count)
{
    if (!rp_usda_begin_samples(usda, 1, type, name, interpolation)) return;
    rp_atomic_write(&usda->file, "[", 1);
    for (size_t i = 0; i < usda->export->view->count; i++) {
        if (i) rp_atomic_write(&usda->file, ", ", 2);
        for (int c = 0; c < count; c++) {
            if (count > 1) rp_atomic_write(&usda->file, c ? ", " : "(", c ? 2 : 1);
            put_float(usda, parts[c][usda->order[i]]);
        }
        if (count > 1) rp_atomic_write(&usda->file, ")", 1);
    }
    rp_atomic_write(&usda->file, "]", 1);
    rp_usda_end_samples(usda, 1);
}

static void put_widths(rp_usda *usda)
{
    const float *diameter = field_of(usda, "diameter", RP_F32);
    put_floats(usda, "float[]", "widths", "vertex", &diameter, 1);
}

static int at_most(int value, int last)
{
    return value < last ? value : last > 0 ? last : 0;
}

static void put_indices(rp_usda *usda)
{
    if (!rp_usda_begin_samples(usda, 1, "int[]", "protoIndices", NULL)) return;
    const rp_view *view = usda->export->view;
    const uint8_t *kinds = field_of(usda, "kind", RP_U8);
    int kind_total = kind_count(usda), material_total = usda->export->scene->materials.count;
    rp_atomic_write(&usda->file, "[", 1);
    for (size_t i = 0; i < view->count; i++) {
        uint32_t grain = usda->order[i];
        int index = at_most(view->material[grain], material_total - 1);
        if (kind_total) index = index * kind_total + at_most(kinds[grain], kind_total - 1);
        char text[RP_DIGITS_MAX];
        if (i) rp_atomic_write(&usda->file, ", ", 2);
        rp_atomic_write(&usda->file, text, rp_digits_u64(text, (uint64_t)index));
    }
    rp_atomic_write(&usda->file, "]", 1);
    rp_usda_end_samples(usda, 1);
}

static void put_shapes(rp_usda *usda)
{
    const float *diameter = field_of(usda, "diameter", RP_F32);
    const float *across[3] = {diameter, diameter, diameter};
    const float *orientation[4] = {
        field_of(usda, "orientation_w", RP_F32), field_of(usda, "orientation_x", RP_F32),
        field_of(usda, "orientation_y", RP_F32), field_of(usda, "orientation_z", RP_F32)};
    put_indices(usda);
    put_floats(usda, "float3[]", "scales", NULL, across, 3);
    if (orientation[0] && orientation[1] && orientation[2] && orientation[3])
        put_floats(usda, "quath[]", "orientations", NULL, orientation, 4);
}

static void put_ball(rp_usda *usda, int number, const rp_ball *ball, const double *colour)
{
    rp_atomic *file = &usda->file;
    double r = ball->radius;
    rp_atomic_print(
        file,
        "                def Sphere \"ball_%d\"\n                {\n"
        "                    float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]\n",
        number, -r, -r, -r, r, r, r);
    rp_usda_put_colours(usda, 5, colour, 0, 1, "constant");
    rp_atomic_print(file, "                    double radius = %.9g\n", r);
    rp_atomic_print(file, "                    double3 xformOp:translate = ");
    rp_usda_put_tuple(usda, (const double[]){ball->centre.x, ball->centre.y, ball->centre.z}, 3);
    rp_atomic_print(file, "\n                    uniform token[] xformOpOrder = "
                          "[\"xformOp:translate\"]\n                }\n");
}

/* The name of kind k and its spheres; -1 is a single sphere. */
static const rp_clump *kind_of(const rp_usda *usda, int k, char name[RP_USDA_NAME_MAX])
{
    const rp_grain_spec *kind = k < 0 ? NULL : &rp_scene_grains(usda->export->scene)[k];
    rp_usda_name(kind ? kind->name : "ball", (size_t)(k < 0 ? 0 : k), name);
    return kind ? &kind->clump : &one_ball;
}

static void put_material(rp_usda *usda, const rp_material_spec *material, int kinds)
{
    char name[RP_USDA_NAME_MAX];
    for (int k = kinds ? 0 : -1; k < kinds; k++) {
        const rp_clump *clump = kind_of(usda, k, name);
        rp_atomic_print(&usda->file, "            def Xform \"%s\"\n            {\n", name);
        for (int i = 0; i < clump->count; i++)
            put_ball(usda, i, &clump->balls[i], material->colour);
        rp_atomic_print(&usda->file, "            }\n");
    }
}

static void put_clumps(rp_usda *usda)
{
    const rp_scene *scene = usda->export->scene;
    rp_atomic *file = &usda->file;
    char material[RP_USDA_NAME_MAX], kind[RP_USDA_NAME_MAX];
    int kinds = kind_count(usda);
    rp_atomic_print(file, "    rel prototypes = [");
    for (int m = 0; m < scene->materials.count; m++)
        for (int k = kinds ? 0 : -1; k < kinds; k++) {
            rp_usda_name(rp_scene_materials(scene)[m].name, (size_t)m, material);
            kind_of(usda, k, kind);
            rp_atomic_print(file, "%s</Grains/Prototypes/%s/%s>", m || k > 0 ? ", " : "", material,
                            kind);
        }
    rp_atomic_print(file, "]\n\n    def Scope \"Prototypes\"\n    {\n");
    for (int m = 0; m < scene->materials.count; m++) {
        rp_usda_name(rp_scene_materials(scene)[m].name, (size_t)m, material);
        rp_atomic_print(file, "        def Scope \"%s\"\n        {\n", material);
        put_material(usda, &rp_scene_materials(scene)[m], kinds);
        rp_atomic_print(file, "        }\n");
    }
    rp_atomic_print(file, "    }\n");
}

/* --- points and instances --------------------------------------------------------------------- */

static void put_values(rp_usda *usda, const rp_export_column *column)
{
    rp_atomic *file = &usda->file;
    rp_atomic_write(file, "[", 1);
    for (size_t i = 0; i < usda->export->view->count; i++) {
        if (i) rp_atomic_write(file, ", ", 2);
        for (int c = 0; c < column->components; c++) {
            if (column->components > 1) rp_atomic_write(file, c ? ", " : "(", c ? 2 : 1);
            rp_export_number(file, column, c, usda->order[i]);
        }
        if (column->components > 1) rp_atomic_write(file, ")", 1);
    }
    rp_atomic_write(file, "]", 1);
}

static void put_array(rp_usda *usda, const char *type, const char *name, const char *interpolation,
                      const rp_export_column *column)
{
    if (!rp_usda_begin_samples(usda, 1, type, name, interpolation)) return;
    put_values(usda, column);
    rp_usda_end_samples(usda, 1);
}

static const rp_export_column *find_column(const rp_export_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->items[i].name, name) == 0) return &columns->items[i];
    return NULL;
}

static void put_ids(rp_usda *usda)
{
    put_array(usda, "int64[]", "ids", NULL, find_column(&usda->export->columns, "id"));
}

static void put_extent(rp_usda *usda)
{
    if (!rp_usda_begin_samples(usda, 1, "float3[]", "extent", NULL)) return;
    const rp_view *view = usda->export->view;
    const float *axes[3] = {view->x, view->y, view->z};
    double low[3] = {0}, high[3] = {0};
    for (int c = 0; c < 3 && view->count; c++) {
        float least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < view->count; i++) {
            least = fminf(least, axes[c][i]);
            most = fmaxf(most, axes[c][i]);
        }
        low[c] = least - view->spacing / 2;
        high[c] = most + view->spacing / 2;
    }
    rp_atomic_write(&usda->file, "[", 1);
    rp_usda_put_tuple(usda, low, 3);
    rp_atomic_write(&usda->file, ", ", 2);
    rp_usda_put_tuple(usda, high, 3);
    rp_atomic_write(&usda->file, "]", 1);
    rp_usda_end_samples(usda, 1);
}

/* The index of each grain's material; indices beyond the last are clamped. */
static void put_materials(rp_usda *usda, const char *name)
{
    if (!rp_usda_begin_samples(usda, 1, "int[]", name, NULL)) return;
    const rp_view *view = usda->export->view;
    int last = usda->export->scene->materials.count - 1;
    rp_atomic_write(&usda->file, "[", 1);
    for (size_t i = 0; i < view->count; i++) {
        int material = view->material[usda->order[i]];
        char text[RP_DIGITS_MAX];
        size_t length = rp_digits_u64(text, (uint64_t)(material < last ? material : last));
        if (i) rp_atomic_write(&usda->file, ", ", 2);
        rp_atomic_write(&usda->file, text, length);
    }
    rp_atomic_write(&usda->file, "]", 1);
    rp_usda_end_samples(usda, 1);
}

/* One colour for all, or a list of colours with indices into it. */
static void put_colour(rp_usda *usda)
{
    const rp_material_spec *materials = rp_scene_materials(usda->export->scene);
    int count = usda->export->scene->materials.count;
    if (count == 0) return;
    if (usda->part != RP_USDA_MANIFEST)
        rp_usda_put_colours(usda, 1, materials->colour, sizeof *materials, count,
                            count > 1 ? "vertex" : "constant");
    if (count > 1) put_materials(usda, "primvars:displayColor:indices");
}

static const char *primvar_type(const rp_export_column *column)
{
    static const char *const scalars[] = {"float[]", "double[]", "int[]",
                                          "int[]",   "uint[]",   "uint64[]"};
    static const char *const vectors[] = {"float3[]", "double3[]", "int3[]",
                                          "int3[]",   "double3[]", "double3[]"};
    return (column->components == 1 ? scalars : vectors)[column->type];
}

/* All fields but position, velocity and id, which have attributes of their own in USD. */
static void put_primvars(rp_usda *usda)
{
    const rp_export_columns *columns = &usda->export->columns;
    for (size_t i = 2; i < columns->count; i++) {
        const rp_export_column *column = &columns->items[i];
        if (strcmp(column->name, "id") == 0) continue;
        char name[RP_USDA_NAME_MAX], full[RP_USDA_NAME_MAX + 16];
        bool taken = strcmp(column->name, "displayColor") == 0;
        rp_usda_name(taken ? "" : column->name, i, name);
        snprintf(full, sizeof full, "primvars:%s", name);
        put_array(usda, primvar_type(column), full, "vertex", column);
    }
}

static rp_code put_points(rp_usda *usda, rp_report *report)
{
    (void)report;
    const rp_export_columns *columns = &usda->export->columns;
    put_extent(usda);
    put_ids(usda);
    put_array(usda, "point3f[]", "points", NULL, &columns->items[0]);
    put_array(usda, "vector3f[]", "velocities", NULL, &columns->items[1]);
    if (has_shapes(usda))
        put_widths(usda);
    else if (usda->part != RP_USDA_MANIFEST)
        rp_atomic_print(&usda->file,
                        "    float[] widths = [%.9g] (\n        interpolation = \"constant\"\n"
                        "    )\n",
                        usda->export->view->spacing);
    put_colour(usda);
    put_primvars(usda);
    return RP_OK;
}

/* A sphere of one spacing in diameter, for each material. */
static void put_spheres(rp_usda *usda)
{
    const rp_scene *scene = usda->export->scene;
    rp_atomic *file = &usda->file;
    double radius = usda->export->view->spacing / 2;
    rp_atomic_print(file, "\n    def Scope \"Prototypes\"\n    {\n");
    for (int i = 0; i < scene->materials.count; i++) {
        const rp_material_spec *material = &rp_scene_materials(scene)[i];
        char name[RP_USDA_NAME_MAX];
        rp_usda_name(material->name, (size_t)i, name);
        rp_atomic_print(file,
                        "        def Sphere \"%s\"\n        {\n"
                        "            float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]\n",
                        name, -radius, -radius, -radius, radius, radius, radius);
        rp_usda_put_colours(usda, 3, material->colour, 0, 1, "constant");
        rp_atomic_print(file, "            double radius = %.9g\n        }\n", radius);
    }
    rp_atomic_print(file, "    }\n");
}

static void put_prototypes(rp_usda *usda)
{
    const rp_scene *scene = usda->export->scene;
    rp_atomic_print(&usda->file, "    rel prototypes = [");
    for (int i = 0; i < scene->materials.count; i++) {
        char name[RP_USDA_NAME_MAX];
        rp_usda_name(rp_scene_materials(scene)[i].name, (size_t)i, name);
        rp_atomic_print(&usda->file, "%s</Grains/Prototypes/%s>", i ? ", " : "", name);
    }
    rp_atomic_print(&usda->file, "]\n");
}

static rp_code put_instances(rp_usda *usda, rp_report *report)
{
    (void)report;
    const rp_export_columns *columns = &usda->export->columns;
    bool shapes = has_shapes(usda);
    put_extent(usda);
    put_ids(usda);
    put_array(usda, "point3f[]", "positions", NULL, &columns->items[0]);
    if (shapes)
        put_shapes(usda);
    else
        put_materials(usda, "protoIndices");
    put_array(usda, "vector3f[]", "velocities", NULL, &columns->items[1]);
    if (usda->part == RP_USDA_MANIFEST) return RP_OK;
    if (shapes) {
        put_clumps(usda);
    } else {
        put_prototypes(usda);
        put_spheres(usda);
    }
    return RP_OK;
}

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* A pass of a radix sort: sorts indices by eleven bits of their ids, from `from` to `to`; stable.
 */
static void sort_pass(const uint32_t *id, const uint32_t *from, uint32_t *to, size_t count,
                      int shift)
{
    uint32_t starts[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        starts[id[i] >> shift & (DIGITS - 1)]++;
    for (uint32_t d = 0, sum = 0; d < DIGITS; d++) {
        uint32_t here = starts[d];
        starts[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[id[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts by 32-bit ids in three passes. `order` has 2 * count elements; the second half is the
 * buffer between the passes. */
static void sort_by_id(const uint32_t *id, size_t count, uint32_t *order)
{
    uint32_t *other = order + count;
    for (size_t i = 0; i < count; i++)
        other[i] = (uint32_t)i;
    sort_pass(id, other, order, count, 0);
    sort_pass(id, order, other, count, DIGIT_BITS);
    sort_pass(id, other, order, count, 2 * DIGIT_BITS);
}

static rp_code export_grains(const rp_export *export, const rp_usda_prim *prim, rp_report *report)
{
    size_t count = export->view->count, bytes = 2 * count * sizeof(uint32_t);
    uint32_t *order = rp_allocate(bytes);
    if (!order) return rp_fail_memory(report, bytes, "an export");
    sort_by_id(export->view->id, count, order);
    rp_code code = rp_usda_write(export, prim, order, report);
    rp_release(order, bytes);
    return code;
}

rp_code rp_export_usda_grains(const rp_export *export, rp_report *report)
{
    rp_usda_prim prim = {export->stem, "Points", "Grains", put_points, false};
    return export_grains(export, &prim, report);
}

rp_code rp_export_usda_instances(const rp_export *export, rp_report *report)
{
    char stem[RP_USDA_NAME_MAX];
    snprintf(stem, sizeof stem, "%s-instances", export->stem);
    rp_usda_prim prim = {stem, "PointInstancer", "Grains", put_instances, false};
    return export_grains(export, &prim, report);
}
