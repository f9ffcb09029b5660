/* Single values: numbers with units, words, colours, texts, names. Every fault says what was found,
 * what is allowed, and, for words, which one may have been meant. */
#include "base/file.h"
#include "document/words.h"
#include "scene/inside.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 100 /* bytes for rp_read_describe */

const char *rp_read_describe(const rp_node *node, char *text, size_t size)
{
    if (node->kind == RP_NODE_MAP)
        snprintf(text, size, "a map");
    else if (node->kind == RP_NODE_LIST)
        snprintf(text, size, "a list of %d", node->count);
    else if (!node->text[0])
        snprintf(text, size, "nothing");
    else if (strlen(node->text) > 40)
        snprintf(text, size, "'%.37s...'", node->text);
    else
        snprintf(text, size, "'%s'", node->text);
    return text;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Writes the allowed range: "0.01 to 5 m", "at least 0", "at most 1". */
static void range_text(const rp_param *param, char *text, size_t size)
{
    const char *unit = param->unit ? param->unit : "";
    const char *blank = unit[0] ? " " : "";
    double far = DBL_MAX;
    if (param->low == param->high)
        snprintf(text, size, "any finite number");
    else if (param->low < -far && param->high > far)
        snprintf(text, size, "any number or inf");
    else if (param->high > far)
        snprintf(text, size, "at least %g%s%s", param->low, blank, unit);
    else if (param->low < -far)
        snprintf(text, size, "at most %g%s%s", param->high, blank, unit);
    else
        snprintf(text, size, "%g to %g%s%s", param->low, param->high, blank, unit);
    size_t used = strlen(text);
    if (param->also && used < size)
        snprintf(text + used, size - used, ", or %.*s", (int)strcspn(param->also, "="),
                 param->also);
}

static bool in_range(const rp_param *param, const rp_unit *unit, double value)
{
    if (isnan(value)) return false;
    if (param->low == param->high) return isfinite(value);
    if (isinf(value)) return value > 0 ? isinf(param->high) : isinf(param->low);
    return value >= rp_unit_to_si(unit, param->low) && value <= rp_unit_to_si(unit, param->high);
}

static bool read_real(rp_reader *reader, const rp_param *param, rp_node *node, double *out)
{
    char shown[SHOWN], range[128], meant[64];
    rp_read_describe(node, shown, sizeof shown);
    range_text(param, range, sizeof range);
    const char *text = node->kind == RP_NODE_SCALAR ? node->text : "", *end;
    if (param->also && rp_words_alias(param->also, text, meant, sizeof meant)) text = meant;
    /* 1. The number. 2. Its unit, or the parameter's own. 3. The range, in SI units. */
    double value = rp_unit_number_at(text, &end);
    if (end == text) {
        rp_read_fail(reader, node, "found %s, expected a number; allowed: %s", shown, range);
        return false;
    }
    rp_unit wanted, unit;
    char problem[512];
    rp_unit_parse(param->unit ? param->unit : "", &wanted, NULL, 0);
    if (!rp_unit_after_number(end, shown, &wanted, &unit, problem, sizeof problem)) {
        rp_read_fail(reader, node, "%s", problem);
        return false;
    }
    bool finite = isfinite(value);
    value = rp_unit_to_si(&unit, value);
    if (finite && !isfinite(value)) value = nan("");
    if (!in_range(param, &wanted, value)) {
        rp_read_fail(reader, node, "%s is not allowed here; allowed: %s", shown, range);
        return false;
    }
    *out = value;
    return true;
}

static bool read_triple(rp_reader *reader, const rp_param *param, rp_node *node, double out[3])
{
    char shown[SHOWN];
    if (node->kind != RP_NODE_LIST || node->count != 3) {
        /* `spin: 30 rpm` has a number, but no axis: the message shows the number as a vector */
        bool number = node->kind == RP_NODE_SCALAR && strlen(node->text) < 20 &&
                      node->text[strcspn(node->text, "0123456789")];
        rp_read_fail(reader, node, "found %s, expected a list of three numbers such as [0, 0, %s]",
                     rp_read_describe(node, shown, sizeof shown), number ? node->text : "1");
        return false;
    }
    bool ok = true;
    int i = 0;
    for (rp_node *child = node->first; child; child = child->next)
        ok &= read_real(reader, param, child, &out[i++]);
    if (!ok) rp_read_mark_invalid(node);
    return ok;
}

static void read_count(rp_reader *reader, const rp_param *param, rp_node *node, int64_t *out)
{
    char shown[SHOWN];
    rp_read_describe(node, shown, sizeof shown);
    char *end = NULL;
    const char *text = node->kind == RP_NODE_SCALAR ? node->text : "";
    errno = 0;
    long long value = strtoll(text, &end, 10);
    bool number = end != text && !*end && text[0] != ' ';
    if (!number)
        rp_read_fail(reader, node, "found %s, expected a whole number; allowed: %.0f to %.0f",
                     shown, param->low, param->high);
    else if (errno == ERANGE || (double)value < param->low || (double)value > param->high)
        rp_read_fail(reader, node, "%s is not allowed here; allowed: %.0f to %.0f", shown,
                     param->low, param->high);
    else
        *out = value;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Returns the index of a word, also by another spelling; -1 when it is unknown. */
static int find_word(const rp_param *param, const char *text)
{
    char meant[64];
    int index = rp_words_find(param->words, text);
    if (index >= 0 || !param->also) return index;
    if (!rp_words_alias(param->also, text, meant, sizeof meant)) return -1;
    return rp_words_find(param->words, meant);
}

static int read_word(rp_reader *reader, const rp_param *param, rp_node *node)
{
    int index = node->kind == RP_NODE_SCALAR ? find_word(param, node->text) : -1;
    if (index >= 0) return index;
    char shown[SHOWN], allowed[512], hint[96] = "";
    rp_words_list(param->words, allowed, sizeof allowed);
    if (node->kind == RP_NODE_SCALAR) {
        rp_nearest nearest = rp_nearest_to(node->text);
        rp_nearest_try_words(&nearest, param->words);
        rp_nearest_hint(&nearest, hint, sizeof hint);
    }
    rp_read_fail(reader, node, "found %s, expected one of: %s%s",
                 rp_read_describe(node, shown, sizeof shown), allowed, hint);
    return -1;
}

static void read_words(rp_reader *reader, const rp_param *param, rp_node *node, uint32_t *out)
{
    uint32_t bits = 0;
    if (node->kind != RP_NODE_LIST) {
        int index = read_word(reader, param, node);
        if (index >= 0) *out = 1u << index;
        return;
    }
    for (rp_node *child = node->first; child; child = child->next) {
        int index = read_word(reader, param, child);
        if (index < 0)
            rp_read_mark_invalid(node);
        else
            bits |= 1u << index;
    }
    *out = bits;
}

static void read_switch(rp_reader *reader, rp_node *node, bool *out)
{
    static const rp_param both = {.words = "no|yes|false|true|off|on"};
    int index = node->kind == RP_NODE_SCALAR ? find_word(&both, node->text) : -1;
    char shown[SHOWN];
    if (index >= 0)
        *out = index % 2;
    else
        rp_read_fail(reader, node, "found %s, expected yes or no",
                     rp_read_describe(node, shown, sizeof shown));
}

/* Reports a missing file together with all other faults; its content is read later. */
static void check_file(rp_reader *reader, const rp_node *named, const char *path)
{
    rp_file_info info;
    int error = rp_file_status(path, &info);
    if (error)
        rp_node_fail(reader->tree, named, NULL, "cannot open '%s': %s", path, strerror(error));
    else if (info.kind != RP_FILE_PLAIN)
        rp_node_fail(reader->tree, named, NULL, "'%s' is not a file", path);
}

static void read_text(rp_reader *reader, const rp_param *param, rp_node *node, char **out)
{
    char shown[SHOWN];
    if (node->kind != RP_NODE_SCALAR || (param->kind == RP_PARAM_FILE && !node->text[0])) {
        rp_read_fail(reader, node, "found %s, expected %s",
                     rp_read_describe(node, shown, sizeof shown),
                     param->kind == RP_PARAM_FILE ? "the name of a file" : "a text");
        return;
    }
    bool memory = strncmp(node->text, RP_MEMORY_PREFIX, strlen(RP_MEMORY_PREFIX)) == 0;
    if (param->kind == RP_PARAM_FILE && !memory) {
        /* the tree gets the absolute path, so that the written scene is valid in any folder */
        char *path = rp_tree_resolve_path(reader->tree, node->document, node->text);
        if (!path) return;
        check_file(reader, node, path);
        node->text = path;
    }
    size_t size = strlen(node->text) + 1;
    *out = rp_read_allocate(reader, size);
    if (*out) memcpy(*out, node->text, size);
}

static void read_name(rp_reader *reader, const rp_param *param, rp_node *node, int *out)
{
    const rp_node *section = rp_node_find(reader->root, param->words);
    const rp_node *entry = node->kind == RP_NODE_SCALAR ? rp_node_find(section, node->text) : NULL;
    if (entry) {
        *out = rp_node_index(entry);
        return;
    }
    char shown[SHOWN], hint[96] = "";
    rp_read_describe(node, shown, sizeof shown);
    if (node->kind == RP_NODE_SCALAR) {
        rp_nearest nearest = rp_nearest_to(node->text);
        if (section && section->kind == RP_NODE_MAP)
            for (const rp_node *known = section->first; known; known = known->next)
                rp_nearest_try(&nearest, known->key, strlen(known->key));
        rp_nearest_hint(&nearest, hint, sizeof hint);
    }
    rp_read_fail(reader, node, "found %s, expected a name from the section '%s'%s", shown,
                 param->words, hint);
}

/* --- colours ---------------------------------------------------------------------------------- */

static const char colour_words[] =
    "black|grey|white|red|green|blue|yellow|orange|brown|sand|gravel";
static const uint32_t colour_codes[] = {0x000000, 0x808080, 0xffffff, 0xc0392b, 0x3a8f4a, 0x2f6fb5,
                                        0xe6c229, 0xe07b28, 0x7a5230, 0xe2c797, 0x8d8a84};

/* Converts an sRGB byte to linear light (IEC 61966-2-1). */
static double linear(uint32_t byte)
{
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static void set_colour(uint32_t code, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = linear(code >> (16 - 8 * i) & 0xff);
}

static void read_colour(rp_reader *reader, rp_node *node, double out[3])
{
    if (node->kind == RP_NODE_LIST) {
        static const rp_param share = {.unit = "", .low = 0, .high = 1};
        read_triple(reader, &share, node, out);
        return;
    }
    const char *text = node->kind == RP_NODE_SCALAR ? node->text : "";
    int index = rp_words_find(colour_words, text);
    if (text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
        set_colour((uint32_t)strtoul(text + 1, NULL, 16), out);
    } else if (index >= 0) {
        set_colour(colour_codes[index], out);
    } else {
        char shown[SHOWN], allowed[256], hint[96];
        rp_nearest nearest = rp_nearest_to(text);
        rp_nearest_try_words(&nearest, colour_words);
        rp_nearest_hint(&nearest, hint, sizeof hint);
        rp_words_list(colour_words, allowed, sizeof allowed);
        rp_read_fail(reader, node,
                     "found %s, expected three numbers from 0 to 1, \"#rrggbb\" or one of: %s%s",
                     rp_read_describe(node, shown, sizeof shown), allowed, hint);
    }
}

void rp_read_value(rp_reader *reader, const rp_param *param, rp_node *node, void *target)
{
    double triple[3];
    int index;
    switch (param->kind) {
    case RP_PARAM_REAL:
        read_real(reader, param, node, target);
        break;
    case RP_PARAM_VEC3:
        if (read_triple(reader, param, node, triple))
            *(rp_vec3 *)target = rp_v3(triple[0], triple[1], triple[2]);
        break;
    case RP_PARAM_COUNT:
        read_count(reader, param, node, target);
        break;
    case RP_PARAM_SWITCH:
        read_switch(reader, node, target);
        break;
    case RP_PARAM_WORD:
        index = read_word(reader, param, node);
        if (index >= 0) *(int *)target = index;
        break;
    case RP_PARAM_WORDS:
        read_words(reader, param, node, target);
        break;
    case RP_PARAM_TEXT:
    case RP_PARAM_FILE:
        read_text(reader, param, node, target);
        break;
    case RP_PARAM_COLOUR:
        read_colour(reader, node, target);
        break;
    case RP_PARAM_NAME:
        read_name(reader, param, node, target);
        break;
    default:
        break;
    }
}
