"""A contact system from a matrix: a wall of boxes on the ground, the error that is reached for the work that is allowed.

./dev python examples/python/system.py [PICTURE]
"""

# %%
import sys

import carom
import numpy as np
import scipy.sparse


# %%
def jacobian(sign, arm):
    """v + w x r by v and w, for the two tangents and the normal."""
    x, y, z = arm
    return sign * np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])


def wall(rows, columns, step=1 / 60):
    """W = H M⁻¹ Hᵀ and q of boxes of 1 kg and 1 m, each on two of the row below by four points."""
    index = {(row, column): row * columns + column for row in range(rows) for column in range(columns)}
    blocks, contacts = [], 0
    for (row, column), body in index.items():
        for side in (-1, 1):
            # Odd rows are shifted by half a box; end boxes are in contact with the immovable world.
            below = index.get((row - 1, column + (side - 1) // 2 + row % 2))
            for x, y in ((x, y) for x in (0.05, 0.45) for y in (-0.5, 0.5)):
                blocks.append((contacts, body, jacobian(1, (side * x, y, -0.5))))
                if below is not None:
                    blocks.append((contacts, below, jacobian(-1, (side * (x - 0.5), y, 0.5))))
                contacts += 1
    H = scipy.sparse.lil_matrix((3 * contacts, 6 * len(index)))
    for contact, body, block in blocks:
        H[3 * contact : 3 * contact + 3, 6 * body : 6 * body + 6] = block
    H = H.tocsr()
    inverse_mass = scipy.sparse.diags(np.tile([1, 1, 1, 6, 6, 6], len(index)))
    fall = np.tile([0.5, 0, -9.81, 0, 0, 0], len(index)) * step
    return H @ inverse_mass @ H.T, H @ fall


# %%
def convergence(W, q, friction=0.5, budgets=np.unique(np.geomspace(1, 3000, 25).astype(int))):
    solver = carom.SystemSolver()
    return [(budget, solver.solve(W, q, friction, budget=budget, tolerance=1e-12).report) for budget in budgets.tolist()]


# %%
def draw(path, rows=8, columns=8):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    W, q = wall(rows, columns)
    reports = convergence(W, q)
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    ax.loglog([budget for budget, _ in reports], [max(report.error, 1e-17) for _, report in reports], "o-", markersize=3)
    ax.set(xlabel="work allowed [sweeps over the system]", ylabel="error, relative to |q|")
    ax.set_title(f"{reports[0][1].contacts} contacts of a wall of {rows * columns} boxes", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    return reports


# %%
if __name__ == "__main__":
    for budget, report in draw(sys.argv[1] if len(sys.argv) == 2 else "system.png"):
        print(f"{budget:6} sweeps' work   error {report.error:.1e}   {report.seconds * 1000:7.2f} ms")
