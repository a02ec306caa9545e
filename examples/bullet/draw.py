#!/usr/bin/env python3
"""Draws bodies of a scene in perspective, coloured by impulse, from the poses that a program of scenes/ writes.

draw.py POSES.csv PICTURE.png [--frame N]     one frame, the last if not told
draw.py POSES.csv PICTURE.gif [--every N]     all frames
draw.py FOLDER                                a picture beside each file of poses there, of its middle frame

Every pixel shows what is nearest, in the light of a sun that casts shadows and of the sky.
"""

import argparse
import glob
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the products are small

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from shapes import Scene, clip, outer_planes

SKY, HORIZON, GROUND = np.array([[0.80, 0.87, 0.94], [0.97, 0.98, 0.99], [0.86, 0.86, 0.85]])
GLASS = np.array([0.45, 0.58, 0.70])
SUN = np.array([0.45, -0.55, 0.95]) / np.linalg.norm([0.45, -0.55, 0.95])


class Buffer:
    """Nearest faces as seen through `matrix` (rows: right, up, depth; then divided by depth if `perspective`)."""

    def __init__(self, width, height, project):
        self.depth = np.full((height, width), np.inf, np.float32)
        self.face = np.full((height, width), -1, np.int32)
        self.project = project

    def draw(self, faces):
        height, width = self.depth.shape
        for number, (corners, _) in enumerate(faces):
            p = self.project(corners)
            if p is None:
                continue
            area = np.sum(p[:, 0] * np.roll(p[:, 1], -1) - np.roll(p[:, 0], -1) * p[:, 1])
            if area >= -1e-9:  # seen from behind; y points down
                continue
            low = np.maximum(np.floor(p[:, :2].min(0)).astype(int), 0)
            high = np.minimum(np.ceil(p[:, :2].max(0)).astype(int) + 1, (width, height))
            if (low >= high).any():
                continue
            x = np.arange(low[0], high[0], dtype=np.float32)[None] + np.float32(0.5)
            y = np.arange(low[1], high[1], dtype=np.float32)[:, None] + np.float32(0.5)
            inside = True
            for (x0, y0, _), (x1, y1, _) in zip(p, np.roll(p, -1, 0)):
                inside = ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) <= 0) & inside
            # Inverse depth in perspective, and depth without, is linear over the picture.
            u, v = p[1] - p[0], p[2] - p[0]
            across = u[0] * v[1] - u[1] * v[0]
            a, b = (u[2] * v[1] - u[1] * v[2]) / across, (u[0] * v[2] - u[2] * v[0]) / across
            depth = a * (x - np.float32(p[0, 0])) + (b * (y - np.float32(p[0, 1])) + np.float32(p[0, 2]))
            part = np.s_[low[1]:high[1], low[0]:high[0]]
            nearer = inside & (depth < self.depth[part])
            self.depth[part][nearer] = depth[nearer]
            self.face[part][nearer] = number
        return self


class Camera:
    def __init__(self, eye, target, angle, width, height):
        self.eye = np.array(eye, float)
        ahead = np.array(target, float) - self.eye
        self.ahead = ahead / np.linalg.norm(ahead)
        self.right = np.cross(self.ahead, [0, 0, 1])
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.right, self.ahead)
        self.width, self.height = width, height
        self.scale = height / 2 / np.tan(np.radians(angle) / 2)

    def project(self, points):
        """Columns: x and y in pixels, -1 / depth, which grows with the depth. Faces that reach behind the eye are left out."""
        d = points - self.eye
        depth = d @ self.ahead
        if depth.min() < 0.05:
            return None
        return np.stack([self.width / 2 + self.scale * (d @ self.right) / depth,
                         self.height / 2 - self.scale * (d @ self.up) / depth, -1 / depth], -1)

    def rays(self):
        x = (np.arange(self.width) + 0.5 - self.width / 2) / self.scale
        y = (self.height / 2 - np.arange(self.height) - 0.5) / self.scale
        return self.ahead + x[None, :, None] * self.right + y[:, None, None] * self.up


