#!/usr/bin/env python3
"""Draws the courses of the contact models: plot.py FOLDER PICTURE.png, from `carom_models --courses FOLDER`"""

import csv
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.patches import Circle

INK = "#222222"
FAINT = "#BBBBBB"
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]


def read(folder, name):
    with open(os.path.join(folder, name + ".csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [float(row[key]) for row in rows] for key in rows[0]}


def style(axes, title, x, y):
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_rolling(axes, folder):
    for colour, name in zip(COLOURS, ("hollow ball", "cylinder", "solid ball")):
        course = read(folder, f"roll_{name}")
        axes.plot(course["t"], course["v"], color=colour, label=name)
    axes.legend(frameon=False, fontsize=8)
    style(axes, "Rolls to rest: μ_r = 2 mm, R = 0.1 m", "time [s]", "speed [m/s]")


def draw_top(axes, folder):
    course = read(folder, "top")
    axes.plot(course["t"], course["w"], color=COLOURS[0])
    style(axes, "A top spins down: μ_s = 1 mm", "time [s]", "ω [rad/s]")


def draw_incline(axes, folder):
    for colour, angle in zip(COLOURS, (20, 45, 70)):
        course = read(folder, f"incline_40_{angle}")
        fall = course["fall_x"][0], course["fall_y"][0]
        # Axes that have the fall line downwards.
        across = [x * fall[1] - y * fall[0] for x, y in zip(course["x"], course["y"])]
        down = [-(x * fall[0] + y * fall[1]) for x, y in zip(course["x"], course["y"])]
        axes.plot(across, down, color=colour, label=f"slippery axis at {angle}°")
    axes.axvline(0, color=FAINT, linestyle="--", label="fall line")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(frameon=False, fontsize=8)
    style(axes, "Blocks on a slope of 40°: μ = 0.2 and 0.6", "across [m]", "down the slope [m]")


def draw_skate(axes, folder):
    course = read(folder, "skate")
    axes.plot(course["y"], course["x"], color=COLOURS[0])
    axes.set_aspect("equal", adjustable="datalim")
    style(axes, "A skate that turns on a slope", "across [m]", "down the slope [m]")


def draw_car(axes, folder):
    course = read(folder, "car")
    axes.plot(course["x"], [1000 * (z - 0.5) for z in course["z"]], color=COLOURS[0], label="height [mm]")
    axes.plot(course["x"], [1000 * pitch for pitch in course["pitch"]], color=COLOURS[1], label="pitch [mrad]")
    axes.axvspan(9.2, 10.8, color=FAINT, alpha=0.4, linewidth=0)
    axes.legend(frameon=False, fontsize=8)
    style(axes, "A car on four compliant wheels, a bump", "way [m]", "")


def draw_bridge(axes, folder):
    course = read(folder, "bridge")
    axes.plot(course["x"], [-1000 * known for known in course["known"]], color=FAINT, linewidth=4, label="on paper")
    axes.plot(course["x"], [-1000 * sunk for sunk in course["sunk"]], color=COLOURS[0], label="carom")
    axes.legend(frameon=False, fontsize=8)
    style(axes, "A stiff bridge on ten soft pads", "along the bridge [m]", "height [mm]")


def draw_heap(axes, folder, coefficient):
    discs = read(folder, f"heap_{coefficient}")
    circles = [Circle((x, z), r) for x, z, r in zip(discs["x"], discs["z"], discs["r"])]
    axes.add_collection(PatchCollection(circles, facecolor=COLOURS[0], edgecolor="white", linewidth=0.3))
    axes.axhline(0, color=INK, linewidth=1)
    reach = max(abs(x) for x in discs["x"]) + 0.1
    axes.set_xlim(-min(reach, 2.2), min(reach, 2.2))
    axes.set_ylim(-0.05, 1)
    axes.set_aspect("equal")
    style(axes, f"A heap of discs, μ_r = {coefficient} R", "[m]", "[m]")


def draw_angles(axes, folder):
    angles = read(folder, "heap_angles")
    axes.plot(angles["rolling_friction_of_radius"], angles["angle"], ".", color=COLOURS[0])
    axes.set_ylim(0)
    style(axes, "Its flank", "μ_r / R", "angle [°]")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, picture = sys.argv[1:]
    figure, grid = plt.subplots(3, 3, figsize=(12, 8.5), height_ratios=(1, 1, 0.75))
    (rolling, top, incline), (skate, car, bridge), (low, high, angles) = grid
    draw_rolling(rolling, folder)
    draw_top(top, folder)
    draw_incline(incline, folder)
    draw_skate(skate, folder)
    draw_car(car, folder)
    draw_bridge(bridge, folder)
    draw_heap(low, folder, "0.05")
    draw_heap(high, folder, "0.4")
    draw_angles(angles, folder)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
