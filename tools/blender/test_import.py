"""Tests the add-on in Blender itself:

    blender --background --factory-startup --python-exit-code 1 --python test_import.py -- RUN WORK

RUN is a run of the scene first-fall with the shapes of its bodies exported as PLY from any frame but
the first. WORK is a folder that is created again, for copies of the run with fine grains and with damage.
"""
import os
import shutil
import sys

import bpy
import h5py
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import repose_import  # noqa: E402


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def check_close(found, expected, message, tolerance=1e-6):
    found, expected = np.asarray(found), np.asarray(expected)
    check(found.shape == expected.shape, f"{message}: {found.shape} instead of {expected.shape}")
    check(np.all(np.abs(found - expected) <= tolerance), message)


def check_raises(words, action):
    try:
        action()
    except repose_import.ReposeError as error:
        check(words in str(error), f"'{error}' does not say '{words}'")
        return
    check(False, f"no message contains '{words}'")


def attribute(thing, name, member, width, kind=np.float32):
    data = thing.data.attributes[name].data
    values = np.empty(len(data) * width, kind)
    data.foreach_get(member, values)
    return values.reshape(-1, width) if width > 1 else values


def positions_of(mesh):
    values = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", values)
    return values.reshape(-1, 3)


def check_coarse(thing, run, number):
    with h5py.File(f"{run}/frames/{number:06d}.h5", "r") as file:
        grains = file["grains"]
        check(len(thing.data.vertices) == file.attrs["count"], f"wrong number of grains in {number}")
        for axis, name in enumerate("xyz"):
            check_close(positions_of(thing.data)[:, axis], grains[name][:], name, 0)
            velocity = attribute(thing, "velocity", "vector", 3)[:, axis]
            check_close(velocity, grains["velocity_" + name][:], "velocity", 0)
        check_close(attribute(thing, "id", "value", 1, np.int32), grains["id"][:], "id", 0)
        material = grains["material"][:]
        check_close(attribute(thing, "material", "value", 1, np.int32), material, "material", 0)
        radius = attribute(thing, "radius", "value", 1)
        check_close(radius, np.full(len(radius), file.attrs["spacing"] / 2), "radius")
    check_colours(thing, material)


def check_colours(thing, material):
    """All grains of a material have its hue, and not all the same brightness."""
    table = [[0.693872, 0.467784, 0.191202], [0.462077, 0.0865005, 0.0231534],
             [0.109462, 0.174647, 0.238398]]
    shade = attribute(thing, "colour", "color", 4)[:, :3] / np.array(table)[material]
    check(shade.min() > 0.84 and shade.max() < 1.16, f"colours from {shade.min()} to {shade.max()}")
    check(len(shade) < 20 or shade.max() - shade.min() > 0.05, "all grains have the same colour")
    check_close(shade[:, 0], shade[:, 2], "hue", 1e-4)


def check_bodies(bodies, run, number):
    """The places are those of the frame; the shapes those that the scene says."""
    with h5py.File(f"{run}/frames/{number:06d}.h5", "r") as file:
        for body, thing in enumerate(bodies):
            check_close(thing.location, file["bodies/position"][body], "place of a body")
            check_close(thing.rotation_quaternion, file["bodies/orientation"][body], "turn of a body")
    names = [thing.name.split(".")[0] for thing in bodies]  # Blender numbers those it has already
    check(names == ["floor", "ramp", "stone", "paddle"], f"names of bodies: {names}")
    half = np.abs(positions_of(bodies[1].data)).max(axis=0)
    check_close(half, [0.35, 0.3, 0.02], "the ramp is not straight in its own frame", 1e-5)
    reach = np.linalg.norm(positions_of(bodies[2].data), axis=1)
    check_close(reach, np.full(len(reach), 0.16), "the stone is no ball", 1e-5)


