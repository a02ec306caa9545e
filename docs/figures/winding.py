#!/usr/bin/env python3
"""Winding: which orders of visits make a warm-started pile grow. winding.py PICTURE.png

A pyramid of unit cubes at rest is frozen: its contacts stick, and its positions stay. A visit of a manifold takes away the
relative velocity of its points (one block), a sweep G visits all manifolds in turn, and a substep has two sweeps. With all
of the last impulses to begin with, the velocities of a substep are v' = G² (2v - v⁻), v⁻ those of the substep before.
Nothing here comes from carom. The script prints the table of docs/scenes.md, section "Order, and how to fix it", and draws
its picture.
"""

import sys
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

import style

SUBSTEPS = 8  # A step has so many.
BASES = (8, 10, 20)  # The picture has the last one.
GROWTH = 480  # The third panel has so many substeps.
LOOKS = {
    "rows, left to right": "#0072B2",
    "least free colours": "#E3B505",
    "the same, colours 0 2 1 3": "#EFA0CC",
    "by levels, colours within": "#D55E00",
    "colours by hash": "#009E73",
}
BALANCED, WOUND = "rows, left to right", "by levels, colours within"


class Pyramid:
    """Boxes are (row, place), numbered by rows from the ground; a manifold is an upper and a lower box, -1 the ground."""

    def __init__(self, base):
        self.base = base
        self.number = {}
        for row in range(base):
            for i in range(base - row):
                self.number[row, i] = len(self.number)
        self.manifolds, self.rows, halves = [], [], []
        for (row, i), upper in self.number.items():
            below = [(-1, -0.5, 0.5)] if row == 0 else [(self.number[row - 1, i], -0.5, 0),
                                                       (self.number[row - 1, i + 1], 0, 0.5)]
            for lower, left, right in below:
                self.manifolds.append((upper, lower))
                self.rows.append(row)
                halves.append((left, right))
        place = np.array([[i + 0.5 * row, 0, row + 0.5] for row, i in self.number])
        self.visits = [self.projection(upper, lower, place, half)
                       for (upper, lower), half in zip(self.manifolds, halves)]

    def projection(self, upper, lower, place, half):
        """A visit multiplies the velocities of its bodies, scaled by roots of masses, by this matrix."""
        bodies = [body for body in (upper, lower) if body >= 0]
        rows = []
        for x, y in product(half, (-0.5, 0.5)):
            point = place[upper] + (x, y, -0.5)
            parts = []
            for sign, body in zip((1, -1), bodies):
                a, b, c = point - place[body]
                turning = np.array([[0, c, -b], [-c, 0, a], [b, -a, 0]])
                parts.append(sign * np.hstack([np.eye(3), turning * np.sqrt(6)]))  # a cube of 1 kg has 1/6 kg m²
            rows.append(np.hstack(parts))
        jacobian = np.vstack(rows)
        columns = np.concatenate([np.arange(6 * body, 6 * body + 6) for body in bodies])
        return columns, np.eye(len(columns)) - np.linalg.pinv(jacobian) @ jacobian

    def sweep(self, order):
        made = np.eye(6 * len(self.number))
        for index in order:
            columns, visit = self.visits[index]
            made[columns] = visit @ made[columns]
        return made

    def winding(self, order):
        """Cycles of a top box, the two below it and the one that both stand on: their number, those that are not two and
        two, and the sum of their senses."""
        time = {self.manifolds[index]: at for at, index in enumerate(order)}
        cycles = unbalanced = net = 0
        for row in range(2, self.base):
            for i in range(self.base - row):
                top, left, right, below = (self.number[at] for at in
                                           ((row, i), (row - 1, i), (row - 1, i + 1), (row - 2, i + 1)))
                times = [time[pair] for pair in ((top, left), (left, below), (right, below), (top, right))]
                later = sum(times[k] < times[(k + 1) % 4] for k in range(4))
                cycles, unbalanced, net = cycles + 1, unbalanced + (later != 2), net + later - 2
        return cycles, unbalanced, net


def spread(x):
    """The numbers are those of src/core/support/hash.hpp."""
    mask = 2**64 - 1
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & mask
    x = (x ^ x >> 27) * 0x94d049bb133111eb & mask
    return x ^ x >> 31


def colours(pyramid, drawn):
    """The colour of each manifold: the least free one, or one drawn by a hash as in src/scene/graph/colours.cpp."""
    degree, used, found = {}, {}, []
    for pair in pyramid.manifolds:
        for body in pair:
            degree[body] = degree.get(body, 0) + 1
    for upper, lower in pyramid.manifolds:
        bodies = [body for body in (upper, lower) if body >= 0]
        taken = set().union(*(used.setdefault(body, set()) for body in bodies))
        free = [c for c in range(max(degree[body] for body in bodies) + 1) if c not in taken]
        if drawn and free:
            a, b = upper, max(lower, 0)
            colour = free[spread(max(a, b) << 32 | min(a, b)) % 2**32 % len(free)]
        else:
            colour = next(c for c in range(64) if c not in taken)
        for body in bodies:
            used[body].add(colour)
        found.append(colour)
    return found


def orders(pyramid):
    def by(key):
        return sorted(range(len(pyramid.manifolds)), key=key)

    least, drawn = colours(pyramid, False), colours(pyramid, True)
    return {
        "rows, left to right": by(lambda i: i),
        "least free colours": by(lambda i: least[i]),
        "the same, colours 0 2 1 3": by(lambda i: (0, 2, 1, 3)[least[i]]),
        "by levels, colours within": by(lambda i: (pyramid.rows[i], least[i])),
        "colours by hash": by(lambda i: drawn[i]),
    }


