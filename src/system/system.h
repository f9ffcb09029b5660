/* The machine, and the status of files as system calls give it. How the core asks the system is in
 * base/file.h. */
#ifndef RP_SYSTEM_SYSTEM_H
#define RP_SYSTEM_SYSTEM_H

#include "base/file.h"

struct stat;

/* The machine that a record was made on. */
typedef struct rp_machine {
    char kernel[256];    /* its name, release and architecture */
    char processor[256]; /* as the kernel calls it, or its architecture */
    long cores;
    long long memory; /* bytes; 0 when unknown */
} rp_machine;

void rp_machine_describe(rp_machine *out);

/* What stat() says, as base/file.h has it. */
rp_file_info rp_file_info_of(const struct stat *status);

#endif
