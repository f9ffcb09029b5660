#!/usr/bin/env python3
"""Makes the meshes that scenes use: scenes/meshes/*.obj.

    tools/make-meshes.py [FOLDER [NAME...]]      all, to scenes/meshes, when nothing is given

Metres, z up, counter-clockwise seen from outside. A mesh is a list of parts, a part a closed shell
of triangles. Parts touch where a flat face meets another and sink into each other by a centimetre
where a curved one does: sand finds no slit, and the volume is that of the triangles to within one
per cent. Vertices are rounded to 0.01 mm, so that the last bit of a sine does not reach the files;
what is written is then checked as rp_mesh_check does it, and the run fails if anything is wrong.
"""
import math
import os
import sys

DIGITS = 5  # of a coordinate in metres
SMALLEST_AREA = 1e-8  # m2; a needle below this is a fault

# ------------------------------------------------------------------------------------ vectors


def add(a, b):
    return tuple(p + q for p, q in zip(a, b))


def sub(a, b):
    return tuple(p - q for p, q in zip(a, b))


def scale(a, factor):
    return tuple(p * factor for p in a)


def total(values):
    """One by one, left to right: `sum` has rounded in another way since Python 3.12, and the hare's
    triangles hang on the last bit."""
    result = 0.0
    for value in values:
        result += value
    return result


def dot(a, b):
    return total(p * q for p, q in zip(a, b))


def mean(points):
    return scale([total(c) for c in zip(*points)], 1 / len(points))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1 / length(a))


def normal(a, b, c):
    """Twice the area long."""
    return cross(sub(b, a), sub(c, a))


def volume(triangles):
    return total(dot(a, cross(b, c)) for a, b, c in triangles) / 6


def outward(triangles):
    """The shell, turned if it is inside out: builders need not care which way an axis runs."""
    if volume(triangles) > 0:
        return triangles
    return [(a, c, b) for a, b, c in triangles]


def moved(triangles, shift):
    return [tuple(add(corner, shift) for corner in triangle) for triangle in triangles]


def mirrored(triangles):
    """The same on the other side of the plane y = 0."""
    return [tuple((x, -y, z) for x, y, z in (a, c, b)) for a, b, c in triangles]


# ---------------------------------------------------------------------------- plane outlines
# Points (u, v), counter-clockwise; holes clockwise. `along_x`, `along_y`, `along_z` say where a point
# lies in space when the outline is drawn out along that axis.


def along_x(u, v, w):
    return (w, u, v)


def along_y(u, v, w):
    return (u, w, v)


def along_z(u, v, w):
    return (u, v, w)


def ring(points):
    """Pairs of neighbors, all around."""
    return zip(points, points[1:] + points[:1])


def rectangle(low, high, chamfer=0):
    (a, b), (c, d), e = low, high, chamfer
    if not e:
        return [(a, b), (c, b), (c, d), (a, d)]
    return [(a + e, b), (c - e, b), (c, b + e), (c, d - e), (c - e, d), (a + e, d), (a, d - e), (a, b + e)]


def arc(centre, radius, start, end, count):
    """From angle to angle (degrees) in `count` pieces, both ends included."""
    angles = [math.radians(start + (end - start) * i / count) for i in range(count + 1)]
    return [(centre[0] + radius * math.cos(t), centre[1] + radius * math.sin(t)) for t in angles]


def circle(centre, radius, count, start=0):
    return arc(centre, radius, start, start + 360, count)[:-1]


def turn_of(a, b, c):
    """Twice the area of a plane triangle; above 0 where the way a, b, c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_ear(loop, i):
    a, b, c = loop[i - 1], loop[i], loop[(i + 1) % len(loop)]
    if turn_of(a, b, c) < 1e-9:
        return False
    return not any(
        turn_of(a, b, p) > -1e-12 and turn_of(b, c, p) > -1e-12 and turn_of(c, a, p) > -1e-12
        for p in loop
        if p not in (a, b, c)
    )


def distance(a, b):
    """Rounded: of two that are the same but for a sine's last bit the first is taken everywhere."""
    return round(length(sub(a, b)), 9)


def fill(loop):
    """Triangles that fill an outline, by cutting off ears: the one with the shortest cut first, which
    leaves few needles."""
    loop, triangles = list(loop), []
    while len(loop) > 3:
        count = len(loop)
        order = sorted(range(count), key=lambda i: distance(loop[i - 1], loop[(i + 1) % count]))
        ear = next(i for i in order if is_ear(loop, i))
        triangles.append((loop[ear - 1], loop[ear], loop[(ear + 1) % count]))
        del loop[ear]
    return triangles + [tuple(loop)]


def bridge(outline, hole):
    """One loop of an outline and a hole in it, cut open where they are closest."""
    pairs = [(distance(p, q), i, j) for i, p in enumerate(outline) for j, q in enumerate(hole)]
    _, i, j = min(pairs)
    return outline[: i + 1] + hole[j:] + hole[: j + 1] + outline[i:]


# --------------------------------------------------------------------------------- building


def strip(a, b, low, high, place):
    """The wall over the edge from a to b."""
    p, q, r, s = place(*a, low), place(*b, low), place(*b, high), place(*a, high)
    return [(p, q, r), (p, r, s)]


def cover(triangles, at, place, up=True):
    """Plane triangles as the upper or lower end of something drawn out."""
    return [tuple(place(*p, at) for p in (t if up else t[::-1])) for t in triangles]


