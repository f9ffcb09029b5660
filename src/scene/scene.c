/* A scene: reading, destruction, look-up by name, and what follows from its values at a time or
 * place: walls, gravity, fixed grains, sizes of grains. */
#include "scene/scene.h"
#include "base/report.h"
#include "math/elementary.h"
#include "scene/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rp_scene_destroy(rp_scene *scene)
{
    if (!scene) return;
    for (rp_scene_mesh *m = scene->meshes; m; m = m->next)
        rp_mesh_destroy(m->mesh);
    rp_text_release(scene->text);
    rp_text_release(scene->portable);
    rp_arena_destroy(&scene->store);
    rp_release(scene, sizeof *scene);
}

/* Texts that are left out are empty, not NULL. */
static void fill_texts(rp_scene *scene)
{
    static char empty[1];
    if (!scene->title) scene->title = empty;
    if (!scene->description) scene->description = empty;
}

/* Fills a scene from the merged tree: values, checks, then what is built from them; each stage only
 * when the one before had no faults. Faults are in the tree. */
static void fill_scene(rp_tree *tree, rp_node *root, const rp_scene_schema *schema, rp_scene *scene)
{
    rp_reader reader = {.tree = tree,
                        .store = &scene->store,
                        .meshes = &scene->meshes,
                        .memory = scene->memory,
                        .schema = schema,
                        .root = root,
                        .chosen = rp_read_chosen_method(schema, root)};
    rp_read_table(&reader, rp_scene_table(), root, scene);
    fill_texts(scene);
    scene->method = reader.method;
    scene->method_params = reader.method_params;
    if (tree->broken) return;
    rp_scene_check(&reader, scene);
    if (tree->code != RP_OK) return;
    rp_scene_build(&reader, scene);
    if (tree->code != RP_OK) return;
    scene->text = rp_yaml_write(root);
    rp_scene_make_portable(&reader, scene);
    scene->portable = rp_yaml_write(root);
    if (!scene->text || !scene->portable) rp_tree_no_memory(tree, 0);
}

/* Copies meshes from memory, in the same order. */
static bool copy_memory(rp_scene *scene, const rp_memory_mesh *meshes)
{
    rp_memory_mesh **end = &scene->memory;
    for (const rp_memory_mesh *m = meshes; m; m = m->next) {
        rp_memory_mesh *own = rp_arena_take(&scene->store, sizeof *own);
        char *name = rp_arena_take(&scene->store, strlen(m->name) + 1);
        char *text = rp_arena_take(&scene->store, m->size);
        if (!own || !name || !text) return false;
        strcpy(name, m->name);
        memcpy(text, m->text, m->size);
        *own = (rp_memory_mesh){name, text, m->size, NULL};
        *end = own;
        end = &own->next;
    }
    return true;
}

rp_code rp_scene_finish_tree(rp_tree *tree, rp_node *root, const rp_setting *settings, int count,
                             const rp_memory_mesh *memory, const rp_scene_schema *schema,
                             rp_scene **out)
{
    rp_scene *scene = NULL;
    if (root && !tree->broken) rp_tree_apply_settings(tree, root, settings, count);
    if (root && !tree->broken) {
        scene = rp_allocate_zero(sizeof *scene);
        if (scene && copy_memory(scene, memory))
            fill_scene(tree, root, schema, scene);
        else
            rp_tree_no_memory(tree, sizeof *scene);
    }
    rp_code code = tree->code;
    if (code != RP_OK) {
        rp_scene_destroy(scene);
        scene = NULL;
    }
    *out = scene;
    rp_tree_end(tree);
    return code;
}

rp_code rp_scene_read(const char *path, const rp_setting *settings, int setting_count,
                      const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report};
    rp_node *root = rp_tree_load_file(&tree, path);
    return rp_scene_finish_tree(&tree, root, settings, setting_count, NULL, schema, out);
}

rp_code rp_scene_read_text(const char *text, size_t size, const char *name,
                           const rp_setting *settings, int setting_count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report};
    rp_node *root = rp_tree_load_text(&tree, text, size, name);
    return rp_scene_finish_tree(&tree, root, settings, setting_count, NULL, schema, out);
}

rp_code rp_scene_read_more(const rp_scene *scene, const rp_setting *additions, int count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    rp_tree tree = {.report = report, .flag = ""};
    rp_node *root = rp_tree_load_text(&tree, scene->text, strlen(scene->text), "scene");
    return rp_scene_finish_tree(&tree, root, additions, count, scene->memory, schema, out);
}

