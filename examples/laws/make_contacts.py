#!/usr/bin/env python3
"""Writes the collisions of a rod with the floor, with the parameters of every law: make_contacts.py CONTACTS.csv"""

import csv
import math
import sys

MASS, LENGTH, WIDTH = 1.0, 1.0, 0.1
RESTITUTION, FALL = 0.6, 2.0  # [1], [m/s]
INERTIA = MASS * (LENGTH**2 + WIDTH**2) / 12


def contact(tilt, speed):
    """The lower end of a rod, tilted out of the horizontal [degrees], that slides at a speed [m/s] as it hits."""
    angle = math.radians(tilt)
    row = {"tilt": tilt, "friction": 0.6, "restitution": RESTITUTION, "normal_x": 0, "normal_y": 1}
    moving = {
        "inverse_mass": 1 / MASS,
        "inverse_inertia": 1 / INERTIA,
        "r_x": -LENGTH / 2 * math.cos(angle),
        "r_y": -LENGTH / 2 * math.sin(angle),
        "velocity_x": speed,
        "velocity_y": -FALL,
        "angular_velocity": 0,
    }
    for side in "ab":
        for name, value in moving.items():
            stem, axis = (name[:-2], name[-2:]) if name[-2:] in ("_x", "_y") else (name, "")
            row[f"{stem}_{side}{axis}"] = value if side == "a" else 0
    row["tangential_restitution"] = 0.2
    row["impulse_ratio_1"] = 0.3
    row["polar_angle"] = 0.8
    row["fraction"] = 0.5
    # The candidate of a simple engine, which treats the rod as a point mass.
    row["candidate_x"] = 0
    row["candidate_y"] = (1 + RESTITUTION) * MASS * FALL
    row["weight_smith"] = row["weight_chatterjee_ruina"] = 1
    return row


rows = [contact(tilt, speed / 2) for tilt in range(5, 180, 5) for speed in range(-8, 9)]
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: f"{value:.10g}" for name, value in row.items()})