def extrude(outline, low, high, place, hole=None):
    ends = fill(bridge(outline, hole) if hole else outline)
    triangles = cover(ends, low, place, up=False) + cover(ends, high, place)
    for loop in [outline] + ([hole] if hole else []):
        for a, b in ring(loop):
            triangles += strip(a, b, low, high, place)
    return outward(triangles)


def box(low, high, chamfer=0, place=along_z):
    """A box, its edges along one axis chamfered."""
    (a, b, c), (d, e, f) = low, high
    spans = {along_x: (b, c, e, f, a, d), along_y: (a, c, d, f, b, e), along_z: (a, b, d, e, c, f)}
    u0, v0, u1, v1, w0, w1 = spans[place]
    return extrude(rectangle((u0, v0), (u1, v1), chamfer), w0, w1, place)


def loft(rings):
    """A skin over rings of equally many points; a ring of one point is a tip, others get a flat end."""
    rings = list(rings)
    if len(rings[0]) > 1:
        rings.insert(0, [mean(rings[0])])
    if len(rings[-1]) > 1:
        rings.append([mean(rings[-1])])
    triangles, count = [], max(map(len, rings))
    for lower, upper in zip(rings, rings[1:]):
        for i in range(count):
            j = (i + 1) % count
            if len(lower) > 1:
                triangles.append((lower[i], lower[j], upper[i % len(upper)]))
            if len(upper) > 1:
                triangles.append((lower[j % len(lower)], upper[j], upper[i]))
    return outward(triangles)


def revolve(profile, count, place, centre=(0, 0), start=0):
    """A profile of (radius, height), turned about an axis through `centre`; radius 0 is a tip."""
    return loft(
        [[place(*p, h) for p in (circle(centre, r, count, start) if r else [centre])] for r, h in profile]
    )


def rod(start, end, radius, count=12):
    """A round bar from one point to another."""
    axis = unit(sub(end, start))
    side = unit(cross(axis, (0, 1, 0) if abs(axis[1]) < 0.9 else (1, 0, 0)))
    other = cross(axis, side)
    round_ = [add(scale(side, u), scale(other, v)) for u, v in circle((0, 0), radius, count)]
    return loft([[add(p, q) for q in round_] for p in (start, end)])


def both_sides(name, triangles):
    return [(name + "-left", triangles), (name + "-right", mirrored(triangles))]


# -------------------------------------------------------------------------------- bulldozer

BLADE_TIP = (0.55, 0.01)  # x, z of the cutting edge
BLADE_HEIGHT = 0.30
BLADE_RADIUS = 0.25  # of the hollow face
BLADE_THICKNESS = 0.036


def blade():
    """Two arcs about the same point, which lies in front; the lower and upper end are level."""
    middle = BLADE_TIP[1] + BLADE_HEIGHT / 2
    half = BLADE_HEIGHT / 2
    centre = (BLADE_TIP[0] + math.sqrt(BLADE_RADIUS**2 - half**2), middle)
    outline = []
    for radius, way in ((BLADE_RADIUS, 1), (BLADE_RADIUS + BLADE_THICKNESS, -1)):
        reach = math.degrees(math.asin(half / radius))
        outline += arc(centre, radius, 180 + way * reach, 180 - way * reach, 12)
    return extrude(outline, -0.40, 0.40, along_y)


def stadium_point(s, back, front, radius):
    """Point and outward normal at the way s along a belt around two wheels, from below the rear one
    forwards."""
    straight, bend = front - back, math.pi * radius
    s %= 2 * (straight + bend)
    if s < straight:
        return (back + s, 0.0), (0.0, -1.0)
    if s < straight + bend:
        t = (s - straight) / radius - math.pi / 2
        n = (math.cos(t), math.sin(t))
        return (front + radius * n[0], radius + radius * n[1]), n
    if s < 2 * straight + bend:
        return (front - (s - straight - bend), 2 * radius), (0.0, 1.0)
    t = (s - 2 * straight - bend) / radius + math.pi / 2
    n = (math.cos(t), math.sin(t))
    return (back + radius * n[0], radius + radius * n[1]), n


def track(back, front, radius, shoes, low, high):
    """A belt of shoes with shallow grooves between them, wide enough not to hold grains."""
    pitch = 2 * (front - back + math.pi * radius) / shoes
    outline = []
    for i in range(shoes):
        for part, depth in ((0.10, 0.012), (0.30, 0.0), (0.80, 0.0), (1.0, 0.012)):
            point, n = stadium_point((i + part) * pitch, back, front, radius)
            outline.append(sub(point, scale(n, depth)))
    return extrude(outline, low, high, along_y)


def seat(x, z):
    """Seen from the side, facing forwards."""
    side = [(x, z), (x + 0.15, z), (x + 0.15, z + 0.05), (x + 0.05, z + 0.06),
            (x + 0.02, z + 0.17), (x - 0.02, z + 0.17)]
    return extrude(side, -0.07, 0.07, along_y)


def pillar(foot, head, half):
    """A square post that may lean."""
    return loft([[add(p, (u, v, 0)) for u, v in rectangle((-half, -half), (half, half))] for p in (foot, head)])


