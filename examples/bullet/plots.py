#!/usr/bin/env python3
"""Draws energy, penetration and joint error over time, of Bullet's solver and of carom: plots.py FOLDER [PICTURE.png]

FOLDER is what the programs of scenes/ got as --out; a scene is a row of the picture, FOLDER/plots.png if not told.
"""

import argparse
import csv
import glob
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

SOLVERS = {"bullet": ("Bullet", "#D55E00"), "carom": ("carom", "#0072B2")}
QUANTITIES = [  # name, unit, factor, reduction over a span of time, min. range of the axis
    ("energy", "J", 1, np.mean, 0),
    ("penetration", "mm", 1000, np.max, 0.01),
    ("joint_error", "mm", 1000, np.max, 0.01),
]
INK = "#222222"
SPANS = 300  # max. number of spans of time


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    table["energy"] = table["kinetic_energy"] + table["potential_energy"]
    return table


def by_span(values, what):
    """Long series: the mean or the largest value of every span, so that lines stay lines."""
    length = -(-len(values) // SPANS)
    starts = range(0, len(values), length)
    return np.array([what(values[start:start + length]) for start in starts])


def draw(axes, runs, quantity):
    name, unit, factor, what, least = quantity
    high = 0
    for solver, run in runs.items():
        label, colour = SOLVERS[solver]
        values = factor * by_span(run[name], what)
        axes.plot(by_span(run["time"], np.mean), values, color=colour, linewidth=1.3, alpha=0.9, label=label)
        high = max(high, values.max())
    if least:
        axes.set_ylim(0, 1.08 * max(high, least))
    axes.set_ylabel(f"{name.replace('_', ' ')} [{unit}]")
    axes.margins(x=0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("picture", nargs="?")
    arguments = parser.parse_args()

    scenes = {}
    for solver in SOLVERS:
        for path in glob.glob(os.path.join(arguments.folder, f"*_{solver}.csv")):
            name = os.path.basename(path)[:-len(f"_{solver}.csv")]
            scenes.setdefault(name, {})[solver] = read(path)
    if not scenes:
        parser.error(f"no samples in {arguments.folder}")

    plt.rcParams.update({"font.size": 9, "axes.edgecolor": INK, "axes.spines.top": False, "axes.spines.right": False,
                         "text.color": INK, "axes.labelcolor": INK})
    figure, grid = plt.subplots(len(scenes), 3, figsize=(12, 1.9 * len(scenes) + 0.6), squeeze=False)
    for row, (name, runs) in zip(grid, sorted(scenes.items())):
        for axes, quantity in zip(row, QUANTITIES):
            # A scene without joints has no error of joints.
            if any(run[quantity[0]].any() for run in runs.values()):
                draw(axes, runs, quantity)
            else:
                axes.axis("off")
        row[0].set_title(name.replace("_", " "), loc="left", fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel("time [s]")
    handles = [plt.Line2D([], [], color=colour, linewidth=2, label=label) for label, colour in SOLVERS.values()]
    figure.legend(handles=handles, loc="upper right", ncols=2, frameon=False)
    figure.tight_layout(h_pad=1.2)
    figure.savefig(arguments.picture or os.path.join(arguments.folder, "plots.png"), dpi=110)


if __name__ == "__main__":
    main()
