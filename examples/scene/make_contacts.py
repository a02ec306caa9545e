#!/usr/bin/env python3
"""Writes four scenes, each the contacts of one moment: make_contacts.py CONTACTS.csv"""

import csv
import sys

STEP, GRAVITY = 0.01, 9.81  # [s], [m/s²]
CORNERS = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]  # [m] of a face of a box
WORLD = -1


class Body:
    def __init__(self, number, inverse_mass, inverse_inertia, velocity):
        self.number, self.inverse_mass, self.inverse_inertia = number, inverse_mass, inverse_inertia
        self.velocity = velocity

    def cells(self, side, r):
        row = {f"inverse_mass_{side}": self.inverse_mass}
        for entry in ("xx", "xy", "xz", "yy", "yz", "zz"):
            row[f"inverse_inertia_{side}_{entry}"] = self.inverse_inertia if entry[0] == entry[1] else 0
        for name, vector in (("r", r), ("velocity", self.velocity), ("angular_velocity", (0, 0, 0))):
            for axis, component in zip("xyz", vector):
                row[f"{name}_{side}_{axis}"] = component
        return row


FLOOR = Body(WORLD, 0, 0, (0, 0, 0))


def box(number):
    """A cube of 1 m and 1 kg that gravity has accelerated for a step."""
    return Body(number, 1, 6, (0, 0, -GRAVITY * STEP))


def contact(step, a, b, normal, r_a, r_b, friction, restitution, belt=0):
    row = {"scene_step": step, "body_a": a.number, "body_b": b.number, "separation": 0, "friction": friction}
    row["restitution"] = restitution
    row["tangential_restitution"] = 0
    for axis, component in zip("xyz", normal):
        row[f"normal_{axis}"] = component
    for axis, speed in zip("xyz", (belt, 0, 0)):
        row[f"surface_velocity_{axis}"] = speed
    return row | a.cells("a", r_a) | b.cells("b", r_b)


def face(step, upper, lower, x_upper=0.0, x_lower=0.0, belt=0):
    """The four points of a box upon another or upon the floor, whose centres stand at these x [m]."""
    low, high = max(x_upper, x_lower) - 0.5, min(x_upper, x_lower) + 0.5
    points = [(low if x < 0 else high, y) for x, y in CORNERS]
    if lower is FLOOR:
        points = [(x_upper + x, y) for x, y in CORNERS]
    return [
        contact(step, upper, lower, (0, 0, 1), (x - x_upper, y, -0.5),
                (0, 0, 0) if lower is FLOOR else (x - x_lower, y, 0.5), 0.5, 0, belt)
        for x, y in points
    ]


def cradle(step, balls=5, radius=0.05):
    """Balls of 0.5 kg in a row, of which the first comes at 1 m/s: Newton's cradle."""
    inverse_mass = 2
    row = [Body(i, inverse_mass, inverse_mass / (0.4 * radius**2), (1 if i == 0 else 0, 0, 0)) for i in range(balls)]
    return [
        contact(step, left, right, (-1, 0, 0), (radius, 0, 0), (-radius, 0, 0), 0, 1)
        for left, right in zip(row, row[1:])
    ]


def stack(step, height=10):
    boxes = [FLOOR] + [box(i) for i in range(height)]
    return [row for upper, lower in zip(boxes[1:], boxes) for row in face(step, upper, lower)]


def pyramid(step, base=6):
    rows, below, number = [], [(FLOOR, 0)], 0
    for level in range(base):
        layer = [(0.5 * level + i - 0.5 * (base - 1), i) for i in range(base - level)]
        layer = [(box(number + i), x) for x, i in layer]
        number += len(layer)
        for i, (upper, x_upper) in enumerate(layer):
            for lower, x_lower in below if level == 0 else below[i:i + 2]:
                rows += face(step, upper, lower, x_upper, x_lower)
        below = layer
    return rows


def belt(step, speed=1):
    """A box that is put on a conveyor belt."""
    return face(step, box(0), FLOOR, belt=speed)


rows = cradle(1) + stack(2) + pyramid(3) + belt(4)
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{value:.10g}" for name, value in row.items()})