def cab(back, front, half_width, floor, sill, head, lean):
    """Walls up to the sill, four posts, a roof, a seat: open, so that one sees through. The walls go
    around a floor; the front posts lean back."""
    wall = 0.03
    outer = rectangle((back, -half_width), (front, half_width))
    inner = rectangle((back + wall, -half_width + wall), (front - wall, half_width - wall))[::-1]
    roof_front = front - lean + 0.045
    roof = [(back - 0.03, head), (roof_front, head), (roof_front - 0.01, head + 0.025),
            (roof_front - 0.04, head + 0.035), (back, head + 0.035), (back - 0.03, head + 0.025)]
    y = half_width - 0.016
    return (
        [("cab", extrude(outer, floor, sill, along_z, inner))]
        + both_sides("post-rear", pillar((back + 0.016, y, sill), (back + 0.016, y, head), 0.0155))
        + both_sides("post-front", pillar((front - 0.016, y, sill), (front - lean, y, head), 0.0155))
        + [("roof", extrude(roof, -half_width - 0.02, half_width + 0.02, along_y))]
        + [("seat", seat(back + 0.07, floor))]
    )


def exhaust(x, y, z, height):
    profile = [(0.018, z), (0.018, z + 0.03), (0.026, z + 0.04), (0.026, z + 0.09), (0.018, z + 0.10),
               (0.018, z + height - 0.01), (0.022, z + height)]
    return revolve(profile, 12, along_z, (x, y))


def hood(back, front, half_width, low, high):
    """Its upper edges chamfered, its front leaning a little."""
    half, e = half_width, 0.03
    section = [(-half, low), (half, low), (half, high - e), (half - e, high), (-half + e, high), (-half, high - e)]
    nose = [(y * 0.96, low + (z - low) * 0.94) for y, z in section]
    return loft([[(x, y, z) for y, z in s] for x, s in ((back, section), (front - 0.04, section), (front, nose))])


def bulldozer():
    wheel = [(0.085, 0.35), (0.085, 0.357), (0.07, 0.362), (0.03, 0.362), (0.03, 0.37)]
    arm = [(-0.13, 0.07), (0.36, 0.07), (0.50, 0.06), (0.488, 0.15), (0.36, 0.13), (-0.13, 0.125),
           (-0.15, 0.11), (-0.15, 0.085)]
    tank = [(-0.55, 0.20), (-0.51, 0.12), (-0.45, 0.12), (-0.45, 0.37), (-0.53, 0.37), (-0.55, 0.35)]
    hull = [(-0.45, 0.10), (-0.40, 0.06), (0.24, 0.06), (0.32, 0.10), (0.32, 0.27), (-0.45, 0.27)]
    return (
        [("blade", blade())]
        + both_sides("track", track(-0.35, 0.20, 0.11, 28, 0.19, 0.35))
        + both_sides("sprocket", revolve(wheel, 20, along_y, (-0.35, 0.11)))
        + both_sides("idler", revolve(wheel, 20, along_y, (0.20, 0.11)))
        + both_sides("arm", extrude(arm, 0.35, 0.395, along_y))
        + both_sides("pivot", revolve([(0.034, 0.35), (0.034, 0.40)], 12, along_y, (-0.12, 0.0975)))
        + [("hull", extrude(hull, -0.19, 0.19, along_y))]
        + [("hood", hood(-0.005, 0.33, 0.125, 0.27, 0.43))]
        + [("tank", extrude(tank, -0.16, 0.16, along_y))]
        + both_sides("lift", rod((0.30, 0.15, 0.22), (0.505, 0.15, 0.27), 0.018))
        + cab(-0.36, -0.005, 0.18, 0.27, 0.37, 0.565, 0.05)
        + [("exhaust", exhaust(0.17, 0.0, 0.43, 0.16))]
    )


# ----------------------------------------------------------------------------------- dumper

BED_HALF = 0.35  # inside
BED_WALL = 0.035
BED_FLOOR = 0.035  # upper side
BED_TOP = 0.285
BED_FRONT = 0.94  # inner face of the front wall
BED_TAIL = (-0.14, 0.095)  # x, z of the upper edge of the tail


def tub(shared, rim, inner, half, half_outer):
    """A trough in one shell, drawn along y. `shared` is the way along the outside from the upper end
    of the tail, underneath and up the front, to the upper edge inside of the front wall; `rim` leads
    back from there along the top of the side walls, `inner` along the floor.

        rim  .________A___           side walls: shared and rim, all the way from half to half_outer
            /         | visor
        B_ /  inner   | |            floor and front: shared and inner, between the side walls
          \\___________| |
           \\_____________|  shared
    """
    outer = shared + rim[1:-1]
    inside = rim + inner[-2:0:-1]
    triangles = []
    for a, b in zip(shared, shared[1:]):
        for low, high in ((-half_outer, -half), (-half, half), (half, half_outer)):
            triangles += strip(a, b, low, high, along_y)
    for a, b in zip(rim, rim[1:]):
        triangles += strip(a, b, -half_outer, -half, along_y) + strip(a, b, half, half_outer, along_y)
    for a, b in zip(inner, inner[1:]):
        triangles += strip(a, b, -half, half, along_y)
    side, window = fill(outer), fill(inside)
    triangles += cover(side, -half_outer, along_y, up=False) + cover(side, half_outer, along_y)
    triangles += cover(window, -half, along_y) + cover(window, half, along_y, up=False)
    return outward(triangles)


def bed_shell():
    tail, visor = BED_TAIL, BED_TOP - 0.03
    front = BED_FRONT + BED_WALL
    top = (BED_FRONT, BED_TOP)
    shared = [tail, (-0.14, 0.06), (0.07, 0.0), (front - 0.03, 0.0), (front, 0.03), (front, visor),
              (front + 0.23, visor + 0.05), (front + 0.23, BED_TOP + 0.05), (front, BED_TOP), top]
    rim = [top, (-0.02, BED_TOP), (-0.12, 0.19), tail]
    inner = [top, (BED_FRONT, BED_FLOOR + 0.03), (BED_FRONT - 0.03, BED_FLOOR), (0.08, BED_FLOOR), tail]
    return tub(shared, rim, inner, BED_HALF, BED_HALF + BED_WALL)


