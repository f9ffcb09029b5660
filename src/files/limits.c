#include "files/limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The table of ranges. Generous: far beyond what a scene can ask for (1e6 m, 1e6 s), far below
 * where squares and sums overflow in floats, or steps between two times would not end. */
#define FAR 1e12    /* m */
#define LATE 1e12   /* s */
#define FAST 1e12   /* m/s, rad/s, m/s2 */
#define STRONG 1e24 /* N, N m, Pa, N s, N m s */
#define HEAVY 1e24  /* kg, kg/m3 */
#define LIGHT 1e-30 /* kg */
#define SMALL 1e-12 /* m */
#define LARGE 1e6   /* m, of a grain */
#define UNIT 1.001  /* a part of a unit vector */
#define STEPS 32768 /* of the recorded velocity of fine grains */

static const rp_limits ranges[] = {
    {"time", 0, LATE},
    {"dt", 0, LATE},
    {"spacing", SMALL, LARGE},
    {"precision", SMALL, LARGE},
    {"spacing_x", SMALL, LARGE},
    {"spacing_y", SMALL, LARGE},
    {"spacing_z", SMALL, LARGE},
    {"origin_x", -FAR, FAR},
    {"origin_y", -FAR, FAR},
    {"origin_z", -FAR, FAR},
    {"x", -FAR, FAR},
    {"y", -FAR, FAR},
    {"z", -FAR, FAR},
    {"low", -FAR, FAR},
    {"position", -FAR, FAR},
    {"velocity_x", -FAST, FAST},
    {"velocity_y", -FAST, FAST},
    {"velocity_z", -FAST, FAST},
    {"velocity_step", 0, FAST / STEPS},
    {"velocity", -FAST, FAST},
    {"angular_velocity", -FAST, FAST},
    {"spin_x", -FAST, FAST},
    {"spin_y", -FAST, FAST},
    {"spin_z", -FAST, FAST},
    {"external_x", -FAST, FAST},
    {"external_y", -FAST, FAST},
    {"external_z", -FAST, FAST},
    {"gravity", -FAST, FAST},
    {"mass", LIGHT, HEAVY},
    {"density", 0, HEAVY},
    {"pressure", -STRONG, STRONG},
    {"diameter", SMALL, LARGE},
    {"moisture", 0, 1},
    {"asleep", 0, 1},
    {"orientation", -UNIT, UNIT},
    {"orientation_w", -UNIT, UNIT},
    {"orientation_x", -UNIT, UNIT},
    {"orientation_y", -UNIT, UNIT},
    {"orientation_z", -UNIT, UNIT},
    {"force", -STRONG, STRONG},
    {"torque", -STRONG, STRONG},
    {"contact_force", -STRONG, STRONG},
    {"contact_torque", -STRONG, STRONG},
    {"impulse", -STRONG, STRONG},
    {"angular_impulse", -STRONG, STRONG},
    {"contact_impulse", -STRONG, STRONG},
    {"contact_angular_impulse", -STRONG, STRONG},
    {"impulse_time", 0, LATE},
    {"with", RP_WITH_GRAIN, RP_WITH_WALL},
    {"normal", -UNIT, UNIT},
    {"normal_force", -STRONG, STRONG},
    {"shear_force", -STRONG, STRONG},
    {"branch", -FAR, FAR},
    {"overlap", -FAR, FAR},
    {"moved", 0, FAR},
    {"most_moved", 0, FAR},
    {"body_moved", 0, FAR},
    {"load", 0, FLT_MAX},
    {"calm", 0, INFINITY},             /* rest time, s; infinite for bodies that have left */
    {"streams", -INFINITY, INFINITY},  /* some never stop; checked where they are read */
    {"tracks", -INFINITY, INFINITY},   /* likewise */
    {"controls", -INFINITY, INFINITY}, /* of joints without limits; likewise */
};

rp_limits rp_limits_find(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (strcmp(ranges[i].name, name) == 0) return ranges[i];
    return (rp_limits){name, -DBL_MAX, DBL_MAX};
}

double rp_limits_value(rp_field_type type, const void *values, size_t place)
{
    switch (type) {
    case RP_F32:
        return (double)((const float *)values)[place];
    case RP_F64:
        return ((const double *)values)[place];
    case RP_U8:
        return ((const uint8_t *)values)[place];
    case RP_U16:
        return ((const uint16_t *)values)[place];
    case RP_U32:
        return ((const uint32_t *)values)[place];
    case RP_U64:
        return (double)((const uint64_t *)values)[place];
    }
    return NAN;
}

static float float_of(double bound)
{
    if (isinf(bound) || fabs(bound) <= FLT_MAX) return (float)bound;
    return bound > 0 ? FLT_MAX : -FLT_MAX;
}

/* Whether all are allowed: without a branch for each value, since nearly always they are. */
static bool are_floats_inside(const rp_limits *range, const float *values, size_t count)
{
    float low = float_of(range->low), high = float_of(range->high);
    unsigned outside = 0;
    for (size_t i = 0; i < count; i++)
        outside |= !(values[i] >= low && values[i] <= high);
    return !outside;
}

size_t rp_limits_first_outside(const rp_limits *range, rp_field_type type, const void *values,
                               size_t count)
{
    bool listed = range->high < DBL_MAX, is_float = type == RP_F32 || type == RP_F64;
    if (!listed && !is_float) return count;
    if (type == RP_F32 && are_floats_inside(range, values, count)) return count;
    for (size_t i = 0; i < count; i++) {
        double value = rp_limits_value(type, values, i);
        if (!(value >= range->low && value <= range->high)) return i;
    }
    return count;
}
