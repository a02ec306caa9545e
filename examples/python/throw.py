"""Optimises a throw by gradients: a ball bounces off a wall and the floor to a target, with minimum energy.

./dev python examples/python/throw.py [PICTURE]

Flights are parabolas. carom.solve computes the bounces, carom.differentiate and carom.pull_back their gradients, and the
chain rule goes back along the whole path. A solver of constrained problems (scipy.optimize, SLSQP) does the rest.
"""

# %%
import sys

import carom
import numpy as np
import scipy.optimize

G = np.array([0, 0, -9.81])  # [m/s²]
MASS, RADIUS = 0.6, 0.12  # of a basketball [kg], [m]
TURN = 1 / (2 / 3 * MASS * RADIUS**2)  # inverse inertia of a hollow ball [1/(kg m²)]
BOUNCE = {"friction": 0.5, "restitution": 0.8}
START = np.array([0, 0, 1.5])  # [m]
TARGET = np.array([1.0, 3.0])  # x and y on the floor [m]
# Planes in the order of the bounces: a normal, and the position of the ball's centre along it at contact.
FLOOR = (np.array([0.0, 0, 1]), RADIUS)
WALL = (np.array([-1.0, 0, 0]), RADIUS - 4)  # at x = 4 m
COURSE = (WALL, FLOOR, FLOOR)
BEGIN = np.array([4.5, 1.5, 4, 0, 0, 0])  # v [m/s] and spin [rad/s] that the search begins with


# %%
def flight(x, v, plane):
    """The time until a ball is at a plane."""
    n, offset = plane
    fall, speed, height = n @ G / 2, v @ n, x @ n - offset
    if fall == 0:
        return -height / speed
    # The search also tries throws that never reach the wall.
    return (-speed - np.sqrt(np.maximum(speed**2 - 4 * fall * height, 0))) / (2 * fall)


def flight_back(t, v, plane, of_x, of_v):
    """Cotangents at the start of a flight, of those at its end, where the velocity is v."""
    n, _ = plane
    share = -(((of_x * v).sum(axis=1) + of_v @ G) / (v @ n))[:, None] * n  # for the time changes, too
    return of_x + share, of_v + t[:, None] * (of_x + share)


def bounce(v, w, plane):
    """The contact of balls with a plane, and their velocities after it."""
    pair = {
        "a": carom.Bodies(inverse_mass=1 / MASS, inverse_inertia=TURN * np.eye(3), velocity=v, angular_velocity=w),
        "normal": plane[0],
        "r_a": -RADIUS * plane[0],
    }
    after = carom.solve(**pair, **BOUNCE)
    return pair, after.velocity_a, after.angular_velocity_a


def bounce_back(pair, of_v, of_w):
    """Cotangents of the velocities before a bounce, of those after it: v + p/m and w + I⁻¹ (r x p)."""
    of_p = of_v / MASS + np.cross(TURN * of_w, pair["r_a"])
    space = carom.contact_space(**pair)
    contacts = {"k": space.k, "separation_velocity": space.separation_velocity} | BOUNCE
    cotangent = {"of_impulse": np.einsum("nij,nj->ni", space.frame, of_p)}
    product = carom.differentiate(**contacts, **cotangent, by=["k", "separation_velocity"]).product
    by = carom.pull_back(**pair, **cotangent, product=product, impulse=carom.solve(**contacts).impulse)
    return of_v + by.a.velocity, of_w + by.a.angular_velocity


# %%
def throw(v, w):
    """Returns the landing points of balls that are thrown with v and w, arrays of (n, 3), and their flights."""
    x, steps = np.tile(START, (len(v), 1)), []
    for number, plane in enumerate(COURSE):
        t = flight(x, v, plane)
        arrives = v + G * t[:, None]
        pair, after, spin = (None, arrives, w) if number + 1 == len(COURSE) else bounce(arrives, w, plane)
        steps.append((plane, t, x, v, arrives, pair))
        x, v, w = x + (v + arrives) / 2 * t[:, None], after, spin
    return x[:, :2], steps


def landing(z):
    return throw(z[None, :3], z[None, 3:])[0][0]


def jacobian(z):
    """Of the place by v and w: a row of a batch for each of its coordinates, the same throw with another cotangent."""
    _, steps = throw(np.tile(z[:3], (2, 1)), np.tile(z[3:], (2, 1)))
    of_x, of_v, of_w = np.eye(2, 3), np.zeros((2, 3)), np.zeros((2, 3))
    for plane, t, _, _, arrives, pair in reversed(steps):
        if pair is not None:
            of_v, of_w = bounce_back(pair, of_v, of_w)
        of_x, of_v = flight_back(t, arrives, plane, of_x, of_v)
    return np.hstack([of_v, of_w])


# %%
def optimise(spins=True):
    """The throw of least energy [J] that reaches the target."""
    weights = np.array([MASS] * 3 + [1 / TURN] * 3)
    reaches = {"type": "eq", "fun": lambda z: landing(z) - TARGET, "jac": jacobian}
    bounds = [(None, None)] * 3 + [(None, None) if spins else (0, 0)] * 3
    return scipy.optimize.minimize(
        lambda z: weights @ z**2 / 2, BEGIN, jac=lambda z: weights * z, constraints=[reaches], bounds=bounds, method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-10},
    )


def path(z, points=40):
    """Points of the course of a throw."""
    course = []
    for _, t, x, v, _, _ in throw(z[None, :3], z[None, 3:])[1]:
        time = np.linspace(0, t[0], points)[:, None]
        course.append(x + v * time + G * time**2 / 2)
    return np.vstack(course)


# %%
def draw(picture, throws):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for ax, second, label in ((axes[0], 2, "z [m], from the side"), (axes[1], 1, "y [m], from above")):
        for name, z in throws.items():
            course = path(z)
            ax.plot(course[:, 0], course[:, second], label=name, color="0.7" if name == "begun with" else None)
        ax.axvline(4, color="0.3")
        ax.plot(TARGET[0], 0 if second == 2 else TARGET[1], "x", color="black")
        ax.set(xlabel="x [m]", ylabel=label, aspect="equal")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].axhline(0, color="0.3")
    axes[1].legend(frameon=False, fontsize="small")
    figure.savefig(picture, dpi=110)


# %%
if __name__ == "__main__":
    found = {name: optimise(spins=spins) for name, spins in (("without spin", False), ("with spin", True))}
    for name, best in found.items():
        print(f"{name:13} {best.fun:.3f} J, {best.nit} steps   v {best.x[:3].round(2)} m/s   spin {best.x[3:].round(1)} rad/s")
    draw(sys.argv[1] if len(sys.argv) == 2 else "throw.png", {"begun with": BEGIN} | {name: best.x for name, best in found.items()})
