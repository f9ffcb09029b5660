/* What a record says about the machine that it was made on. */
#ifndef RP_BASE_MACHINE_H
#define RP_BASE_MACHINE_H

typedef struct rp_machine {
    char kernel[256];    /* its name, release and architecture */
    char processor[256]; /* as the kernel calls it, or its architecture */
    long cores;
    long long memory; /* bytes; 0 when unknown */
} rp_machine;

void rp_machine_describe(rp_machine *out);

#endif
