/* Reading JSON in one pass, with a stack of the arrays and objects that are open. */
#include "base/memory.h"
#include "meshfile/inside.h"

#include <string.h>

typedef struct parsing {
    rp_json *json;
    const char *data;
    size_t size, at;
    uint32_t open[RP_JSON_DEPTH]; /* arrays and objects */
    int depth;
    const char *wrong; /* NULL: nothing */
} parsing;

static void skip_blanks(parsing *p)
{
    while (p->at < p->size && strchr(" \t\r\n", p->data[p->at]) && p->data[p->at])
        p->at++;
}

static char peek(const parsing *p)
{
    return p->at < p->size ? p->data[p->at] : 0;
}

static bool take(parsing *p, char c)
{
    if (p->at == p->size || p->data[p->at] != c) return false;
    p->at++;
    return true;
}

static bool fail(parsing *p, const char *wrong)
{
    if (!p->wrong) p->wrong = wrong;
    return false;
}

static bool add(parsing *p, rp_json_kind kind, size_t begin, size_t end)
{
    rp_json *json = p->json;
    if (json->count == RP_JSON_VALUES) return fail(p, "more than 4 million values");
    if (!rp_reserve((void **)&json->values, &json->capacity, json->count, json->count + 1,
                    sizeof *json->values))
        return fail(p, "");
    uint32_t number = (uint32_t)json->count++;
    json->values[number] = (rp_json_value){(uint32_t)begin, (uint32_t)end, number + 1, kind};
    return true;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Behind the opening quote. */
static bool read_string(parsing *p)
{
    size_t begin = p->at;
    for (; p->at < p->size && p->data[p->at] != '"'; p->at++) {
        if ((unsigned char)p->data[p->at] < ' ')
            return fail(p, "a string with a control character");
        if (p->data[p->at] != '\\') continue;
        p->at++;
        if (!peek(p) || !strchr("\"\\/bfnrtu", peek(p))) return fail(p, "a strange escape");
        if (peek(p) != 'u') continue;
        for (int i = 0; i < 4; i++) {
            p->at++;
            if (!is_hex(peek(p))) return fail(p, "a strange escape");
        }
    }
    size_t end = p->at;
    return take(p, '"') ? add(p, RP_JSON_STRING, begin, end) : fail(p, "a string does not end");
}

static bool skip_digits(parsing *p)
{
    size_t begin = p->at;
    while (peek(p) >= '0' && peek(p) <= '9')
        p->at++;
    return p->at > begin;
}

static bool read_number(parsing *p)
{
    size_t begin = p->at;
    take(p, '-');
    bool sound = take(p, '0') || skip_digits(p);
    if (sound && take(p, '.')) sound = skip_digits(p);
    if (sound && (take(p, 'e') || take(p, 'E'))) {
        if (!take(p, '-')) take(p, '+');
        sound = skip_digits(p);
    }
    return sound ? add(p, RP_JSON_NUMBER, begin, p->at) : fail(p, "a value is expected");
}

static bool read_word(parsing *p)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (p->size - p->at < length || memcmp(p->data + p->at, words[i], length) != 0) continue;
        p->at += length;
        return add(p, (rp_json_kind)(RP_JSON_NULL + i), p->at - length, p->at);
    }
    return read_number(p);
}

static bool open_group(parsing *p, rp_json_kind kind)
{
    if (p->depth == RP_JSON_DEPTH) return fail(p, "more than 64 levels of brackets");
    p->open[p->depth++] = (uint32_t)p->json->count;
    return add(p, kind, p->at - 1, p->at);
}

static void close_group(parsing *p)
{
    rp_json_value *group = &p->json->values[p->open[--p->depth]];
    group->end = (uint32_t)p->at;
    group->next = (uint32_t)p->json->count;
}

/* The name of a member, and the colon. */
static bool read_name(parsing *p)
{
    skip_blanks(p);
    if (!take(p, '"')) return fail(p, "the name of a member is expected");
    if (!read_string(p)) return false;
    skip_blanks(p);
    return take(p, ':') || fail(p, "':' is expected");
}

/* What stands behind a value: a comma, or brackets that close. */
static bool finish_value(parsing *p)
{
    while (p->depth > 0) {
        bool object = p->json->values[p->open[p->depth - 1]].kind == RP_JSON_OBJECT;
        skip_blanks(p);
        if (take(p, ',')) return object ? read_name(p) : true;
        if (!take(p, object ? '}' : ']'))
            return fail(p, object ? "',' or '}' is expected" : "',' or ']' is expected");
        close_group(p);
    }
    return true;
}

/* A value, up to where the next one begins. */
static bool read_value(parsing *p)
{
    skip_blanks(p);
    if (take(p, '[') || take(p, '{')) {
        bool object = p->data[p->at - 1] == '{';
        if (!open_group(p, object ? RP_JSON_OBJECT : RP_JSON_ARRAY)) return false;
        skip_blanks(p);
        if (!take(p, object ? '}' : ']')) return object ? read_name(p) : true;
        close_group(p);
    } else if (take(p, '"') ? !read_string(p) : !read_word(p)) {
        return false;
    }
    return finish_value(p);
}

int rp_json_line(const rp_json *json, size_t at)
{
    int line = 1;
    for (const char *c = json->text.at; c < json->text.at + at && c < json->text.end; c++)
        line += *c == '\n';
    return line;
}

