#!/usr/bin/env python3
"""Draws how far the laws lie apart: plot.py DISTANCES.csv PICTURE.png, from `carom compare-laws -o DISTANCES.csv`"""

import csv
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

INK = "#222222"
FAINT = "#BBBBBB"
COLOUR = "#0072B2"
# A difference below is rounding, and drawn as this.
LEAST = 1e-4


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    laws = list(dict.fromkeys(row["law"] for row in rows))
    return laws, {(row["law"], row["other"]): row for row in rows}


def percent(value):
    if value < LEAST:
        return "0"
    return f"{100 * value:.2g}" if value < 0.1 else f"{100 * value:.0f}"


def draw_pairs(axes, laws, pairs):
    medians = np.full((len(laws), len(laws)), np.nan)
    for (law, other), row in pairs.items():
        medians[laws.index(law), laws.index(other)] = float(row["median"])
    norm = LogNorm(vmin=1e-3, vmax=1, clip=True)
    axes.imshow(np.maximum(medians, LEAST), norm=norm, cmap="cividis_r")
    for i in range(len(laws)):
        for j in range(len(laws)):
            if np.isnan(medians[i, j]):
                continue
            dark = norm(max(medians[i, j], LEAST)) > 0.5
            axes.text(j, i, percent(medians[i, j]), ha="center", va="center", fontsize=7,
                      color="white" if dark else INK)
    axes.set_xticks(range(len(laws)), laws, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(laws)), laws)
    axes.set_title("Median difference of the impulse [% of the row's]", fontsize=10)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_against_first(axes, laws, pairs):
    first, others = laws[0], [law for law in laws[1:] if (laws[0], law) in pairs]
    for place, law in enumerate(others):
        median, ninety, largest = (
            max(float(pairs[first, law][name]), LEAST) for name in ("median", "percentile_90", "largest"))
        axes.plot([median, largest], [place, place], color=FAINT, linewidth=2, zorder=1)
        axes.plot([median, ninety], [place, place], color=COLOUR, linewidth=5, alpha=0.35, zorder=2,
                  solid_capstyle="butt")
        axes.plot(median, place, "o", color=COLOUR, zorder=3)
        axes.plot(largest, place, "|", color=INK, markersize=9, zorder=3)
    axes.set_yticks(range(len(others)), others)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(LEAST * 0.8, None)
    axes.set_xlabel("difference of the impulse / impulse")
    axes.set_title(f"From {first}: median, up to 90 % of the contacts, largest", fontsize=10)
    axes.grid(axis="x", color=FAINT, linewidth=0.5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def main():
    laws, pairs = read(sys.argv[1])
    plt.rcParams.update({"font.size": 9, "text.color": INK, "axes.labelcolor": INK})
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.2), width_ratios=(1.15, 1))
    draw_pairs(left, laws, pairs)
    draw_against_first(right, laws, pairs)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


main()
