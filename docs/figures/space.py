"""Impulse space in three dimensions: the permissible region of one contact and the impulses of its laws ([CR] figure 2)."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap

import style
from impulses import Batch, Contact
from style import FAINT, GREY, INK, LAWS, REGIONS

E = np.linspace(0, 1, 61)
# The first slip is against x, so that x is axis 1 and y axis 2 of the laws.
CONTACT = Contact.spatial((1, 0.25, 0.35, 1.4, -0.45, 1), (-1, 0, -1), 0.6)
POLAR_ANGLES, AZIMUTHS = np.linspace(0, np.pi, 181), np.linspace(0, 2 * np.pi, 361)

TURN, ELEVATION = np.radians(-62), np.radians(22)
EYE = np.array([np.cos(TURN) * np.cos(ELEVATION), np.sin(TURN) * np.cos(ELEVATION), np.sin(ELEVATION)])
RIGHT = np.array([-np.sin(TURN), np.cos(TURN), 0])
VIEWS = {"oblique": np.stack([RIGHT, np.cross(EYE, RIGHT)], 1), "side": np.eye(3)[:, [0, 2]], "above": np.eye(3)[:, :2]}
LIGHT = np.array([-0.5, -0.55, 0.67])
SHADES = LinearSegmentedColormap.from_list("shades", ("#CBD4DC", "#F8FAFB"))


def rims(p_2, energy):
    """The edges of the region: points, and whether a face beside each is turned to the eye."""
    k, u0, friction = CONTACT.k, CONTACT.u0, CONTACT.friction
    angle = np.linspace(0, 2 * np.pi, 721)
    unit = np.stack([np.cos(angle), np.sin(angle)], 1)
    ray = np.column_stack([friction * unit, np.ones_like(angle)])
    outward_cone = np.column_stack([unit, np.full_like(angle, -friction)])
    outward_plane = -k[2]

    def outward_energy(p):
        return u0 + p @ k

    top = (-2 * ray @ u0 / np.einsum("ni,ij,nj->n", ray, k, ray))[:, None]
    bottom = (-u0[2] / (ray @ k[2]))[:, None]
    open_ray = (top >= bottom).ravel()
    inverse = np.linalg.inv(k)
    slip = np.sqrt(2 * energy) * np.linalg.solve(np.linalg.cholesky(inverse[:2, :2]).T, unit.T)
    flat = p_2 + (inverse[:, :2] @ slip).T
    in_cone = np.linalg.norm(flat[:, :2], axis=1) <= friction * flat[:, 2]
    for points, kept, normals in ((top * ray, open_ray, (outward_cone, outward_energy(top * ray))),
                                  (bottom * ray, open_ray, (outward_cone, outward_plane)),
                                  (flat, in_cone, (outward_energy(flat), outward_plane))):
        seen = np.any([np.broadcast_to(normal @ EYE > 0, len(angle)) for normal in normals], axis=0)
        yield np.where(kept[:, None], points, np.nan), seen


def hull(points):
    """The corners of the convex hull, anticlockwise."""
    points = sorted(map(tuple, points))

    def half(points):
        corners = []
        for x, y in points:
            while len(corners) > 1:
                (ax, ay), (bx, by) = corners[-2:]
                if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                    break
                corners.pop()
            corners.append((x, y))
        return corners[:-1]

    return np.array(half(points) + half(points[::-1]))


class Region:
    def __init__(self, batch):
        self.p_1, self.p_2, energy = batch.landmarks("boundary")
        self.boundary = batch.impulses("boundary").reshape(len(POLAR_ANGLES), len(AZIMUTHS), 3)
        self.rims = list(rims(self.p_2, energy))

    def outline(self, view):
        points = np.concatenate([self.boundary.reshape(-1, 3)] + [points for points, _ in self.rims])
        return hull(points[~np.isnan(points[:, 0])] @ view)


def draw_solid(axes, region, view):
    corners = region.boundary
    corners = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], 2).reshape(-1, 4, 3)
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    front = normal @ EYE > 1e-9
    normal = normal[front] / np.linalg.norm(normal[front], axis=1)[:, None]
    axes.add_collection(PolyCollection(corners[front] @ view, facecolors=SHADES((normal @ LIGHT + 1) / 2),
                                       edgecolors="face", linewidth=0.3, antialiased=False, zorder=0.5))
    for points, seen in region.rims:
        for mask, look in ((seen, {"color": GREY, "linewidth": 1}), (~seen, {"color": FAINT, "linewidth": 0.9})):
            axes.plot(*(np.where(mask[:, None], points, np.nan) @ view).T, zorder=1, **look)
    # The cone from its apex up to the region.
    points, _ = region.rims[1]
    for point in points[~np.isnan(points[:, 0])][::40]:
        axes.plot(*(np.array([np.zeros(3), point]) @ view).T, color=FAINT, linewidth=0.8, zorder=0.3)
    axes.annotate("friction cone", (0, 0), (-28, 25), textcoords="offset points", ha="right", fontsize=8.5, color=GREY)
    for axis, (name, length) in enumerate((("p$_x$", 1.25), ("p$_y$", 1.1), ("p$_z$", 2.75))):
        end = np.eye(3)[axis] * length @ view
        axes.plot(*end)  # which annotations do not: it widens the view
        axes.annotate("", end, (0, 0), arrowprops={"arrowstyle": "-|>", "color": GREY, "linewidth": 0.9, "shrinkA": 0},
                      zorder=0.4)
        axes.annotate(name, end, (5, 2), textcoords="offset points", color=GREY)
    axes.set_axis_off()


def draw_laws(axes, batch, region, view, offsets):
    _, colour = REGIONS["chatterjee-ruina"]
    frictionless, reversing = (batch.impulses(f"chatterjee-ruina/{e_t}") @ view for e_t in (-1, 1))
    axes.fill(*np.concatenate([frictionless, reversing[::-1]]).T, facecolor=style.inside("chatterjee-ruina"),
              edgecolor=colour, linewidth=1.2, zorder=3)
    for law in LAWS:
        style.curve(axes, batch.impulses(law) @ view, law)
    for point, text, offset in zip((region.p_1, region.p_2), ("P$_I$", "P$_{II}$"), offsets):
        style.mark(axes, point @ view, text, offset)


def draw_projection(axes, batch, region, name, title, y_label):
    view = VIEWS[name]
    axes.axhline(0, color=FAINT, linewidth=0.7, zorder=0.6)
    axes.axvline(0, color=FAINT, linewidth=0.7, zorder=0.6)
    axes.fill(*region.outline(view).T, facecolor=style.PERMISSIBLE, edgecolor=INK, linewidth=1, zorder=0.5)
    draw_laws(axes, batch, region, view, ((-17, -4), (8, -12)))
    axes.set(aspect="equal", xlim=(-0.95, 1.55), title=title, ylabel=y_label,
             xlabel="impulse against the first slip p$_x$ [N s]")


def draw(carom, work, pictures):
    batch = Batch()
    polar_angle, azimuth = (grid.ravel() for grid in np.meshgrid(POLAR_ANGLES, AZIMUTHS, indexing="ij"))
    batch.add(CONTACT, "boundary", "polar", polar_angle=polar_angle, azimuth=azimuth, fraction=1.0)
    for law in LAWS:
        batch.add(CONTACT, law, law, restitution=E, restitution_law="kinetic")
    for e_t in (-1, 1):
        batch.add(CONTACT, f"chatterjee-ruina/{e_t}", "chatterjee-ruina", restitution=E, tangential_restitution=float(e_t))
    batch.solve(carom, work / "space")

    style.use()
    region = Region(batch)
    figure = plt.figure(figsize=(11, 9.4))
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1), height_ratios=(2.6, 2.2))
    oblique = figure.add_subplot(grid[:, 0])
    view = VIEWS["oblique"]
    draw_solid(oblique, region, view)
    oblique.fill(*region.outline(view).T, facecolor="none", edgecolor=INK, linewidth=1, zorder=1.1)
    draw_laws(oblique, batch, region, view, ((-17, -4), (8, -12)))
    oblique.set(aspect="equal", title="Permissible region in space")
    draw_projection(figure.add_subplot(grid[0, 1]), batch, region, "side", "From the side", "normal impulse p$_z$ [N s]")
    draw_projection(figure.add_subplot(grid[1, 1]), batch, region, "above", "From above", "impulse across it p$_y$ [N s]")
    handles = [style.permissible_handle(), *style.law_handles(LAWS), style.region_handle("chatterjee-ruina")]
    figure.legend(handles=handles, loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.065, 1, 1), h_pad=2)
    style.save(figure, pictures / "laws-space.png")