/* What a source needs is read again from the scene's own text; what it does not need, bodies with
 * their meshes above all, is left out. */
rp_code rp_scene_read_source(const rp_scene *scene, const char *name, const char *text,
                             const rp_scene_schema *schema, rp_scene **out, rp_report *report)
{
    static const char *const others[] = {"sources",  "voids",        "emitters", "bodies", "joints",
                                         "moisture", "measurements", "cameras",  "lamps"};
    char key[128];
    *out = NULL;
    if (!*name || strlen(name) > 60 || strpbrk(name, ".[]"))
        return rp_fail(report, RP_ERROR_INPUT,
                       "'%.80s' is not the name of a source: letters, digits, _ and -, and up to "
                       "60 bytes",
                       name);
    snprintf(key, sizeof key, "sources.%s", name);
    const rp_setting setting = {key, text};
    rp_tree tree = {.report = report, .flag = ""};
    rp_node *root = rp_tree_load_text(&tree, scene->text, strlen(scene->text), "scene");
    for (size_t i = 0; root && i < sizeof others / sizeof *others; i++) {
        rp_node *section = rp_node_find(root, others[i]);
        if (section) rp_node_remove(section);
    }
    return rp_scene_finish_tree(&tree, root, &setting, 1, scene->memory, schema, out);
}

const char *rp_scene_text(const rp_scene *scene)
{
    return scene ? scene->text : NULL;
}

const char *rp_scene_title(const rp_scene *scene)
{
    return scene ? scene->title : NULL;
}

double rp_scene_duration(const rp_scene *scene)
{
    return scene ? scene->time.duration : 0;
}

double rp_scene_frame_rate(const rp_scene *scene)
{
    return scene ? scene->time.frame_rate : 0;
}

int64_t rp_scene_frame_count(const rp_scene *scene)
{
    if (!scene) return 0;
    RP_ENTER();
    /* The number of frames after the first is rounded; any positive duration is one frame. */
    double frames = scene->time.duration * scene->time.frame_rate;
    return (int64_t)(frames > 0 ? fmax(1, floor(frames + 0.5)) : 0) + 1;
}

int rp_scene_find_body(const rp_scene *scene, const char *name)
{
    if (!scene || !name) return -1;
    const rp_body_spec *bodies = scene->bodies.items;
    for (int i = 0; i < scene->bodies.count; i++)
        if (strcmp(bodies[i].name, name) == 0) return i;
    return -1;
}

int rp_scene_find_material(const rp_scene *scene, const char *name)
{
    if (!scene || !name) return -1;
    const rp_material_spec *materials = scene->materials.items;
    for (int i = 0; i < scene->materials.count; i++)
        if (strcmp(materials[i].name, name) == 0) return i;
    return -1;
}

int rp_scene_shape_count(const rp_scene *scene)
{
    return scene->sources.count + scene->bodies.count + scene->moisture.count + scene->voids.count;
}

const rp_shape_spec *rp_scene_shape_at(const rp_scene *scene, int index)
{
    RP_ASSERT(index >= 0 && index < rp_scene_shape_count(scene));
    if (index < scene->sources.count) return &rp_scene_sources(scene)[index].shape_spec;
    index -= scene->sources.count;
    if (index < scene->bodies.count) return &rp_scene_bodies(scene)[index].shape_spec;
    index -= scene->bodies.count;
    if (index < scene->moisture.count) return &rp_scene_moisture(scene)[index].shape_spec;
    return &rp_scene_voids(scene)[index - scene->moisture.count].shape_spec;
}

int rp_scene_file_count(const rp_scene *scene)
{
    return rp_scene_shape_count(scene) + scene->bodies.count;
}

rp_scene_file rp_scene_file_at(const rp_scene *scene, int index)
{
    RP_ASSERT(index >= 0 && index < rp_scene_file_count(scene));
    int shapes = rp_scene_shape_count(scene);
    if (index >= shapes) {
        const rp_body_spec *body = &rp_scene_bodies(scene)[index - shapes];
        return (rp_scene_file){body->animation_file, body->animation_stored_name, NULL};
    }
    const rp_shape_spec *shape = rp_scene_shape_at(scene, index);
    const rp_memory_mesh *memory =
        shape->file ? rp_memory_mesh_find(scene->memory, shape->file) : NULL;
    return (rp_scene_file){shape->file, shape->stored_name, memory};
}

/* --- walls of the domain ---------------------------------------------------------------------- */

