/* Meshes of drafts: arrays in C become the text of an OBJ file, so that they are read, checked and
 * kept by runs as files are. */
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "scene/scene.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* More than any line of it has. */
#define LINE 128

typedef struct mesh_text {
    char *text;
    size_t size, capacity;
} mesh_text;

static bool add_line(mesh_text *m, const char *format, ...) RP_PRINTF(2, 3);

static bool add_line(mesh_text *m, const char *format, ...)
{
    if (!rp_reserve((void **)&m->text, &m->capacity, m->size, m->size + LINE, 1)) return false;
    va_list arguments;
    va_start(arguments, format);
    m->size += (size_t)vsnprintf(m->text + m->size, LINE, format, arguments);
    va_end(arguments);
    return true;
}

/* OBJ counts vertices from 1. A number that stands for none becomes one that no vertex has. */
static bool add_lines(mesh_text *m, const double *positions, size_t vertices,
                      const uint32_t *triangles, size_t count)
{
    bool ok = true;
    for (size_t v = 0; v < vertices && ok; v++)
        ok = add_line(m, "v %.17g %.17g %.17g\n", positions[3 * v], positions[3 * v + 1],
                      positions[3 * v + 2]);
    for (size_t t = 0; t < count && ok; t++)
        ok = add_line(m, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (uint64_t)triangles[3 * t] + 1,
                      (uint64_t)triangles[3 * t + 1] + 1, (uint64_t)triangles[3 * t + 2] + 1);
    return ok;
}

void rp_draft_add_mesh(rp_draft *draft, const char *name, const double *positions, size_t vertices,
                       const uint32_t *triangles, size_t count)
{
    if (!draft) return;
    if (!name || (vertices && !positions) || (count && !triangles)) {
        rp_draft_set(draft, NULL, NULL); /* told when it is finished */
        return;
    }
    RP_ENTER();
    mesh_text m = {0};
    /* Numbers have points, whatever the host program's language. */
    void *before = rp_locale_enter();
    bool ok = add_lines(&m, positions, vertices, triangles, count);
    rp_locale_leave(before);
    char *text = ok ? rp_allocate(m.size) : NULL;
    if (text && m.size) memcpy(text, m.text, m.size);
    rp_release(m.text, m.capacity);
    rp_draft_take_mesh(draft, name, text, m.size);
}
