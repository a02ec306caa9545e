#!/usr/bin/env python3
"""Slow modes: the figures of docs/slow-modes.md, and the one of direct islands in docs/scenes.md.

slow_modes.py MEASURED.csv FOLDER draws the numbers that slow_modes_measure.py has measured, and those of the linear model
(slow_modes_model.py), which it prints as well.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import slow_modes_model as model
import style

BLUE, RED, GREEN, YELLOW, PINK = "#0072B2", "#D55E00", "#009E73", "#E3B505", "#CC79A7"
NOTE = "28 November 2026 · carom in double, AMD EPYC (Zen 3, AVX2) · ./dev python docs/figures/slow_modes_measure.py"


def read(path):
    """Rows by experiment and series, each a list of (bodies, x, y)."""
    found = defaultdict(lambda: defaultdict(list))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            found[row["experiment"]][row["series"]].append((int(row["bodies"]), float(row["x"]), float(row["y"])))
    return found


def finish(figure, folder, name, note=NOTE):
    figure.text(0.995, 0.003, note, ha="right", va="bottom", fontsize=7, color=style.GREY)
    figure.get_layout_engine().set(rect=(0, 0.035, 1, 0.965))
    style.save(figure, Path(folder) / name)


def grid(axes, **more):
    axes.set(**more)
    axes.grid(color=style.FAINT, linewidth=0.5)


def ticks(axes, x=(), y=()):
    for axis, values in ((axes.xaxis, x), (axes.yaxis, y)):
        if values:
            axis.set_major_locator(plt.FixedLocator(values))
            axis.set_major_formatter(plt.FixedFormatter([str(value) for value in values]))
            axis.set_minor_locator(plt.NullLocator())


def cube(axes, x, y, tilt, **more):
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    c, s = np.cos(tilt), np.sin(tilt)
    axes.add_patch(plt.Polygon(corners @ np.array([[c, -s], [s, c]]) + (x, y), **more))


def ground(axes, left, right):
    axes.plot([left, right], [0, 0], color=style.INK, linewidth=1.5)
    axes.add_patch(plt.Rectangle((left, -0.5), right - left, 0.5, facecolor="none", edgecolor=style.GREY, hatch="////",
                                 linewidth=0))


def draw_spectrum(measured, folder):
    figure, (tower, axes) = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained", width_ratios=(1, 2))
    tower.set(title="slowest mode, 20 cubes", xlim=(-2.5, 5.5), ylim=(-0.6, 20.6), aspect="equal")
    tower.axis("off")
    shape = model.slowest(20).reshape(-1, 3)
    shape *= 3.5 / shape[-1, 0]
    ground(tower, -2, 5)
    for i, (way, _, turn) in enumerate(shape):
        cube(tower, 0, i + 0.5, 0, facecolor="none", edgecolor=style.FAINT, linewidth=0.8)
        cube(tower, way, i + 0.5, turn / np.sqrt(model.INERTIA), facecolor=style.PERMISSIBLE, edgecolor=BLUE, linewidth=1.1)

    numbers = np.array([2, 4, 8, 16, 32, 64])
    curve = np.geomspace(2, 64, 50)
    axes.plot(curve, 4.12 / curve**4, color=BLUE, linewidth=1.5, label="4.12 / N⁴")
    bending = [1 - (1 - model.smallest(n)) ** 4 for n in numbers]
    axes.plot(numbers, bending, "o", color=BLUE, markerfacecolor="white", markersize=9, label="bending, eigenvalue")
    for (n, _, y), own in zip(measured["separation"]["exact manifolds"], bending):
        axes.plot(n, y, ".", color=style.INK, markersize=6, label="bending, carom" if n == 2 else None)
        print(f"| {n} | {own * n**4:.3f} | {own:.4g} | {y:.4g} |")
    pressing = 1 - np.cos(np.pi / (2 * numbers)) ** 4
    axes.plot(curve, 4.93 / curve**2, color=RED, linewidth=1.5, label="4.93 / N²")
    axes.plot(numbers, pressing, "s", color=RED, markerfacecolor="white", markersize=7, label="up and down, eigenvalue")
    grid(axes, title="share ε that a substep of two sweeps removes", xscale="log", yscale="log", xlabel="cubes N", ylabel="ε",
         ylim=(1e-7, 2))
    ticks(axes, tuple(numbers))
    axes.legend(frameon=False, fontsize=9)
    finish(figure, folder, "slow-modes-spectrum.png")


def draw_buckling(measured, folder):
    figure, (axes, rates) = plt.subplots(1, 2, figsize=(10.5, 4.3), layout="constrained")
    curve = np.geomspace(9, 64, 50)
    for name, colour, constant, power, each in (("substeps", BLUE, 0.0323, 1.5, 2), ("sweeps", RED, 0.00209, 3, 1)):
        label = "substeps of two sweeps: 2 · 0.0323 N$^{1.5}$" if each == 2 else "one step of sweeps: 0.00209 N³"
        axes.plot(curve, each * constant * curve**power, color=colour, linewidth=1.5, label=label)
        for n, x, fell in measured["boundary"][name]:
            axes.plot(n * (1.012 if each == 2 else 0.988), each * x, "x" if fell else "o", color=colour, markersize=6,
                      markerfacecolor="white" if not fell else None, markeredgewidth=1.5)
    marks = [plt.Line2D([], [], linestyle="", marker=marker, color=style.INK, markerfacecolor="white", label=label)
             for marker, label in (("o", "stands for 60 s"), ("x", "falls"))]
    grid(axes, title="which towers stand (60 Hz)", xscale="log", yscale="log", xlabel="cubes N", ylabel="sweeps in a step",
         ylim=(0.8, 100))
    ticks(axes, (10, 14, 20, 28, 40, 56), (1, 2, 5, 10, 20, 50, 100))
    axes.legend(handles=[*axes.get_legend_handles_labels()[0], *marks], frameon=False, fontsize=9)

    border = model.substeps_to_stand(40)
    numbers = np.concatenate([np.arange(2, 9), np.arange(9, 21)])
    moved = {n: model.motion(40, int(n)) for n in numbers}
    rates.axvline(border, color=style.GREY, linewidth=0.9, linestyle=style.STICKING)
    rates.annotate(f"n = {border:.2f}", (border, 1.3), (5, 0), textcoords="offset points", fontsize=9, color=style.GREY)
    for name, colour, which, side in (("growth", RED, 0, numbers < border), ("sway", BLUE, 1, numbers > border)):
        chosen = numbers[side]
        rates.plot(chosen, [moved[n][which] for n in chosen], color=colour, linewidth=1.5,
                   label={"growth": "growth, model [1/s]", "sway": "sway, model [rad/s]"}[name])
        for _, x, y in measured["rate"][name]:
            rates.plot(x, y, "o", color=colour, markersize=5, label="carom" if x in (2, 10) else None)
            print(f"| {name} | {x:.0f} | {moved[x][which]:.4f} | {y:.4f} |")
    grid(rates, title="motion of 40 cubes after a push", xlabel="substeps n", ylabel="rate", ylim=(0, 1.5),
         xticks=(2, 4, 6, 8, 10, 14, 20))
    rates.legend(frameon=False, fontsize=9, loc="lower right")
    finish(figure, folder, "slow-modes-buckling.png")


def draw_sways(measured, folder):
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    dashed = (0, (5, 2))
    looks = {"12 swept substeps": (RED, "-"), "20 swept substeps": (BLUE, "-"), "13 swept with energy check": (RED, dashed),
             "20 swept with energy check": (BLUE, dashed), "direct": (GREEN, "-")}
    for name, (colour, dashes) in looks.items():
        _, x, y = np.array(measured["sway"][name]).T
        axes.plot(x, 1e3 * y, color=colour, linestyle=dashes, linewidth=2.4 if name == "direct" else 1.6, label=name)
    grid(axes, title="top of 60 cubes, pushed by 0.1 m/s (60 Hz)", xlabel="time [s]", ylabel="sideways [mm]", xlim=(0, 30),
         ylim=(-260, 560))
    axes.legend(frameon=False, fontsize=9, ncols=2, loc="upper right")
    finish(figure, folder, "slow-modes-sway.png")


def draw_rebounds(measured, folder):
    figure, (heights, axes) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    looks = {"warm start 1": RED, "warm start 0.85": YELLOW, "warm start 0.5": PINK, "warm start 0": BLUE, "direct": GREEN}
    for name, colour in looks.items():
        _, x, y = np.array(measured["blow"][name]).T
        heights.plot(x, y, color=colour, linewidth=2.4 if name == "direct" else 1.6, label=name)
    grid(heights, title="100 kg on 1 kg, 10 sweeps a step", xlabel="time [s]", ylabel="height above rest [m]", xlim=(0, 1),
         ylim=(-1.5, 1))
    heights.legend(frameon=False, fontsize=9, loc="lower right")
    mass = np.geomspace(1, 1000, 100)
    axes.plot(mass, model.rebound((mass / (mass + 1)) ** 10), color=RED, linewidth=1.5,
              label="m$^{π/(2 arccos √m)}$, m = (M/(M+1))$^{10}$")
    for warm, colour in (("1", RED), ("0.85", YELLOW), ("0.5", PINK), ("0", BLUE)):
        _, x, y = np.array(measured["rebound"]["speed " + warm]).T
        axes.plot(x, np.maximum(y, 0), "o", color=colour, markersize=5, label="carom, warm start " + warm)
    grid(axes, title="rebound of M kg from 1 kg, no gravity", xscale="log", xlabel="M", ylabel="speed after / before",
         ylim=(-0.02, 1))
    ticks(axes, (1, 10, 100, 1000))
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    finish(figure, folder, "slow-modes-rebound.png")


def together(bodies, size):
    """Takes the motion of rigid groups of `size` cubes out of the velocities."""
    columns = np.zeros((3 * bodies, 3 * -(-bodies // size)))
    for i in range(bodies):
        first, last = i // size * size, min(bodies, (i // size + 1) * size)
        arm = i + 0.5 - (first + last) / 2
        columns[3 * i:3 * i + 3, 3 * (i // size):3 * (i // size) + 3] = [[1, 0, arm], [0, 1, 0], [0, 0, np.sqrt(model.INERTIA)]]
    axes = np.linalg.qr(columns)[0]
    return np.eye(3 * bodies) - axes @ axes.T


def grouped(bodies, size):
    """ε of two sweeps after a solve with rigid groups"""
    return 1 - max(abs(np.linalg.eigvals(np.linalg.matrix_power(model.sweep(bodies), 2) @ together(bodies, size))))


def start(bodies):
    """A step of gravity, and a tenth of it sideways at the top."""
    v = np.zeros(3 * bodies)
    v[1::3], v[-3] = -1, 0.1
    return v


def repeated(matrix, v, count):
    yield v
    for _ in range(count):
        yield (v := matrix @ v)


def conjugate_gradients(bodies, v, count):
    """Velocities by sweeps of conjugate gradients on J M⁻¹Jᵀ p, with block Jacobi."""
    held = model.rows(bodies)
    a = held @ held.T
    inverse = np.zeros_like(a)
    for i in range(0, len(a), 3):
        inverse[i:i + 3, i:i + 3] = np.linalg.inv(a[i:i + 3, i:i + 3])
    p, r = np.zeros(len(v)), -held @ v
    z = inverse @ r
    d = z
    yield v
    for _ in range(count):
        step = r @ z / (d @ a @ d)
        p, after = p + step * d, r - step * a @ d
        z_after = inverse @ after
        d, r, z = z_after + after @ z_after / (r @ z) * d, after, z_after
        yield v + held.T @ p


def direct(bodies, v, count):
    """Each solve begins with the impulses of the one before: v' = (1 + JᵀDJ)⁻¹ v."""
    return repeated(np.linalg.inv(np.eye(3 * bodies) + model.direct_matrix(bodies)), v, count)


