/* Drafts: scenes that a program makes key by key. Joints and meshes of a program become the keys
 * and the OBJ text that files would contain, so that there is one way of checking them. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "document/words.h"
#include "scene/inside.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- drafts ----------------------------------------------------------------------------------- */

struct rp_draft {
    rp_setting *settings; /* copies */
    size_t count, capacity;
    rp_memory_mesh *meshes; /* the newest first */
    bool out_of_memory;     /* reported when it is finished */
    const char *refusal;    /* likewise: what else is wrong with it; NULL: nothing */
};

rp_draft *rp_draft_create(void)
{
    return rp_allocate_zero(sizeof(rp_draft));
}

void rp_draft_refuse(rp_draft *draft, const char *reason)
{
    if (draft && !draft->refusal) draft->refusal = reason;
}

void rp_draft_set(rp_draft *draft, const char *key, const char *value)
{
    if (!draft) return;
    if (!key || !value) {
        rp_draft_refuse(draft, "a key, a value, a name, a joint or a mesh of the draft is NULL");
        return;
    }
    rp_setting setting = {rp_text_copy(key), rp_text_copy(value)};
    bool room = rp_reserve((void **)&draft->settings, &draft->capacity, draft->count,
                           draft->count + 1, sizeof *draft->settings);
    if (setting.key && setting.value && room) {
        draft->settings[draft->count++] = setting;
        return;
    }
    rp_text_release((char *)setting.key);
    rp_text_release((char *)setting.value);
    draft->out_of_memory = true;
}

void rp_draft_take_mesh(rp_draft *draft, const char *name, char *text, size_t size)
{
    rp_memory_mesh *mesh = rp_allocate_zero(sizeof *mesh);
    size_t length = strlen(RP_MEMORY_PREFIX) + strlen(name) + 1;
    char *whole = rp_allocate(length);
    if (!text || !mesh || !whole) {
        draft->out_of_memory = true;
        rp_release(mesh, sizeof *mesh);
        rp_release(whole, length);
        rp_release(text, size);
        return;
    }
    snprintf(whole, length, RP_MEMORY_PREFIX "%s", name);
    *mesh = (rp_memory_mesh){whole, text, size, draft->meshes};
    draft->meshes = mesh;
}

static void release_meshes(rp_draft *draft)
{
    while (draft->meshes) {
        rp_memory_mesh *mesh = draft->meshes;
        draft->meshes = mesh->next;
        rp_release(mesh->name, strlen(mesh->name) + 1);
        rp_release(mesh->text, mesh->size);
        rp_release(mesh, sizeof *mesh);
    }
}

void rp_draft_destroy(rp_draft *draft)
{
    if (!draft) return;
    release_meshes(draft);
    for (size_t i = 0; i < draft->count; i++) {
        rp_text_release((char *)draft->settings[i].key);
        rp_text_release((char *)draft->settings[i].value);
    }
    rp_release(draft->settings, draft->capacity * sizeof *draft->settings);
    rp_release(draft, sizeof *draft);
}

rp_code rp_draft_finish_with(rp_draft *draft, const rp_scene_schema *schema, rp_scene **out,
                             rp_report *report)
{
    *out = NULL;
    if (!draft) return rp_fail_memory(report, sizeof *draft, "a draft");
    if (draft->refusal) {
        const char *refusal = draft->refusal;
        rp_draft_destroy(draft);
        return rp_fail(report, RP_ERROR_INPUT, "%s", refusal);
    }
    rp_tree tree = {.report = report, .flag = ""};
    rp_document *document = rp_tree_document(&tree, "draft");
    rp_node place = {.document = document};
    rp_node *root = document ? rp_node_create(&tree, RP_NODE_MAP, &place) : NULL;
    if (draft->out_of_memory) rp_tree_no_memory(&tree, 0);
    rp_code code = rp_scene_finish_tree(&tree, root, draft->settings, (int)draft->count,
                                        draft->meshes, schema, out);
    rp_draft_destroy(draft);
    return code;
}

/* --- joints of drafts ------------------------------------------------------------------------- */

void rp_default_joint_fill(rp_joint_def *options, size_t size)
{
    rp_joint_def own = {.size = size,
                        .kind = RP_JOINT_FIXED,
                        .axis = {0, 0, 1},
                        .low = -INFINITY,
                        .high = INFINITY,
                        .break_force = INFINITY,
                        .release = INFINITY};
    rp_options_give(options, size, &own, sizeof own);
}

typedef struct joint_draft {
    rp_draft *draft;
    const char *name;
} joint_draft;

static void set(const joint_draft *joint, const char *key, const char *format, ...) RP_PRINTF(3, 4);

/* The decimal separator is a point, whatever the host program's locale. */
static void set(const joint_draft *joint, const char *key, const char *format, ...)
{
    char path[256], value[256];
    va_list arguments;
    va_start(arguments, format);
    rp_locale_print(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "joints.%s.%s", joint->name, key);
    rp_draft_set(joint->draft, path, value);
}

