#include "base/machine.h"
#include "base/system.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The processor as the kernel calls it; where it does not say, its architecture. */
static void find_processor(char *text, size_t size, const char *otherwise)
{
    snprintf(text, size, "%s", otherwise);
    FILE *info = fopen("/proc/cpuinfo", "re");
    if (!info) return;
    char line[512];
    while (fgets(line, sizeof line, info)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value += strspn(value, ": \t");
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(info);
}

void rp_machine_describe(rp_machine *out)
{
    struct utsname name;
    if (uname(&name) != 0) name = (struct utsname){.sysname = "unknown"};
    *out = (rp_machine){.cores = sysconf(_SC_NPROCESSORS_ONLN),
                        .memory = (long long)rp_system_memory()};
    find_processor(out->processor, sizeof out->processor, name.machine);
    snprintf(out->kernel, sizeof out->kernel, "%.60s %.60s %.60s", name.sysname, name.release,
             name.machine);
}
