#include "math/kernel.h"

double rp_kernel_lattice_sum(rp_kernel kernel, double spacing)
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
