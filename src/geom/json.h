/* JSON (RFC 8259) as a flat array of values, in the order of the text: what a glTF file says of
 * itself. Private to this room. Memory is proportional to the text and bounded; nothing recurses.
 *
 *     {"a": [1, 2]}      value 0: object, 1: "a", 2: array, 3: 1, 4: 2
 *
 * `next` of a value is the number of the one behind all that it holds. */
#ifndef RP_GEOM_JSON_H
#define RP_GEOM_JSON_H

#include "geom/mesh_file.h"

#define RP_JSON_DEPTH 64
#define RP_JSON_VALUES ((uint32_t)4 << 20) /* at most */
#define RP_JSON_NONE UINT32_MAX            /* no such value */

typedef enum rp_json_kind {
    RP_JSON_NULL,
    RP_JSON_FALSE,
    RP_JSON_TRUE,
    RP_JSON_NUMBER,
    RP_JSON_STRING,
    RP_JSON_ARRAY,
    RP_JSON_OBJECT
} rp_json_kind;

typedef struct rp_json_value {
    uint32_t begin, end; /* bytes of the text; of a string without its quotes */
    uint32_t next;
    rp_json_kind kind;
} rp_json_value;

typedef struct rp_json {
    rp_mesh_text text; /* the whole of it; for numbers */
    rp_json_value *values;
    size_t count, capacity;
} rp_json;

/* Parses `size` bytes at `data`, which must outlive the result. Destroy it, also after a fault. */
rp_code rp_json_parse(rp_json *json, const rp_mesh_bytes *bytes, const char *data, size_t size,
                      rp_report *report);
void rp_json_destroy(rp_json *json);

/* RP_JSON_NONE is let pass by all of these. */
rp_json_kind rp_json_kind_of(const rp_json *json, uint32_t value);
/* The member of an object of that name; RP_JSON_NONE: there is none, or it is no object. */
uint32_t rp_json_member(const rp_json *json, uint32_t object, const char *name);
/* The first value of an array or object, and the one behind `value` in it; RP_JSON_NONE at the end.
 */
uint32_t rp_json_first(const rp_json *json, uint32_t array);
uint32_t rp_json_after(const rp_json *json, uint32_t array, uint32_t value);
size_t rp_json_length(const rp_json *json, uint32_t array);

bool rp_json_number(const rp_json *json, uint32_t value, double *number);
/* Whole and from 0 to `most`. */
bool rp_json_count(const rp_json *json, uint32_t value, uint64_t most, uint64_t *count);
/* All of an array of exactly `count` numbers. */
bool rp_json_numbers(const rp_json *json, uint32_t array, int count, double *numbers);
/* A string as UTF-8, cut to fit; false: it is none. */
bool rp_json_text(const rp_json *json, uint32_t value, char *text, size_t size);
bool rp_json_is(const rp_json *json, uint32_t value, const char *text);
/* The line of a byte of the text, from 1. */
int rp_json_line(const rp_json *json, size_t at);

#endif
