#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "meshfile/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- files ------------------------------------------------------------------------------------ */

/* Mesh files, by readers of our own, which name the line or byte of a mistake and break at nothing.
 * What comes in is joined, oriented, checked and prepared. */

#define LARGEST_FILE ((uint64_t)2 << 30)

rp_code rp_mesh_fail_memory(const rp_mesh_bytes *bytes, rp_report *report)
{
    rp_place place = {.file = bytes->name};
    return rp_fail_at(report, RP_ERROR_MEMORY, &place, NULL, "out of memory for the mesh");
}

static rp_code check_file(const char *path, const char *what, size_t *size, rp_report *report)
{
    rp_file_info found;
    rp_place place = {.file = path};
    char action[32];
    snprintf(action, sizeof action, "read %s", what);
    int error = rp_file_status(path, &found);
    if (error) return rp_fail_errno(report, error, path, action);
    if (found.kind == RP_FILE_FOLDER) return rp_fail_errno(report, EISDIR, path, action);
    if (found.kind != RP_FILE_PLAIN)
        return rp_fail_at(report, RP_ERROR_IO, &place, NULL, "cannot %s: not a file", action);
    if (found.size == 0)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot %s: the file is empty (0 bytes)", action);
    if (found.size > LARGEST_FILE)
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot %s: the file has %.1f GB, 2 GB are allowed; simplify it", action,
                          (double)found.size / (1 << 30));
    *size = (size_t)found.size;
    return RP_OK;
}

rp_code rp_mesh_file_load(const char *path, const char *what, rp_mesh_bytes *bytes,
                          rp_report *report)
{
    size_t size = 0;
    *bytes = (rp_mesh_bytes){.name = path, .scale = 1};
    rp_code code = check_file(path, what, &size, report);
    RP_TRY(code);
    char *data = rp_allocate(size), action[32];
    if (!data) return rp_mesh_fail_memory(bytes, report);
    size_t got = 0;
    int error = rp_file_read_start(path, data, size, &got);
    bytes->data = data;
    bytes->size = size;
    snprintf(action, sizeof action, "read %s", what);
    if (error) code = rp_fail_errno(report, error, path, action);
    if (code == RP_OK && got < size) {
        rp_place place = {.file = path};
        code = rp_fail_at(report, RP_ERROR_IO, &place, NULL,
                          "cannot %s: the file became shorter meanwhile", action);
    }
    if (code != RP_OK) rp_mesh_file_release(bytes);
    return code;
}

void rp_mesh_file_release(rp_mesh_bytes *bytes)
{
    rp_release((void *)(uintptr_t)bytes->data, bytes->size);
    bytes->data = NULL;
}

static bool begins_with(const rp_mesh_bytes *bytes, const char *word)
{
    size_t length = strlen(word);
    return bytes->size > length && rp_text_begins(bytes->data, bytes->size, word);
}

/* Returns the reader by the extension of the name; where that is unknown, by the first bytes. */
static rp_mesh_reader *find_reader(const rp_mesh_bytes *bytes)
{
    static const struct {
        const char *ending;
        rp_mesh_reader *reader;
    } formats[] = {{".obj", rp_mesh_read_obj},   {".stl", rp_mesh_read_stl},
                   {".ply", rp_mesh_read_ply},   {".off", rp_mesh_read_off},
                   {".gltf", rp_mesh_read_gltf}, {".glb", rp_mesh_read_gltf}};
    const char *slash = strrchr(bytes->name, '/');
    const char *dot = strrchr(slash ? slash : bytes->name, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (rp_text_matches(dot, formats[i].ending)) return formats[i].reader;
    if (begins_with(bytes, "ply\n") || begins_with(bytes, "ply\r")) return rp_mesh_read_ply;
    if (begins_with(bytes, "solid")) return rp_mesh_read_stl;
    if (begins_with(bytes, "glTF")) return rp_mesh_read_gltf;
    return begins_with(bytes, "OFF\n") || begins_with(bytes, "OFF\r") ? rp_mesh_read_off : NULL;
}

rp_code rp_mesh_read_bytes(rp_mesh_reader *reader, const rp_mesh_bytes *bytes, rp_mesh **out,
                           rp_report *report)
{
    rp_mesh *mesh = rp_mesh_create();
    *out = mesh;
    rp_code code = mesh ? reader(bytes, mesh, report) : rp_mesh_fail_memory(bytes, report);
    if (code == RP_OK) code = rp_mesh_make_solid(mesh, bytes->name, report);
    if (code == RP_OK) return RP_OK;
    rp_mesh_destroy(mesh);
    *out = NULL;
    return code;
}

rp_code rp_mesh_load(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    *out = NULL;
    rp_mesh_bytes bytes;
    rp_place place = {.file = path};
    if (!(scale > 0) || !isfinite(scale))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "the scale of a mesh is %g; it must be above 0", scale);
    rp_code code = rp_mesh_file_load(path, "mesh", &bytes, report);
    RP_TRY(code);
    bytes.scale = scale;
    rp_mesh_reader *reader = find_reader(&bytes);
    if (reader)
        code = rp_mesh_read_bytes(reader, &bytes, out, report);
    else
        code = rp_fail_at(report, RP_ERROR_INPUT, &place, NULL,
                          "cannot read mesh: OBJ, STL, PLY, OFF, glTF (.gltf) and GLB files can be "
                          "read; export it as one of these, such as .glb from Blender");
    rp_mesh_file_release(&bytes);
    return code;
}

