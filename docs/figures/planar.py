"""Impulse space in the plane: [CR] figures 1 and 3 to 8, and the laws that reach all of the permissible region."""

import math

import matplotlib.pyplot as plt
import numpy as np

import style
from impulses import Batch, Contact
from style import FAINT, GREY, INK, LAWS, REGIONS

E = np.linspace(0, 1, 61)
TANGENTIAL = (-1, -0.5, 0, 0.5, 1)


def pendulum(reach, lean, inertia, hinge_mass, speed, friction):
    """A rod on a hinge that turns onto the floor; the hinge is a point mass, and the matrix unbounded as it grows."""
    across = np.array([math.cos(lean), math.sin(lean)])
    k = reach**2 / inertia * np.outer(across, across) + np.eye(2) / hinge_mass
    return Contact.planar((k[0, 0], k[0, 1], k[1, 1]), -speed * across, friction)


GENERIC = Contact.planar((1, 0.65, 1), (-0.8, -1), 0.6)
GENERIC_VIEW = ((-1.3, 1.9), (-0.8, 2.7))
SPECIAL = {
    "Diagonal K": Contact.planar((1.6, 0, 1), (-0.85, -1), 0.65),
    "Grazing": Contact.planar((1, -0.6, 0.6), (-1, -1e-9), 1.6),
    "Infinite friction": Contact.planar((1, 0.5, 0.7), (-1.2, -0.5), math.inf),
    "Unbounded mass: a rod on a hinge": pendulum(1, math.radians(42), 1 / 3, 1e6, 2, 1.4),
}
# The part of the plane that is shown, and where P_II is named.
VIEWS = {
    "Diagonal K": (((-0.85, 2.05), (-0.45, 2.45)), (-20, -14)),
    "Grazing": (((-1.3, 6.4), (-1.4, 6.3)), (9, -12)),
    "Infinite friction": (((-0.9, 3.6), (-2.3, 2.2)), (6, 5)),
    "Unbounded mass: a rod on a hinge": (((-0.55, 1.75), (-0.2, 2.1)), (-23, -10)),
}

RESTITUTION_LAWS = ("kinetic", "energetic", "kinematic")
RATIOS = (-0.4, -0.2, 0.0, 0.2, 0.4, 0.6)
FRACTIONS = (0.25, 0.5, 0.75, 1.0)
ANGLES = tuple(np.radians(np.arange(-180, 180, 20)))
CANDIDATES = ((0.95, 1.9), (1.3, 0.5), (-0.3, 0.3), (-1.05, 2.3))
WEIGHTS = (0.25, 0.5, 0.75)
BRACH, COMPOSITE, POLAR, PROJECTED = "#0072B2", "#B8860B", "#009E73", "#D55E00"


class ImpulseSpace:
    """What K, u0 and the friction alone tell, and the boundary of the permissible region."""

    def __init__(self, contact, batch, key, view):
        self.contact, self.view = contact, view
        self.boundary = batch.impulses(f"{key}/boundary")
        self.p_1, self.p_2, self.energy = batch.landmarks(f"{key}/boundary")

    def ellipse(self, share=1.0):
        """Impulses that leave a share of the contact energy."""
        values, vectors = np.linalg.eigh(self.contact.k)
        angle = np.linspace(0, 2 * np.pi, 20001)
        unit = np.array([np.cos(angle), np.sin(angle)])
        return (self.p_2[:, None] + vectors @ (np.sqrt(2 * share * self.energy / values)[:, None] * unit)).T

    def line(self, row):
        """Where a component of u is 0: a point and a direction."""
        direction = np.array([-self.contact.k[row, 1], self.contact.k[row, 0]])
        return self.p_2, direction / np.linalg.norm(direction)

    def cone(self):
        friction = self.contact.friction
        right = np.array([1, 0]) if math.isinf(friction) else np.array([friction, 1]) / math.hypot(friction, 1)
        return right, right * (-1, 1)


def add_boundary(batch, key, contact):
    angle = np.linspace(-np.pi, np.pi, 2001)
    batch.add(contact, f"{key}/boundary", "polar", polar_angle=angle, fraction=1.0)