static void set_vector(const joint_draft *joint, const char *key, const double v[3])
{
    set(joint, key, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

/* Infinite limits are left out; invalid numbers are passed on, to be refused by the checks. */
static void set_hinge(const joint_draft *joint, const rp_joint_def *def)
{
    if (!(isinf(def->low) && def->low < 0)) set(joint, "low_angle", "%.17g rad", def->low);
    if (!(isinf(def->high) && def->high > 0)) set(joint, "high_angle", "%.17g rad", def->high);
    if (def->motor_force == 0) return;
    set(joint, "motor_spin", "%.17g rad/s", def->motor_speed);
    set(joint, "motor_torque", "%.17g N m", def->motor_force);
}

static void set_slider(const joint_draft *joint, const rp_joint_def *def)
{
    if (!(isinf(def->low) && def->low < 0)) set(joint, "low", "%.17g", def->low);
    if (!(isinf(def->high) && def->high > 0)) set(joint, "high", "%.17g", def->high);
    if (def->motor_force == 0) return;
    set(joint, "motor_speed", "%.17g", def->motor_speed);
    set(joint, "motor_force", "%.17g", def->motor_force);
}

void rp_draft_add_joint(rp_draft *draft, const char *name, const rp_joint_def *def)
{
    RP_ENTER();
    char kind[64] = "";
    if (!name || !def) rp_draft_set(draft, NULL, NULL); /* reported when the draft is finished */
    if (!name || !def) return;
    rp_joint_def own = rp_default_joint();
    if (rp_options_take(&own, sizeof own, def, __func__, "def", NULL) != RP_OK)
        rp_draft_refuse(draft, "the size of a joint's definition is not allowed; begin with what "
                               "rp_default_joint gives");
    def = &own;
    joint_draft joint = {draft, name};
    bool hinge = def->kind == RP_JOINT_HINGE, slider = def->kind == RP_JOINT_SLIDER;
    rp_words_at(RP_JOINT_WORDS, (int)def->kind, kind, sizeof kind);
    set(&joint, "kind", "%s", kind);
    set(&joint, "body", "%s", def->body ? def->body : "");
    if (def->other) set(&joint, "other", "%s", def->other);
    if (hinge || def->kind == RP_JOINT_BALL) set_vector(&joint, "anchor", def->anchor);
    if (hinge || slider) set_vector(&joint, "axis", def->axis);
    if (hinge) set_hinge(&joint, def);
    if (slider) set_slider(&joint, def);
    set(&joint, "break_force", "%.17g", def->break_force);
    set(&joint, "release", "%.17g", def->release);
}

/* --- meshes of drafts ------------------------------------------------------------------------- */

/* Longer than any line. */
#define LINE 128

typedef struct mesh_text {
    char *text;
    size_t size, capacity;
} mesh_text;

static bool add_line(mesh_text *m, const char *format, ...) RP_PRINTF(2, 3);

static bool add_line(mesh_text *m, const char *format, ...)
{
    if (!rp_reserve((void **)&m->text, &m->capacity, m->size, m->size + LINE, 1)) return false;
    va_list arguments;
    va_start(arguments, format);
    m->size += (size_t)vsnprintf(m->text + m->size, LINE, format, arguments);
    va_end(arguments);
    return true;
}

/* OBJ counts vertices from 1; the largest 32-bit index becomes one that no vertex has. */
static bool add_lines(mesh_text *m, const double *positions, size_t vertices,
                      const uint32_t *triangles, size_t count)
{
    bool ok = true;
    for (size_t v = 0; v < vertices && ok; v++)
        ok = add_line(m, "v %.17g %.17g %.17g\n", positions[3 * v], positions[3 * v + 1],
                      positions[3 * v + 2]);
    for (size_t t = 0; t < count && ok; t++)
        ok = add_line(m, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (uint64_t)triangles[3 * t] + 1,
                      (uint64_t)triangles[3 * t + 1] + 1, (uint64_t)triangles[3 * t + 2] + 1);
    return ok;
}

void rp_draft_add_mesh(rp_draft *draft, const char *name, const double *positions, size_t vertices,
                       const uint32_t *triangles, size_t count)
{
    if (!draft) return;
    if (!name || (vertices && !positions) || (count && !triangles)) {
        rp_draft_set(draft, NULL, NULL); /* reported when it is finished */
        return;
    }
    RP_ENTER();
    mesh_text m = {0};
    /* The decimal separator is a point, whatever the host program's locale. */
    void *before = rp_locale_enter();
    bool ok = add_lines(&m, positions, vertices, triangles, count);
    rp_locale_leave(before);
    char *text = ok ? rp_allocate(m.size) : NULL;
    if (text && m.size) memcpy(text, m.text, m.size);
    rp_release(m.text, m.capacity);
    rp_draft_take_mesh(draft, name, text, m.size);
}
