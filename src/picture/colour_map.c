/* Colour maps, made in OKLab, where equal distances look equal and hue does not bend with
 * lightness: B. Ottosson, "A perceptual color space for image processing", 2020,
 * https://bottosson.github.io/posts/oklab. */
#include "base/random.h"
#include "base/threads.h"
#include "math/elementary.h"
#include "picture/picture.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAP_STEPS 1024
#define MAP_DARKEST 0.26
#define MAP_LIGHTEST 0.94
#define MAP_GREY 0.6 /* lightness of NaN, half way */

#define HUES 256
#define HUE_LIGHTNESS 0.75
#define HUE_CHROMA_MOST 0.18 /* at most, within sRGB; beyond it a few hues would glare */

#define CURVE_PIECES 4096

/* Control points of a cubic Bezier curve in OKLab's plane of hues: blue-violet, by teal, to yellow.
 * It stays as far from grey as sRGB allows at each lightness; a wider curve would leave its gamut,
 * at teal first. */
static const double map_controls[4][2] = {
    {0.050, -0.120}, {-0.025, -0.140}, {-0.185, 0.005}, {-0.048, 0.165}};

static double map_table[MAP_STEPS + 1][3], hue_table[HUES][3];
static rp_once tables_once;

void rp_colour_map_oklab_to_linear(const double lab[3], double linear[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l *= l * l;
    m *= m * m;
    s *= s * s;
    linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

void rp_colour_map_oklab_from_linear(const double linear[3], double lab[3])
{
    double red = linear[0], green = linear[1], blue = linear[2];
    double l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
    double m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
    double s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static void curve_point(double s, double point[2])
{
    double r = 1 - s;
    double weights[4] = {r * r * r, 3 * r * r * s, 3 * r * s * s, s * s * s};
    point[0] = point[1] = 0;
    for (int i = 0; i < 4; i++) {
        point[0] += weights[i] * map_controls[i][0];
        point[1] += weights[i] * map_controls[i][1];
    }
}

/* Arc length of the curve up to the end of each of its pieces. */
static void curve_lengths(double lengths[CURVE_PIECES + 1])
{
    double last[2], next[2];
    curve_point(0, last);
    lengths[0] = 0;
    for (int i = 1; i <= CURVE_PIECES; i++) {
        curve_point((double)i / CURVE_PIECES, next);
        lengths[i] = lengths[i - 1] + hypot(next[0] - last[0], next[1] - last[1]);
        memcpy(last, next, sizeof last);
    }
}

/* Perceptually uniform: lightness rises linearly while the hue follows its curve by arc length, so
 * that all steps are equally long, and equally much of each is lightness. */
static void make_map(void)
{
    double lengths[CURVE_PIECES + 1];
    curve_lengths(lengths);
    for (int i = 0, piece = 0; i <= MAP_STEPS; i++) {
        double t = (double)i / MAP_STEPS, length = t * lengths[CURVE_PIECES];
        while (piece < CURVE_PIECES - 1 && lengths[piece + 1] < length)
            piece++;
        double part = (length - lengths[piece]) / (lengths[piece + 1] - lengths[piece]);
        double point[2];
        curve_point((piece + part) / CURVE_PIECES, point);
        double lightness = MAP_DARKEST + t * (MAP_LIGHTEST - MAP_DARKEST);
        rp_colour_map_oklab_to_linear((double[3]){lightness, point[0], point[1]}, map_table[i]);
    }
}

static bool in_gamut(const double linear[3])
{
    return fmin(fmin(linear[0], linear[1]), linear[2]) >= 0 &&
           fmax(fmax(linear[0], linear[1]), linear[2]) <= 1;
}

/* The colour of that hue with the largest chroma in the gamut, by bisection. */
static void make_hue(double angle, double linear[3])
{
    double low = 0, high = HUE_CHROMA_MOST;
    for (int i = 0; i < 30; i++) {
        double chroma = (low + high) / 2;
        double lab[3] = {HUE_LIGHTNESS, chroma * rp_cos(angle), chroma * rp_sin(angle)};
        rp_colour_map_oklab_to_linear(lab, linear);
        if (in_gamut(linear))
            low = chroma;
        else
            high = chroma;
    }
    rp_colour_map_oklab_to_linear(
        (double[3]){HUE_LIGHTNESS, low * rp_cos(angle), low * rp_sin(angle)}, linear);
}

static void make_tables(void)
{
    make_map();
    for (int i = 0; i < HUES; i++)
        make_hue(2 * M_PI * i / HUES, hue_table[i]);
}

void rp_colour_map_at(double t, double linear[3])
{
    rp_once_run(&tables_once, make_tables);
    if (isnan(t)) {
        linear[0] = linear[1] = linear[2] = MAP_GREY * MAP_GREY * MAP_GREY;
        return;
    }
    double at = MAP_STEPS * fmin(1, fmax(0, t));
    int i = at < MAP_STEPS ? (int)at : MAP_STEPS - 1;
    for (int c = 0; c < 3; c++)
        linear[c] = map_table[i][c] + (at - i) * (map_table[i + 1][c] - map_table[i][c]);
}

void rp_colour_map_of_id(uint32_t id, double linear[3])
{
    rp_once_run(&tables_once, make_tables);
    uint32_t hash = rp_random(0, RP_RANDOM_COLOUR, id).bits[0];
    memcpy(linear, hue_table[hash % HUES], sizeof hue_table[0]);
}