def dumper_bed():
    side, thick = BED_HALF + BED_WALL, 0.02
    parts = [("bed", bed_shell())]
    for i, x in enumerate((0.10, 0.35, 0.60, 0.85)):
        rib = [(side, 0.005), (side + thick, 0.02), (side + thick, 0.255), (side, 0.255)]
        parts += both_sides("rib-%d" % (i + 1), extrude(rib, x, x + 0.04, along_x))
    rail = [(side, 0.255), (side + thick, 0.260), (side + thick, 0.279), (side, 0.284)]
    parts += both_sides("rail", extrude(rail, 0.02, 0.96, along_x))
    return parts


TYRE_RADIUS = 0.15
TYRE_LOW, TYRE_HIGH = 0.22, 0.37  # y
AXLES = (0.52, -0.24, -0.57)  # x
HINGE = (-0.72, 0.34)  # x, z


def tyre(x):
    r, low, high = TYRE_RADIUS, TYRE_LOW, TYRE_HIGH
    profile = [(r - 0.02, low), (r, low + 0.025), (r, high - 0.025), (r - 0.02, high), (0.09, high),
               (0.08, high - 0.03), (0.045, high - 0.03), (0.035, high - 0.005)]
    return revolve(profile, 24, along_y, (x, r))


def dumper_chassis():
    side = [(-0.74, 0.14), (-0.68, 0.11), (0.72, 0.11), (0.76, 0.14), (0.76, 0.33), (0.28, 0.33),
            (0.28, 0.34), (-0.74, 0.34)]
    guard = [(0.285, 0.33), (0.80, 0.33), (0.80, 0.36), (0.285, 0.36)]
    parts = [("frame", extrude(side, -0.13, 0.13, along_y)), ("platform", extrude(guard, -0.37, 0.37, along_y))]
    for i, x in enumerate(AXLES):
        parts += both_sides("wheel-%d" % (i + 1), tyre(x))
        axle = revolve([(0.035, 0.13), (0.035, TYRE_LOW)], 12, along_y, (x, TYRE_RADIUS))
        parts += both_sides("axle-%d" % (i + 1), axle)
    parts += cab(0.32, 0.60, 0.28, 0.36, 0.435, 0.535, 0.03)
    parts += [("hood", hood(0.60, 0.79, 0.22, 0.36, 0.47)),
              ("bumper", box((0.76, -0.37, 0.13), (0.81, 0.37, 0.23), 0.015, along_x)),
              ("grille", box((0.76, -0.20, 0.23), (0.80, 0.20, 0.33)))]
    parts += both_sides("lamp", revolve([(0.035, 0.80), (0.03, 0.815)], 14, along_x, (0.14, 0.28)))
    parts += both_sides("pin", revolve([(0.018, 0.13), (0.018, 0.17)], 12, along_y, HINGE))
    parts += both_sides("tank", box((0.02, 0.13, 0.17), (0.26, 0.33, 0.31), 0.03, along_y))
    return parts


# ----------------------------------------------------------------------------------- castle


def round_tower(centre, height, radius, wall, merlons, merlon):
    """A tower in one shell that widens towards its foot and its battlements: an outer circle, an inner
    one and its middle at the top, the ring between them raised at every merlon."""
    per = 3  # segments of a merlon, and of a gap
    count = 2 * per * merlons

    def at(r, z):
        return [(p[0], p[1], z) for p in circle(centre, r, count, 45 - 180 * per / count)]

    feet = [at(radius * f, height * h) for f, h in ((1.0, 0.0), (0.88, 0.5), (0.86, 0.72), (1.0, 0.86))]
    low_out, low_in = at(radius, height), at(radius - wall, height)
    high_out, high_in = at(radius, height + merlon), at(radius - wall, height + merlon)
    triangles = []

    def quad(a, b, c, d):
        triangles.extend([(a, b, c), (a, c, d)])

    for i in range(count):
        j = (i + 1) % count
        triangles.append(((*centre, 0.0), feet[0][j], feet[0][i]))
        triangles.append(((*centre, height), low_in[i], low_in[j]))
        for lower, upper in zip(feet, feet[1:] + [low_out]):
            quad(lower[i], lower[j], upper[j], upper[i])
        if i // per % 2:
            quad(low_out[i], low_out[j], low_in[j], low_in[i])
            continue
        quad(low_out[i], low_out[j], high_out[j], high_out[i])
        quad(high_out[i], high_out[j], high_in[j], high_in[i])
        quad(high_in[i], high_in[j], low_in[j], low_in[i])
        if i % per == 0:
            quad(low_in[i], low_out[i], high_out[i], high_in[i])
        if i % per == per - 1:
            quad(low_out[j], low_in[j], high_in[j], high_out[j])
    return outward(triangles)


def battlement(start, end, low, high, teeth):
    """The upper edge of a wall, from `end` back to `start`: teeth and gaps of the same width."""
    step = (end - start) / (2 * teeth - 1)
    points = []
    for i in range(teeth):
        right = end - 2 * i * step
        points += [(right, low if i else high), (right, high), (right - step, high), (right - step, low)]
    return points[1:-1] if teeth > 1 else points


