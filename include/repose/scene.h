/* Scenes: read from a file, or built in code with the same words and the same checks.
 *
 *     rp_draft *draft = rp_draft_create();
 *     rp_draft_set(draft, "particles.spacing", "1 cm");
 *     rp_draft_set(draft, "sources.heap", "{shape: box, size: [20 cm, 20 cm, 20 cm]}");
 *     rp_scene *scene;
 *     rp_code code = rp_draft_finish(draft, &scene, report);
 *
 * `repose help scene` lists every key.
 */
#ifndef REPOSE_SCENE_H
#define REPOSE_SCENE_H

#include "repose/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An immutable, checked scene. */
typedef struct rp_scene rp_scene;

/* One value that overrides the file's: key "time.duration", value "2 s". */
typedef struct rp_setting {
    const char *key;
    const char *value; /* as a scene file would say it */
} rp_setting;

/* Reads a scene file; all mistakes in it are reported at once. */
RP_API rp_code rp_scene_load(const char *path, const rp_setting *settings, int setting_count,
                             rp_scene **out, rp_report *report);
/* The same from text; `name` stands for the file in messages. */
RP_API rp_code rp_scene_parse(const char *text, const char *name, rp_scene **out,
                              rp_report *report);
/* The same of `size` bytes with settings; of more than RP_SCENE_BYTES_MAX none is read. */
#define RP_SCENE_BYTES_MAX ((size_t)16 << 20) /* of all files of a scene together */
RP_API rp_code rp_scene_parse_with(const char *text, size_t size, const char *name,
                                   const rp_setting *settings, int setting_count, rp_scene **out,
                                   rp_report *report);
RP_API void rp_scene_destroy(rp_scene *scene);
/* The whole scene as one YAML text, includes and settings worked in. Borrowed. */
RP_API const char *rp_scene_text(const rp_scene *scene);
RP_API const char *rp_scene_title(const rp_scene *scene);
RP_API double rp_scene_duration(const rp_scene *scene);   /* s */
RP_API double rp_scene_frame_rate(const rp_scene *scene); /* 1/s */
/* How many frames the scene asks for, the one at time 0 included. */
RP_API int64_t rp_scene_frame_count(const rp_scene *scene);
/* The body's or material's place in views, or -1. */
RP_API int rp_scene_find_body(const rp_scene *scene, const char *name);
RP_API int rp_scene_find_material(const rp_scene *scene, const char *name);

/* A scene in the making. Setting never fails; finishing checks everything, a NULL as well. */
typedef struct rp_draft rp_draft;
RP_API rp_draft *rp_draft_create(void);
RP_API void rp_draft_set(rp_draft *draft, const char *key, const char *value);
/* Only for a draft that is given up. */
RP_API void rp_draft_destroy(rp_draft *draft);
/* What a joint lets move: nothing; turning about a point; turning about an axis; moving along an
 * axis. */
typedef enum rp_joint_kind {
    RP_JOINT_FIXED,
    RP_JOINT_BALL,
    RP_JOINT_HINGE,
    RP_JOINT_SLIDER
} rp_joint_kind;

/* What holds two bodies of a draft together, or one to the world. */
typedef struct rp_joint_def {
    size_t size; /* set by rp_default_joint() */
    rp_joint_kind kind;
    const char *body;   /* its name */
    const char *other;  /* likewise; NULL: the world */
    double anchor[3];   /* m, in the world at the start; ball, hinge */
    double axis[3];     /* need not be a unit vector; hinge, slider */
    double low, high;   /* rad or m from the start; infinite: no limit */
    double motor_speed; /* rad/s or m/s of body against other */
    double motor_force; /* N m or N that the motor may use at most; 0: no motor */
    double break_force; /* N; infinite: never breaks */
    double release;     /* s, when it lets go; infinite: never */
} rp_joint_def;
RP_DEFAULTS(rp_joint_def, rp_default_joint)
/* A mesh from memory: `vertices` positions of three numbers each, in m, and `count` triangles of
 * three indices each, counter-clockwise seen from outside. Bodies, sources and voids of the draft
 * name it as {shape: mesh, file: "memory:NAME"}; so do sources that are added to a world of the
 * scene. It is checked as files are when the draft is finished, and run folders keep it. The text
 * of the scene alone does not hold it. */
RP_API void rp_draft_add_mesh(rp_draft *draft, const char *name, const double *positions,
                              size_t vertices, const uint32_t *triangles, size_t count);
RP_API void rp_draft_add_joint(rp_draft *draft, const char *name, const rp_joint_def *def);
/* Releases the draft, too. */
RP_API rp_code rp_draft_finish(rp_draft *draft, rp_scene **out, rp_report *report);

#ifdef __cplusplus
}
#endif
#endif