class Sun:
    """Shadow map: depth as seen from the sun. `unit` is the size of bodies."""

    def __init__(self, faces, size, unit):
        self.size, self.unit = size, unit
        self.right = np.cross([0, 0, 1], SUN)
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(SUN, self.right)
        corners = np.concatenate([c for c, _ in faces])
        flat = np.stack([corners @ self.right, corners @ self.up], -1)
        self.low = flat.min(0) - unit
        self.scale = self.size / (flat.max(0) + unit - self.low).max()
        self.depth = Buffer(self.size, self.size, self.project).draw(faces).depth

    def project(self, points):
        return np.stack([(points @ self.right - self.low[0]) * self.scale,
                         self.size - (points @ self.up - self.low[1]) * self.scale, -(points @ SUN)], -1)

    def reaches(self, points, normals):
        """Share of the sun's light, in [0, 1], from a few samples of the map around each point."""
        points = points + 0.03 * self.unit * normals
        p = self.project(points)
        light = np.zeros(len(points))
        offsets = [(x, y) for x in (-1.5, -0.5, 0.5, 1.5) for y in (-1.5, -0.5, 0.5, 1.5)]
        for dx, dy in offsets:
            column, row = (p[:, 0] + dx).astype(int), (p[:, 1] + dy).astype(int)
            inside = (column >= 0) & (column < self.size) & (row >= 0) & (row < self.size)
            nearest = np.full(len(points), np.inf)
            nearest[inside] = self.depth[row[inside], column[inside]]
            light += p[:, 2] <= nearest + 0.04 * self.unit
        return light / len(offsets)


def crevices(depth, scale):
    """Darkness, in [0, 1], of places between what stands a little nearer all around: of ambient light they have less.

    Depths are in sizes of bodies."""
    dark = np.zeros(depth.shape, np.float32)
    typical = np.median(depth)
    # Distances as they are near the typical one; farther ones shrink, so that they are linear over planes.
    depth = (-typical**2 / depth).astype(np.float32)
    samples = [(size, angle) for size in (0.15, 0.3, 0.5) for angle in np.arange(4) * np.pi / 4 + size]
    for size, angle in samples:
        x, y = int(size * scale / typical * np.cos(angle)), int(size * scale / typical * np.sin(angle))
        both = np.zeros(depth.shape, np.float32)
        # On a plane, the differences on opposite sides cancel.
        for sign in (1, -1):
            nearer = depth - np.roll(depth, (sign * y, sign * x), (0, 1))
            # Much nearer objects are in the foreground and do not occlude light here.
            both += np.clip(nearer / (0.5 * size), -1, 1) * np.clip(2 - np.abs(nearer) / size, 0, 1)
        dark += np.clip(both, 0, 1)
    return np.clip(1.5 * dark / len(samples), 0, 1)


