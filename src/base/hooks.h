/* The counted way to the host program's memory; base/memory.h is what the rooms use. */
#ifndef RP_BASE_HOOKS_H
#define RP_BASE_HOOKS_H

#include <stddef.h>

void *rp_hooks_allocate(size_t size); /* a multiple of RP_ALIGNMENT */
void rp_hooks_release(void *block, size_t size);

#endif