def add_curves(batch, key, contact):
    for law in LAWS:
        batch.add(contact, f"{key}/{law}", law, restitution=E, restitution_law="kinetic")


def add_region(batch, key, contact, law):
    for e_t in TANGENTIAL:
        batch.add(contact, f"{key}/{law}/{e_t}", law, restitution=E, tangential_restitution=float(e_t))


def add_parameters(batch):
    for law in RESTITUTION_LAWS:
        batch.add(GENERIC, f"generic/incremental/{law}", "incremental", restitution=1.0, restitution_law=law)
    for ratio in RATIOS:
        batch.add(GENERIC, f"generic/brach/{ratio}", "brach", restitution=E, impulse_ratio_1=ratio)
    for weight in WEIGHTS:
        batch.add(GENERIC, f"generic/composite/{weight}", "composite", restitution=E, restitution_law="kinetic",
                  weight_incremental=1 - weight, weight_smith=weight)
    for fraction in FRACTIONS:
        batch.add(GENERIC, f"generic/ring/{fraction}", "polar", fraction=fraction,
                  polar_angle=np.linspace(-np.pi, np.pi, 1201))
    for angle in ANGLES:
        batch.add(GENERIC, f"generic/ray/{angle}", "polar", polar_angle=angle, fraction=np.linspace(0, 1, 3))
    for i, (x, y) in enumerate(CANDIDATES):
        batch.add(GENERIC, f"generic/projected/{i}", "projected", candidate_x=x, candidate_y=y)


def label_line(axes, text, point, direction, offset):
    """Text along a line: `direction` points to the right."""
    across = np.array([-direction[1], direction[0]])
    axes.annotate(text, point, offset * across, textcoords="offset points", ha="center", va="center",
                  rotation=math.degrees(math.atan2(direction[1], direction[0])), rotation_mode="anchor",
                  fontsize=8.5, color=GREY)


def draw_space(axes, space, title):
    axes.fill(*space.boundary.T, color=style.PERMISSIBLE, linewidth=0, zorder=0.5)
    axes.axhline(0, color=FAINT, linewidth=0.7, zorder=1)
    axes.axvline(0, color=FAINT, linewidth=0.7, zorder=1)
    axes.plot(*space.ellipse().T, color=INK, linewidth=1, zorder=2)
    for row in (0, 1):
        point, direction = space.line(row)
        axes.axline(point, point + direction, color=GREY, linewidth=0.9, zorder=2,
                    linestyle=style.COMPRESSION if row else style.STICKING)
    for direction in space.cone():
        axes.plot(*np.outer((0, 30), direction).T, color=INK, linewidth=0.9, linestyle=style.FRICTION, zorder=2)
    axes.set(aspect="equal", xlim=space.view[0], ylim=space.view[1], title=title,
             xlabel="tangential impulse p$_t$ [N s]", ylabel="normal impulse p$_n$ [N s]")


def draw_construction(axes, space):
    draw_space(axes, space, "Impulse space of one collision")
    axes.plot(*space.ellipse(0.1).T, color=FAINT, linewidth=0.9, zorder=1.5)
    (_, compression), (_, sticking) = space.line(1), space.line(0)
    compression, sticking = (d if d[0] > 0 else -d for d in (compression, sticking))
    axes.axline(2 * space.p_1, 2 * space.p_1 + compression, color=FAINT, linewidth=0.9, zorder=1.5,
                linestyle=style.COMPRESSION)
    for text, offset in (("maximum compression", 8), ("u$_n$ = 0", -8)):
        label_line(axes, text, space.p_2 + 1.02 * compression, compression, offset)
    label_line(axes, "u$_n$ = −u0$_n$", 2 * space.p_1 - 0.75 * compression, compression, 7)
    label_line(axes, "sticking, u$_t$ = 0", space.p_2 + 1.13 * sticking, sticking, -10)
    label_line(axes, "friction, p$_t$ = ± μ p$_n$", 2.5 * space.cone()[0], space.cone()[0], 11)
    axes.annotate("permissible\nregion", (-0.62, 1.82), ha="center", va="center", fontsize=9.5)
    leader = {"arrowstyle": "-", "color": GREY, "linewidth": 0.7}
    ellipse, inner = space.ellipse(), space.ellipse(0.1)
    axes.annotate("contact\nenergy\nas before", ellipse[ellipse[:, 0].argmin()], (-1.23, 0.62), fontsize=8.5, color=GREY,
                  va="center", arrowprops=leader)
    axes.annotate("a tenth of it", inner[inner[:, 1].argmin()], (0.12, -0.62), ha="center", fontsize=8.5, color=GREY,
                  arrowprops=leader)
    normal = space.contact.u0 / np.linalg.norm(space.contact.u0)
    axes.annotate("", 0.42 * normal, (0, 0), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2})
    axes.annotate("u0", 0.42 * normal, (-17, -6), textcoords="offset points", fontsize=9.5)
    style.mark(axes, (0, 0), "O", (6, 5))
    style.mark(axes, space.p_1, "P$_I$", (-17, -12))
    style.mark(axes, 2 * space.p_1, "2 P$_I$", (5, 5))
    style.mark(axes, space.p_2, "P$_{II}$", (7, 2))
    style.mark(axes, 2 * space.p_2, "2 P$_{II}$", (8, 2))


