"""Fits the coefficients of each law to measured impacts, and shows what each law cannot fit.

./dev python examples/python/fit.py [PICTURE]

The measurements are synthetic: a slender rod is dropped on a plate at many angles, by the incremental law with friction 0.3 and
restitution 0.7, and velocities are measured with noise. Least squares with gradients from carom.differentiate. A second rod
follows Chatterjee and Ruina's law, whose tangential restitution is fitted as well.
"""

# %%
import sys

import carom
import numpy as np
import scipy.optimize

LAWS = {
    "incremental": ("friction", "restitution"),
    "frictionless": ("restitution",),
    "chatterjee-ruina": ("friction", "restitution", "tangential_restitution"),
    "bilinear": ("friction", "restitution", "tangential_restitution"),
    "whittaker": ("friction", "restitution"),
    "smith": ("friction", "restitution"),
    "anitescu-potra": ("friction", "restitution"),
}
RANGES = {"friction": (0.0, 2.0), "restitution": (0.0, 1.0), "tangential_restitution": (-1.0, 1.0)}
NOISE = 0.01  # [m/s]


# %%
def impacts(count, seed=1):
    """K and u0 of a rod of 1 kg and 1 m that hits with its tip, at angles from 20 to 70 degrees, at 1 to 3 m/s."""
    draw = np.random.default_rng(seed)
    tilt = np.radians(draw.uniform(20, 70, count))
    x, z = -np.cos(tilt) / 2, -np.sin(tilt) / 2  # from the centre of mass to the tip [m]
    turn = 12.0  # inverse inertia about y [1/(kg m²)]
    k = np.zeros((count, 6))  # xx, xy, xz, yy, yz, zz
    k[:, 0], k[:, 2], k[:, 5] = 1 + turn * z * z, -turn * x * z, 1 + turn * x * x
    k[:, 3] = 1.0
    velocity = np.column_stack([draw.normal(0, 0.7, count), np.zeros(count), -draw.uniform(1, 3, count)])
    return {"k": k, "separation_velocity": velocity}


TRUTH = {"law": "incremental", "friction": 0.3, "restitution": 0.7}
GRIPPING = {"law": "chatterjee-ruina", "friction": 0.8, "restitution": 0.7, "tangential_restitution": 0.4}


def measured(contacts, truth=TRUTH, seed=2):
    """Separation velocities after the impacts, with noise in their plane."""
    truth = carom.solve(**contacts, **truth).separation_velocity
    return truth + np.random.default_rng(seed).normal(0, NOISE, truth.shape) * [1, 0, 1]


# %%
def fit(law, contacts, velocity):
    """The coefficients of least squares, and the mean error of the velocities [m/s]."""
    names = LAWS[law]

    def columns(values):
        # frictionless reads no friction, but every contact has one.
        return contacts | {"friction": 0.0, "law": law} | dict(zip(names, values))

    def errors(values):
        return (carom.solve(**columns(values)).separation_velocity - velocity).ravel()

    def jacobian(values):
        by = carom.differentiate(**columns(values), by=names, of=["separation_velocity"]).separation_velocity
        return np.column_stack([by[name].ravel() for name in names])

    low, high = zip(*(RANGES[name] for name in names))
    starts = [[0.2, 0.5, 0.0], [0.8, 0.9, 0.5]]
    if names == ("restitution",):
        starts = [[0.5]]
    fits = [scipy.optimize.least_squares(errors, start[: len(names)], jacobian, bounds=(low, high)) for start in starts]
    best = min(fits, key=lambda fit: fit.cost)
    # Two of the three components are measured.
    return dict(zip(names, best.x)), np.sqrt(2 * best.cost / (2 * len(velocity))), errors(best.x).reshape(-1, 3)


def fits(count=300, truth=TRUTH):
    contacts = impacts(count)
    velocity = measured(contacts, truth)
    return {law: fit(law, contacts, velocity) for law in LAWS}


# %%
def draw(path, found):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(2.2 * len(found), 2.9), sharex=True, sharey=True, layout="constrained")
    for ax, (law, (values, error, errors)) in zip(axes, found.items()):
        ax.plot(errors[:, 0], errors[:, 2], ".", markersize=3, alpha=0.5)
        ax.add_patch(plt.Circle((0, 0), 3 * NOISE, fill=False, linewidth=0.8))
        ax.set_title(f"{law}\n{error * 1000:.0f} mm/s", fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
    figure.supxlabel("error of the tangential velocity [m/s]", fontsize=9)
    axes[0].set_ylabel("of the normal one [m/s]", fontsize=9)
    figure.savefig(path, dpi=110)


# %%
if __name__ == "__main__":
    for truth in GRIPPING, TRUTH:
        print(f"measured of {truth['law']}:")
        found = fits(truth=truth)
        for law, (values, error, _) in found.items():
            told = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
            print(f"  {law:17} {error * 1000:6.1f} mm/s   {told}")
    draw(sys.argv[1] if len(sys.argv) == 2 else "fit.png", found)
