#!/usr/bin/env python3
"""Solves an HDF5 file on many ranks from Python, each a slice of the rows, with mpi4py and h5py.

    mpirun -n 4 python3 slices.py contacts.h5 results.h5

The file is in contact space (k_xx, ..., u0_x, ..., friction, restitution). `mpirun carom solve` does the same and more;
this is a place to begin where the slices need a program of their own.
"""

import sys

import carom
import h5py
import numpy as np
from mpi4py import MPI

BLOCK = 1 << 16
K = ["xx", "xy", "xz", "yy", "yz", "zz"]


SOLVER = carom.Solver(threads=1)


def solve_rows(contacts, rows):
    k = np.empty((rows.stop - rows.start, 3, 3))
    for name in K:
        i, j = "xyz".index(name[0]), "xyz".index(name[1])
        k[:, i, j] = k[:, j, i] = contacts["k_" + name][rows]
    u0 = np.stack([contacts["u0_" + axis][rows] for axis in "xyz"], axis=1)
    return SOLVER.solve(k=k, separation_velocity=u0, friction=contacts["friction"][rows],
                        restitution=contacts["restitution"][rows])


def main(source, target):
    ranks = MPI.COMM_WORLD
    contacts = h5py.File(source, "r")
    count = len(contacts["friction"])
    if ranks.rank == 0:  # lays out the file, and closes it
        with h5py.File(target, "w") as results:
            for axis in "xyz":
                space = h5py.h5s.create_simple((count,))
                layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                h5py.h5d.create(results.id, b"p_" + axis.encode(), h5py.h5t.NATIVE_DOUBLE, space, layout)
    ranks.Barrier()
    with h5py.File(target, "r") as results:  # where the datasets lie in it
        places = [results["p_" + axis].id.get_offset() for axis in "xyz"]
    impulses = [np.memmap(target, np.float64, "r+", place, (count,)) for place in places]

    begin, end = (count * rank // ranks.size for rank in (ranks.rank, ranks.rank + 1))
    resolved = 0
    for first in range(begin, end, BLOCK):
        rows = slice(first, min(first + BLOCK, end))
        result = solve_rows(contacts, rows)
        for axis in range(3):
            impulses[axis][rows] = result.impulse[:, axis]
        resolved += result.report.count("ok")
    for column in impulses:
        column.flush()
    resolved = ranks.reduce(resolved)
    if ranks.rank == 0:
        print(f"{resolved} of {count} resolved")


if __name__ == "__main__":
    main(*sys.argv[1:])