def crenellated(start, end, low, high, teeth):
    """A wall seen from the front."""
    return [(start, 0.0), (end, 0.0)] + battlement(start, end, low, high, teeth)


def castle():
    corner, radius = 0.35, 0.16
    end = corner - math.sqrt((0.86 * radius) ** 2 - 0.04**2)  # where walls meet the waist of the towers
    gate, arch = 0.15, 0.065
    parts = []
    for i, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        tower = round_tower((x * corner, y * corner), 0.44, radius, 0.065, 5, 0.07)
        parts.append(("tower-%d" % (i + 1), tower))
    long_wall = crenellated(-end, end, 0.26, 0.32, 3)
    parts.append(("wall-back", extrude(long_wall, corner - 0.04, corner + 0.04, along_y)))
    side = extrude(long_wall, corner - 0.04, corner + 0.04, along_x)
    parts += [("wall-right", side), ("wall-left", outward([tuple((-x, y, z) for x, y, z in t) for t in side]))]
    for name, low, high in (("wall-front-left", -end, -gate), ("wall-front-right", gate, end)):
        parts.append((name, box((low, -corner - 0.04, 0), (high, -corner + 0.04, 0.26))))
    opening = [(-arch, 0.0)] + arc((0, 0.15), arch, 180, 0, 10) + [(arch, 0.0)]
    front = [(-gate, 0.0), *opening, (gate, 0.0), (gate, 0.38), (-gate, 0.38)]
    parts.append(("gate", extrude(front, -corner - 0.11, -corner + 0.11, along_y)))
    parapet = [(x, z + 0.38) for x, z in crenellated(-gate - 0.01, gate + 0.01, 0.05, 0.12, 3)]
    for name, y in (("parapet-front", -corner - 0.13), ("parapet-back", -corner + 0.06)):
        parts.append((name, extrude(parapet, y, y + 0.07, along_y)))
    parts.append(("keep", round_tower((0.0, 0.06), 0.56, 0.17, 0.065, 5, 0.07)))
    return parts


# ----------------------------------------------------------------------- letter, wheel, pin


def letter_r():
    bowl = arc((0.025, 0.41), 0.19, -58, 90, 18)
    outline = [(-0.245, 0), (-0.105, 0), (-0.105, 0.22), (-0.04, 0.22), (0.075, 0), (0.245, 0)]
    outline += bowl + [(-0.245, 0.60)]
    hole = [(-0.105, 0.34)] + arc((0.025, 0.41), 0.07, -90, 90, 14) + [(-0.105, 0.48)]
    return [("R", extrude(outline, -0.075, 0.075, along_y, hole[::-1]))]


WHEEL_RADIUS = 0.20  # of the rim; the grousers stand out from it
GROUSER = 0.02  # height, and width
GROUSERS = 16


def tread():
    """The outline of the wheel, with the angle of each point for the rings inside."""
    half = math.degrees(math.asin(GROUSER / 2 / WHEEL_RADIUS))
    tip_radius = WHEEL_RADIUS + GROUSER
    tip_half = math.degrees(math.asin(GROUSER / 2 / tip_radius))
    points = []
    for i in range(GROUSERS):
        middle = 360 * i / GROUSERS
        gap = 360 / GROUSERS - 2 * half
        points += [(WHEEL_RADIUS, middle - half), (tip_radius, middle - tip_half)]
        points += [(tip_radius, middle + tip_half), (WHEEL_RADIUS, middle + half)]
        points.append((WHEEL_RADIUS, middle + half + gap / 2))
    return points


def wheel():
    """A rim, a web half as wide and a hub, in one shell."""
    outline = tread()

    def at(radius, y):
        return [
            along_y((radius or r) * math.cos(math.radians(t)), (radius or r) * math.sin(math.radians(t)), y)
            for r, t in outline
        ]

    half = [(0.05, 0.075), (0.06, 0.03), (0.15, 0.03), (0.165, 0.075), (None, 0.075)]
    return [("wheel", loft([at(r, -y) for r, y in half] + [at(r, y) for r, y in reversed(half)]))]


def drum():
    """A tube that lies along y, with twelve ribs inside that lift what is in it."""
    hole = []
    for i in range(72):
        angle = math.radians(5 * i)
        radius = 0.185 if i % 6 == 0 else 0.20
        hole.append((radius * math.cos(angle), radius * math.sin(angle)))
    return [("drum", extrude(circle((0, 0), 0.22, 72), -0.065, 0.065, along_y, hole[::-1]))]


def rack():
    """A long plate with a tooth every 2 cm, to shear grains with: teeth up, their feet at z = 0."""
    teeth = 48
    outline = [(-0.48, -0.02), (0.48, -0.02)]
    for i in range(teeth, 0, -1):
        x = -0.48 + 0.02 * i
        outline += [(x, 0), (x - 0.01, 0.008)]
    outline.append((-0.48, 0))
    return [("rack", extrude(outline, -0.06, 0.06, along_y))]


# Height and diameter of a tenpin in inches, as the rules of the game have them.
PIN = [(0, 2.25), (0.75, 2.828), (2.25, 3.906), (3.375, 4.510), (4.5, 4.766), (5.875, 4.563), (7.25, 3.703),
       (8.625, 2.472), (9.375, 1.965), (10, 1.797), (10.875, 1.870), (11.75, 2.094), (12.625, 2.406), (13.5, 2.547)]
INCH = 0.0254  # m


