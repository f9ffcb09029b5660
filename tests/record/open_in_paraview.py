"""Opens the exported series in ParaView: real times, all grains, all fields, drawn at once.

Run by pvpython with the run folder, and with "render" behind it where there is a display.
"""
import os
import sys

from paraview.simple import (CreateRenderView, OpenDataFile, ResetCamera, SaveScreenshot, Show,
                             servermanager)
from vtkmodules.vtkIOImage import vtkPNGReader

FRAMES = [(0.0, 2000), (0.0625, 0), (1.0 / 3.0, 1500)]
FIELDS = ["velocity", "mass", "density", "pressure", "id", "material", "asleep", "moisture",
          "normal", "clock", "kin"]


def check(condition, message):
    if not condition:
        sys.exit("FAILED: " + message)


def check_frame(reader, time, count):
    reader.UpdatePipeline(time)
    data = servermanager.Fetch(reader)
    check(data.GetNumberOfPoints() == count, f"{data.GetNumberOfPoints()} points at {time}")
    if count == 0:
        return
    check(data.GetNumberOfCells() == 1, f"{data.GetNumberOfCells()} cells at {time}")
    check(data.GetCell(0).GetNumberOfPoints() == count, "the cell does not hold all points")
    for name in FIELDS:
        array = data.GetPointData().GetArray(name)
        check(array is not None, f"no field {name}")
        check(array.GetNumberOfTuples() == count, f"field {name} is too short")
    check(data.GetPointData().GetArray("velocity").GetNumberOfComponents() == 3, "no vector")


def open_series(path):
    reader = OpenDataFile(path)
    check(reader is not None, f"ParaView does not open {path}")
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues)
    check(times == [time for time, count in FRAMES], f"times are {times}")
    return reader


def lit_pixels(path):
    png = vtkPNGReader()
    png.SetFileName(path)
    png.Update()
    pixels = png.GetOutput().GetPointData().GetScalars()
    return sum(any(pixels.GetTuple(i)) for i in range(pixels.GetNumberOfTuples()))


def check_drawing(reader, picture):
    view = CreateRenderView(ViewSize=[320, 240])
    view.UseColorPaletteForBackground = 0
    view.Background = [0, 0, 0]
    view.OrientationAxesVisibility = 0
    Show(reader, view)
    ResetCamera(view)
    SaveScreenshot(picture, view)
    lit = lit_pixels(picture)
    print(f"{os.path.basename(picture)}: {lit} lit pixels")
    check(lit > 0, f"{picture} is dark")


def main():
    folder = os.path.abspath(os.path.join(sys.argv[1], "export"))
    grains = open_series(os.path.join(folder, "grains.pvd"))
    for time, count in FRAMES:
        check_frame(grains, time, count)
    bodies = open_series(os.path.join(folder, "bodies.pvd"))
    bodies.UpdatePipeline(FRAMES[2][0])
    mesh = servermanager.Fetch(bodies)
    check(mesh.GetNumberOfCells() > 100, "the bodies have no triangles")
    check(mesh.GetCellData().GetArray("body").GetRange() == (0.0, 1.0), "wrong bodies")
    if sys.argv[2:] == ["render"]:
        grains.UpdatePipeline(FRAMES[0][0])
        check_drawing(grains, os.path.join(sys.argv[1], "grains.png"))
        check_drawing(bodies, os.path.join(sys.argv[1], "bodies.png"))
    else:
        print("not drawn: there is no xvfb-run here")
    print("ok")


main()