rp_code rp_json_parse(rp_json *json, const rp_mesh_bytes *bytes, const char *data, size_t size,
                      rp_report *report)
{
    *json = (rp_json){0};
    rp_mesh_text_begin(&json->text, bytes);
    json->text.at = data;
    json->text.end = data + size;
    parsing p = {.json = json, .data = data, .size = size};
    bool ok = size < UINT32_MAX || fail(&p, "too long");
    do
        ok = ok && read_value(&p);
    while (ok && p.depth > 0);
    skip_blanks(&p);
    /* Some writers fill up with zeros. */
    while (ok && p.at < size && data[p.at] == 0)
        p.at++;
    if (ok && p.at < size) fail(&p, "something follows the end");
    if (!p.wrong) return RP_OK;
    if (!p.wrong[0]) return rp_mesh_fail_memory(bytes, report);
    rp_place place = {.file = bytes->name, .line = rp_json_line(json, p.at)};
    return rp_fail_at(report, RP_ERROR_INPUT, &place, NULL, "this is no glTF file: in its JSON, %s",
                      p.at == size ? "the end comes too early" : p.wrong);
}

void rp_json_destroy(rp_json *json)
{
    rp_release(json->values, json->capacity * sizeof *json->values);
}

rp_json_kind rp_json_kind_of(const rp_json *json, uint32_t value)
{
    return value == RP_JSON_NONE ? RP_JSON_NULL : json->values[value].kind;
}

uint32_t rp_json_first(const rp_json *json, uint32_t array)
{
    if (rp_json_kind_of(json, array) < RP_JSON_ARRAY) return RP_JSON_NONE;
    return json->values[array].next > array + 1 ? array + 1 : RP_JSON_NONE;
}

uint32_t rp_json_after(const rp_json *json, uint32_t array, uint32_t value)
{
    uint32_t next = json->values[value].next;
    return next < json->values[array].next ? next : RP_JSON_NONE;
}

size_t rp_json_length(const rp_json *json, uint32_t array)
{
    size_t length = 0;
    uint32_t value = rp_json_first(json, array);
    for (; value != RP_JSON_NONE; value = rp_json_after(json, array, value))
        length++;
    return length;
}

bool rp_json_is(const rp_json *json, uint32_t value, const char *text)
{
    if (rp_json_kind_of(json, value) != RP_JSON_STRING) return false;
    const rp_json_value *v = &json->values[value];
    size_t length = strlen(text);
    return v->end - v->begin == length && memcmp(json->text.at + v->begin, text, length) == 0;
}

uint32_t rp_json_member(const rp_json *json, uint32_t object, const char *name)
{
    if (rp_json_kind_of(json, object) != RP_JSON_OBJECT) return RP_JSON_NONE;
    uint32_t key = rp_json_first(json, object);
    while (key != RP_JSON_NONE) {
        if (rp_json_is(json, key, name)) return key + 1;
        key = rp_json_after(json, object, key + 1);
    }
    return RP_JSON_NONE;
}

bool rp_json_number(const rp_json *json, uint32_t value, double *number)
{
    if (rp_json_kind_of(json, value) != RP_JSON_NUMBER) return false;
    rp_mesh_text text = json->text;
    text.end = text.at + json->values[value].end;
    text.at += json->values[value].begin;
    return rp_mesh_text_number(&text, number) && isfinite(*number);
}

bool rp_json_count(const rp_json *json, uint32_t value, uint64_t most, uint64_t *count)
{
    double number;
    if (!rp_json_number(json, value, &number)) return false;
    if (!(number >= 0 && number <= (double)most) || number != floor(number)) return false;
    *count = (uint64_t)number;
    return true;
}

bool rp_json_numbers(const rp_json *json, uint32_t array, int count, double *numbers)
{
    if (rp_json_kind_of(json, array) != RP_JSON_ARRAY) return false;
    uint32_t value = rp_json_first(json, array);
    for (int i = 0; i < count; i++) {
        if (!rp_json_number(json, value, &numbers[i])) return false;
        value = rp_json_after(json, array, value);
    }
    return value == RP_JSON_NONE;
}

/* --- strings ---------------------------------------------------------------------------------- */

static unsigned hex4(const char *at)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 4 | (unsigned)(at[i] <= '9' ? at[i] - '0' : (at[i] | 32) - 'a' + 10);
    return value;
}

/* The code point at `*at`, which is moved behind it. Halves of a pair that stand alone become a
 * question mark. */
static unsigned next_point(const char **at, const char *end)
{
    const char *c = *at;
    if (*c != '\\') {
        *at = c + 1;
        return (unsigned char)*c;
    }
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *found = strchr(letters, c[1]);
    *at = c + 2;
    if (c[1] != 'u') return (unsigned char)(found ? meant[found - letters] : c[1]);
    unsigned point = hex4(c + 2);
    *at = c + 6;
    if (point < 0xd800 || point > 0xdfff) return point;
    bool pair = point < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
    unsigned low = pair ? hex4(*at + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff) return '?';
    *at += 6;
    return 0x10000 + ((point - 0xd800) << 10 | (low - 0xdc00));
}

/* Bytes of the text itself are UTF-8 already; only escapes are made so. */
static size_t put_point(char *to, unsigned point, bool escaped)
{
    if (point < 0x80 || !escaped) {
        to[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--, point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3f));
    to[0] = (char)(marks[length] | point);
    return length;
}

bool rp_json_text(const rp_json *json, uint32_t value, char *text, size_t size)
{
    if (rp_json_kind_of(json, value) != RP_JSON_STRING) return false;
    const char *at = json->text.at + json->values[value].begin;
    const char *end = json->text.at + json->values[value].end;
    size_t used = 0;
    while (at < end && used + 5 <= size) {
        bool escaped = *at == '\\';
        unsigned point = next_point(&at, end);
        /* Control characters would reach terminals with messages. */
        if (point < ' ' || point == 0x7f) point = '?';
        used += put_point(text + used, point, escaped);
    }
    text[used] = 0;
    return true;
}