bool rp_scene_domain_wall(const rp_domain_spec *domain, int side, rp_vec3 *foot, rp_vec3 *inward)
{
    static const rp_vec3 normals[RP_SIDES] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                              {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    const double bounds[RP_SIDES] = {domain->low.x,  domain->high.x, domain->low.y,
                                     domain->high.y, domain->low.z,  domain->high.z};
    bool open = domain->open >> side & 1, periodic = domain->periodic >> (side / 2) & 1;
    *inward = normals[side];
    /* The foot is on the axis of the side: its bound times the unit vector. */
    *foot = rp_v3_scale(*inward, side % 2 ? -bounds[side] : bounds[side]);
    return isfinite(bounds[side]) && !open && !periodic;
}

rp_pose rp_scene_wall_pose(rp_vec3 foot, rp_vec3 inward)
{
    return (rp_pose){foot, rp_quat_between(rp_v3(0, 0, 1), inward)};
}

bool rp_scene_domain_has_left(const rp_domain_spec *domain, const float at[3])
{
    const double low[3] = {domain->low.x, domain->low.y, domain->low.z};
    const double high[3] = {domain->high.x, domain->high.y, domain->high.z};
    for (int axis = 0; axis < 3; axis++) {
        if (domain->open >> (2 * axis) & 1 && at[axis] < low[axis]) return true;
        if (domain->open >> (2 * axis + 1) & 1 && at[axis] > high[axis]) return true;
    }
    return false;
}

/* --- gravity (W8) ----------------------------------------------------------------------------- */

/* Two vectors count as opposite when the sine of their angle is below this. */
#define OPPOSITE 1e-6

static const rp_gravity_key_spec *keys_of(const rp_scene *scene)
{
    return scene->gravity_keys.items;
}

bool rp_gravity_is_opposite(rp_vec3 a, rp_vec3 b)
{
    a = rp_v3_normalized(a);
    b = rp_v3_normalized(b);
    return rp_v3_dot(a, b) < 0 && rp_v3_length(rp_v3_cross(a, b)) < OPPOSITE;
}

/* Rotates the unit vector `a` by the fraction `s` of the angle towards the unit vector `b`. */
static rp_vec3 turned(rp_vec3 a, rp_vec3 b, double s)
{
    rp_vec3 axis = rp_v3_cross(a, b);
    double angle = s * rp_atan2(rp_v3_length(axis), rp_v3_dot(a, b));
    rp_vec3 across = rp_v3_normalized(rp_v3_cross(axis, a)); /* zero where both are parallel */
    return rp_v3_madd(rp_v3_scale(a, rp_cos(angle)), rp_sin(angle), across);
}

static rp_vec3 between(const rp_gravity_key_spec *from, const rp_gravity_key_spec *to, double time)
{
    double s = (time - from->time) / (to->time - from->time);
    double before = rp_v3_length(from->gravity), after = rp_v3_length(to->gravity);
    rp_vec3 a = rp_v3_normalized(from->gravity), b = rp_v3_normalized(to->gravity);
    if (!(before > 0)) a = b;
    if (!(after > 0)) b = a;
    return rp_v3_scale(turned(a, b, s), before + s * (after - before));
}

rp_vec3 rp_scene_gravity(const rp_scene *scene, double time)
{
    const rp_gravity_key_spec *keys = keys_of(scene);
    int count = scene->gravity_keys.count, i = 0;
    if (!count) return scene->gravity;
    while (i < count - 1 && time >= keys[i + 1].time)
        i++;
    /* At a key its own value is returned, without rounding. */
    if (i == count - 1 || time <= keys[i].time) return keys[i].gravity;
    return between(&keys[i], &keys[i + 1], time);
}

double rp_scene_gravity_max(const rp_scene *scene)
{
    if (!scene->gravity_keys.count) return rp_v3_length(scene->gravity);
    double most = 0; /* the magnitude is linear between keys, so that its maximum is at a key */
    for (int i = 0; i < scene->gravity_keys.count; i++)
        most = fmax(most, rp_v3_length(keys_of(scene)[i].gravity));
    return most;
}

rp_vec3 rp_gravity_at(const rp_gravity *gravity, double time)
{
    return gravity->is_set ? gravity->value : rp_scene_gravity(gravity->scene, time);
}

double rp_gravity_max(const rp_gravity *gravity)
{
    return gravity->is_set ? rp_v3_length(gravity->value) : rp_scene_gravity_max(gravity->scene);
}

/* --- fixed grains of bodies and walls --------------------------------------------------------- */

/* Largest sine of the angle between a rough plane and a periodic axis. */
#define ASKEW 1e-9

/* Each surface has its own random numbers. */
static uint64_t seed_of(const rp_scene *scene, int number)
{
    return (uint64_t)scene->seed + 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
}

static rp_rough_span endless(void)
{
    return (rp_rough_span){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}, {false, false}};
}

