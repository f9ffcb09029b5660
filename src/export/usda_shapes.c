/* Single grains for USD, of views that tell their diameters: widths of points, and instances of
 * clumps of spheres that are one metre across, scaled and turned. There is a prototype for each
 * kind in the colour of each material; that of material m and kind k has the number m K + k, K
 * being the number of kinds. */
#include "export/digits.h"
#include "export/usda.h"
#include "geom/clump.h"
#include "scene/scene.h"

static const rp_clump one_ball = {.count = 1, .balls = {{{0, 0, 0}, 0.5}}};

static const void *field_of(const rp_usda *usda, const char *name, rp_field_type type)
{
    const rp_field *field = rp_view_field(usda->export->view, name);
    return field && field->type == type ? field->data : NULL;
}

bool rp_usda_has_shapes(const rp_usda *usda)
{
    return field_of(usda, "diameter", RP_F32) != NULL;
}

/* Zero when the view does not tell kinds: all are balls. */
static int kind_count(const rp_usda *usda)
{
    return field_of(usda, "kind", RP_U8) ? usda->export->scene->grains.count : 0;
}

static void put_float(rp_usda *usda, float value)
{
    char text[RP_DIGITS_MAX];
    rp_atomic_write(&usda->file, text, rp_digits_f32(text, value));
}

/* Of each grain a tuple of numbers; one number stands without brackets. */
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

void rp_usda_put_widths(rp_usda *usda)
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

void rp_usda_put_shapes(rp_usda *usda)
{
    const float *diameter = field_of(usda, "diameter", RP_F32);
    const float *across[3] = {diameter, diameter, diameter};
    const float *turn[4] = {
        field_of(usda, "orientation_w", RP_F32), field_of(usda, "orientation_x", RP_F32),
        field_of(usda, "orientation_y", RP_F32), field_of(usda, "orientation_z", RP_F32)};
    put_indices(usda);
    put_floats(usda, "float3[]", "scales", NULL, across, 3);
    if (turn[0] && turn[1] && turn[2] && turn[3])
        put_floats(usda, "quath[]", "orientations", NULL, turn, 4);
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

/* The name of kind k and its arrangement; of -1 a ball. */
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

void rp_usda_put_clumps(rp_usda *usda)
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
