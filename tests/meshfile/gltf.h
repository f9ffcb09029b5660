/* Small animated glTF files, their buffers inside. */
#ifndef RP_TESTS_GEOM_GLTF_H
#define RP_TESTS_GEOM_GLTF_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static inline void write_base64(FILE *file, const unsigned char *data, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)data[i] << 16;
        if (i + 1 < size) bits |= (unsigned)data[i + 1] << 8;
        if (i + 2 < size) bits |= data[i + 2];
        fputc(letters[bits >> 18], file);
        fputc(letters[bits >> 12 & 63], file);
        fputc(i + 1 < size ? letters[bits >> 6 & 63] : '=', file);
        fputc(i + 2 < size ? letters[bits & 63] : '=', file);
    }
}

/* Node "arm" goes to [1 0 0] in a second and to [1 2 0] in another, and turns by 90 degrees about z
 * from 0.5 s to 2 s; it hangs on "rig", which stands at [0 0 5], three times as large, turned by 90
 * degrees about x. "lamp" stands still. `scale` is the arm's own. */
static inline void write_gltf(const char *path, double scale)
{
    static const float numbers[] = {0, 1,    2,                   /* s */
                                    0, 0,    0, 1, 0, 0, 1, 2, 0, /* m */
                                    0, 0.5f, 2,                   /* s */
                                    0, 0,    0, 1, 0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f};
    FILE *file = fopen(path, "w");
    fprintf(
        file,
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 2]}],"
        "\"nodes\": [{\"name\": \"rig\", \"translation\": [0, 0, 5], \"scale\": [3, 3, 3],"
        "\"rotation\": [0.70710678, 0, 0, 0.70710678], \"children\": [1]},"
        "{\"name\": \"arm\", \"scale\": [%g, %g, %g]}, {\"name\": \"lamp\"}],"
        "\"bufferViews\": [{\"buffer\": 0, \"byteOffset\": 0, \"byteLength\": 12},"
        "{\"buffer\": 0, \"byteOffset\": 12, \"byteLength\": 36},"
        "{\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 12},"
        "{\"buffer\": 0, \"byteOffset\": 60, \"byteLength\": 48}],"
        "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": "
        "\"SCALAR\", \"min\": [0], \"max\": [2]},"
        "{\"bufferView\": 1, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"},"
        "{\"bufferView\": 2, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\", "
        "\"min\": [0], \"max\": [2]},"
        "{\"bufferView\": 3, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC4\"}],"
        "\"animations\": [{\"name\": \"swing\", \"samplers\": [{\"input\": 0, \"output\": 1}, "
        "{\"input\": 2, \"output\": 3}], \"channels\": [{\"sampler\": 0, \"target\": {\"node\": "
        "1, \"path\": \"translation\"}}, {\"sampler\": 1, \"target\": {\"node\": 1, \"path\": "
        "\"rotation\"}}]}],"
        "\"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,",
        scale, scale, scale, sizeof numbers);
    write_base64(file, (const unsigned char *)numbers, sizeof numbers);
    fprintf(file, "\"}]}\n");
    fclose(file);
}

#endif