def smooth_between(knots, i, t):
    """A cubic from knot i to the next, with the slopes of their neighbors (Catmull-Rom)."""
    def slope(k):
        a, b = knots[max(k - 1, 0)], knots[min(k + 1, len(knots) - 1)]
        return (b[1] - a[1]) / (b[0] - a[0])

    (x0, y0), (x1, y1) = knots[i], knots[i + 1]
    width = x1 - x0
    a, b = slope(i) * width - (y1 - y0), -slope(i + 1) * width + (y1 - y0)
    return x0 + t * width, (1 - t) * y0 + t * y1 + t * (1 - t) * ((1 - t) * a + t * b)


def bowling_pin():
    profile = [(PIN[0][1], PIN[0][0])]
    for i in range(len(PIN) - 1):
        profile += [smooth_between(PIN, i, t)[::-1] for t in (0.5, 1.0)]
    profile = [(d / 2 * INCH, h * INCH) for d, h in profile]
    head, centre = 1.273 * INCH, 13.727 * INCH
    profile += [(r, centre + h) for r, h in arc((0, 0), head, 10, 90, 5)[:-1]] + [(0, centre + head)]
    return [("pin", revolve(profile, 24, along_z))]


# ------------------------------------------------------------------------------------- hare
# A smooth union of ellipsoids and capsules; the field is a distance near the surface, below 0 inside.
# Only + - * / and sqrt, so that every machine makes the same.


def ellipsoid(centre, radii, axis=(0, 0, 1)):
    """Its third radius lies along `axis`, its second level."""
    up = unit(axis)
    level = unit(cross(up, (1, 0, 0)))
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = cross(level, up), level, up
    ra, rb, rc = radii
    far = (max(radii) + 0.12) * (max(radii) + 0.12)

    def field(p):  # written out, and cut short where no seam reaches: this is where the time goes
        x, y, z = p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]
        if x * x + y * y + z * z > far:
            return 1.0
        a, b, c = (x * ax + y * ay + z * az) / ra, (x * bx + y * by + z * bz) / rb, (x * cx + y * cy + z * cz) / rc
        k = math.sqrt(a * a + b * b + c * c)
        a, b, c = a / ra, b / rb, c / rc
        slope = math.sqrt(a * a + b * b + c * c)
        return k * (k - 1) / slope if slope else -min(radii)

    return field


def capsule(start, end, radius):
    ax, ay, az = sub(end, start)
    long = ax * ax + ay * ay + az * az

    def field(p):
        x, y, z = p[0] - start[0], p[1] - start[1], p[2] - start[2]
        t = min(max((x * ax + y * ay + z * az) / long, 0.0), 1.0)
        x, y, z = x - t * ax, y - t * ay, z - t * az
        return math.sqrt(x * x + y * y + z * z) - radius

    return field


def smooth_min(a, b, width):
    """Below the lower of both by a quarter of `width` where they are equal (Quilez)."""
    h = max(width - abs(a - b), 0.0) / width
    return min(a, b) - h * h * width / 4


def flip(p):
    return (p[0], -p[1], p[2])


def hare_parts():
    """Fields with the width of the seam to what was there before; paired ones for y > 0 only."""
    single = [
        (ellipsoid((-0.055, 0, 0.135), (0.125, 0.098, 0.125)), 0.0),  # haunches
        (ellipsoid((0.03, 0, 0.215), (0.075, 0.072, 0.13), (0.35, 0, 1)), 0.06),  # chest
        (ellipsoid((0.085, 0, 0.340), (0.052, 0.052, 0.070), (1, 0, -0.22)), 0.035),  # head
        (ellipsoid((0.142, 0, 0.316), (0.027, 0.031, 0.036), (1, 0, -0.3)), 0.03),  # muzzle
        (ellipsoid((-0.188, 0, 0.085), (0.038, 0.038, 0.042)), 0.012),  # tail
    ]
    paired = [
        (ellipsoid((-0.050, 0.085, 0.105), (0.095, 0.045, 0.088), (0.35, 0, 1)), 0.02),  # thigh
        (capsule((-0.09, 0.098, 0.030), (0.052, 0.104, 0.028), 0.029), 0.025),  # hind foot
        (capsule((0.080, 0.040, 0.19), (0.112, 0.043, 0.03), 0.026), 0.03),  # foreleg
        (capsule((0.112, 0.043, 0.026), (0.150, 0.045, 0.024), 0.026), 0.02),  # forefoot
        (capsule((0.058, 0.026, 0.360), (0.003, 0.056, 0.506), 0.020), 0.025),  # ear, and its broad part
        (ellipsoid((0.023, 0.045, 0.450), (0.023, 0.033, 0.064), (-0.36, 0.20, 1)), 0.02),
    ]
    return single, paired


def hare_field():
    single, paired = hare_parts()

    def field(p):
        value = single[0][0](p)
        for part, width in single[1:]:
            value = smooth_min(value, part(p), width)
        for part, width in paired:
            value = smooth_min(smooth_min(value, part(p), width), part(flip(p)), width)
        return -smooth_min(-value, p[2], 0.01)  # stands on a flat foot

    return field


def tetrahedra():
    """The six of a cube, along its long diagonal; corners as offsets. Neighboring cubes agree."""
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    for i in range(3):
        for j in range(3):
            if i != j:
                yield ((0, 0, 0), axes[i], add(axes[i], axes[j]), (1, 1, 1))


