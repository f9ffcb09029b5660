"""Loads a run of Repose into Blender: grains that follow the frames, and bodies that move.

File > Import > Repose run, or from Python:

    import repose_import
    repose_import.load("runs/castle")            # or load(…, grains="fine")

The grains are the vertices of a mesh with the attributes velocity, radius, colour, id and material,
read again from the HDF5 files of the run whenever the frame changes; the .blend file does not contain
them. Blender's frame is the run's frame. Bodies take their shapes from export/bodies-*.ply, which
`repose export RUN --format ply --only bodies --frames 0` writes, and their poses from the frames.
"""
import json
import os
import re
import sys

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy_extras.io_utils import ImportHelper
from mathutils import Quaternion

bl_info = {
    "name": "Repose run",
    "author": "The Repose authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > Repose run",
    "description": "Loads grains and bodies of a run of Repose, frame by frame",
    "category": "Import-Export",
}

SAND = (0.69, 0.47, 0.19)  # linear, for runs that do not name their colours
STONE = (0.4, 0.4, 0.4)
VARIATION = 0.3  # of the brightness of grains, from the darkest to the brightest
HEADER_BYTES = 512
HEADER = re.compile(rb"REPOSE SEAL \d+ (\d+) ")


class ReposeError(Exception):
    """What went wrong, for the user to read."""


# --- the run folder


def h5py():
    try:
        import h5py as module
    except ImportError as error:
        raise ReposeError(
            "the Python module h5py is missing: install python3-h5py, or for a Blender from blender.org "
            f"run: {sys.executable} -m pip install h5py") from error
    return module


def open_checksummed(path):
    """Opens an HDF5 file of a run after checking its header: HDF5 itself does not detect truncation."""
    try:
        with open(path, "rb") as file:
            header = HEADER.match(file.read(HEADER_BYTES))
        if not header or int(header.group(1)) + HEADER_BYTES != os.path.getsize(path):
            raise ReposeError(f"{path} is damaged or cut short")
        return h5py().File(path, "r")
    except OSError as error:
        raise ReposeError(f"{path} cannot be read: {error}") from error


def read_checksummed(path, read):
    """Returns the result of `read` on an open file; missing data are reported as damage."""
    with open_checksummed(path) as file:
        try:
            return read(file)
        except (KeyError, ValueError, IndexError, OSError, RuntimeError) as error:
            raise ReposeError(f"{path} is damaged: {error}") from error


def numbered(folder, pattern):
    """{12: "FOLDER/000012.h5", …} of the files whose name matches."""
    found = {}
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        match = re.fullmatch(pattern, name)
        if match:
            found[int(match.group(1))] = os.path.join(folder, name)
    return found


def at_or_before(paths, number):
    """The newest of the frames that is not later than `number`, else the first."""
    earlier = [n for n in paths if n <= number]
    return max(earlier) if earlier else min(paths)


