/* Each kind of shape gives its moments: volume, centroid, and the integrals of products of
 * coordinates about the centroid. The inertia of any density follows from them:
 * docs/theory/geometry.md, (S1) to (S4). */
#include "geom/mass.h"

typedef struct moments {
    double volume;    /* m3 */
    rp_vec3 centre;   /* m */
    double square[6]; /* m5 about the centre: integrals of xx, yy, zz, xy, xz, yz */
} moments;

static const int first_axis[6] = {0, 1, 2, 0, 0, 1}, second_axis[6] = {0, 1, 2, 1, 2, 2};

static moments box_moments(rp_vec3 size)
{
    moments m = {.volume = size.x * size.y * size.z};
    m.square[0] = m.volume * size.x * size.x / 12;
    m.square[1] = m.volume * size.y * size.y / 12;
    m.square[2] = m.volume * size.z * size.z / 12;
    return m;
}

/* A cylinder and two half balls; a ball is a capsule of height 0. The centroid of a half ball is 3
 * r / 8 from its flat side, and its mean square height above that side is r^2 / 5. */
static moments capsule_moments(double r, double height)
{
    double straight = RP_PI * r * r * height, ends = 4 * RP_PI / 3 * r * r * r;
    moments m = {.volume = straight + ends};
    m.square[0] = m.square[1] = straight * r * r / 4 + ends * r * r / 5;
    m.square[2] = straight * height * height / 12 +
                  ends * (r * r / 5 + 3 * height * r / 8 + height * height / 4);
    return m;
}

/* (S2): integrals of r^i z^j along an edge of a profile. Three-point Gauss-Legendre quadrature is
 * exact up to degree 5, and the highest here is 4. */
static void add_profile_edge(moments *m, rp_profile_point a, rp_profile_point b, double z0,
                             double *first)
{
    const double node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int i = 0; i < 3; i++) {
        double r = a.r + node[i] * (b.r - a.r), z = a.z + node[i] * (b.z - a.z) - z0;
        double disc = RP_PI * r * r * weight[i] * (b.z - a.z);
        m->volume += disc;
        *first += disc * z;
        m->square[0] += disc * r * r / 4;
        m->square[2] += disc * z * z;
    }
}

/* First about the plane z = 0, which gives the centroid, then about the centroid, so that no digits
 * cancel: (S4). */
static moments profile_moments(const rp_profile *profile)
{
    moments m = {0};
    int edges = profile->closed ? profile->count : profile->count - 1;
    for (int pass = 0; pass < 2; pass++) {
        double first = 0, z0 = m.centre.z;
        m = (moments){.centre = {0, 0, z0}};
        for (int i = 0; i < edges; i++)
            add_profile_edge(&m, profile->points[i], profile->points[(i + 1) % profile->count], z0,
                             &first);
        m.centre.z += first / m.volume;
        m.square[1] = m.square[0];
    }
    return m;
}

/* (S3): adds the tetrahedron of the apex (which is the origin here) and a triangle: integrals over
 * a simplex by its corners (Lasserre and Avrachenkov, "The multi-dimensional version of the
 * integral of x^p", Amer. Math. Monthly 108, 2001). Accumulates 6 times the volume, 24 times the
 * first moments and 120 times the second; the caller divides. */
static void add_tetrahedron(moments *m, rp_vec3 *first, const rp_vec3 c[3])
{
    double triple = rp_v3_dot(c[0], rp_v3_cross(c[1], c[2]));
    rp_vec3 sum = rp_v3_add(c[0], rp_v3_add(c[1], c[2]));
    const double corner[4][3] = {{c[0].x, c[0].y, c[0].z},
                                 {c[1].x, c[1].y, c[1].z},
                                 {c[2].x, c[2].y, c[2].z},
                                 {sum.x, sum.y, sum.z}};
    m->volume += triple;
    *first = rp_v3_madd(*first, triple, sum);
    for (int i = 0; i < 6; i++) {
        double products = 0;
        for (int k = 0; k < 4; k++)
            products += corner[k][first_axis[i]] * corner[k][second_axis[i]];
        m->square[i] += triple * products;
    }
}

static moments moments_about(const rp_mesh *mesh, rp_vec3 apex)
{
    moments m = {0};
    rp_vec3 first = {0, 0, 0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        rp_vec3 c[3];
        rp_mesh_corners(mesh, t, c);
        for (int i = 0; i < 3; i++)
            c[i] = rp_v3_sub(c[i], apex);
        add_tetrahedron(&m, &first, c);
    }
    m.volume /= 6;
    m.centre = rp_v3_madd(apex, 1 / (24 * m.volume), first);
    for (int i = 0; i < 6; i++)
        m.square[i] /= 120;
    return m;
}

/* (S4): with a vertex as apex a small mesh far away keeps its digits; with the centroid thus found
 * as apex nothing has to be subtracted from the second moments. */
static moments exact_moments(const rp_mesh *mesh)
{
    moments rough = moments_about(mesh, mesh->vertices[0]);
    return moments_about(mesh, rough.centre);
}

/* With the common volume of overlapping parts counted once (S19): both sums about the middle of the
 * bounds, then moved to their centroid by the parallel axis theorem. */
static moments union_moments(const rp_mesh *mesh)
{
    const rp_mesh_overlap *e = &mesh->overlap;
    rp_vec3 middle = rp_v3_mix(mesh->bounds.low, mesh->bounds.high, 0.5);
    moments m = moments_about(mesh, middle);
    rp_vec3 first = rp_v3_madd(e->first, m.volume, rp_v3_sub(m.centre, middle));
    m.volume += e->volume;
    rp_vec3 arm = rp_v3_scale(first, 1 / m.volume);
    const double away[3] = {arm.x, arm.y, arm.z};
    m.centre = rp_v3_add(middle, arm);
    for (int i = 0; i < 6; i++)
        m.square[i] += e->square[i] - m.volume * away[first_axis[i]] * away[second_axis[i]];
    return m;
}

static moments mesh_moments(const rp_mesh *mesh)
{
    return mesh->overlap.volume != 0 ? union_moments(mesh) : exact_moments(mesh);
}

static moments shape_moments(const rp_shape *shape)
{
    rp_profile profile;
    if (rp_shape_profile(shape, &profile)) return profile_moments(&profile);
    switch (shape->kind) {
    case RP_SHAPE_BOX:
        return box_moments(shape->size);
    case RP_SHAPE_SPHERE:
        return capsule_moments(shape->radius, 0);
    case RP_SHAPE_CAPSULE:
        return capsule_moments(shape->radius, shape->height);
    case RP_SHAPE_MESH:
        return mesh_moments(shape->mesh);
    default:
        return (moments){.volume = INFINITY, .square = {INFINITY, INFINITY, INFINITY, 0, 0, 0}};
    }
}

void rp_shape_mass(const rp_shape *shape, double density, rp_mass *mass)
{
    moments m = shape_moments(shape);
    mass->mass = density * m.volume;
    mass->centre = m.centre;
    for (int i = 0; i < 3; i++) {
        int other = (i + 1) % 3, third = (i + 2) % 3;
        mass->inertia[i] = density * (m.square[other] + m.square[third]);
        mass->inertia[3 + i] = -density * m.square[3 + i];
    }
}

/* Positive definite by Sylvester's criterion: all leading minors are above 0. */
bool rp_mass_is_sound(const rp_mass *mass)
{
    const double *i = mass->inertia;
    rp_mat3 tensor = {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
    return isfinite(mass->mass) && mass->mass > 0 && i[0] > 0 && i[0] * i[1] - i[3] * i[3] > 0 &&
           rp_m3_det(tensor) > 0;
}
