/* Joints of drafts: a struct in C becomes the keys that a scene file would say, so that there is
 * one way of checking them. */
#include "base/report.h"
#include "base/text.h"
#include "scene/scene.h"
#include "scene/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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

/* Numbers have points, whatever the host program's language. */
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

/* What is not a limit is left out; a number that makes no sense is passed on, to be refused. */
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
    if (!name || !def) rp_draft_set(draft, NULL, NULL); /* told when the draft is finished */
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
