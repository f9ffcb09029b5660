/* The scene: the content of a scene file, checked, complete and immutable. scene/tables.c declares
 * every parameter; scene/read_tables.c fills these structs from it; nothing changes them
 * afterwards. The room is below the solvers, so it knows methods only as tables that the caller
 * passes in. */
#ifndef RP_SCENE_SCENE_H
#define RP_SCENE_SCENE_H

#include "base/memory.h"
#include "geom/clump.h"
#include "geom/roughness.h"
#include "geom/shape.h"
#include "math/keyframes.h"
#include "meshfile/meshfile.h"
#include "repose/scene.h"
#include "scene/param.h"

#include <stdint.h>

typedef struct rp_time_spec {
    double duration;   /* s */
    double frame_rate; /* 1/s */
    double step;       /* s; 0: automatic */
    double max_step;   /* s, for the automatic step */
    double min_step;   /* s; an automatic step below it stops the run */
} rp_time_spec;

/* Gravity at a time; between two of them direction and magnitude change at constant rates. */
typedef struct rp_gravity_key_spec {
    double time;     /* s */
    rp_vec3 gravity; /* m/s2 */
} rp_gravity_key_spec;

/* The sides of the domain in the order of rp_domain_spec.open. */
#define RP_SIDE_WORDS "left|right|front|back|bottom|top"
#define RP_SIDES 6

/* Fixed grains on walls of the domain. */
typedef struct rp_domain_roughness {
    rp_roughness grains;
    uint32_t sides; /* bits of RP_SIDE_WORDS */
} rp_domain_roughness;

typedef struct rp_domain_spec {
    rp_vec3 low, high; /* m; infinite where the scene gives no bound */
    uint32_t periodic; /* bits x, y, z: what leaves on one side comes back on the other */
    uint32_t
        open; /* bits of RP_SIDE_WORDS: grains that pass this side are removed; else it is a wall */
    double friction[RP_SIDES]; /* of the walls, tangent of the angle; infinite: rough */
    double restitution;        /* of the walls */
    rp_domain_roughness roughness;
} rp_domain_spec;

typedef enum rp_packing_kind { RP_PACKING_RELAXED, RP_PACKING_LATTICE } rp_packing_kind;
#define RP_PACKING_WORDS "relaxed|lattice"

typedef struct rp_particles_spec {
    double spacing; /* m, distance of neighboring grains at rest */
    int packing;    /* rp_packing_kind */
    double jitter;  /* how much nearer than a spacing grains may start, in spacings */
} rp_particles_spec;

typedef struct rp_material_spec {
    char *name;
    double density;       /* kg/m3, of the packed material */
    double angle;         /* rad, angle of repose */
    double friction;      /* of a grain on a body or wall, tangent of the angle; where a method
                             resolves grains, on another grain, too */
    double restitution;   /* likewise */
    double grain_density; /* kg/m3, of the solid that single grains are made of */
    double colour[3];     /* linear */
    void *own;            /* values of the chosen method's own table */
} rp_material_spec;

#define RP_GRAIN_WORDS "tetrahedron|sphere|dimer|cube|spheres" /* rp_grain_shape */

typedef enum rp_sizes {
    RP_SIZES_UNIFORM,
    RP_SIZES_NORMAL,
    RP_SIZES_LOGNORMAL,
    RP_SIZES_SIEVE
} rp_sizes;
#define RP_SIZES_WORDS "uniform|normal|lognormal|sieve"
#define RP_SIZES_CUT 2.5 /* standard deviations at which normal and lognormal sizes are cut */

/* One sphere of a grain: lengths count as ratios, the diameter scales them. */
typedef struct rp_ball_spec {
    rp_vec3 position;
    double radius;
} rp_ball_spec;

typedef struct rp_sieve_spec {
    double diameter; /* m */
    double passing;  /* fraction by mass that passes, 0 to 1; linear between two sieves */
} rp_sieve_spec;

/* A kind of grain, for methods that resolve single grains. */
typedef struct rp_grain_spec {
    char *name;
    int shape;             /* rp_grain_shape */
    rp_plain_list spheres; /* rp_ball_spec; of RP_GRAIN_SPHERES */
    double diameter;       /* m, mean by number, of the sphere around a grain */
    int sizes;             /* rp_sizes */
    double spread;         /* uniform: half width over the mean; normal and lognormal: standard
                              deviation over the mean, before the cut at RP_SIZES_CUT of them */
    rp_plain_list sieve;   /* rp_sieve_spec; of RP_SIZES_SIEVE */
    double share;          /* relative number of grains of this kind among those of its material */
    int material;          /* index; -1: every material that no other kind names */
    rp_clump clump;        /* built when the scene is read */
    double smallest, largest; /* m, range of the diameters */
    double cube;              /* m3, mean of the cube of the diameter, by number */
    double unit;              /* m, and */
    double log_spread;        /* of lognormal sizes: their diameter is unit exp(log_spread z) */
} rp_grain_spec;