def draw_landmarks(axes, space, beside_p_2):
    style.mark(axes, space.p_1, "P$_I$", (-17, -4))
    style.mark(axes, space.p_2, "P$_{II}$", beside_p_2)


def draw_curves(axes, batch, key):
    for law in LAWS:
        style.curve(axes, batch.impulses(f"{key}/{law}"), law)


def draw_region(axes, batch, key, law, net=True):
    """The impulses of e in [0, 1] and all tangential restitutions."""
    _, colour = REGIONS[law]
    edges = [batch.impulses(f"{key}/{law}/{e_t}") for e_t in TANGENTIAL]
    outline = np.concatenate([edges[0], edges[-1][::-1]])
    axes.fill(*outline.T, facecolor=style.inside(law), edgecolor=colour, linewidth=1.2, zorder=3)
    if net:
        for edge in edges[1:-1]:
            axes.plot(*edge.T, color=colour, linewidth=0.7, zorder=3.1)


def draw_ends(axes, batch):
    """Where the incremental law ends for e = 1 under each law of restitution."""
    colour = LAWS["incremental"].colour
    ends = {law: batch.impulses(f"generic/incremental/{law}")[0] for law in RESTITUTION_LAWS}
    axes.plot(*np.array(list(ends.values())).T, color=colour, linewidth=1.2, zorder=3.9)
    for law, end in ends.items():
        left = law != "kinematic"
        axes.plot(*end, "o", color=colour, markersize=6, zorder=4.2)
        axes.annotate(law, end, (-25 if left else 8, 0), textcoords="offset points", ha="right" if left else "left",
                      va="center", fontsize=8.5, color=colour,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1} if left else None)


def draw_generic(batch, path):
    space = ImpulseSpace(GENERIC, batch, "generic", GENERIC_VIEW)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 6.4))
    draw_construction(left, space)
    draw_space(right, space, "Laws that read e alone, e from 0 to 1")
    draw_curves(right, batch, "generic")
    draw_ends(right, batch)
    draw_landmarks(right, space, (6, 3))
    figure.legend(handles=[style.permissible_handle(), *style.law_handles(LAWS)], loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.075, 1, 1), w_pad=3)
    style.save(figure, path)


def label_tangential(axes):
    """The corners of Chatterjee and Ruina's impulses."""
    _, colour = REGIONS["chatterjee-ruina"]
    for text, point, offset, side in (("e$_t$ = −1", (0, 1.87), (-5, 0), "right"),
                                      ("e$_t$ = 1", (0.52, 1.87), (5, 0), "left"),
                                      ("e = 0", (0.1, 0.9), (-4, -8), "right"), ("e = 1", (0.26, 1.84), (0, 22), "center")):
        axes.annotate(text, point, offset, textcoords="offset points", ha=side, va="center", fontsize=8.5, color=colour)


