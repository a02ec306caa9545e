"""The laws side by side: one contact, all directions of approach, and what each law makes of it.

./dev python examples/python/laws.py [PICTURE]
"""

# %%
import sys

import carom
import numpy as np

# A slender rod that hits the ground at its tip, tilted: K couples the normal and the slip.
K = np.array([[2.6, 0.0, 1.1], [0.0, 1.0, 0.0], [1.1, 0.0, 1.8]])
PARAMETERS = {"tangential_restitution": 0.3, "impulse_ratio_1": 0.25, "impulse_ratio_2": 0.0}
LAWS = ["incremental", "frictionless", "no-slip", "chatterjee-ruina", "bilinear", "whittaker", "smith", "anitescu-potra", "brach"]


# %%
def responses(count, friction=0.5, restitution=0.6):
    """The impulses of all laws for approaches of 1 m/s from -80 to 80 degrees off the normal, in the plane of the rod."""
    angle = np.radians(np.linspace(-80, 80, count))
    velocity = np.column_stack([np.sin(angle), np.zeros(count), -np.cos(angle)])
    contacts = {"k": K, "separation_velocity": velocity, "friction": friction, "restitution": restitution} | PARAMETERS
    results = {law: carom.solve(**contacts, law=law, select=True) for law in LAWS}
    # Dissipated kinetic energy, as a fraction of the maximum that a collision can dissipate.
    lost = {}
    for law, result in results.items():
        region = carom.check(**contacts, impulse=result.impulse, select=True, results=["energy", "contact_energy"])
        lost[law] = region.energy / region.contact_energy
    return np.degrees(angle), results, lost


# %%
def draw(path, count=200):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    angle, results, lost = responses(count)
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for law, result in results.items():
        axes[0].plot(angle, result.impulse[:, 2], label=law)
        axes[1].plot(angle, result.impulse[:, 0])
        axes[2].plot(angle, lost[law])
    for ax, label in zip(axes, ("normal impulse [N s]", "tangential impulse [N s]", "lost of the contact energy [1]")):
        ax.set(xlabel="approach off the normal [degrees]", ylabel=label)
        ax.spines[["top", "right"]].set_visible(False)
    axes[2].legend(*axes[0].get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
    figure.savefig(path, dpi=110)


# %%
if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) == 2 else "laws.png")
