#!/usr/bin/env python3
"""Residual against iterations, of every method on the scenes of a contact file: a curve for each, and a table.

scenes.py CAROM CONTACTS.csv PICTURE.png
"""

import csv
import re
import subprocess
import sys
from collections import defaultdict

import matplotlib.pyplot as plt

import style

METHODS = {
    "pgs": ("#0072B2", 1024),
    "iteration": ("#009E73", 1024),
    "step": ("#E3B505", 1024),
    "sequential-impacts": ("#D55E00", 64),
}
FLOOR = 1e-6  # the default of --relative-tolerance: islands that are there have ended
TIME_STEP = "0.001"  # of the simulation that the piles come from


def approaches(path):
    """The greatest approach speed of each scene, in the order of the file."""
    greatest = defaultdict(float)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            def vector(name):
                return [float(row[f"{name}_{axis}"]) for axis in "xyz"]

            def velocity(side):
                (wx, wy, wz), (x, y, z) = vector(f"angular_velocity_{side}"), vector(f"r_{side}")
                return [v + turn for v, turn in zip(vector(f"velocity_{side}"),
                                                    (wy * z - wz * y, wz * x - wx * z, wx * y - wy * x))]

            speed = sum(n * (b - a) for n, a, b in zip(vector("normal"), velocity("a"), velocity("b")))
            greatest[row["scene_step"]] = max(greatest[row["scene_step"]], speed)
    return greatest


def residuals(carom, path, method, iterations, scenes):
    """What `carom solve --scene` tells of each scene [m/s]."""
    command = [carom, "solve", "--scene", path, "-o", "/dev/null", "--method", method, "--iterations", str(iterations)]
    if method == "step":
        command += ["--time-step", TIME_STEP]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = (re.split(r"\s+", line) for line in printed.splitlines())
    found = {line[0]: float(line[7]) for line in lines if line[0] in scenes}
    assert len(found) == len(scenes), printed
    return found


def main(carom, path, picture):
    style.use()
    start = approaches(path)
    figure, axes = plt.subplots(1, len(start), figsize=(10.5, 3.9), sharey=True, layout="constrained", squeeze=False)
    table = defaultdict(dict)
    for method, (colour, most) in METHODS.items():
        counts = sorted({10, *(2**k for k in range(most.bit_length()))})
        measured = {count: residuals(carom, path, method, count, start) for count in counts}
        for ax, scene in zip(axes[0], start):
            shares = [measured[count][scene] / start[scene] for count in counts]
            table[method][scene] = dict(zip(counts, shares))
            drawn = [max(share, FLOOR) for share in shares]  # a logarithm has no 0
            ax.plot(counts, drawn, "o-", color=colour, linewidth=1.8, markersize=3.5, label=method)
    with open(path) as file:
        sizes = defaultdict(int)
        for row in csv.DictReader(file):
            sizes[row["scene_step"]] += 1
    for ax, scene in zip(axes[0], start):
        ax.set(xscale="log", yscale="log", xlabel="iterations",
               title=f"{sizes[scene]:,} contacts, {start[scene]:.2g} m/s")
        ax.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
        ax.minorticks_off()
        ax.set_ylim(FLOOR * 0.7, 3)
        ax.grid(color=style.FAINT, linewidth=0.5)
    axes[0][0].set_ylabel("residual / greatest approach speed")
    axes[0][-1].legend(frameon=False, loc="lower left")
    style.save(figure, picture)
    columns = (1, 4, 10, 64, 256, 1024)
    for scene in start:
        print(f"scene {scene}, greatest approach {start[scene]:.3g} m/s")
        for method in METHODS:
            cells = (table[method][scene].get(c) for c in columns)
            print(f"| `{method}` |", " | ".join("" if x is None else "< 1e-6" if x < FLOOR else f"{x:.0e}" for x in cells),
                  "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
