/* What the core of the library asks the operating system for: files that are read, and how much
 * memory there is. There are two versions, and programs are linked with one of them: system.c asks
 * the system; system_none.c, in the core archive, has no disk and knows nothing of the machine. */
#ifndef RP_BASE_SYSTEM_H
#define RP_BASE_SYSTEM_H

#include "base/files.h"

/* As the functions of base/files.h. */
int rp_system_look(const char *path, rp_file_info *info);
int rp_system_read(const char *path, char *data, size_t size, size_t *got);
bool rp_system_resolve(const char *path, char *absolute, size_t size);
void rp_system_cache(const char *folder, const char *path, const rp_file_piece *pieces, int count);

/* Bytes that this process may still take, by the machine, its control group and its limits;
 * infinite when unknown. */
double rp_system_memory_free(void);
/* Bytes that the machine has; 0 when unknown. */
double rp_system_memory(void);

#endif