/* Values for contacts of two materials, in place of those that follow from each of them. */
typedef struct rp_contact_spec {
    char *name;
    int first, second; /* materials; may be the same */
    double friction, restitution,
        rolling_friction; /* NaN: not given, those of the materials are used */
} rp_contact_spec;

/* Shape keys that sources, voids, bodies and regions share. */
typedef struct rp_shape_spec {
    int kind; /* rp_shape_kind */
    rp_vec3 size;
    double radius, height, neck, thickness;
    char *file;        /* mesh; absolute */
    char *stored_name; /* the mesh's name in run folders, by its content: "meshes/HASH.obj"; or NULL
                        */
    double scale;      /* of the mesh */
} rp_shape_spec;

typedef struct rp_source_spec {
    char *name;
    rp_shape_spec shape_spec;
    rp_shape shape;             /* made from the spec; the mesh is owned by the scene */
    rp_vec3 position, rotation; /* m; rad, about x, then y, then z */
    rp_pose pose;
    int material;
    rp_vec3 velocity; /* m/s */
    rp_vec3 spin;     /* rad/s, about the position */
    double at;        /* s, when it appears */
    double moisture;  /* 0 dry to 1 wet */
    void *own;        /* as of a material */
} rp_source_spec;

/* A part of space that sources leave empty. */
typedef struct rp_void_spec {
    char *name;
    rp_shape_spec shape_spec;
    rp_shape shape;             /* made from the spec; the mesh is owned by the scene */
    rp_vec3 position, rotation; /* m; rad, about x, then y, then z */
    rp_pose pose;
} rp_void_spec;

typedef enum rp_nozzle_kind { RP_NOZZLE_DISC, RP_NOZZLE_RECTANGLE } rp_nozzle_kind;
#define RP_NOZZLE_WORDS "disc|rectangle"

typedef struct rp_emitter_spec {
    char *name;
    int nozzle;           /* rp_nozzle_kind */
    double radius;        /* m, disc */
    double width, height; /* m, rectangle */
    rp_vec3 position;     /* m */
    rp_vec3 direction;    /* made a unit vector */
    double speed;         /* m/s */
    double rate;          /* kg/s; 0: as much as fills the nozzle at this speed */
    double start, stop;   /* s; stop may be infinite */
    int material;
    double moisture;  /* 0 dry to 1 wet */
    double clearance; /* m, distance that it keeps from sand in front; 0: it does not move */
} rp_emitter_spec;

/* A region in which grains become wet or dry over some time. */
typedef struct rp_moisture_spec {
    char *name;
    rp_shape_spec shape_spec;
    bool everywhere;            /* no shape is given: all grains */
    rp_shape shape;             /* made from the spec; the mesh is owned by the scene */
    rp_vec3 position, rotation; /* m; rad, about x, then y, then z */
    rp_pose pose;
    double start, duration; /* s; duration 0: at once */
    double value;           /* moisture at the end, 0 dry to 1 wet */
} rp_moisture_spec;

typedef enum rp_motion { RP_MOTION_FIXED, RP_MOTION_KEYS, RP_MOTION_DYNAMIC } rp_motion;
#define RP_MOTION_WORDS "fixed|keys|dynamic"

typedef struct rp_key_spec {
    double time;      /* s */
    rp_vec3 position; /* m; where the body's keys_move */
    rp_vec3 rotation; /* rad; where its keys_turn */
} rp_key_spec;

typedef struct rp_body_spec {
    char *name;
    rp_shape_spec shape_spec;
    rp_shape shape;
    rp_vec3 position, rotation;
    rp_vec3 normal;              /* planes only: its normal, converted to the pose */
    rp_pose pose;                /* at time 0; the first key or animation key where there are any */
    int motion;                  /* rp_motion */
    rp_plain_list keys;          /* rp_key_spec, times rising; of motion keys, may be empty */
    bool keys_move, keys_turn;   /* keys give positions; keys give rotations */
    int interpolation;           /* rp_interpolation */
    char *animation_file;        /* absolute; in place of keys; or NULL */
    char *animation_stored_name; /* its name in run folders, by its content; or NULL */
    char *node;                  /* of that file; NULL: the first that is animated */
    rp_plain_list animation;     /* rp_animation_key, in the world; in place of keys */
    double density;              /* kg/m3; of a dynamic body, 0 where mass is given */
    double mass;                 /* kg; of a dynamic body, 0 where density is given */
    double friction, restitution; /* of its surface; friction infinite: rough */
    rp_roughness roughness;       /* of its surface: fixed grains */
    rp_vec3 velocity, spin;       /* m/s, rad/s; of a dynamic body at the start, of a keyed one for
                                     ever where its keys do not move, do not turn it */
    rp_vec3 belt;                 /* m/s, along its own axes: velocity of its surface */
    double colour[3];
    bool hidden; /* not in pictures */
    void *own;   /* as of a material */
} rp_body_spec;