class Painter:
    def __init__(self, scene, arguments):
        self.scene, self.arguments = scene, arguments
        self.map = matplotlib.colormaps[arguments.colours]
        samples = 2
        self.width, self.height = (samples * n for n in arguments.size)
        self.samples = samples
        impulses = np.concatenate([frame[:, 9] for frame in scene.frames])
        impulses = impulses[impulses > 0]
        self.most = arguments.most or (np.percentile(impulses, 96) if len(impulses) else 1)

    def colour_of(self, impulse):
        return np.array(self.map(0.15 + 0.83 * min(1, impulse / self.most)**0.5)[:3])

    def faces(self, bodies):
        """Faces of solid shapes with their colours and surfaces, and faces of the glass."""
        solid, colours, surfaces, walls = [], [], [], []
        for shape in self.scene.shapes:
            if shape["body"] not in bodies or self.scene.is_ground(shape, bodies):
                continue
            at, turn, impulse = bodies[shape["body"]]
            at, turn = at + turn @ shape["at"], turn @ shape["turn"]
            mesh = [(corners @ turn.T + at, normals @ turn.T) for corners, normals in shape["mesh"]]
            if not shape["moves"] and self.arguments.glass:
                walls.append(mesh)
                continue
            # Round shapes are one surface, the faces of a box six.
            surfaces += range(len(solid), len(solid) + len(mesh)) if shape["kind"] == "box" else [len(solid)] * len(mesh)
            colours += [self.colour_of(impulse) if shape["moves"] else np.array([0.72, 0.73, 0.74])] * len(mesh)
            solid += mesh
        planes = [outer_planes(wall) for wall in walls]
        for number, wall in enumerate(walls):
            for others in planes[:number] + planes[number + 1:]:
                for plane, offset in others:
                    wall = [clip(*face, plane, offset) for face in wall]
            walls[number] = [face for face in wall if len(face[0]) > 2]
        return solid, np.reshape(colours, (-1, 3)), np.array(surfaces), [face for wall in walls for face in wall]

    def view(self, frame):
        """Target and eye. By default everything is in view."""
        low, high = self.scene.bounds(frame) if not (self.arguments.eye and self.arguments.target) else (0, 0)
        target = np.array(self.arguments.target or (low + high) / 2)
        if self.arguments.eye:
            return target, np.array(self.arguments.eye)
        away = np.linalg.norm(high - low) / 2 / np.sin(np.radians(self.arguments.angle) / 2)
        return target, target + away * np.array([-0.42, -0.82, 0.39])

    def paint(self, frame):
        bodies = self.scene.bodies(frame)
        ground = self.scene.ground(frame)
        solid, colours, surfaces, glass = self.faces(bodies)
        target, eye = self.view(frame)
        camera = Camera(eye, target, self.arguments.angle, self.width, self.height)
        seen = Buffer(self.width, self.height, camera.project).draw(solid)
        rays = camera.rays()

        with np.errstate(divide="ignore", invalid="ignore"):
            to_ground = np.where(rays[..., 2] < -1e-6, (ground - camera.eye[2]) / rays[..., 2], np.inf)
            to_solid = -1 / seen.depth  # along the camera's axis, as the rays are long
        to_solid[seen.face < 0] = np.inf
        to_ground[to_ground <= 0] = np.inf
        on_solid = to_solid < to_ground
        on_ground = ~on_solid & np.isfinite(to_ground)

        # Ground and sky.
        height = rays[..., 2] / np.linalg.norm(rays, axis=-1)
        picture = HORIZON + np.clip(height * 2.5, 0, 1)[..., None] * (SKY - HORIZON)
        sun, through_glass = Sun(solid, 2048, self.scene.unit), Sun(glass, 512, self.scene.unit) if glass else None
        points = camera.eye + to_ground[on_ground][:, None] * rays[on_ground]
        up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
        light = sun.reaches(points, up)
        if through_glass:
            light *= 0.8 + 0.2 * through_glass.reaches(points, up)
        light = 0.66 + 0.34 * light
        fade = np.exp(-np.linalg.norm(points - target, axis=1) / (self.arguments.fade or 2 * np.linalg.norm(eye - target)))[:, None]
        picture[on_ground] = HORIZON + fade * (light[:, None] * GROUND - HORIZON)

        # Bodies: light of the sun, of the sky from above, and some that the ground sends back.
        points = camera.eye + to_solid[on_solid][:, None] * rays[on_solid]
        number = seen.face[on_solid]
        normals = self.normals(solid, number, points)
        sunlight = np.clip(normals @ SUN, 0, 1) * sun.reaches(points, normals)
        light = 0.56 + 0.14 * normals[:, 2] + 0.5 * sunlight
        picture[on_solid] = np.clip(light[:, None] * colours[number], 0, 1)
        gloss = 2 * (normals @ SUN)[:, None] * normals - SUN
        to_eye = -rays[on_solid] / np.linalg.norm(rays[on_solid], axis=1)[:, None]
        shine = np.clip(np.sum(gloss * to_eye, 1), 0, 1)**24 * (sunlight > 0)
        picture[on_solid] += 0.15 * shine[:, None]

        nearest = np.minimum(to_solid, to_ground)
        distance = np.linalg.norm(target - eye)
        dark = crevices(np.minimum(nearest, 4 * distance) / self.scene.unit, camera.scale)
        picture *= 1 - 0.45 * (dark * np.clip(3 - nearest / distance, 0, 1))[..., None]
        self.outline(picture, np.where(seen.face < 0, -1, surfaces[seen.face]), on_solid)
        self.glaze(picture, camera, glass, nearest)
        picture = (np.clip(picture, 0, 1)**(1 / 1.06) * 255).astype(np.uint8)
        return Image.fromarray(picture).resize(self.arguments.size, Image.LANCZOS)

    @staticmethod
    def normals(faces, number, points):
        """Normals of flat faces are the normals of their corners; for round faces the mean, weighted by inverse
        distance."""
        direction = np.array([n[0] for _, n in faces])[number] if len(faces) else np.zeros((0, 3))
        curved = np.array([not np.allclose(n, n[0]) for _, n in faces]) if len(faces) else np.zeros(0, bool)
        for face in np.unique(number[curved[number]]) if curved.any() else []:
            rows = number == face
            corners, normals = faces[face]
            weight = 1 / (np.sum((points[rows][:, None] - corners[None])**2, -1) + 1e-9)
            direction[rows] = weight @ normals / weight.sum(1, keepdims=True)
        return direction / np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)

    @staticmethod
    def outline(picture, surface, on_solid):
        """Darkens the edges between surfaces a little."""
        edge = np.zeros(surface.shape, bool)
        edge[:, 1:] |= surface[:, 1:] != surface[:, :-1]
        edge[1:] |= surface[1:] != surface[:-1]
        picture[edge & on_solid] *= 0.72

    def glaze(self, picture, camera, glass, nearest):
        """Walls of glass, the farther ones first: their faces towards the eye, and bright edges."""
        order = sorted(glass, key=lambda face: -np.linalg.norm(face[0].mean(0) - camera.eye))
        for corners, normals in order:
            wall = Buffer(self.width, self.height, camera.project).draw([(corners, normals)])
            with np.errstate(divide="ignore"):
                seen = (wall.face == 0) & (-1 / wall.depth < nearest)
            normal = normals[0] / np.linalg.norm(normals[0])
            shade = 0.75 + 0.35 * max(0.0, normal @ SUN)
            picture[seen] += 0.14 * (np.clip(GLASS * shade + 0.12, 0, 1) - picture[seen])
            inner = seen.copy()
            for _ in range(self.samples):
                inner[1:-1, 1:-1] = inner[1:-1, 1:-1] & inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:]
            rim = (wall.face == 0) & seen & ~inner
            picture[rim] += 0.45 * (np.array([0.30, 0.40, 0.50]) - picture[rim])


