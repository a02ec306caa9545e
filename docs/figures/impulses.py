"""Impulses of the laws as carom computes them, and the landmarks of their impulse space."""

import csv
import subprocess
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Contact:
    """One contact in contact space, by the columns that describe it."""
    columns: dict
    friction: float
    axes: str = "xy"

    @classmethod
    def planar(cls, k, u0, friction):
        names = ("k_xx", "k_xy", "k_yy", "u0_x", "u0_y")
        return cls(dict(zip(names, (*k, *u0))), friction)

    @classmethod
    def spatial(cls, k, u0, friction):
        names = ("k_xx", "k_xy", "k_xz", "k_yy", "k_yz", "k_zz", "u0_x", "u0_y", "u0_z")
        return cls(dict(zip(names, (*k, *u0))), friction, "xyz")

    @property
    def k(self):
        return np.array([[self.columns["k_" + min(i, j) + max(i, j)] for j in self.axes] for i in self.axes])

    @property
    def u0(self):
        return np.array([self.columns["u0_" + axis] for axis in self.axes])


@dataclass
class Batch:
    """The rows of one contact file. Each belongs to a curve, which is asked for again by its name."""
    rows: list = field(default_factory=list)
    results: dict = field(default_factory=dict)

    def add(self, contact, curve, law, **parameters):
        """One row for each element of the parameters, which may be arrays of one length or numbers."""
        parameters = {"restitution": 0.0, **parameters}
        length = max((np.size(value) for value in parameters.values()))
        columns = {name: np.broadcast_to(value, length) for name, value in parameters.items()}
        for i in range(length):
            self.rows.append({"curve": curve, "law": law, "friction": contact.friction, **contact.columns,
                              **{name: column[i] for name, column in columns.items()}})

    def solve(self, carom, stem):
        """Writes STEM.csv, solves it, and reads what became of it. Bad rows are errors."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        with open(f"{stem}.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        # `check` adds the landmarks and the distances to the bounds of the permissible region.
        for command in (["solve", f"{stem}.csv", "-o", f"{stem}_results.csv"],
                        ["check", f"{stem}_results.csv", "-o", f"{stem}_region.csv"]):
            subprocess.run([carom, *command], check=True, stdout=subprocess.DEVNULL)
        with open(f"{stem}_region.csv", newline="") as file:
            for row in csv.DictReader(file):
                self.results.setdefault(row["curve"], []).append(row)

    def vectors(self, curve, stem):
        rows = self.results[curve]
        return np.array([[float(row[f"{stem}_{axis}"]) for axis in "xyz" if f"{stem}_{axis}" in row] for row in rows])

    def impulses(self, curve):
        return self.vectors(curve, "p")

    def landmarks(self, curve):
        """P_I, P_II and the contact energy."""
        return (self.vectors(curve, "plastic_frictionless")[0], self.vectors(curve, "plastic_sticking")[0],
                float(self.results[curve][0]["contact_energy"]))

    def margins(self, curve):
        names = ("energy", "non_penetration", "tension", "cone")
        return {name: np.array([float(row[f"margin_{name}"]) for row in self.results[curve]]) for name in names}