#define RP_JOINT_WORDS "fixed|ball|hinge|slider"

/* A joint between two bodies, or between a body and the world. */
typedef struct rp_joint_spec {
    char *name;
    int kind;           /* rp_joint_kind */
    int body, other;    /* indices of bodies; other -1: the world (a fixed point of space) */
    rp_vec3 anchor;     /* m, in the world at the start; ball, hinge */
    rp_vec3 axis;       /* in the world at the start, made a unit vector; hinge, slider */
    double low, high;   /* rad or m from the start's pose; infinite: no limit */
    double motor_speed; /* rad/s or m/s that a motor drives at; body relative to other */
    double motor_force; /* N m or N that it may use at most; 0: no motor */
    double break_force; /* N; a joint that has to hold more breaks; infinite: never */
    double release;     /* s, when it is released; infinite: never */
} rp_joint_spec;

#define RP_MEASURE_WORDS                                                                           \
    "energy|momentum|count|bounds|angle|density-error|contacts|forces|fabric|stress"
typedef struct rp_measurement_spec {
    char *name;
    int what;      /* place in RP_MEASURE_WORDS */
    int64_t every; /* frames */
} rp_measurement_spec;

#define RP_FORMAT_WORDS "vtp|ply|csv|usda|usda-instances"
typedef struct rp_output_spec {
    uint32_t formats;         /* bits of RP_FORMAT_WORDS, written while running */
    int64_t frame_every;      /* write each n-th frame */
    int64_t checkpoint_every; /* frames */
    int64_t compress;         /* 0 to 9 */
    bool contacts;            /* frames also hold contacts */
} rp_output_spec;

typedef struct rp_detail_spec {
    int64_t factor;  /* fine grains for each coarse one; 0: none */
    double step;     /* s, at most */
    double contrast; /* how many times denser fine grains start inside a lone coarse one's box */
    bool keep_apart; /* fine grains are kept apart; off: as published */
    bool live;       /* made while running */
} rp_detail_spec;

typedef struct rp_camera_key_spec {
    double time;              /* s */
    rp_vec3 position, target; /* m; the target is the camera's where the key gives none */
    double field_of_view;     /* rad; likewise */
} rp_camera_key_spec;

typedef struct rp_camera_spec {
    char *name;
    rp_vec3 position, target, up; /* m; position and target are unused where there are keys */
    double field_of_view;         /* rad, across the height of the picture; likewise */
    rp_plain_list keys;           /* rp_camera_key_spec, times rising */
    int interpolation;            /* rp_interpolation */
    double orbit;    /* rad/s about the axis `up` through the target, in addition to the above */
    double aperture; /* m, diameter of the lens; 0: everything is sharp */
    double focus;    /* m, focus distance; 0: that of the target */
    double shutter;  /* fraction of the time between frames that it is open */
} rp_camera_spec;

typedef struct rp_light_spec {
    rp_vec3 direction; /* direction in which the light travels; made a unit vector */
    double strength;   /* of the sun, 1 is plain daylight */
    double sky;        /* light from all sides */
    double colour[3];
} rp_light_spec;

/* A spherical lamp. */
typedef struct rp_lamp_spec {
    char *name;
    rp_vec3 position; /* m */
    double radius;    /* m */
    double strength;  /* 1: lights what faces it at 1 m as the sun of strength 1 does */
    double colour[3]; /* linear */
} rp_lamp_spec;

/* A mesh that was read, shared by all shapes that name the same file at the same scale. */
typedef struct rp_scene_mesh {
    const char *file;  /* as in rp_shape_spec */
    char *stored_name; /* likewise */
    double scale;
    rp_mesh *mesh;
    struct rp_scene_mesh *next;
} rp_scene_mesh;

/* A mesh that a program gave: shapes name it as the file "memory:NAME". */
#define RP_MEMORY_PREFIX "memory:"
typedef struct rp_memory_mesh {
    char *name; /* with the prefix */
    char *text; /* OBJ text, with exact numbers; run folders store it */
    size_t size;
    struct rp_memory_mesh *next; /* older ones; the newest of a name counts */
} rp_memory_mesh;
const rp_memory_mesh *rp_memory_mesh_find(const rp_memory_mesh *meshes, const char *file);

