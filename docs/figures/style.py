"""How the pictures look, and what they all draw."""

import io
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

INK = "#222222"
GREY = "#7A858F"
FAINT = "#C4CAD0"
PERMISSIBLE = "#EEF1F4"


@dataclass(frozen=True)
class Look:
    label: str
    colour: str
    width: float


# In the order they are drawn: where laws agree, the thin lines lie on the wide ones. The colours are such that colour-blind
# eyes tell them apart.
LAWS = {
    "frictionless": Look("frictionless", "#9AA5B1", 5),
    "no-slip": Look("no slip", "#E3B505", 5),
    "incremental": Look("incremental, kinetic restitution", "#0072B2", 8),
    "whittaker": Look("Whittaker", "#D55E00", 5),
    "anitescu-potra": Look("Anitescu–Potra", "#EFA0CC", 2.2),
    "smith": Look("Smith", "#111111", 1.5),
}
# What K, u0 and the friction alone tell, in the plane.
COMPRESSION, STICKING, FRICTION = (0, (6, 3)), (0, (1.5, 2)), (0, (8, 2, 1, 2))
REGIONS = {
    "chatterjee-ruina": ("Chatterjee–Ruina", "#009E73"),
    "bilinear": ("bilinear", "#D55E00"),
    "pfeiffer-glocker": ("Pfeiffer–Glocker", "#CC79A7"),
}


def use():
    plt.rcParams.update({
        "font.size": 10, "axes.titlesize": 11.5, "axes.titleweight": "bold", "axes.edgecolor": INK,
        "axes.spines.top": False, "axes.spines.right": False, "text.color": INK, "axes.labelcolor": INK,
        "hatch.linewidth": 0.7
    })


def curve(axes, points, law, **more):
    """From e = 0, a ring, to e = 1, a dot."""
    look = LAWS[law]
    axes.plot(*points.T, color=look.colour, linewidth=look.width, solid_capstyle="round", zorder=4, **more)
    size = 4.5 + 0.8 * look.width
    axes.plot(*points[0], "o", color=look.colour, markerfacecolor="white", markersize=size, zorder=4.1, **more)
    axes.plot(*points[-1], "o", color=look.colour, markersize=size, zorder=4.1, **more)


def mark(axes, point, text, offset):
    axes.plot(*point, "+", color=INK, markersize=9, markeredgewidth=1.2, zorder=5)
    axes.annotate(text, point, offset, textcoords="offset points", fontsize=9.5, zorder=6)


def law_handle(law):
    look = LAWS[law]
    return plt.Line2D([], [], color=look.colour, linewidth=look.width, label=look.label)


def law_handles(laws):
    return [*map(law_handle, laws),
            plt.Line2D([], [], linestyle="", marker="o", color=INK, markerfacecolor="white", label="e = 0"),
            plt.Line2D([], [], linestyle="", marker="o", color=INK, label="e = 1")]


def inside(law):
    return "none" if law == "bilinear" else REGIONS[law][1] + "38"


def region_handle(law):
    label, colour = REGIONS[law]
    return plt.Rectangle((0, 0), 1, 1, facecolor=inside(law), edgecolor=colour, linewidth=1.2, label=label)


def permissible_handle():
    return plt.Rectangle((0, 0), 1, 1, facecolor=PERMISSIBLE, edgecolor=FAINT, label="permissible region")


def line_handles():
    """The lines of impulse space that stand in every picture of the plane."""
    return [plt.Line2D([], [], color=INK, linewidth=1, label="contact energy as before"),
            plt.Line2D([], [], color=GREY, linewidth=0.9, linestyle=COMPRESSION, label="u$_n$ = 0"),
            plt.Line2D([], [], color=GREY, linewidth=0.9, linestyle=STICKING, label="u$_t$ = 0"),
            plt.Line2D([], [], color=INK, linewidth=0.9, linestyle=FRICTION, label="friction, p$_t$ = ± μ p$_n$")]


def save(figure, path):
    """With a palette, a third of the size."""
    with io.BytesIO() as buffer:
        figure.savefig(buffer, dpi=130)
        plt.close(figure)
        Image.open(buffer).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
