"""The linear model of docs/slow-modes.md: a tower of cubes of 1 kg and 1 m whose contacts all stick, in the plane.

A body has the velocities (v_x, v_z, ω √I): scaled by roots of masses, so that energy is the sum of their squares. Manifold i
holds the cube i to the cube i - 1 or to the ground, in three rows.
"""

import numpy as np

GRAVITY = 9.81
STEP = 1 / 60
INERTIA = 1 / 6  # of a cube [kg m²]
BETA = 1.8751040687119611  # cos β cosh β = -1: the first bending mode of a cantilever
DIRECT_WEIGHT = 1e5  # SceneThresholds::direct_weight


def rows(bodies, inertia=INERTIA):
    """The Jacobian J."""
    made = np.zeros((3 * bodies, 3 * bodies))
    for i in range(bodies):
        for body, sign, arm in ((i, 1, -0.5), (i - 1, -1, 0.5)):
            if body >= 0:
                held = np.array([[1, 0, arm / np.sqrt(inertia)], [0, 1, 0], [0, 0, 1 / np.sqrt(inertia)]])
                made[3 * i:3 * i + 3, 3 * body:3 * body + 3] = sign * held
    return made


def visits(bodies, inertia=INERTIA):
    """The part of the velocities that a visit of each manifold removes: projections."""
    made = rows(bodies, inertia)
    for i in range(bodies):
        block = made[3 * i:3 * i + 3]
        yield block.T @ np.linalg.solve(block @ block.T, block)


def removed_by_all(bodies, inertia=INERTIA):
    """Sum of the projections. Block Jacobi on the impulses has the same eigenvalues."""
    return sum(visits(bodies, inertia))


def slowest(bodies):
    return np.linalg.eigh(removed_by_all(bodies))[1][:, 0]


def smallest(bodies, inertia=INERTIA):
    """μ: the smallest eigenvalue of block Jacobi"""
    return np.linalg.eigvalsh(removed_by_all(bodies, inertia))[0]


def sweep(bodies, order=None, relaxation=1):
    """G: one sweep on velocities"""
    made, all_visits = np.eye(3 * bodies), list(visits(bodies))
    for i in range(bodies) if order is None else order:
        made -= relaxation * all_visits[i] @ made
    return made


def warm(m):
    """Both eigenvalues of a warm-started substep, for each eigenvalue m of its sweeps."""
    m = np.asarray(m, complex)
    root = np.sqrt(m * m - m)
    return np.concatenate([m + root, m - root])


def weight(bodies):
    """Torque of gravity by the tilt of each cube: the load below and above it at half an edge."""
    made = np.zeros((3 * bodies, 3 * bodies))
    tilt = np.arange(2, 3 * bodies, 3)
    made[tilt, tilt] = GRAVITY * (bodies - np.arange(bodies) - 0.5) / INERTIA
    return made


def substeps_to_stand(bodies, sweeps=2):
    """n at which the tower buckles: sweeps as springs against the weight, cube by cube."""
    lower = np.linalg.cholesky(2 * sweeps * removed_by_all(bodies))
    left = np.linalg.solve(lower, weight(bodies))
    return STEP * np.sqrt(np.linalg.eigvalsh(np.linalg.solve(lower, left.T))[-1])


def motion(bodies, substeps, sweeps=2):
    """Growth and frequency [1/s, rad/s] of the slowest motion under gravity, of positions x, velocities v and warm impulses w:
    v* = v + w + h K x, v' = G v*, w' = w + v' - v*, x' = x + h v'."""
    h, size = STEP / substeps, 3 * bodies
    g, k, one = np.linalg.matrix_power(sweep(bodies), sweeps), STEP / substeps * weight(bodies), np.eye(size)
    velocity = np.hstack([g @ k, g, g])
    step = np.vstack([np.hstack([one, 0 * one, 0 * one]) + h * velocity, velocity, velocity - np.hstack([k, one, 0 * one])])
    values = np.linalg.eigvals(step).astype(complex)
    powers = np.log(values[abs(values) > 0.5]) / h
    # The tower may lean anywhere at rest: as many eigenvalues as rows are 1.
    moving = powers[abs(powers) > 0.02]
    swaying = moving[moving.imag > 0.02]
    return moving.real.max(), swaying.imag.min() if len(swaying) else 0.0


def direct_matrix(bodies):
    """Jᵀ D J of carom's direct islands, all four points of each manifold loaded alike."""
    made, block = 0, rows(bodies)
    for i in range(bodies):
        point = DIRECT_WEIGHT / (2 if i else 1)  # over the sum of both inverse masses
        held = block[3 * i:3 * i + 3]
        made = made + held.T @ np.diag([4 * point, 4 * point, point]) @ held
    return made


def direct_growth(bodies):
    """[1/s] of the tilt of a tower that is too tall for one direct solve a step, without damping"""
    return np.sqrt(max(0, np.linalg.eigvalsh(weight(bodies) - direct_matrix(bodies) / STEP**2)[-1]))


def rebound(m):
    """Speed after a blow on a warm-started mode, over the speed before it."""
    return m ** (np.pi / 2 / np.arccos(np.sqrt(m)))
