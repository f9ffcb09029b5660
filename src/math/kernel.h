/* The cubic spline kernel of SPH (Monaghan 1992), by support radius: W(r) = 0 for r >= support.
 * docs/theory/kernels.md has the formulas, numbered as below. */
#ifndef RP_MATH_KERNEL_H
#define RP_MATH_KERNEL_H

#include "math/vec.h"
#include "math/wide.h"

typedef struct rp_kernel {
    float support;        /* m */
    float inverse;        /* 1 / support */
    float scale;          /* 8 / (pi support^3), (K1) */
    float gradient_scale; /* 48 / (pi support^4), (K2) */
} rp_kernel;

static inline rp_kernel rp_kernel_of(double support)
{
    return (rp_kernel){.support = (float)support,
                       .inverse = (float)(1 / support),
                       .scale = (float)(8 / (RP_PI * support * support * support)),
                       .gradient_scale =
                           (float)(48 / (RP_PI * support * support * support * support))};
}

/* (K1): returns W(r) in 1/m3, for q = r / support: 1 - 6 q^2 + 6 q^3 up to 1/2, 2 (1 - q)^3 up
 * to 1. */
static inline float rp_kernel_value(rp_kernel kernel, float r)
{
    float q = r * kernel.inverse;
    if (q >= 1) return 0;
    float rest = 1 - q;
    float shape = q < 0.5f ? 1 + 6 * q * q * (q - 1) : 2 * rest * rest * rest;
    return kernel.scale * shape;
}

/* (K2): returns dW/dr in 1/m4, never positive; the gradient is this times the unit vector from j
 * to i. */
static inline float rp_kernel_slope(rp_kernel kernel, float r)
{
    float q = r * kernel.inverse;
    if (q >= 1) return 0;
    float rest = 1 - q;
    return kernel.gradient_scale * (q < 0.5f ? q * (3 * q - 2) : -rest * rest);
}

/* (K1, K2) for eight pairs; the branches become selections. */
RP_WIDE_INLINE rp_wide rp_kernel_value_wide(rp_kernel kernel, rp_wide r)
{
    rp_wide q = r * kernel.inverse;
    rp_wide rest = rp_wide_max(1 - q, rp_wide_broadcast(0));
    rp_wide near = 1 + 6 * q * q * (q - 1);
    rp_wide far = 2 * rest * rest * rest;
    return kernel.scale * rp_wide_select(q < 0.5f, near, far);
}

RP_WIDE_INLINE rp_wide rp_kernel_slope_wide(rp_kernel kernel, rp_wide r)
{
    rp_wide q = r * kernel.inverse;
    rp_wide rest = rp_wide_max(1 - q, rp_wide_broadcast(0));
    return kernel.gradient_scale * rp_wide_select(q < 0.5f, q * (3 * q - 2), -rest * rest);
}

/* (K3): returns the sum of W times the cell's volume over a full cubic lattice around a grain; near
 * 1. A density that is divided by it is exactly that of the material in a packed lattice. */
static inline double rp_kernel_lattice_sum(rp_kernel kernel, double spacing)
{
    int reach = (int)(kernel.support / spacing) + 1;
    double sum = 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach; k <= reach; k++)
                sum += rp_kernel_value(kernel,
                                       (float)(spacing * sqrt((double)(i * i + j * j + k * k))));
    return sum * spacing * spacing * spacing;
}

#endif