def check_points(thing):
    """Geometry nodes make points of the grains, with their radius."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type == "POINTCLOUD":
            points = instance.object.data.points
            check(len(points) == len(thing.data.vertices), "not every grain is a point")
            check_close(points[0].radius, thing.data.attributes["radius"].data[0].value, "radius")
            return
    check(False, f"no point cloud, but {evaluated.type}")


def test_coarse(run):
    things, message = repose_import.load(run)
    scene = bpy.context.scene
    check(message == "", message)
    check((scene.frame_start, scene.frame_end, scene.render.fps) == (0, 6, 30), "times")
    for number in (0, 6, 3, 2):  # back and forth, with other numbers of grains
        scene.frame_set(number)
        check_coarse(things[0], run, number)
        check_bodies(things[1:], run, number)
    scene.frame_set(100)
    check_coarse(things[0], run, 6)
    check_points(things[0])
    return things


def write_checksummed(path, fill):
    """Writes an HDF5 file with the header that runs have; the checksum is left out."""
    with h5py.File(path, "w", userblock_size=512) as file:
        fill(file)
    text = f"REPOSE SEAL 1 {os.path.getsize(path) - 512} 0\n".encode()
    with open(path, "r+b") as file:
        file.write(text.ljust(512, b"\0"))


def write_part(file):
    """Four chunks: near and moving, far and at rest with grains lost, near and at rest, exact."""
    put = file.create_dataset
    put("chunks/first", data=np.array([100, 200, 300, 400], "u4"))
    put("chunks/born", data=np.array([2, 8, 1, 1], "u4"))
    put("chunks/count", data=np.array([2, 2, 1, 1], "u4"))
    put("chunks/material", data=np.array([0, 1, 2, 0], "u1"))
    put("chunks/wide", data=np.array([0, 1, 0, 2], "u1"))
    put("chunks/low", data=np.array([[0, 0, 0], [1, 2, 3], [5, 5, 5], [0, 0, 0]], "f8"))
    put("chunks/velocity_step", data=np.array([0.5, 0, 0, 0], "f4"))
    put("position_near", data=np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], "u2"))
    exact = np.array([[-0.25, 1e6, 3]], "f4").view("u4")
    put("position_far", data=np.concatenate([np.array([[100000, 0, 0], [0, 200000, 0]], "u4"), exact]))
    put("velocity", data=np.array([[32768, 32770, 32766], [0, 32768, 65535]], "u2"))
    put("local", data=np.array([3, 7], "u2"))


def write_fine(run):
    os.makedirs(f"{run}/fine")

    def index(file):
        file.attrs.update(frame=2, time=2 / 30, spacing=0.01, precision=0.001, factor=8, born=12,
                          count=6, part_count=1)
        with h5py.File(f"{run}/frames/000002.h5", "r") as coarse:
            coarse.copy("bodies", file)

    write_checksummed(f"{run}/fine/000002.h5", index)
    write_checksummed(f"{run}/fine/000002-000.h5", write_part)


def test_fine(run):
    things, _message = repose_import.load(run, grains="fine")
    thing = things[0]
    check_close(positions_of(thing.data), [[0.001, 0.002, 0.003], [0.004, 0.005, 0.006],
                                           [101, 2, 3], [1, 202, 3],
                                           [5.007, 5.008, 5.009], [-0.25, 1e6, 3]], "positions", 1e-5)
    check_close(attribute(thing, "velocity", "vector", 3),
                [[0, 1, -1], [-16384, 0, 16383.5], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]],
                "velocities")
    check_close(attribute(thing, "id", "value", 1, np.int32), [100, 101, 203, 207, 300, 400], "ids")
    check_close(attribute(thing, "material", "value", 1, np.int32), [0, 0, 1, 1, 2, 0], "materials")
    check_close(attribute(thing, "radius", "value", 1), [0.005] * 6, "radius")
    thing.repose.grains = "coarse"
    check_coarse(thing, run, 2)
    thing.repose.grains = "fine"
    check(len(thing.data.vertices) == 6, "the property does not choose the grains")


def test_fine_alone(run, coarse):
    """What has fine frames only has bodies all the same."""
    shutil.rmtree(f"{run}/frames")
    things, message = repose_import.load(run, grains="fine")
    check(message == "", message)
    check_bodies(things[1:], coarse, 2)
    bpy.data.batch_remove(things)


def test_mistakes(run, work):
    check_raises("is no run of Repose", lambda: repose_import.load(work + "/nowhere"))
    check_raises("holds no frames", lambda: repose_import.load(run, grains="fine"))
    broken = work + "/broken"
    shutil.copytree(run, broken)
    shutil.rmtree(broken + "/export")
    things, message = repose_import.load(broken)
    check("repose export" in message and len(things) == 1, f"bodies without shapes: '{message}'")
    with open(broken + "/frames/000003.h5", "r+b") as file:
        file.truncate(3000)
    check_raises("damaged or cut short", lambda: repose_import.show_frame(things[0], 3))
    bpy.context.scene.frame_set(3)
    check("000003.h5" in things[0].repose.problem, "the object does not report what is wrong")
    bpy.context.scene.frame_set(4)
    check(things[0].repose.problem == "", "the trouble stays when it is over")
    sys.modules["h5py"] = None  # as if it were not installed
    check_raises("h5py is missing", lambda: repose_import.load(broken))
    sys.modules["h5py"] = h5py


def test_operator(run):
    result = bpy.ops.import_scene.repose(filepath=run + "/manifest.json")
    check(result == {"FINISHED"}, f"the operator says {result}")


def test_file(work, count):
    """A saved file finds its run again."""
    path = work + "/saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.scene.frame_set(5)
    followed = [thing for thing in bpy.data.objects if thing.repose.folder]
    check(len(followed) == count, f"{len(followed)} objects follow the run instead of {count}")
    grains = next(thing for thing in followed if thing.repose.body < 0)
    check_coarse(grains, grains.repose.folder, 5)


def main():
    run, work = (os.path.abspath(path) for path in sys.argv[sys.argv.index("--") + 1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    repose_import.register()
    things = test_coarse(run)
    test_file(work, len(things))
    test_mistakes(run, work)
    shutil.copytree(run, work + "/fine")
    write_fine(work + "/fine")
    test_fine(work + "/fine")
    test_fine_alone(work + "/fine", run)
    test_operator(run)
    repose_import.unregister()
    print("all as expected")


main()
