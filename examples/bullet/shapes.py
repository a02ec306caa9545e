"""Reads a file of poses: shapes as meshes, and positions of the bodies frame by frame."""

import csv

import numpy as np


def rotations(q):
    """Matrices of unit quaternions (x, y, z, w), n of them."""
    x, y, z, w = q.T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
        np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    ], -2)


# A mesh is a list of faces: corners (k, 3), counterclockwise from outside, and normals at them (k, 3).


def flat(faces):
    return [(np.array(f, float), np.tile(np.cross(np.subtract(f[1], f[0]), np.subtract(f[2], f[0])), (len(f), 1)))
            for f in faces]


def box(x, y, z):
    corner = lambda i: (x if i & 1 else -x, y if i & 2 else -y, z if i & 4 else -z)
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return flat([[corner(i) for i in quad] for quad in quads])


def revolve(profile, around=20):
    """A surface about z, of (radius, z, normal's radius, normal's z) from the lower to the upper end."""
    angle = np.linspace(0, 2 * np.pi, around + 1)
    c, s = np.cos(angle), np.sin(angle)
    faces = []
    for (r0, z0, m0, n0), (r1, z1, m1, n1) in zip(profile, profile[1:]):
        for i in range(around):
            j = i + 1
            corners = [(r0 * c[i], r0 * s[i], z0), (r0 * c[j], r0 * s[j], z0), (r1 * c[j], r1 * s[j], z1),
                       (r1 * c[i], r1 * s[i], z1)]
            normals = [(m0 * c[i], m0 * s[i], n0), (m0 * c[j], m0 * s[j], n0), (m1 * c[j], m1 * s[j], n1),
                       (m1 * c[i], m1 * s[i], n1)]
            keep = [0, 1, 2, 3] if r0 > 0 and r1 > 0 else [0, 1, 2] if r1 <= 0 else [0, 2, 3]
            faces.append((np.array([corners[k] for k in keep], float), np.array([normals[k] for k in keep], float)))
    return faces


def capsule(radius, half):
    turn = np.linspace(-np.pi / 2, np.pi / 2, 13)
    arc = [(radius * np.cos(t), radius * np.sin(t) + np.sign(t) * half, np.cos(t), np.sin(t)) for t in turn]
    arc[0], arc[-1] = (0,) + arc[0][1:], (0,) + arc[-1][1:]
    if half > 0:
        arc[6:7] = [(radius, -half, 1, 0), (radius, half, 1, 0)]
    return revolve(arc)


def cylinder(radius, half):
    return (revolve([(0, -half, 0, -1), (radius, -half, 0, -1)]) + revolve([(radius, -half, 1, 0), (radius, half, 1, 0)]) +
            revolve([(radius, half, 0, 1), (0, half, 0, 1)]))


MESHES = {"box": box, "sphere": lambda r, *_: capsule(r, 0), "capsule": lambda r, h, _: capsule(r, h),
          "cylinder": lambda r, h, _: cylinder(r, h)}


class Scene:
    def __init__(self, path):
        with open(path, newline="") as file:
            shapes, poses = file.read().replace("\r", "").split("\n\n", 1)
        self.shapes = list(csv.DictReader(shapes.splitlines()))
        for shape in self.shapes:
            shape["body"], shape["moves"] = int(shape["body"]), shape["moves"] == "1"
            shape["at"] = np.array([float(shape[c]) for c in ("x", "y", "z")])
            shape["turn"] = rotations(np.array([[float(shape[c]) for c in ("qx", "qy", "qz", "qw")]]))[0]
            extents = [float(shape[f"extent_{i}"]) for i in range(3)]
            shape["mesh"] = MESHES[shape["kind"]](*extents) if shape["kind"] != "plane" else []
        table = np.loadtxt(poses.splitlines(), delimiter=",", skiprows=1, ndmin=2)
        starts = np.flatnonzero(np.diff(table[:, 0], prepend=-1))
        self.frames = np.split(table, starts[1:])
        sizes = [np.abs(shape["mesh"][0][0]).max() for shape in self.shapes if shape["moves"] and shape["mesh"]]
        self.unit = 2 * np.median(sizes) if sizes else 1.0

    def bodies(self, frame):
        table = self.frames[frame]
        return dict(zip(table[:, 1].astype(int), zip(table[:, 2:5], rotations(table[:, 5:9]), table[:, 9])))

    def ground(self, frame):
        """Height of the ground; without one, of the lowest body."""
        bodies = self.bodies(frame)
        for shape in self.shapes:
            if shape["body"] in bodies and self.is_ground(shape, bodies):
                at, turn, _ = bodies[shape["body"]]
                return (at + turn @ shape["at"])[2] + (float(shape["extent_2"]) if shape["kind"] == "box" else 0)
        return self.bounds(frame)[0][2] - self.unit / 2

    def is_ground(self, shape, bodies):
        """Static planes, and static boxes that are level and wide."""
        if shape["moves"] or shape["kind"] == "plane":
            return not shape["moves"]
        level = (bodies[shape["body"]][1] @ shape["turn"])[2, 2] > 0.9999
        return shape["kind"] == "box" and level and min(float(shape["extent_0"]), float(shape["extent_1"])) > 8 * self.unit

    def bounds(self, frame):
        """Minimum and maximum coordinates of the objects in a frame without the ground."""
        bodies = self.bodies(frame)
        shown = [shape for shape in self.shapes if shape["body"] in bodies and not self.is_ground(shape, bodies)]
        corners = []
        for shape in shown:
            at, turn, _ = bodies[shape["body"]]
            corners += [corners_ @ (turn @ shape["turn"]).T + at + turn @ shape["at"] for corners_, _ in shape["mesh"]]
        corners = np.concatenate(corners)
        return corners.min(0), corners.max(0)


def clip(corners, normals, plane, offset):
    """The part of a convex face where plane·x <= offset."""
    side = corners @ plane - offset
    if (side <= 0).all():
        return corners, normals
    points, directions = [], []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if side[i] <= 0:
            points.append(corners[i])
            directions.append(normals[i])
        if side[i] * side[j] < 0:
            t = side[i] / (side[i] - side[j])
            points.append(corners[i] + t * (corners[j] - corners[i]))
            directions.append(normals[i] + t * (normals[j] - normals[i]))
    return np.reshape(points, (-1, 3)), np.reshape(directions, (-1, 3))


def outer_planes(faces):
    """Planes of the faces that look away from the axis of z and down: what glass walls are cut at."""
    found = []
    for corners, normals in faces:
        normal = normals[0] / np.linalg.norm(normals[0])
        outward = normal[:2] @ corners.mean(0)[:2]
        if outward > 0 and -0.95 < normal[2] < -0.05:
            found.append((normal, corners[0] @ normal))
    return found