def cut(nodes, values, corner):
    """Triangles of the surface within one tetrahedron, inside to outside by the sign of `values`."""
    inside = [n for n in nodes if values[n] < 0]
    outside = [n for n in nodes if values[n] >= 0]
    if len(inside) in (0, 4):
        return []
    if len(inside) == 2:
        (a, b), (c, d) = inside, outside
        quad = [corner(a, c), corner(a, d), corner(b, d), corner(b, c)]
        return [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
    lone, rest = (inside[0], outside) if len(inside) == 1 else (outside[0], inside)
    return [tuple(corner(*((lone, n) if len(inside) == 1 else (n, lone))) for n in rest)]


def march(field, low, high, step):
    """Polygonises by marching tetrahedra: every edge of a tetrahedron that leaves the solid gives one
    vertex, so the surface is closed by construction. Vertices and triples of their numbers."""
    counts = [int((h - l) / step + 0.5) for l, h in zip(low, high)]
    place = lambda n: add(low, scale(n, step))
    values = {(i, j, k): field(place((i, j, k)))
              for i in range(counts[0] + 1) for j in range(counts[1] + 1) for k in range(counts[2] + 1)}
    vertices, numbers, triangles = [], {}, []

    def corner(a, b):
        if (a, b) not in numbers:
            numbers[a, b] = len(vertices)
            t = values[a] / (values[a] - values[b])
            vertices.append(add(place(a), scale(sub(place(b), place(a)), t)))
        return numbers[a, b]

    shapes = list(tetrahedra())
    cube = sorted({offset for shape in shapes for offset in shape})
    for base in sorted(values):
        if any(n == c for n, c in zip(base, counts)):
            continue
        if len({values[add(base, offset)] < 0 for offset in cube}) == 1:
            continue
        for shape in shapes:
            nodes = [add(base, offset) for offset in shape]
            for t in cut(nodes, values, corner):
                outside = next(place(n) for n in nodes if values[n] >= 0)
                facing = dot(normal(*(vertices[i] for i in t)), sub(outside, vertices[t[0]]))
                triangles.append(t if facing > 0 else t[::-1])
    return vertices, triangles


def gradient(field, p, value):
    e = 1e-5
    x, y, z = p
    return tuple((field(q) - value) / e for q in ((x + e, y, z), (x, y + e, z), (x, y, z + e)))


def normal_at(field, p):
    return unit(gradient(field, p, field(p)))


def project(field, p):
    """Onto the surface, by Newton's steps."""
    for _ in range(2):
        value = field(p)
        g = gradient(field, p, value)
        p = sub(p, scale(g, value / max(dot(g, g), 0.1)))
    return p


def neighbors_of(triangles):
    around = {}
    for t in triangles:
        for v, others in zip(t, ((t[1], t[2]), (t[2], t[0]), (t[0], t[1]))):
            around.setdefault(v, set()).update(others)
    return around


def keeps_facing(vertices, fan, dropped, kept, point):
    """Whether no triangle of the fan turns over when its corner moves to `point`."""
    for t in fan:
        if dropped in t and kept in t:
            continue
        old = normal(*(vertices[i] for i in t))
        new = normal(*(point if i in (dropped, kept) else vertices[i] for i in t))
        if dot(old, new) < 0.5 * length(old) * length(new) or length(new) < 1e-6:
            return False
    return True


def merge_edges(field, vertices, normals, triangles, shortest, longest):
    """One round over the edges, the shortest first: their ends become one vertex where the edge is
    shorter than `shortest`, or shorter than `longest` on a part that hardly bends. The surface stays
    closed (the ends have exactly two common neighbors) and nothing turns over. A region changes once
    in a round."""
    around = neighbors_of(triangles)
    fans = {}
    for t in triangles:
        for v in t:
            fans.setdefault(v, []).append(t)
    edges = sorted((length(sub(vertices[a], vertices[b])), a, b) for a in around for b in around[a] if a < b)
    renamed, locked = {}, set()
    for long, a, b in edges:
        if long > (longest if dot(normals[a], normals[b]) > 0.985 else shortest):
            continue
        if a in locked or b in locked or len(around[a] & around[b]) != 2:
            continue
        point = project(field, scale(add(vertices[a], vertices[b]), 0.5))
        if keeps_facing(vertices, fans[a] + fans[b], b, a, point):
            vertices[a], normals[a], renamed[b] = point, normal_at(field, point), a
            locked |= around[a] | around[b]
    triangles = [tuple(renamed.get(v, v) for v in t) for t in triangles]
    return [t for t in triangles if len(set(t)) == 3]


def cosine_at(vertices, at, a, b):
    return dot(unit(sub(vertices[a], vertices[at])), unit(sub(vertices[b], vertices[at])))


def turns_better(vertices, a, b, c, d):
    """Whether the edge from a to b of the triangles a b c and b a d had better run from c to d: the
    angles against it are more than half a turn together (Delaunay), and both new triangles face as
    the old ones do."""
    if cosine_at(vertices, c, a, b) + cosine_at(vertices, d, a, b) > -1e-3:
        return False
    old = add(unit(normal(*(vertices[i] for i in (a, b, c)))), unit(normal(*(vertices[i] for i in (b, a, d)))))
    new = [normal(*(vertices[i] for i in t)) for t in ((a, d, c), (d, b, c))]
    return all(dot(n, old) > 1.6 * length(n) > 0 for n in new)


def turn_edges(vertices, triangles):
    """One round of better diagonals; a region changes once."""
    edges = {(t[i], t[i - 2]): (t[i - 1], n) for n, t in enumerate(triangles) for i in range(3)}
    triangles, changed = list(triangles), set()
    for a, b in sorted(edges):
        if a > b:
            continue
        (c, first), (d, second) = edges[a, b], edges[b, a]
        if changed & {a, b, c, d} or (c, d) in edges or (d, c) in edges:
            continue
        if turns_better(vertices, a, b, c, d):
            triangles[first], triangles[second] = (a, d, c), (d, b, c)
            changed |= {a, b, c, d}
    return triangles


def relax(field, vertices, normals, triangles):
    """Every vertex half way to the middle of its neighbors, but along the surface only: across it,
    thin ears would wear away."""
    around = neighbors_of(triangles)
    for v in sorted(around):
        near = [vertices[n] for n in sorted(around[v])]
        way = sub(mean(near), vertices[v])
        way = sub(way, scale(normals[v], dot(way, normals[v])))
        vertices[v] = project(field, add(vertices[v], scale(way, 0.5)))
        normals[v] = normal_at(field, vertices[v])


def ball(centre, radius):
    rings = [(0, -1), (0.5, -0.866), (0.866, -0.5), (1, 0), (0.866, 0.5), (0.5, 0.866), (0, 1)]
    return moved(revolve([(radius * c, radius * s) for c, s in rings], 10, along_y), centre)


def hare():
    """Finer than wanted at first, then with fewer and better triangles, small ones where it bends."""
    field, step = hare_field(), 0.015
    vertices, triangles = march(field, (-0.253, -0.163, -0.0237), (0.203, 0.163, 0.5703), step)
    normals = [normal_at(field, p) for p in vertices]
    for _ in range(14):
        triangles = merge_edges(field, vertices, normals, triangles, 0.6 * step, 2 * step)
        triangles = turn_edges(vertices, triangles)
    for _ in range(3):
        relax(field, vertices, normals, triangles)
        triangles = turn_edges(vertices, turn_edges(vertices, triangles))
        triangles = merge_edges(field, vertices, normals, triangles, 0.6 * step, 2 * step)
    relax(field, vertices, normals, triangles)
    body = [tuple(vertices[i] for i in t) for t in triangles]
    return [("hare", body)] + both_sides("eye", ball((0.108, 0.041, 0.355), 0.0135))


# ----------------------------------------------------------------------- checking and writing


def rounded(parts):
    """Twice, since half of the last digit is met (r cos 60), and a sine's last bit should not tip it.
    Adding 0 makes -0 a 0."""
    return [(name, [tuple(tuple(round(round(c, 10), DIGITS) + 0.0 for c in p) for p in t) for t in triangles])
            for name, triangles in parts]


def check(name, parts):
    """As rp_mesh_check does: vertices at one place are one, every edge is run along once each way, no
    triangle lacks area. Each part also has to be turned outwards."""
    edges = set()
    for part, triangles in parts:
        where = "%s, %s" % (name, part)
        if volume(triangles) <= 0:
            raise SystemExit("%s: inside out" % where)
        for t in triangles:
            if length(normal(*t)) / 2 < SMALLEST_AREA:
                raise SystemExit("%s: no area: %s" % (where, t))
            for edge in ring(list(t)):
                if edge in edges:
                    raise SystemExit("%s: edge taken twice: %s" % (where, edge))
                edges.add(edge)
    for a, b in edges:
        if (b, a) not in edges:
            raise SystemExit("%s: open edge: %s %s" % (name, a, b))


def decimal(number):
    return ("%.*f" % (DIGITS, number)).rstrip("0").rstrip(".")


def obj_text(name, parts):
    lines = ["# %s: metres, z up; made by tools/make-meshes.py, do not edit" % name]
    numbers = {}
    for part, triangles in parts:
        lines.append("o " + part)
        faces = []
        for t in triangles:
            for p in t:
                if p not in numbers:
                    numbers[p] = len(numbers) + 1
                    lines.append("v " + " ".join(decimal(c) for c in p))
            faces.append("f %d %d %d" % tuple(numbers[p] for p in t))
        lines += faces
    return "\n".join(lines) + "\n"


def describe(name, parts, text):
    triangles = [t for _, part in parts for t in part]
    corners = [p for t in triangles for p in t]
    spans = " ".join("%s %.3f..%.3f" % (axis, min(c), max(c)) for axis, c in zip("xyz", zip(*corners)))
    middle = [total(dot(t[0], cross(t[1], t[2])) * (t[0][i] + t[1][i] + t[2][i]) for t in triangles) for i in range(3)]
    middle = [m / (24 * volume(triangles)) for m in middle]
    print("%-15s %5d triangles %7d bytes %8.5f m3, centre %.3f %.3f %.3f, %s"
          % (name, len(triangles), len(text), volume(triangles), *middle, spans))


MESHES = {
    "bulldozer": bulldozer,
    "dumper-chassis": dumper_chassis,
    "dumper-bed": dumper_bed,
    "castle": castle,
    "letter-r": letter_r,
    "hare": hare,
    "wheel": wheel,
    "drum": drum,
    "rack": rack,
    "bowling-pin": bowling_pin,
}


def main():
    home = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "meshes")
    folder = sys.argv[1] if len(sys.argv) > 1 else home
    os.makedirs(folder, exist_ok=True)
    for name in sys.argv[2:] or MESHES:
        parts = rounded(MESHES[name]())
        check(name, parts)
        text = obj_text(name, parts)
        describe(name, parts, text)
        with open(os.path.join(folder, name + ".obj"), "w", encoding="ascii", newline="\n") as file:
            file.write(text)


if __name__ == "__main__":
    main()