def read_manifest(folder):
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except (OSError, ValueError) as error:
        raise ReposeError(f"{folder} is no run of Repose: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("program") != "Repose":
        raise ReposeError(f"{path} is not the manifest of a run of Repose")
    return manifest


PLACES = {"coarse": "frames", "fine": "fine"}


def list_frames(folder, grains):
    return numbered(os.path.join(folder, PLACES[grains]), r"(\d{6,})\.h5")


def frame_paths(folder, grains):
    paths = list_frames(folder, grains)
    if not paths:
        raise ReposeError(f"{os.path.join(folder, PLACES[grains])} holds no frames")
    return paths


def pose_paths(folder):
    """Frames of both kinds have the bodies; what `repose refine -o` makes has only fine ones."""
    return list_frames(folder, "coarse") or frame_paths(folder, "fine")


# --- grains


def coarse_grains(path):
    def read(file):
        group = file["grains"]
        return {
            "position": np.stack([group[axis][:] for axis in "xyz"], axis=1),
            "velocity": np.stack([group["velocity_" + axis][:] for axis in "xyz"], axis=1),
            "id": group["id"][:],
            "material": group["material"][:],
            "spacing": float(file.attrs["spacing"]),
        }

    return read_checksummed(path, read)


def spread(values, chosen, shape, kind):
    """An array of zeros with `values` at the chosen places; as many as there are places."""
    out = np.zeros(shape, kind)
    if len(values) != np.count_nonzero(chosen):
        raise ValueError("an array has another length than the chunks say")
    out[chosen] = values
    return out


def optional(file, name, shape):
    return file[name][:] if name in file else np.zeros(shape)


def fine_part(file, precision):
    """The grains of one part: chunks, each with an origin, a material and a step of velocity."""
    chunks = {name: file["chunks/" + name][:] for name in
              ("first", "born", "count", "material", "wide", "low", "velocity_step")}
    count = chunks["count"].astype(np.int64)
    chunk = np.repeat(np.arange(len(count)), count)  # of each grain
    place = np.arange(len(chunk)) - np.repeat(np.cumsum(count) - count, count)
    wide = chunks["wide"][chunk] != 0
    shape = (len(chunk), 3)
    far = optional(file, "position_far", (0, 3)).astype(np.uint32)
    steps = spread(optional(file, "position_near", (0, 3)), ~wide, shape, np.float64)
    steps += spread(far, wide, shape, np.float64)
    position = (chunks["low"][chunk] + steps * precision).astype(np.float32)
    exact = chunks["wide"][chunk] == 2  # no steps, but the bits of floats
    position[exact] = far[exact[wide]].view(np.float32)
    step = chunks["velocity_step"][chunk]
    moving = step != 0
    velocity = spread(optional(file, "velocity", (0, 3)), moving, shape, np.float32)
    velocity[moving] -= 32768
    some = (chunks["count"] < chunks["born"])[chunk]
    local = np.where(some, spread(optional(file, "local", 0), some, len(chunk), np.int64), place)
    return {
        "position": position,
        "velocity": velocity * step[:, None].astype(np.float32),
        "id": (chunks["first"][chunk] + local).astype(np.uint32),
        "material": chunks["material"][chunk],
    }


def fine_grains(path):
    def facts(file):
        return {name: file.attrs[name] for name in ("count", "part_count", "precision", "spacing")}

    about = read_checksummed(path, facts)
    parts = [read_checksummed(f"{path[:-3]}-{i:03d}.h5",
                         lambda file: fine_part(file, float(about["precision"])))
             for i in range(int(about["part_count"]))]
    if sum(len(part["id"]) for part in parts) != int(about["count"]):
        raise ReposeError(f"{path} is damaged: its parts hold another number of grains")
    empty = {"position": np.zeros((0, 3), np.float32), "velocity": np.zeros((0, 3), np.float32),
             "id": np.zeros(0, np.uint32), "material": np.zeros(0, np.uint8)}
    grains = {name: np.concatenate([part[name] for part in parts]) if parts else none
              for name, none in empty.items()}
    grains["spacing"] = float(about["spacing"])
    return grains


def read_grains(folder, grains, number):
    path = frame_paths(folder, grains)
    path = path[at_or_before(path, number)]
    return fine_grains(path) if grains == "fine" else coarse_grains(path)


def colours(grains, manifest):
    """The colour of the material, a little brighter or darker by the id, as sand is."""
    table = [entry.get("colour", SAND) for entry in manifest.get("materials", [])] or [SAND]
    table = np.array(table, np.float32)
    material = np.minimum(grains["material"], len(table) - 1)
    mixed = grains["id"].astype(np.uint64) * np.uint64(2654435761) & np.uint64(0xFFFFFFFF)
    shade = 1 + VARIATION * (mixed.astype(np.float32) / 2**32 - 0.5)
    out = np.ones((len(material), 4), np.float32)
    out[:, :3] = np.minimum(table[material] * shade[:, None], 1)
    return out


# --- meshes


def put_attribute(mesh, name, kind, member, values):
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, kind, "POINT")
    attribute.data.foreach_set(member, np.ascontiguousarray(values).ravel())


def put_grains(mesh, grains, manifest):
    count = len(grains["id"])
    if len(mesh.vertices) != count:
        mesh.clear_geometry()
        mesh.vertices.add(count)
    mesh.vertices.foreach_set("co", np.ascontiguousarray(grains["position"], np.float32).ravel())
    radius = np.full(count, grains["spacing"] / 2, np.float32)
    put_attribute(mesh, "velocity", "FLOAT_VECTOR", "vector", grains["velocity"])
    put_attribute(mesh, "radius", "FLOAT", "value", radius)
    put_attribute(mesh, "colour", "FLOAT_COLOR", "color", colours(grains, manifest))
    put_attribute(mesh, "id", "INT", "value", grains["id"].view(np.int32))
    put_attribute(mesh, "material", "INT", "value", grains["material"].astype(np.int32))
    mesh.update()


PLY_HEADER = re.compile(
    rb"ply\nformat binary_little_endian 1.0\ncomment Repose [^\n]*\nelement vertex (\d+)\n"
    rb"property float x\nproperty float y\nproperty float z\nelement face (\d+)\n"
    rb"property list uchar uint vertex_indices\nproperty uint body\nend_header\n")
FACE = np.dtype([("corners", "u1"), ("vertices", "<u4", 3), ("body", "<u4")])