def sizes(velocities):
    return np.array([np.linalg.norm(v) for v in velocities])


def draw_remedies(measured, folder):
    figure, (axes, shares) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
    bodies, v, count = 20, start(20), 3000
    best = 2 / (1 + np.sqrt(1 - (1 - model.smallest(bodies)) ** 2))
    runs = {
        "sweeps": (repeated(model.sweep(bodies), v, count), BLUE),
        f"over-relaxed, ω = {best:.3f}": (repeated(model.sweep(bodies, relaxation=best), v, count), PINK),
        "conjugate gradients": (conjugate_gradients(bodies, v, 60), YELLOW),
        "sweeps and rigid groups of 5": (repeated(model.sweep(bodies) @ together(bodies, 5), v, count), RED),
        "direct solve": (direct(bodies, v, 8), GREEN),
    }
    for name, (velocities, colour) in runs.items():
        size = sizes(velocities)
        size = size[:np.argmax(size < 1e-12 * size[0]) + 1] if (size < 1e-12 * size[0]).any() else size
        axes.plot(np.arange(len(size)), size / size[0], color=colour, linewidth=1.7, markersize=4, label=name,
                  marker="o" if name == "direct solve" else None)
        enough = np.argmax(size < 1e-3 * size[0]) or f"> {count}"
        print(f"| {name} | to 1/1000: {enough} | {size[min(100, len(size) - 1)] / size[0]:.1e} |")
    grid(axes, title="20 cubes from impulses 0, all stick", xscale="symlog", yscale="log", xlabel="sweeps, or solves",
         ylabel="|v| / |v| at the start", ylim=(1e-13, 2), xlim=(0, 3000))
    ticks(axes, (0, 1, 10, 100, 1000))
    axes.legend(frameon=False, fontsize=9, loc="lower left")

    numbers = np.array([4, 10, 20, 40, 64, 100, 200])
    curve = np.geomspace(4, 200, 60)
    substep = 4.12 / curve**4
    shares.plot(curve, np.minimum(1, substep), color=BLUE, linewidth=1.5, label="two sweeps, 4.12 / N⁴")
    shares.plot(curve, np.minimum(1, 3.73 * substep), color=PINK, linewidth=1.5, label="the same, ω = 1.577")
    towers = (16, 24, 40, 64, 96)
    groups = [grouped(n, 8) for n in towers]
    shares.plot(towers, groups, "s-", color=RED, linewidth=1.5, markersize=4, label="two sweeps, rigid groups of 8")
    print("| groups of 8 |", *(f"{x:.3f} |" for x in groups))
    for group in (4, 5, 8, 10):
        print(f"| groups of {group}, 40 cubes | {grouped(40, group):.3f} |")
    solve = 6.18 * model.DIRECT_WEIGHT / curve**4
    shares.plot(curve, solve / (1 + solve), color=GREEN, linewidth=1.5,
                label="one direct solve, α / (1 + α), α = 6.18·10⁵ / N⁴")
    _, _, y = np.array(measured["direct step"]["carom"]).T
    shares.plot(numbers, y, "o", color=GREEN, markerfacecolor="white", markersize=7, label="a direct step of carom")
    for n, own in zip(numbers, y):
        a = np.linalg.eigvalsh(model.direct_matrix(n))[0]
        print(f"| {n} | {a / (1 + a):.4g} | {own:.4g} |")
    grid(shares, title="share of the slowest mode removed", xscale="log", yscale="log", xlabel="cubes N", ylabel="share",
         ylim=(1e-9, 2))
    ticks(shares, (4, 10, 20, 40, 100, 200))
    shares.legend(frameon=False, fontsize=9, loc="lower left")
    finish(figure, folder, "slow-modes-remedies.png")