struct rp_scene {
    char *title;
    char *description;
    int64_t seed;
    rp_time_spec time;
    rp_vec3 gravity;            /* m/s2, where there are no keys: use rp_scene_gravity */
    rp_plain_list gravity_keys; /* rp_gravity_key_spec, times rising */
    rp_domain_spec domain;
    rp_particles_spec particles;
    rp_named_list materials;    /* rp_material_spec */
    rp_named_list contacts;     /* rp_contact_spec */
    rp_named_list grains;       /* rp_grain_spec */
    rp_named_list sources;      /* rp_source_spec */
    rp_named_list voids;        /* rp_void_spec */
    rp_named_list emitters;     /* rp_emitter_spec */
    rp_named_list bodies;       /* rp_body_spec */
    int late_bodies;            /* the last so many were added while a world ran */
    rp_named_list joints;       /* rp_joint_spec */
    rp_named_list moisture;     /* rp_moisture_spec */
    rp_named_list measurements; /* rp_measurement_spec */
    rp_detail_spec detail;
    rp_output_spec output;
    rp_named_list cameras; /* rp_camera_spec */
    rp_light_spec light;
    rp_named_list lamps; /* rp_lamp_spec */

    const rp_param_table *method; /* of the solver; its name is the method's name */
    void *method_params;          /* a struct of method->size */

    char *text;     /* the scene as read: one YAML document with includes, settings and defaults */
    char *portable; /* the same with meshes under their names in run folders; two scenes are equal
                       when these texts are */
    rp_scene_mesh *meshes;
    rp_memory_mesh *memory; /* meshes from memory */
    rp_arena store;         /* memory of all of the above except texts and meshes */
};

/* The parameter tables of a method. */
typedef struct rp_scene_method {
    const rp_param_table *params; /* keys of `solver:`; its name is the method's name */
    /* Keys that it adds to each entry of these sections, which no other part of the program knows;
     * NULL: none. Scenes may give keys of any method, so that one scene serves several; only those
     * of the chosen method are stored, as member `own` of the entry. */
    const rp_param_table *materials, *bodies, *sources;
} rp_scene_method;

/* The methods that a scene may name under `solver: method:`; number 0 is the default. */
typedef struct rp_scene_schema {
    const rp_scene_method *(*method_at)(int index);
    int method_count;
} rp_scene_schema;

rp_code rp_scene_read(const char *path, const rp_setting *settings, int setting_count,
                      const rp_scene_schema *schema, rp_scene **out, rp_report *report);
/* The same from text in memory; `name` stands for the file in messages. */
rp_code rp_scene_read_text(const char *text, size_t size, const char *name,
                           const rp_setting *settings, int setting_count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report);

/* Makes finishing the draft fail with this reason, the first one given; the text is borrowed. */
void rp_draft_refuse(rp_draft *draft, const char *reason);
/* Reads a scene with additions, in the order given: keys such as "bodies.ball", values as in a
 * scene file. Meshes from memory are those of the first scene. */
rp_code rp_scene_read_more(const rp_scene *scene, const rp_setting *additions, int count,
                           const rp_scene_schema *schema, rp_scene **out, rp_report *report);
/* Reads a scene with the settings, materials and grains of another, and one source: `text` is what
 * follows its name in a scene file. */
rp_code rp_scene_read_source(const rp_scene *scene, const char *name, const char *text,
                             const rp_scene_schema *schema, rp_scene **out, rp_report *report);

/* As rp_draft_finish, for the methods of the schema. */
rp_code rp_draft_finish_with(rp_draft *draft, const rp_scene_schema *schema, rp_scene **out,
                             rp_report *report);

/* Adds a mesh as OBJ text, of which the draft becomes the owner; NULL: memory ran out. */
void rp_draft_take_mesh(rp_draft *draft, const char *name, char *text, size_t size);

/* Returns the table of a whole scene, for help and the manual. */
const rp_param_table *rp_scene_table(void);
/* Prints help on all of a scene, or on one section such as "bodies" or "solver", methods from the
 * schema. RP_ERROR_INPUT, with a suggestion, when there is no such section. NULL: all. */
rp_code rp_scene_help_with(const rp_scene_schema *schema, const char *section, rp_help_style style,
                           rp_line_fn *line, void *user, rp_report *report);
/* As rp_param_list_create, for the methods of the schema. */
rp_param_list *rp_param_list_create_with(const rp_scene_schema *schema);