def read_ply(path):
    """Vertices, triangles and the body of each triangle, from a file of `repose export`."""
    with open(path, "rb") as file:
        data = file.read()
    header = PLY_HEADER.match(data)
    if not header:
        raise ReposeError(f"{path} was not written by this version of repose export")
    vertices, faces = int(header.group(1)), int(header.group(2))
    if len(data) != header.end() + 12 * vertices + FACE.itemsize * faces:
        raise ReposeError(f"{path} is damaged or cut short")
    points = np.frombuffer(data, "<f4", 3 * vertices, header.end()).reshape(-1, 3)
    table = np.frombuffer(data, FACE, faces, header.end() + 12 * vertices)
    return points, table["vertices"], table["body"]


def read_poses(folder, number):
    paths = pose_paths(folder)

    def read(file):
        group = file["bodies"]
        return group["position"][:], group["orientation"][:]

    return read_checksummed(paths[at_or_before(paths, number)], read)


def matrix_of(orientation):
    return np.array(Quaternion(orientation).to_matrix(), np.float64)


def body_meshes(folder):
    """For each body its vertices, in its own frame, and triangles."""
    paths = numbered(os.path.join(folder, "export"), r"bodies-(\d{6,})\.ply")
    paths = {n: p for n, p in paths.items() if n in pose_paths(folder)}
    if not paths:
        raise ReposeError(
            f"the shapes of the bodies are missing; run: repose export {folder} --format ply --only "
            "bodies --frames 0")
    number = min(paths)
    points, triangles, owners = read_ply(paths[number])
    positions, orientations = read_poses(folder, number)
    for body, (position, orientation) in enumerate(zip(positions, orientations)):
        own = triangles[owners == body]
        used, renumbered = np.unique(own, return_inverse=True)
        local = (points[used] - position) @ matrix_of(orientation)  # turned back
        yield local, renumbered.reshape(-1, 3)


# --- Blender objects


