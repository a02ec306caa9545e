#!/usr/bin/env python3
"""Draws what became of the funnel's contacts: plot.py RESULTS.csv COMPARE.json PICTURE.png"""

import csv
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COURSES = {  # courses of the sliding phase in drawing order, in colours that are distinct for colour-blind readers
    "slide_end": ("slid to the end", "#0072B2", 9, 0.35),
    "stick_in_c+stable": ("stuck while compressing", "#009E73", 34, 1),
    "stick_in_d+stable": ("stuck while decompressing", "#E69F00", 34, 1),
    "diverge": ("stopped, could not be held", "#D55E00", 34, 1),
}
INK = "#222222"
FAINT = "#BBBBBB"


class Contacts:
    def __init__(self, path):
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
        self.table = {name: [row[name] for row in rows] for name in rows[0]}
        self.path = np.array(self.table["path"])

    def scalar(self, name):
        return np.array(self.table[name], dtype=float)

    def vector(self, name):
        return np.stack([self.scalar(f"{name}_{axis}") for axis in "xyz"], axis=1)

    def separation_velocity(self, prefix=""):
        def at_point(side):
            spin = self.vector(f"{prefix}angular_velocity_{side}")
            return self.vector(f"{prefix}velocity_{side}") + np.cross(spin, self.vector(f"r_{side}"))

        return at_point("a") - at_point("b")

    def took(self, course):
        if course == "diverge":
            return np.array(["diverge" in path for path in self.path])
        return np.array([path.startswith(course) for path in self.path])


def dot(a, b):
    return np.sum(a * b, axis=1)


def scatter_by_course(axes, contacts, x, y):
    for course, (_, colour, size, alpha) in COURSES.items():
        rows = contacts.took(course)
        axes.scatter(x[rows], y[rows], s=size, color=colour, alpha=alpha, linewidths=0)


def draw_friction(axes, contacts):
    """The friction impulse in units of its bound: the cone of every contact becomes the unit disc."""
    normal, impulse, u0 = contacts.vector("normal"), contacts.vector("impulse"), contacts.separation_velocity()
    normal_impulse = dot(impulse, normal)
    slip = u0 - dot(u0, normal)[:, None] * normal
    against = -slip / np.linalg.norm(slip, axis=1)[:, None]
    bound = contacts.scalar("friction") * normal_impulse

    angle = np.linspace(0, 2 * np.pi, 361)
    axes.fill(np.cos(angle), np.sin(angle), color="#F4F6F8", zorder=0.5)
    axes.plot(np.cos(angle), np.sin(angle), color=INK, linewidth=1, zorder=0.9)
    axes.axhline(0, color=FAINT, linewidth=0.7, zorder=1)
    axes.axvline(0, color=FAINT, linewidth=0.7, zorder=1)
    scatter_by_course(axes, contacts, dot(impulse, against) / bound, dot(impulse, np.cross(normal, against)) / bound)
    axes.annotate("friction cone\n|p$_t$| = μ p$_n$", (np.cos(2.3), np.sin(2.3)), (-1.25, 1.12), color=INK, va="center",
                  arrowprops={"arrowstyle": "-", "color": INK, "linewidth": 0.7})
    axes.set(aspect="equal", xlim=(-1.3, 1.2), ylim=(-1.25, 1.25), xticks=[-1, 0, 1], yticks=[-1, 0, 1],
             title="Friction follows the turning slip", xlabel="impulse against the first slip / μ p$_n$",
             ylabel="impulse across it / μ p$_n$")


def draw_restitution(axes, contacts):
    normal = contacts.vector("normal")
    before = -dot(contacts.separation_velocity(), normal)
    after = dot(contacts.separation_velocity("new_"), normal)
    axes.axhline(1, color=INK, linewidth=1, zorder=0.9)
    scatter_by_course(axes, contacts, before, after / (contacts.scalar("restitution") * before))
    low, high = axes.get_ylim()
    axes.set(xscale="log", ylim=(min(low, 0.95), max(high, 1.01)), title="Rebound", xlabel="approach, −u·n before [m/s]",
             ylabel="separation / (e · approach)")


def draw_throughput(axes, comparison):
    threads = comparison["threads"]
    names = ["scalar\nreference", f"carom: {comparison['isa']}, {comparison['precision']},\n"
             f"{threads} thread{'' if threads == 1 else 's'}"]
    rates = np.array([comparison[side]["contacts_per_second"] for side in ("reference", "lanes")]) / 1e6
    axes.bar([0, 1], rates, width=0.6, color=["#9AA5B1", "#0072B2"])
    axes.set(ylim=(0, 1.4 * rates.max()), xlim=(-0.6, 1.6), title="Throughput", ylabel="million contacts per second")
    axes.set_xticks([0, 1], names)
    notes = ["", f"\n{comparison['throughput_ratio']:.0f} times the reference"]
    for x, (rate, note) in enumerate(zip(rates, notes)):
        axes.text(x, rate + 0.02 * rates.max(), f"{rate:.2f} M/s{note}", ha="center", va="bottom", color=INK)
    difference = comparison["velocity_difference"]["largest"]
    axes.text(0.5, 0.99, f"velocities of the two differ by\n{difference:.1g} |u$_0$| at most", ha="center", va="top",
              color=INK, transform=axes.transAxes)


def main(results, compare, picture):
    contacts = Contacts(results)
    with open(compare) as file:
        comparison = json.load(file)

    plt.rcParams.update({
        "font.size": 10, "axes.titlesize": 12, "axes.titleweight": "bold", "axes.edgecolor": INK,
        "axes.spines.top": False, "axes.spines.right": False, "text.color": INK, "axes.labelcolor": INK
    })
    figure, (friction, restitution, throughput) = plt.subplots(1, 3, figsize=(14, 5.2),
                                                                gridspec_kw={"width_ratios": [1.1, 1.1, 0.9]})
    draw_friction(friction, contacts)
    draw_restitution(restitution, contacts)
    draw_throughput(throughput, comparison)
    handles = [
        plt.Line2D([], [], linestyle="", marker="o", markersize=7, color=colour,
                   label=f"{name} ({np.count_nonzero(contacts.took(course))})")
        for course, (name, colour, _, _) in COURSES.items() if contacts.took(course).any()
    ]
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False)
    figure.suptitle(f"{len(contacts.path)} contacts of cubes that fall through a funnel", fontsize=14)
    figure.tight_layout(rect=(0, 0.05, 1, 1), w_pad=3)
    figure.savefig(picture, dpi=130)


if __name__ == "__main__":
    main(*sys.argv[1:])