def draw_brach(axes, batch):
    for ratio in RATIOS:
        points = batch.impulses(f"generic/brach/{ratio}")
        axes.plot(*points.T, color=BRACH, linewidth=1.6, zorder=3)
        end, offset = (points[points[:, 0].argmax()], (16, -1)) if ratio > 0 else (points[0], (-4, -12))
        axes.annotate(f"{ratio:g}".replace("-", "−"), end, offset, textcoords="offset points", ha="center", fontsize=8.5,
                      color=BRACH)


def draw_composites(axes, batch):
    for weight in WEIGHTS:
        axes.plot(*batch.impulses(f"generic/composite/{weight}").T, color=COMPOSITE, linewidth=1.2, zorder=3)
    for law in ("incremental", "smith"):
        style.curve(axes, batch.impulses(f"generic/{law}"), law)


def draw_whole(axes, batch):
    for key in [f"ring/{fraction}" for fraction in FRACTIONS] + [f"ray/{angle}" for angle in ANGLES]:
        axes.plot(*batch.impulses(f"generic/{key}").T, color=POLAR, linewidth=0.9, zorder=3)
    for i, candidate in enumerate(CANDIDATES):
        axes.annotate("", batch.impulses(f"generic/projected/{i}")[0], candidate, zorder=4,
                      arrowprops={"arrowstyle": "-|>", "color": PROJECTED, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0})
        axes.plot(*candidate, "o", color=PROJECTED, markersize=5, zorder=4)


def draw_parameters(batch, path):
    space = ImpulseSpace(GENERIC, batch, "generic", GENERIC_VIEW)
    figure, grid = plt.subplots(2, 2, figsize=(11, 12.2))
    titles = ("e and tangential restitution", "e and a ratio of impulses", "Composites of two laws", "All of the region")
    for axes, title in zip(grid.flat, titles):
        draw_space(axes, space, title)
    tangential, ratio, composite, whole = grid.flat
    for law in REGIONS:
        draw_region(tangential, batch, "generic", law, net=law != "bilinear")
    draw_brach(ratio, batch)
    draw_composites(composite, batch)
    draw_whole(whole, batch)

    def line(colour, label, **more):
        return plt.Line2D([], [], color=colour, label=label, **more)

    label_tangential(tangential)
    handles = [style.permissible_handle(), *style.line_handles(), *(style.region_handle(law) for law in REGIONS),
               line(BRACH, "Brach, by ratio", linewidth=1.6), style.law_handle("incremental"), style.law_handle("smith"),
               line(COMPOSITE, "their composites", linewidth=1.2),
               line(POLAR, "polar, by angle and fraction", linewidth=0.9),
               line(PROJECTED, "projected", marker="o", markersize=5, linewidth=1.4)]
    figure.legend(handles=handles, loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1), w_pad=3, h_pad=2.5)
    style.save(figure, path)


def draw_special(batch, path):
    figure, grid = plt.subplots(2, 2, figsize=(11, 11.2))
    for axes, (name, contact) in zip(grid.flat, SPECIAL.items()):
        view, beside_p_2 = VIEWS[name]
        space = ImpulseSpace(contact, batch, name, view)
        draw_space(axes, space, name)
        draw_region(axes, batch, name, "chatterjee-ruina", net=False)
        draw_curves(axes, batch, name)
        draw_landmarks(axes, space, beside_p_2)
    handles = [style.permissible_handle(), *style.line_handles(), *style.law_handles(LAWS),
               style.region_handle("chatterjee-ruina")]
    figure.legend(handles=handles, loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.085, 1, 1), w_pad=3, h_pad=2.5)
    style.save(figure, path)


def draw(carom, work, pictures):
    batch = Batch()
    for key, contact in {"generic": GENERIC, **SPECIAL}.items():
        add_boundary(batch, key, contact)
        add_curves(batch, key, contact)
        for law in REGIONS if key == "generic" else ("chatterjee-ruina",):
            add_region(batch, key, contact, law)
    add_parameters(batch)
    batch.solve(carom, work / "planar")

    style.use()
    draw_generic(batch, pictures / "laws-generic.png")
    draw_parameters(batch, pictures / "laws-parameters.png")
    draw_special(batch, pictures / "laws-special.png")