def warm(m):
    """Both eigenvalues of the substep for each eigenvalue m of its sweeps."""
    root = np.sqrt(m * m - m + 0j)
    return np.concatenate([m + root, m - root])


def growth(sweeps, substeps):
    """The size of velocities by substeps, from a disturbance that the sweeps have smoothed."""
    v = np.random.default_rng(1).standard_normal(len(sweeps))
    before = v = sweeps @ v
    sizes = []
    for _ in range(substeps):
        v, before = sweeps @ (2 * v - before), v
        sizes.append(np.linalg.norm(v))
    return np.array(sizes) / sizes[0]


def draw_cycle(axes, corner, visits, name, verdict):
    """A box on two that stand on a fourth: numbers tell when a manifold is visited, arrows lead round."""
    x, y = corner
    colour = LOOKS[name]
    for dx, dy in ((0, 2), (-0.75, 1), (0.75, 1), (0, 0)):
        axes.add_patch(plt.Rectangle((x + dx - 0.75, y + dy), 1.5, 1, facecolor=style.PERMISSIBLE, edgecolor=style.GREY,
                                     linewidth=1.2))
    at = [(x - 0.45, y + 2), (x - 0.45, y + 1), (x + 0.45, y + 1), (x + 0.45, y + 2)]  # top, left, below, right
    for k in range(4):
        later = visits[k] < visits[(k + 1) % 4]
        axes.annotate("", at[(k + 1) % 4], at[k], zorder=3,
                      arrowprops={"arrowstyle": "-|>", "color": style.INK if later else style.GREY, "linewidth": 1.5,
                                  "linestyle": "-" if later else (0, (2, 1.5)), "shrinkA": 8, "shrinkB": 8, "mutation_scale": 11})
    for (px, py), visit in zip(at, visits):
        axes.plot(px, py, "o", color=colour, markersize=14, zorder=4)
        axes.text(px, py - 0.01, str(visit), color="white", fontsize=9, weight="bold", ha="center", va="center", zorder=5)
    axes.text(x, y + 3.12, name, ha="center", va="bottom", fontsize=10)
    axes.text(x, y - 0.14, verdict, ha="center", va="top", fontsize=10)


def draw(found, picture):
    style.use()
    figure, (cycles, plane, steps) = plt.subplots(1, 3, figsize=(12, 4.1), layout="constrained",
                                                  width_ratios=(1.3, 1, 1))
    cycles.set(title="a cycle of four boxes", xlim=(-1.55, 4.85), ylim=(-1.15, 3.6), aspect="equal")
    cycles.axis("off")
    draw_cycle(cycles, (0, 0), (3, 1, 2, 4), BALANCED, "2 later, 2 earlier:\nbalanced")
    draw_cycle(cycles, (3.3, 0), (3, 2, 1, 4), WOUND, "1 later, 3 earlier:\nwinds")
    cycles.legend([plt.Line2D([], [], color=style.INK, linewidth=1.6),
                   plt.Line2D([], [], color=style.GREY, linewidth=1.6, linestyle=(0, (2, 1.5)))],
                  ["next is later", "next is earlier"], frameon=False, loc="lower center", ncols=2, fontsize=9,
                  bbox_to_anchor=(0.5, -0.1))

    turn = np.linspace(-np.pi, np.pi, 2000)
    plane.plot(np.cos(turn), np.sin(turn), color=style.INK, linewidth=1.2, label="|λ| = 1")
    for name, marker, size in ((BALANCED, "o", 4), (WOUND, "D", 4)):
        values = found[name][0]
        plane.plot(values.real, values.imag, marker, color=LOOKS[name], markersize=size, alpha=0.75, label=name)
    plane.set(title="eigenvalues λ of a substep", xlabel="real part", ylabel="imaginary part", xlim=(0.9, 1.022),
              ylim=(-0.3, 0.3))
    plane.grid(color=style.FAINT, linewidth=0.5)
    outside = max(found[WOUND][0], key=abs)
    plane.annotate("it grows", (outside.real, abs(outside.imag)), (0, 16), textcoords="offset points", fontsize=9,
                   ha="center", arrowprops={"arrowstyle": "-", "color": style.GREY, "shrinkB": 4})
    plane.set_xticks([0.9, 0.95, 1])
    plane.legend(frameon=False, loc="center left", fontsize=9)

    for name, colour in LOOKS.items():
        sizes = found[name][1]
        steps.plot(np.arange(len(sizes)) / SUBSTEPS, sizes, color=colour, linewidth=1.8, label=name,
                   linestyle=(0, (4, 3)) if name == WOUND else "-")
    steps.set(title="a disturbance", yscale="log", xlabel=f"steps of {SUBSTEPS} substeps", ylabel="|v| / |v| at the start")
    steps.grid(color=style.FAINT, linewidth=0.5)
    steps.legend(frameon=False, fontsize=9)
    style.save(figure, picture)


def main(picture):
    for base in BASES:
        pyramid, found = Pyramid(base), {}
        print(f"base {base}")
        for name, order in orders(pyramid).items():
            sweeps = np.linalg.matrix_power(pyramid.sweep(order), 2)
            m = np.linalg.eigvals(sweeps)
            values = warm(m)
            cycles, unbalanced, net = pyramid.winding(order)
            greatest = max(abs(values))
            print(f"| {name} | {unbalanced} of {cycles} | {net:+d} | {1 - max(abs(m)):.1e} | {greatest:.5f} | "
                  f"{greatest**SUBSTEPS:.4f} |")
            found[name] = values, growth(sweeps, GROWTH)
    draw(found, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