def make_material(name, colour=None):
    """Dull, of one colour or, without one, of the attribute's."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = next(node for node in nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = 0.9
    if colour is not None:
        shader.inputs["Base Color"].default_value = (*colour, 1)
        material.diffuse_color = (*colour, 1)
        return material
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "colour"
    links.new(attribute.outputs["Color"], shader.inputs["Base Color"])
    return material


def add_sockets(tree):
    if hasattr(tree, "interface"):  # Blender 4
        tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        tree.inputs.new("NodeSocketGeometry", "Geometry")
        tree.outputs.new("NodeSocketGeometry", "Geometry")


def points_tree(material):
    """Geometry nodes: vertices to points with their radius, which Cycles renders as spheres."""
    tree = bpy.data.node_groups.new("Repose grains", "GeometryNodeTree")
    add_sockets(tree)
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    points = tree.nodes.new("GeometryNodeMeshToPoints")
    radius = tree.nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    set_material = tree.nodes.new("GeometryNodeSetMaterial")
    set_material.inputs["Material"].default_value = material
    value = next(s for s in radius.outputs if s.name == "Attribute" and s.type == "VALUE")
    tree.links.new(begin.outputs[0], points.inputs[0])
    tree.links.new(value, points.inputs["Radius"])
    tree.links.new(points.outputs[0], set_material.inputs["Geometry"])
    tree.links.new(set_material.outputs[0], end.inputs[0])
    for i, node in enumerate((begin, radius, points, set_material, end)):
        node.location = (200 * i, -150 * (node == radius))
    return tree


def make_grains(folder, manifest, grains, collection):
    name = manifest.get("title") or os.path.basename(folder)
    thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    collection.objects.link(thing)
    material = make_material("Repose grains")
    thing.data.materials.append(material)
    modifier = thing.modifiers.new("Repose grains", "NODES")
    modifier.node_group = points_tree(material)
    thing.repose.folder, thing.repose.body = folder, -1
    thing.repose.grains = grains
    return thing


def make_bodies(folder, manifest, collection):
    about = manifest.get("bodies", [])
    things = []
    for body, (vertices, triangles) in enumerate(body_meshes(folder)):
        entry = about[body] if body < len(about) else {}
        name = entry.get("name", f"body {body}")
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(vertices.tolist(), [], triangles.tolist())
        mesh.materials.append(make_material(name, entry.get("colour", STONE)))
        thing = bpy.data.objects.new(name, mesh)
        collection.objects.link(thing)
        thing.rotation_mode = "QUATERNION"
        thing.repose.folder, thing.repose.body = folder, body
        things.append(thing)
    return things


def show_frame(thing, number):
    """Puts the frame of the run into an object; raises ReposeError."""
    folder = bpy.path.abspath(thing.repose.folder)
    if thing.repose.body < 0:
        grains = read_grains(folder, thing.repose.grains, number)
        put_grains(thing.data, grains, read_manifest(folder))
        return
    positions, orientations = read_poses(folder, number)
    if thing.repose.body >= len(positions):
        raise ReposeError(f"{folder} has no body {thing.repose.body}")
    thing.location = positions[thing.repose.body]
    thing.rotation_quaternion = orientations[thing.repose.body]


def try_frame(thing, number):
    """Shows a frame; an error is stored with the object, for its panel, and printed on the terminal."""
    try:
        show_frame(thing, number)
        thing.repose.problem = ""
    except ReposeError as error:
        thing.repose.problem = str(error)
        print(f"Repose: {error}", file=sys.stderr)


@persistent
def follow_frames(scene, *_):
    for thing in scene.objects:
        if thing.repose.folder:
            try_frame(thing, scene.frame_current)


def set_times(scene, manifest, numbers):
    """Blender's frames are the run's; its rate is a whole number over a base."""
    rate = float(manifest.get("frame_rate", 24))
    scene.render.fps = min(max(round(rate), 1), 32767)
    scene.render.fps_base = scene.render.fps / rate
    scene.frame_start, scene.frame_end = min(numbers), max(numbers)
    scene.frame_set(scene.frame_start)


def load(folder, grains="coarse", bodies=True, scene=None):
    """Loads a run into the scene. Gives the objects, grains first, and a message when the bodies'
    shapes are missing, else an empty text."""
    if not hasattr(bpy.types.Object, "repose"):  # a script that did not enable the add-on
        register()
    scene = scene or bpy.context.scene
    folder = os.path.abspath(folder)
    manifest = read_manifest(folder)
    numbers = frame_paths(folder, grains)
    h5py()
    collection = bpy.data.collections.new("Repose " + os.path.basename(folder))
    scene.collection.children.link(collection)
    things, message = [make_grains(folder, manifest, grains, collection)], ""
    try:
        if bodies and manifest.get("bodies", True):
            things += make_bodies(folder, manifest, collection)
    except ReposeError as error:
        message = str(error)
    set_times(scene, manifest, numbers)
    for thing in things:
        show_frame(thing, scene.frame_current)
    return things, message


# --- what Blender registers


def kind_changed(settings, _context):
    thing = settings.id_data
    if settings.folder and settings.body < 0:
        try_frame(thing, bpy.context.scene.frame_current)


KINDS = [("coarse", "Coarse", "The grains that were simulated"),
         ("fine", "Fine", "The fine grains, where the run has them")]


class ReposeSettings(bpy.types.PropertyGroup):
    folder: bpy.props.StringProperty(name="Run folder", subtype="DIR_PATH")
    grains: bpy.props.EnumProperty(name="Grains", items=KINDS, update=kind_changed)
    body: bpy.props.IntProperty(name="Body", default=-1, description="Its place, or -1 for grains")
    problem: bpy.props.StringProperty(name="Problem")


class OBJECT_PT_repose(bpy.types.Panel):
    bl_label = "Repose"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "object"

    @classmethod
    def poll(cls, context):
        return context.object and context.object.repose.folder

    def draw(self, context):
        settings = context.object.repose
        self.layout.prop(settings, "folder")
        if settings.body < 0:
            self.layout.prop(settings, "grains")
        if settings.problem:
            self.layout.label(text=settings.problem, icon="ERROR")


class IMPORT_OT_repose(bpy.types.Operator, ImportHelper):
    """Load a run of Repose by its manifest.json"""
    bl_idname, bl_label, bl_options = "import_scene.repose", "Import Repose run", {"UNDO"}
    filename_ext = ".json"
    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})
    grains: bpy.props.EnumProperty(name="Grains", items=KINDS)
    bodies: bpy.props.BoolProperty(name="Bodies", default=True)

    def execute(self, context):
        try:
            folder = os.path.dirname(self.filepath)
            _things, message = load(folder, self.grains, self.bodies, context.scene)
        except ReposeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if message:
            self.report({"WARNING"}, message)
        return {"FINISHED"}


CLASSES = (ReposeSettings, OBJECT_PT_repose, IMPORT_OT_repose)


def menu(self, _context):
    self.layout.operator(IMPORT_OT_repose.bl_idname, text="Repose run (manifest.json)")


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.repose = bpy.props.PointerProperty(type=ReposeSettings)
    bpy.types.TOPBAR_MT_file_import.append(menu)
    bpy.app.handlers.frame_change_pre.append(follow_frames)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(follow_frames)
    bpy.types.TOPBAR_MT_file_import.remove(menu)
    del bpy.types.Object.repose
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)


if __name__ == "__main__":
    register()
