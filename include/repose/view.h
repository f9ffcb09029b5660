/* A view: the state of grains, bodies, contacts and grids at one instant, read-only and borrowed.
 *
 * A view of a world is valid until that world steps, loads or is destroyed, or until grains or
 * bodies are added or removed; a view of a frame until the frame is closed. Arrays have one value
 * per grain, in an order that changes from step to step; `id` identifies a grain. A pointer is NULL
 * when the method or the record has no such field: pressure and asleep in null, asleep in dem; fine
 * grains have no mass, density, pressure, asleep and moisture.
 */
#ifndef REPOSE_VIEW_H
#define REPOSE_VIEW_H

#include "repose/base.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array with one value per grain (or per contact, where so documented). */
typedef struct rp_field {
    const char *name; /* such as "velocity_x" */
    const char *unit; /* SI, such as "m/s"; "" for a pure number */
    rp_field_type type;
    const void *data; /* `count` values of the view that holds this field */
} rp_field;

/* Pose, motion and loads of a body. Forces and torques are means: over the last step in a view of a
 * world, over all steps since the previous frame in a view of a frame. */
typedef struct rp_body_state {
    double position[3];         /* m, of the body's origin */
    double orientation[4];      /* unit quaternion w, x, y, z: body to world */
    double velocity[3];         /* m/s, of the origin */
    double angular_velocity[3]; /* rad/s, world axes */
    double force[3];            /* N, from grains */
    double torque[3];           /* N m about the origin, from grains */
    double contact_force[3];    /* N, from other bodies and joints */
    double contact_torque[3];   /* N m about the origin, likewise */
} rp_body_state;

/* The kind of the second partner of a contact. */
typedef enum rp_contact_with { RP_WITH_GRAIN, RP_WITH_BODY, RP_WITH_WALL } rp_contact_with;

/* A point where a grain touches another grain, a body or a wall of the domain. Grains of several
 * spheres may touch at several points. */
typedef struct rp_contact {
    uint32_t first;       /* id of a grain */
    uint32_t second;      /* id of another grain; index of a body in the scene; 0 for a wall */
    uint8_t with;         /* rp_contact_with: kind of the second */
    float position[3];    /* m */
    float normal[3];      /* unit vector, from the first to the second */
    float normal_force;   /* N, along the normal; positive: repulsive */
    float shear_force[3]; /* N, on the first, tangential */
    float branch[3];      /* m, from the centre of the first to that of the second grain, as minimum
                             image; to `position` for bodies and walls */
    float overlap;        /* m; negative: the gap of a liquid bridge, which attracts */
} rp_contact;

/* Meaning of the values of a grid. */
typedef enum rp_grid_kind {
    RP_GRID_VALUES, /* any quantity at the nodes; not shown in pictures */
    RP_GRID_HEIGHT  /* heights of a surface over x and y, m above origin[2]; pictures show it */
} rp_grid_kind;
#define RP_GRID_KINDS 2
#define RP_GRIDS_MAX 16 /* of a view */

/* Values at the nodes of a regular grid, such as the columns of a height field. Node (i, j, k) is
 * at origin + (i, j, k) * spacing; its value is values[(k * size[1] + j) * size[0] + i]. */
typedef struct rp_grid {
    const char *name; /* letters, digits, - and _; such as "height" */
    const char *unit; /* SI, such as "m"; "" for a pure number */
    rp_grid_kind kind;
    uint8_t material;  /* index into the scene's materials: colour of a height field */
    size_t size[3];    /* nodes along x, y, z; z has one in a height field */
    double spacing[3]; /* m */
    double origin[3];  /* m, of the first node */
    const float *values;
} rp_grid;

typedef struct rp_view {
    double time;    /* s */
    uint64_t step;  /* steps taken since the start */
    double dt;      /* s, length of the last step */
    double spacing; /* m, distance between neighboring grains at rest */

    size_t count;              /* grains */
    const float *x, *y, *z;    /* m */
    const float *vx, *vy, *vz; /* m/s */
    const float *mass;         /* kg */
    const float *density;      /* kg/m3 */
    const float *pressure;     /* Pa */
    const uint32_t *id;        /* unique; ids of removed grains are not used again */
    const uint8_t *material;   /* index into the scene's materials */
    const uint8_t *asleep;     /* 1 when the grain sleeps */
    const float *moisture;     /* 0 dry to 1 wet */

    const rp_field *fields; /* all of the above that are not NULL, and the solver's own */
    int field_count;

    const rp_body_state *bodies; /* in the order of the scene */
    int body_count;
    const uint8_t *bodies_absent; /* 1 where a body was removed; NULL: none was */

    /* NULL when the solver has no contacts, the record has none, or they were not requested: see
     * rp_world_contacts. Their order does not depend on the number of threads. */
    const rp_contact *contacts;
    size_t contact_count;

    const rp_grid *grids; /* of methods that have any, in the order of the method */
    int grid_count;
} rp_view;

/* Returns the field of that name, or NULL. */
RP_API const rp_field *rp_view_field(const rp_view *view, const char *name);
/* Returns the grid of that name, or NULL. */
RP_API const rp_grid *rp_view_grid(const rp_view *view, const char *name);

/* A copy of a view, to be read later or on another thread: a live viewer copies the view between
 * two steps and draws the copy while the world steps on. */
typedef struct rp_view_buffer rp_view_buffer;

/* The parts of a view to copy; the others are empty in the copy. */
typedef enum rp_copy_parts {
    RP_COPY_GRAINS = 1, /* the fields that rp_view has pointers for */
    RP_COPY_FIELDS = 2, /* the solver's own, and with them the grains */
    RP_COPY_BODIES = 4,
    RP_COPY_CONTACTS = 8,
    RP_COPY_GRIDS = 16,
    RP_COPY_ALL = 31
} rp_copy_parts;

/* Copies a view, names and units included. `*buffer` is NULL at first and is then reused: memory is
 * allocated only when it is too small. After a failure the copy is empty. */
RP_API rp_code rp_view_copy(const rp_view *view, unsigned parts, rp_view_buffer **buffer,
                            rp_report *report);
/* Returns the copy; valid until the next one into this buffer. */
RP_API const rp_view *rp_view_buffer_view(const rp_view_buffer *buffer);
RP_API void rp_view_buffer_destroy(rp_view_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