def draw_blocks(axes, corner, filled, size, colour, title):
    x, y = corner
    for row in range(size):
        for column in range(size):
            held = filled(row, column)
            axes.add_patch(plt.Rectangle((x + column, y - row - 1), 0.9, 0.9, facecolor=colour if held else "none",
                                         alpha=0.75 if held else 1, edgecolor=style.FAINT, linewidth=0.6))
    axes.text(x + size / 2, y + 0.35, title, ha="center", fontsize=10)


def draw_direct(folder):
    figure, (tower, matrix, axes) = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained", width_ratios=(0.6, 1.8, 1.6))
    tower.set(title="island", xlim=(-1, 1.2), ylim=(-0.8, 6.4), aspect="equal")
    tower.axis("off")
    ground(tower, -1, 1)
    for i in range(6):
        cube(tower, 0, i + 0.5, 0, facecolor=style.PERMISSIBLE, edgecolor=style.GREY, linewidth=1.2)
        tower.text(0, i + 0.5, str(i + 1), ha="center", va="center", fontsize=9)
        tower.plot([-0.42, 0.42], [i, i], "o", color=RED, markersize=4, zorder=3)
    matrix.set(title="6×6 blocks", xlim=(-0.5, 14.5), ylim=(-8, 1.2), aspect="equal")
    matrix.axis("off")
    draw_blocks(matrix, (0, 0), lambda i, j: abs(i - j) <= 1, 6, BLUE, "M + JᵀDJ")
    draw_blocks(matrix, (8, 0), lambda i, j: 0 <= i - j <= 1, 6, GREEN, "L: no fill")
    matrix.annotate("", (7.8, -3), (6.1, -3), arrowprops={"arrowstyle": "-|>", "color": style.INK})
    matrix.text(7, -6.5, "a body is a block on the diagonal,\na touching pair one off it", ha="center", va="top", fontsize=9)
    v = start(20)
    for name, velocities, colour in (("sweeps", repeated(model.sweep(20), v, 1000), BLUE),
                                     ("direct solves", direct(20, v, 5), GREEN)):
        size = sizes(velocities)
        axes.plot(np.arange(len(size)), size / size[0], color=colour, linewidth=1.8, marker="o" if len(size) < 10 else None,
                  markersize=5, label=name)
        print(f"| {name} |", *(f"{size[k] / size[0]:.1e} |" for k in (1, 2, 3, 10, 100, 1000) if k < len(size)))
    grid(axes, title="a stack of 20 from impulses 0", xscale="symlog", yscale="log", xlabel="sweeps, or solves",
         ylabel="|v| / |v| at the start", ylim=(1e-8, 2), xlim=(0, 1000))
    ticks(axes, (0, 1, 10, 100, 1000))
    axes.legend(frameon=False, fontsize=9, loc="lower right")
    finish(figure, folder, "scenes-direct.png", "28 November 2026 · linear model in NumPy, all contacts stick · python3 docs/figures/slow_modes.py")


