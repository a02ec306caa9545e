#!/usr/bin/env python3
"""Draws performance profiles of the table that carom_peers writes: profile.py PEERS.csv PICTURE.png

The profile of a solver is the share of problems that it solves within x times the time of the fastest (E. D. Dolan, J. J. Moré,
Benchmarking optimization software with performance profiles, 2002)."""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    table, picture = sys.argv[1:]
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    tolerances = sorted({float(row["tolerance"]) for row in rows}, reverse=True)
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    figure, panels = plt.subplots(1, len(tolerances), figsize=(4.2 * len(tolerances), 3.6), sharey=True, squeeze=False)
    for axes, tolerance in zip(panels[0], tolerances):
        here = [row for row in rows if float(row["tolerance"]) == tolerance]
        times = {}
        for row in here:
            if row["solved"] == "1":
                times.setdefault(row["problem"], {})[row["solver"]] = float(row["seconds"])
        problems = len({row["problem"] for row in here})
        best = {problem: min(by_solver.values()) for problem, by_solver in times.items()}
        for colour, solver in zip(COLOURS, solvers):
            ratios = sorted(by_solver[solver] / best[problem] for problem, by_solver in times.items()
                            if solver in by_solver)
            x, y = [1], [0]
            for i, ratio in enumerate(ratios):
                x += [ratio, ratio]
                y += [y[-1], (i + 1) / problems]
            axes.plot(x + [1e5], y + [y[-1]], color=colour, label=solver)
        axes.set_xscale("log")
        axes.set_xlim(1, 1e4)
        axes.set_ylim(0, 1.02)
        axes.set_title(f"error {tolerance:.0e}", fontsize=10, loc="left")
        axes.set_xlabel("times the fastest", fontsize=9)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    panels[0][0].set_ylabel("share of problems solved", fontsize=9)
    panels[0][-1].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