static rp_vec3 axis_vector(int axis)
{
    return rp_v3(axis == 0, axis == 1, axis == 2);
}

/* Returns which of its own axes, x or y, a plane has along an axis of the world; -1: the axis is
 * its normal, -2: neither. */
static int axis_along(rp_quat orientation, int axis)
{
    rp_vec3 along = rp_quat_rotate(rp_quat_conj(orientation), axis_vector(axis));
    if (fabs(along.y) < ASKEW && fabs(along.z) < ASKEW) return 0;
    if (fabs(along.x) < ASKEW && fabs(along.z) < ASKEW) return 1;
    return fabs(along.x) < ASKEW && fabs(along.y) < ASKEW ? -1 : -2;
}

/* Converts the bounds of the domain along an axis to those along a plane's own axis. */
static void take_bounds(const rp_domain_spec *domain, rp_pose pose, int axis, int own,
                        rp_rough_span *span)
{
    rp_vec3 e = axis_vector(axis), along = rp_quat_rotate(rp_quat_conj(pose.orientation), e);
    double sign = (own ? along.y : along.x) > 0 ? 1 : -1, here = rp_v3_dot(pose.position, e);
    double a = sign * (rp_v3_dot(domain->low, e) - here);
    double b = sign * (rp_v3_dot(domain->high, e) - here);
    span->low[own] = fmin(a, b);
    span->high[own] = fmax(a, b);
    span->wraps[own] = domain->periodic >> axis & 1;
}

rp_code rp_scene_rough_wall(const rp_scene *scene, int side, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report)
{
    static const rp_shape plane = {.kind = RP_SHAPE_PLANE};
    const rp_domain_spec *domain = &scene->domain;
    rp_vec3 foot, inward;
    *rough = (rp_rough_surface){0};
    bool wanted = domain->roughness.grains.radius > 0 && domain->roughness.sides >> side & 1;
    if (!rp_scene_domain_wall(domain, side, &foot, &inward) || !wanted) return RP_OK;
    rp_pose pose = rp_scene_wall_pose(foot, inward);
    rp_rough_span span = endless();
    for (int axis = 0; axis < 3; axis++)
        if (axis != side / 2)
            take_bounds(domain, pose, axis, axis_along(pose.orientation, axis), &span);
    return rp_rough_surface_make(rough, &plane, &domain->roughness.grains,
                                 seed_of(scene, scene->bodies.count + side), &span, reach, threads,
                                 "domain.roughness", report);
}

/* The fixed grains of a plane must be periodic where the domain is. */
static rp_code find_span(const rp_scene *scene, const rp_body_spec *body, const char *key,
                         rp_rough_span *span, rp_report *report)
{
    *span = endless();
    for (int axis = 0; axis < 3; axis++) {
        if (!(scene->domain.periodic >> axis & 1)) continue;
        int own = axis_along(body->pose.orientation, axis);
        if (own == -2)
            return rp_fail_at(report, RP_ERROR_INPUT, NULL, key,
                              "%c is periodic, but the plane is askew to it, so its fixed grains "
                              "would not fit; turn gravity in place of the plane, or take a box",
                              'x' + axis);
        if (own >= 0) take_bounds(&scene->domain, body->pose, axis, own, span);
    }
    return RP_OK;
}

rp_code rp_scene_rough_body(const rp_scene *scene, int index, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report)
{
    const rp_body_spec *body = &rp_scene_bodies(scene)[index];
    char key[160];
    rp_rough_span span = endless();
    rp_code code = RP_OK;
    *rough = (rp_rough_surface){0};
    if (!(body->roughness.radius > 0)) return RP_OK;
    snprintf(key, sizeof key, "bodies.%s.roughness", body->name);
    if (body->shape.kind == RP_SHAPE_PLANE) code = find_span(scene, body, key, &span, report);
    RP_TRY(code);
    return rp_rough_surface_make(rough, &body->shape, &body->roughness, seed_of(scene, index),
                                 &span, reach, threads, key, report);
}

/* --- sizes of grains (W13), (W14) ------------------------------------------------------------- */

/* Number of points for means of distributions. */
#define POINTS 1024

/* Phi(-2.5): the tail of the normal distribution that is cut off. */
#define CUT_OFF 0.006209665325776132