/* scene_info.c: position and target of a camera at `time`, without its orbit. */
typedef struct rp_camera_view {
    rp_vec3 position, target, up; /* m */
    double field_of_view;         /* rad */
} rp_camera_view;
rp_camera_view rp_camera_view_at(const rp_camera_spec *camera, double time);

/* Returns gravity at `time`, m/s2, by the keys or the constant (W8). */
rp_vec3 rp_scene_gravity(const rp_scene *scene, double time);
/* Returns the largest magnitude of gravity at any time, m/s2, for limits of the step. */
double rp_scene_gravity_max(const rp_scene *scene);
/* Gravity of a running world: the scene's, or that of the host program. */
typedef struct rp_gravity {
    const rp_scene *scene;
    bool is_set;
    rp_vec3 value; /* m/s2, where it is set */
} rp_gravity;
/* The same two functions for it. */
rp_vec3 rp_gravity_at(const rp_gravity *gravity, double time);
double rp_gravity_max(const rp_gravity *gravity);
/* True when `b` is opposite to `a`, so that the shortest rotation is not defined. */
bool rp_gravity_is_opposite(rp_vec3 a, rp_vec3 b);

/* True when a side of the domain is a wall: bounded, closed and not periodic; then also a point of
 * its plane and its normal, into the domain. */
bool rp_scene_domain_wall(const rp_domain_spec *domain, int side, rp_vec3 *foot, rp_vec3 *inward);

/* The pose of a wall's plane. */
rp_pose rp_scene_wall_pose(rp_vec3 foot, rp_vec3 inward);

/* Computes the fixed grains of a body, or of a wall of the domain; none where it is not rough.
 * Release them, also after a fault. */
rp_code rp_scene_rough_body(const rp_scene *scene, int body, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report);
rp_code rp_scene_rough_wall(const rp_scene *scene, int side, double reach, rp_threads *threads,
                            rp_rough_surface *rough, rp_report *report);

/* True when a point is beyond an open side: grains there are removed. */
bool rp_scene_domain_has_left(const rp_domain_spec *domain, const float at[3]);

/* Returns a quantile of the diameters of a kind, by number, m; part from 0 to 1. Uniform random
 * parts give diameters of its distribution. */
double rp_grain_diameter_quantile(const rp_grain_spec *grain, double part);
/* Sets what follows from the sizes; `room` (m) is the largest diameter where none is given. */
void rp_grain_set_sizes(rp_grain_spec *grain, double room);

/* A file that a scene needs, and its name in run folders; NULL where an entry needs none. */
typedef struct rp_scene_file {
    const char *file, *stored_name;
    const rp_memory_mesh *memory; /* its content in place of the file; else NULL */
} rp_scene_file;
/* The files of all meshes, in the order of the shapes, then those of the bodies' animations. */
int rp_scene_file_count(const rp_scene *scene);
rp_scene_file rp_scene_file_at(const rp_scene *scene, int index);

/* Every shape of the scene, one after another: of sources, of bodies, of regions, of voids.
 */
int rp_scene_shape_count(const rp_scene *scene);
const rp_shape_spec *rp_scene_shape_at(const rp_scene *scene, int index);

static inline const rp_material_spec *rp_scene_materials(const rp_scene *scene)
{
    return scene->materials.items;
}
static inline const rp_contact_spec *rp_scene_contacts(const rp_scene *scene)
{
    return scene->contacts.items;
}
static inline const rp_grain_spec *rp_scene_grains(const rp_scene *scene)
{
    return scene->grains.items;
}
static inline const rp_source_spec *rp_scene_sources(const rp_scene *scene)
{
    return scene->sources.items;
}
static inline const rp_void_spec *rp_scene_voids(const rp_scene *scene)
{
    return scene->voids.items;
}
static inline const rp_emitter_spec *rp_scene_emitters(const rp_scene *scene)
{
    return scene->emitters.items;
}
static inline const rp_body_spec *rp_scene_bodies(const rp_scene *scene)
{
    return scene->bodies.items;
}
static inline const rp_joint_spec *rp_scene_joints(const rp_scene *scene)
{
    return scene->joints.items;
}
static inline const rp_moisture_spec *rp_scene_moisture(const rp_scene *scene)
{
    return scene->moisture.items;
}
static inline const rp_measurement_spec *rp_scene_measurements(const rp_scene *scene)
{
    return scene->measurements.items;
}
static inline const rp_camera_spec *rp_scene_cameras(const rp_scene *scene)
{
    return scene->cameras.items;
}
static inline const rp_lamp_spec *rp_scene_lamps(const rp_scene *scene)
{
    return scene->lamps.items;
}

#endif