def label(picture, painter):
    """A scale of the colours in the lower left corner."""
    width, height = picture.size
    size = max(10, height // 42)
    font = ImageFont.truetype(matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf", size)
    draw = ImageDraw.Draw(picture)
    left, top, long, thick = height // 28, height - height // 20 - size, width // 5, max(4, height // 70)
    for x in range(long):
        colour = painter.colour_of(painter.most * ((x + 0.5) / long)**2)
        draw.line([(left + x, top), (left + x, top + thick)], fill=tuple(int(255 * c) for c in colour))
    for share in (0, 0.5, 1):
        text = f"{painter.most * share**2:.2g}" + (" N s" if share == 1 else "")
        draw.text((left + share * long, top + thick + size // 4), text, font=font, fill=(40, 40, 40), anchor="mt")
    draw.text((left, top - size // 3), painter.arguments.caption, font=font, fill=(40, 40, 40), anchor="lb")
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [float(n) for n in text.split(",")]
    parser.add_argument("poses", help="a file of poses, or a folder of them")
    parser.add_argument("picture", nargs="?", help="a .png of one frame or a .gif of all")
    parser.add_argument("--frame", type=int, default=-1)
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first frame of a GIF")
    parser.add_argument("--to", dest="last", type=int, help="the frame after its last")
    parser.add_argument("--every", type=int, default=1, help="which frames of a GIF: each, every second, ...")
    parser.add_argument("--rate", type=float, default=30, help="frames a second of a GIF")
    parser.add_argument("--eye", type=numbers, help="x,y,z of the camera [m]")
    parser.add_argument("--target", type=numbers, help="x,y,z that it looks at [m]")
    parser.add_argument("--angle", type=float, default=36, help="of the view, from its lower to its upper end [degrees]")
    parser.add_argument("--size", type=lambda text: tuple(int(n) for n in text.split("x")), default=(1200, 800))
    parser.add_argument("--most", type=float, help="impulse of the last colour [N s]; the 96 % of all frames if not told")
    parser.add_argument("--colours", default="viridis", help="a map of matplotlib's")
    parser.add_argument("--fade", type=float, help="distance in which the ground fades to the horizon [m]")
    parser.add_argument("--glass", action="store_true", help="static boxes are of glass, cut where they meet: a funnel")
    parser.add_argument("--caption", default="impulse on a body in 1/30 s", help="of the colours")
    arguments = parser.parse_args()

    if os.path.isdir(arguments.poses):
        for path in sorted(glob.glob(os.path.join(arguments.poses, "*_poses.csv"))):
            scene = Scene(path)
            painter = Painter(scene, arguments)
            label(painter.paint(len(scene.frames) // 2), painter).save(path.replace("_poses.csv", ".png"), optimize=True)
        return
    if not arguments.picture:
        parser.error("name the picture too")
    scene = Scene(arguments.poses)
    painter = Painter(scene, arguments)
    if not arguments.picture.endswith(".gif"):
        label(painter.paint(arguments.frame), painter).save(arguments.picture, optimize=True)
        return
    numbers = range(len(scene.frames))[arguments.first:arguments.last:arguments.every]
    frames = [label(painter.paint(number), painter) for number in numbers]
    # One palette for all frames: pixels that stay the same need no room. Rare colours of the scale have theirs too.
    few = [frame.resize((200, 100)) for frame in (frames[0], frames[len(frames) // 2], frames[-1])]
    sample = Image.new("RGB", (200, 500))
    for row, frame in enumerate(few):
        sample.paste(frame, (0, 100 * row))
    scale = np.array([painter.colour_of(painter.most * (x / 200)**2) for x in range(200)])
    shades = np.linspace(0.45, 1.1, 200)[:, None, None] * scale
    sample.paste(Image.fromarray((np.clip(shades, 0, 1) * 255).astype(np.uint8)), (0, 300))
    palette = sample.quantize(128, method=Image.Quantize.MEDIANCUT)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    frames[0].save(arguments.picture, save_all=True, append_images=frames[1:], duration=round(1000 / arguments.rate), loop=0,
                   optimize=True)


if __name__ == "__main__":
    main()