/* Returns the ratio of two polynomials (Horner's scheme). */
static double ratio(const double *top, int degree_top, const double *bottom, int degree_bottom,
                    double x)
{
    double a = 0, b = 0;
    for (int i = 0; i <= degree_top; i++)
        a = a * x + top[i];
    for (int i = 0; i <= degree_bottom; i++)
        b = b * x + bottom[i];
    return a / b;
}

/* Returns the quantile of the normal distribution, with an error below 2e-9 (P. Acklam, "An
 * algorithm for computing the inverse normal cumulative distribution function", 2003). */
static double normal_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01, 1};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00, 1};
    const double tail = 0.02425;
    if (p > 0.5) return -normal_quantile(1 - p);
    if (p < tail) return ratio(c, 5, d, 4, sqrt(-2 * rp_ln(p)));
    double q = p - 0.5;
    return q * ratio(a, 5, b, 5, q * q);
}

/* The same with both tails cut off. */
static double cut_quantile(double part)
{
    double z = normal_quantile(CUT_OFF + part * (1 - 2 * CUT_OFF));
    return z > RP_SIZES_CUT ? RP_SIZES_CUT : z < -RP_SIZES_CUT ? -RP_SIZES_CUT : z;
}

/* Returns the relative number of grains between two sieves (W14): mass is uniform over the
 * diameters there, and a grain has a mass of d^3. */
static double sieve_number(const rp_sieve_spec *low, const rp_sieve_spec *high)
{
    double a = low->diameter, b = high->diameter;
    return (high->passing - low->passing) * (a + b) / (2 * a * a * b * b);
}

static double sieve_numbers(const rp_grain_spec *grain)
{
    const rp_sieve_spec *sieves = grain->sieve.items;
    double numbers = 0;
    for (int i = 1; i < grain->sieve.count; i++)
        numbers += sieve_number(&sieves[i - 1], &sieves[i]);
    return numbers;
}

/* Inverts the cumulative number of grains of a sieve curve (W14). */
static double sieve_size(const rp_grain_spec *grain, double part)
{
    const rp_sieve_spec *sieves = grain->sieve.items;
    double left = part * sieve_numbers(grain);
    int i = 1;
    for (; sieves[i].passing < 1; i++) {
        double number = sieve_number(&sieves[i - 1], &sieves[i]);
        if (left < number) break;
        left -= number;
    }
    double number = sieve_number(&sieves[i - 1], &sieves[i]);
    double inside = part < 1 ? left / number : 1;
    double a = sieves[i - 1].diameter, b = sieves[i].diameter;
    if (inside <= 0) return a;
    if (inside >= 1) return b;
    return 1 / sqrt(1 / (a * a) - inside * (1 / (a * a) - 1 / (b * b)));
}

double rp_grain_diameter_quantile(const rp_grain_spec *grain, double part)
{
    switch (grain->sizes) {
    case RP_SIZES_NORMAL:
        return grain->diameter * (1 + grain->spread * cut_quantile(part));
    case RP_SIZES_LOGNORMAL:
        return grain->unit * rp_exp(grain->log_spread * cut_quantile(part));
    case RP_SIZES_SIEVE:
        return sieve_size(grain, part);
    default:
        return grain->diameter * (1 + grain->spread * (2 * part - 1));
    }
}

/* Returns the mean of a power of the diameter. */
static double mean_power(const rp_grain_spec *grain, int power)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        double size = rp_grain_diameter_quantile(grain, (i + 0.5) / POINTS), product = size;
        for (int k = 1; k < power; k++)
            product *= size;
        sum += product;
    }
    return sum / POINTS;
}

void rp_grain_set_sizes(rp_grain_spec *grain, double room)
{
    bool sieved = grain->sizes == RP_SIZES_SIEVE, open = !sieved && !(grain->diameter > 0);
    if (open) grain->diameter = 1;
    if (grain->sizes == RP_SIZES_LOGNORMAL) {
        grain->log_spread = sqrt(rp_ln(1 + grain->spread * grain->spread));
        grain->unit = 1;
        grain->unit = grain->diameter / mean_power(grain, 1);
    }
    if (open) {
        double scale = room / rp_grain_diameter_quantile(grain, 1);
        grain->diameter *= scale;
        grain->unit *= scale;
    }
    if (sieved) grain->diameter = mean_power(grain, 1);
    grain->smallest = rp_grain_diameter_quantile(grain, 0);
    grain->largest = rp_grain_diameter_quantile(grain, 1);
    grain->cube = sieved ? 1 / sieve_numbers(grain) : mean_power(grain, 3);
}
