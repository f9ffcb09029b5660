/* A program that computes the periodic tile of the relaxed packing (W16) when the library is built,
 * and writes it as a C table: the shift of each site of a cubic lattice, in spacings.
 *
 * Grains start at random positions in their cells of the lattice. Gradient descent then reduces the
 * sum of the squared errors of their SPH densities, and in turn pairs that are too near are
 * separated. Only + - * / and sqrt are used, so that every machine computes the same table. */
#include "packing/packing_tile.h"
#include "base/random.h"
#include "math/kernel.h"

#include <stdio.h>

#define GRAINS (RP_TILE * RP_TILE * RP_TILE)
/* Pairs are separated to this distance, in spacings. Spheres of this diameter have a volume
 * fraction of 0.54, far from random close packing (0.64), so that there is space to move. */
#define APART 1.01
/* Step of the gradient descent. */
#define STEP_FACTOR 1.0
#define ROUNDS 600
/* Neighbor lists have this radius and serve for so many rounds. */
#define LIST_REACH 2.4
#define LIST_ROUNDS 10
#define LIST_MAX 128
#define SUPPORT 2.0 /* of the kernel: the solver's, in spacings */

typedef struct neighbor {
    int grain;
    rp_vec3 from; /* its site relative to that of the grain */
} neighbor;

static rp_vec3 shifts[GRAINS];
static neighbor lists[GRAINS][LIST_MAX];
static int list_counts[GRAINS];
static double errors[GRAINS];
static rp_vec3 gradients[GRAINS];

static int site(int i, int j, int k)
{
    int n = RP_TILE;
    return (((k + n) % n) * n + (j + n) % n) * n + (i + n) % n;
}

static void scatter(void)
{
    for (int g = 0; g < GRAINS; g++) {
        rp_random4 r = rp_random(1, RP_RANDOM_JITTER, (uint64_t)g);
        shifts[g] = rp_v3(rp_random_unit(r.bits[0]) - 0.5, rp_random_unit(r.bits[1]) - 0.5,
                          rp_random_unit(r.bits[2]) - 0.5);
    }
}

/* Returns the vector from the neighbor to grain g. */
static rp_vec3 apart(int g, const neighbor *n)
{
    return rp_v3_sub(rp_v3_sub(shifts[g], shifts[n->grain]), n->from);
}

static void list_neighbors(int g)
{
    int i = g % RP_TILE, j = g / RP_TILE % RP_TILE, k = g / RP_TILE / RP_TILE;
    list_counts[g] = 0;
    for (int c = -3; c <= 3; c++)
        for (int b = -3; b <= 3; b++)
            for (int a = -3; a <= 3; a++) {
                neighbor n = {site(i + a, j + b, k + c), rp_v3(a, b, c)};
                if (n.grain == g || rp_v3_length(apart(g, &n)) >= LIST_REACH) continue;
                if (list_counts[g] < LIST_MAX) lists[g][list_counts[g]++] = n;
            }
}

/* Relative error of the density against that of the lattice. */
static void find_error(rp_kernel kernel, double lattice, int g)
{
    double sum = rp_kernel_value(kernel, 0);
    for (int n = 0; n < list_counts[g]; n++)
        sum += rp_kernel_value(kernel, (float)rp_v3_length(apart(g, &lists[g][n])));
    errors[g] = sum / lattice - 1;
}

/* Gradient of half the sum of squared errors with respect to the grain's position. */
static void find_gradient(rp_kernel kernel, int g)
{
    rp_vec3 gradient = {0, 0, 0};
    for (int n = 0; n < list_counts[g]; n++) {
        const neighbor *other = &lists[g][n];
        rp_vec3 offset = apart(g, other);
        double distance = fmax(rp_v3_length(offset), 1e-6);
        double error = errors[g] + errors[other->grain];
        gradient = rp_v3_madd(
            gradient, error * (double)rp_kernel_slope(kernel, (float)distance) / distance, offset);
    }
    gradients[g] = gradient;
}

static void separate(int g)
{
    for (int n = 0; n < list_counts[g]; n++) {
        const neighbor *other = &lists[g][n];
        rp_vec3 offset = apart(g, other);
        double distance = fmax(rp_v3_length(offset), 1e-6);
        if (other->grain < g || distance >= APART) continue;
        double half = 0.5 * (APART - distance) / distance;
        shifts[g] = rp_v3_madd(shifts[g], half, offset);
        shifts[other->grain] = rp_v3_madd(shifts[other->grain], -half, offset);
    }
}

static double bounded(double shift)
{
    return fmax(-RP_TILE_REACH, fmin(RP_TILE_REACH, shift));
}

static void relax(void)
{
    rp_kernel kernel = rp_kernel_of(SUPPORT);
    double lattice = rp_kernel_lattice_sum(kernel, 1);
    for (int round = 0; round < ROUNDS; round++) {
        /* Neighbor lists, density errors, gradients, a step along them, separation, limits. */
        for (int g = 0; g < GRAINS && round % LIST_ROUNDS == 0; g++)
            list_neighbors(g);
        for (int g = 0; g < GRAINS; g++)
            find_error(kernel, lattice, g);
        for (int g = 0; g < GRAINS; g++)
            find_gradient(kernel, g);
        for (int g = 0; g < GRAINS; g++)
            shifts[g] = rp_v3_madd(shifts[g], -STEP_FACTOR, gradients[g]);
        for (int g = 0; g < GRAINS; g++)
            separate(g);
        for (int g = 0; g < GRAINS; g++)
            shifts[g] = rp_v3(bounded(shifts[g].x), bounded(shifts[g].y), bounded(shifts[g].z));
    }
}

static int rounded(double shift)
{
    return (int)floor(shift * RP_TILE_UNIT + 0.5);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!file) return 1;
    scatter();
    relax();
    fputs("/* Made by packing_tile.c. */\n", file);
    fprintf(file, "static const int16_t tile[%d][3] = {\n", GRAINS);
    for (int g = 0; g < GRAINS; g++)
        fprintf(file, "    {%d, %d, %d},\n", rounded(shifts[g].x), rounded(shifts[g].y),
                rounded(shifts[g].z));
    fputs("};\n", file);
    return fclose(file) ? 1 : 0;
}