def print_limits():
    """Numbers of the text."""
    for bodies in (10, 20, 40, 60, 100, 200):
        print(f"| {bodies} | {model.substeps_to_stand(bodies):.3f} | {0.0323 * bodies**1.5:.3f} |")
    for order, visited in (("up", range(20)), ("down", range(19, -1, -1)), ("even, odd", [*range(0, 20, 2), *range(1, 20, 2)]),
                           ("at random", np.random.default_rng(1).permutation(20))):
        print(f"| order {order} | {(1 - max(abs(np.linalg.eigvals(model.sweep(20, visited))))) * 20**4:.6f} |")
    for inertia in (1 / 12, 1 / 6, 5 / 12):
        print(f"| inertia {inertia:.4f} | {model.smallest(20, inertia) * 20**4:.4f} | {inertia / 2 * model.BETA**4:.4f} |")
    angles = np.exp(1j * np.linspace(0, np.pi, 1001))
    for sweeps in (1, 2, 3):
        stable = [w for w in np.arange(1.2, 1.9, 0.001) if max(abs(model.warm(((w - 1) * angles) ** sweeps))) <= 1 + 1e-9]
        print(f"| {sweeps} sweeps, over-relaxed: stable to | {stable[-1]:.3f} |")
    for relaxation in (1, 1.2, 1.3, 1.4, 1.5):
        m = np.linalg.eigvals(model.sweep(20, relaxation=relaxation))
        print(f"| ω {relaxation} | {1 - max(abs(m)):.3e} | {max(abs(model.warm(m))):.6f} |")


def main(measured, folder):
    style.use()
    measured = read(measured)
    print_limits()
    draw_spectrum(measured, folder)
    draw_buckling(measured, folder)
    draw_sways(measured, folder)
    draw_rebounds(measured, folder)
    draw_remedies(measured, folder)
    draw_direct(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