/* Prepares the mesh that was read, or destroys it after a fault. */
static rp_code finish(rp_code code, rp_mesh **out, rp_report *report)
{
    if (code == RP_OK) code = rp_mesh_prepare(*out, 0, NULL, report);
    if (code != RP_OK) {
        rp_mesh_destroy(*out);
        *out = NULL;
    }
    return code;
}

rp_code rp_mesh_read(const char *path, double scale, rp_mesh **out, rp_report *report)
{
    return finish(rp_mesh_load(path, scale, out, report), out, report);
}

rp_code rp_mesh_read_memory(const char *name, const char *text, size_t size, double scale,
                            rp_mesh **out, rp_report *report)
{
    rp_mesh_bytes bytes = {name, text, size, scale};
    return finish(rp_mesh_read_bytes(rp_mesh_read_obj, &bytes, out, report), out, report);
}

/* --- words and numbers ------------------------------------------------------------------------ */

/* Words and numbers of text files. Decimal numbers of up to about 15 digits are read here, exactly;
 * others by the C library, in a locale with decimal points. */

#define NUMBER_LONGEST 400

void rp_mesh_text_begin(rp_mesh_text *text, const rp_mesh_bytes *bytes)
{
    *text = (rp_mesh_text){
        .bytes = bytes, .at = bytes->data, .end = bytes->data + bytes->size, .line = 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Skips blanks, and ends of lines after a backslash. */
static void skip_blanks(rp_mesh_text *text)
{
    for (;;) {
        const char *at = text->at;
        while (at < text->end && is_blank(*at))
            at++;
        text->at = at;
        if (!text->continued || at == text->end || *at != '\\') return;
        for (at++; at < text->end && is_blank(*at);)
            at++;
        if (at == text->end || *at != '\n') return;
        text->at = at + 1;
        text->line++;
    }
}

bool rp_mesh_text_line_ends(rp_mesh_text *text)
{
    skip_blanks(text);
    return text->at == text->end || *text->at == '\n';
}

bool rp_mesh_text_next_line(rp_mesh_text *text)
{
    while (!rp_mesh_text_line_ends(text))
        text->at++;
    if (text->at == text->end) return false;
    text->at++;
    text->line++;
    return text->at < text->end;
}

static bool word_ends(const rp_mesh_text *text, const char *at)
{
    return at == text->end || is_blank(*at) || *at == '\n';
}

bool rp_mesh_text_word(rp_mesh_text *text, char word[RP_MESH_WORD])
{
    if (rp_mesh_text_line_ends(text)) return false;
    size_t length = 0;
    for (; !word_ends(text, text->at); text->at++)
        if (length < RP_MESH_WORD - 1) word[length++] = *text->at;
    word[length] = 0;
    return true;
}

static bool slow_number(rp_mesh_text *text, double *value)
{
    char copy[NUMBER_LONGEST + 1], *stopped;
    size_t length = 0;
    while (!word_ends(text, text->at + length)) {
        if (length == NUMBER_LONGEST) return false;
        copy[length] = text->at[length];
        length++;
    }
    copy[length] = 0;
    if (length == 0) return false;
    *value = rp_locale_number(copy, &stopped);
    if (*stopped) return false;
    text->at += length;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Clinger's fast path: digits below 2^53 and a power of ten up to 22 are exact doubles, so that one
 * multiplication or division rounds correctly. False for all else. */
static bool quick_number(rp_mesh_text *text, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text->at, *end = text->end;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    uint64_t digits = 0;
    int count = 0, power = 0, exponent = 0;
    for (; at < end && is_digit(*at); at++, count++)
        if (count < 18) digits = 10 * digits + (uint64_t)(*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, count++, power--)
            if (count < 18) digits = 10 * digits + (uint64_t)(*at - '0');
    if (count == 0 || count > 18 || digits > (uint64_t)1 << 53) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool down = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (at == end || !is_digit(*at)) return false;
        for (; at < end && is_digit(*at) && exponent < 1000; at++)
            exponent = 10 * exponent + (*at - '0');
        power += down ? -exponent : exponent;
    }
    if (power < -22 || power > 22 || !word_ends(text, at)) return false;
    double size = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *value = minus ? -size : size;
    text->at = at;
    return true;
}

bool rp_mesh_text_number(rp_mesh_text *text, double *value)
{
    skip_blanks(text);
    return quick_number(text, value) || slow_number(text, value);
}

bool rp_mesh_text_integer(rp_mesh_text *text, const char *stops, int64_t *value)
{
    skip_blanks(text);
    const char *at = text->at;
    bool minus = at < text->end && *at == '-';
    if (at < text->end && (*at == '-' || *at == '+')) at++;
    int64_t found = 0;
    int count = 0;
    for (; at < text->end && is_digit(*at) && count < 18; at++, count++)
        found = 10 * found + (*at - '0');
    if (count == 0) return false;
    if (!word_ends(text, at) && !strchr(stops, *at)) return false;
    *value = minus ? -found : found;
    text->at = at;
    return true;
}

/* Bytes that are not printable ASCII are shown as question marks: messages go to terminals. */
rp_code rp_mesh_text_fail(rp_mesh_text *text, rp_report *report, const char *wanted)
{
    rp_place place = {.file = text->bytes->name, .line = text->line};
    char word[RP_MESH_WORD];
    if (!rp_mesh_text_word(text, word))
        return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "%s expected, but the %s ends here",
                          wanted, text->at == text->end ? "file" : "line");
    for (char *c = word; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "%s expected, found '%s'", wanted,
                      word);
}
