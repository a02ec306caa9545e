"""Contact files as columns for Python, and the results of the command for them."""

import csv
import json
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden"
# Names that differ between files and keywords, before the part.
IN_FILES = {"separation_velocity": "u0", "step": "impulse_step"}
PARTS = ("xx", "xy", "xz", "yy", "yz", "zz", "x", "y", "z")


class File:
    """The rows of a file: numbers by the names of the header, or text."""

    def __init__(self, path):
        with open(path) as file:
            rows = list(csv.DictReader(file))
        self.text = {name: [row[name] for row in rows] for name in rows[0]}
        self.count = len(rows)

    def numbers(self, name):
        return np.array([float(cell or "nan") for cell in self.text[name]])

    def column(self, name):
        """Returns the number, vector or matrix of this name; None if the file does not have it."""
        if name in self.text:
            return self.numbers(name)
        parts = [f"{name}_{part}" for part in PARTS if f"{name}_{part}" in self.text]
        return np.stack([self.numbers(part) for part in parts], axis=-1) if parts else None

    def columns(self, *names, side=""):
        found = {name: self.column(IN_FILES.get(name, name) + side) for name in names}
        return {name: column for name, column in found.items() if column is not None}

    def contacts(self):
        """The keywords of solve, of the form that the file has."""
        numbers = ["friction", "restitution", "tangential_restitution", "impulse_ratio_1", "impulse_ratio_2", "candidate"]
        laws = {name: self.text[name] for name in ("law", "restitution_law") if name in self.text}
        if "inverse_mass_a" not in self.text:
            return self.columns("k", "separation_velocity", *numbers) | laws
        body = ("inverse_mass", "inverse_inertia", "velocity", "angular_velocity")
        bodies = {side: self.columns(*body, side=f"_{side}") for side in "ab"}
        return self.columns("normal", "r_a", "r_b", *numbers) | laws | bodies


def solved_by_command(path, folder, *options):
    """The file that `carom solve` makes of one."""
    out = pathlib.Path(folder) / "results.csv"
    subprocess.run([os.environ["CAROM"], "solve", path, "-o", out, *options], check=False, capture_output=True)
    return File(out)


def isas():
    """The instruction sets of the library on this CPU, the fastest first."""
    command = [os.environ["CAROM"], "info", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["isas"]


def by_index(contacts):
    """Turns contacts of pairs into contacts of bodies by index: all A, then all B."""
    contacts = dict(contacts)
    a, b, n = contacts.pop("a"), contacts.pop("b"), len(contacts["friction"])
    bodies = {name: np.concatenate([a[name], b[name]]) for name in a}
    return contacts | {"bodies": bodies, "body_a": np.arange(n, dtype=np.int32), "body_b": np.arange(n, 2 * n, dtype=np.int32)}


def write(path, contacts):
    """A contact file of contacts of pairs in the plane, whose vectors have two parts."""
    columns = {}

    def add(name, column):
        columns.update({f"{name}_{part}": column[:, i] for i, part in enumerate("xy")} if column.ndim == 2 else {name: column})

    for name, column in contacts.items():
        if name in ("a", "b"):
            for member, of_body in column.items():
                add(f"{member}_{name}", of_body)
        else:
            add(name, column)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*(map(repr, column.tolist()) for column in columns.values()))])
