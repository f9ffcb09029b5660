/* A block of grains with contacts between them, made by hand: layers of balls, each of which rests
 * on four of the layer below and hands what it carries down to them in uneven parts, as in the q
 * model (Coppersmith et al. 1996). So forces gather in chains, and yet each layer carries the whole
 * load. */
#ifndef RP_TESTS_CHAINS_H
#define RP_TESTS_CHAINS_H

#include "base/random.h"
#include "repose/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS_SPACING 0.01f /* m */

typedef struct chains {
    size_t side, layers; /* grains along an edge, and layers */
    float *x, *y, *z, *zero, *mass, *carried;
    uint8_t *bytes;
    uint32_t *id;
    rp_contact *contacts;
    rp_body_state floor;
    rp_field fields[13];
    rp_view view;
} chains;

/* Layers are squares that lie half a spacing to the side in turns; the block is closed across its
 * sides, as in a periodic box. */
static inline size_t chains_place(const chains *c, size_t layer, size_t i, size_t j)
{
    return (layer * c->side + j % c->side) * c->side + i % c->side;
}

static inline float chains_height(size_t layer)
{
    return CHAINS_SPACING * (0.5f + (float)layer * 0.70710678f);
}

static inline void chains_put(chains *c)
{
    for (size_t layer = 0; layer < c->layers; layer++)
        for (size_t j = 0; j < c->side; j++)
            for (size_t i = 0; i < c->side; i++) {
                size_t place = chains_place(c, layer, i, j);
                float shift = layer % 2 ? 0.75f : 0.25f;
                c->x[place] = CHAINS_SPACING * ((float)i + shift);
                c->y[place] = CHAINS_SPACING * ((float)j + shift);
                c->z[place] = chains_height(layer);
                c->id[place] = (uint32_t)(3 * place + 5);
                c->mass[place] = 1e-3f;
            }
}

/* The share `part` of what a grain carries goes to the lower one `dx`, `dy` half spacings away. */
static inline void chains_hand_down(chains *c, size_t layer, size_t i, size_t j, int corner,
                                    float part)
{
    size_t from = chains_place(c, layer, i, j), side = c->side, odd = layer % 2;
    size_t right = (size_t)corner % 2, back = (size_t)corner / 2;
    size_t to = chains_place(c, layer - 1, i + right + (odd ? 0 : side - 1),
                             j + back + (odd ? 0 : side - 1));
    rp_contact *contact = &c->contacts[c->view.contact_count++];
    const float normal[3] = {right ? 0.5f : -0.5f, back ? 0.5f : -0.5f, -0.70710678f};
    const float at[3] = {c->x[from], c->y[from], c->z[from]};
    contact->first = c->id[from];
    contact->second = c->id[to];
    for (int a = 0; a < 3; a++) {
        contact->normal[a] = normal[a];
        contact->branch[a] = CHAINS_SPACING * normal[a];
        contact->position[a] = at[a] + contact->branch[a] / 2;
    }
    contact->normal_force = c->carried[from] * part / 0.70710678f;
    contact->overlap = 1e-4f;
    c->carried[to] += c->carried[from] * part;
}

static inline void chains_load(chains *c, float load)
{
    size_t each = c->side * c->side;
    for (size_t i = 0; i < each; i++)
        c->carried[(c->layers - 1) * each + i] = load / (float)each;
    for (size_t layer = c->layers - 1; layer > 0; layer--)
        for (size_t i = 0; i < each; i++) {
            size_t at = layer * each + i;
            rp_random4 r = rp_random(1, RP_RANDOM_TEST, at);
            float parts[4], sum = 0;
            for (int k = 0; k < 4; k++) { /* mostly small, so that one of the four takes the most */
                float u = rp_random_unit(r.bits[k]) + 1e-3f;
                sum += parts[k] = u * u * u * u;
            }
            for (int k = 0; k < 4; k++)
                chains_hand_down(c, layer, i % c->side, i / c->side, k, parts[k] / sum);
        }
}

/* The lowest layer lies on body 0, a floor at z = 0. */
static inline void chains_rest(chains *c)
{
    for (size_t i = 0; i < c->side * c->side; i++) {
        rp_contact *contact = &c->contacts[c->view.contact_count++];
        contact->first = c->id[i];
        contact->with = RP_WITH_BODY;
        contact->position[0] = c->x[i];
        contact->position[1] = c->y[i];
        contact->normal[2] = -1;
        contact->branch[2] = -c->z[i];
        contact->normal_force = c->carried[i];
    }
}

static inline void chains_list_fields(chains *c)
{
    const rp_view *v = &c->view;
    const rp_field all[13] = {{"x", "m", RP_F32, v->x},
                              {"y", "m", RP_F32, v->y},
                              {"z", "m", RP_F32, v->z},
                              {"velocity_x", "m/s", RP_F32, v->vx},
                              {"velocity_y", "m/s", RP_F32, v->vy},
                              {"velocity_z", "m/s", RP_F32, v->vz},
                              {"mass", "kg", RP_F32, v->mass},
                              {"density", "kg/m3", RP_F32, v->density},
                              {"pressure", "Pa", RP_F32, v->pressure},
                              {"id", "", RP_U32, v->id},
                              {"material", "", RP_U8, v->material},
                              {"asleep", "", RP_U8, v->asleep},
                              {"moisture", "", RP_F32, v->moisture}};
    memcpy(c->fields, all, sizeof all);
    c->view.fields = c->fields;
    c->view.field_count = 13;
}

/* `load` newtons on the topmost layer; grains themselves weigh nothing. */
static inline chains *chains_make(size_t side, size_t layers, float load)
{
    chains *c = calloc(1, sizeof *c);
    size_t count = side * side * layers;
    *c = (chains){.side = side, .layers = layers, .floor = {.orientation = {1, 0, 0, 0}}};
    c->x = calloc(6 * count, sizeof *c->x);
    c->y = c->x + count, c->z = c->y + count, c->zero = c->z + count, c->mass = c->zero + count;
    c->carried = c->mass + count;
    c->bytes = calloc(count, 1);
    c->id = calloc(count, sizeof *c->id);
    c->contacts = calloc(4 * count, sizeof *c->contacts);
    c->view = (rp_view){.spacing = CHAINS_SPACING,
                        .count = count,
                        .x = c->x,
                        .y = c->y,
                        .z = c->z,
                        .vx = c->zero,
                        .vy = c->zero,
                        .vz = c->zero,
                        .mass = c->mass,
                        .density = c->zero,
                        .pressure = c->zero,
                        .id = c->id,
                        .material = c->bytes,
                        .asleep = c->bytes,
                        .moisture = c->zero,
                        .bodies = &c->floor,
                        .body_count = 1,
                        .contacts = c->contacts};
    chains_list_fields(c);
    chains_put(c);
    chains_load(c, load);
    chains_rest(c);
    return c;
}

static inline void chains_free(chains *c)
{
    free(c->x);
    free(c->bytes);
    free(c->id);
    free(c->contacts);
    free(c);
}

#endif
