"""A scene stepped with NumPy: a ball on a chain runs into a wall of boxes. Animated to a GIF.

./dev python examples/python/scene.py [GIF]
"""

# %%
import sys

import carom
import numpy as np

H = 1 / 60  # [s]
GRAVITY = (0, 0, -9.81)  # [m/s²]
HALF = 0.25  # half an edge of a box [m]
LINKS = 5
ROWS, COLUMNS = 4, 3


# %%
class World:
    """Bodies as arrays: links of a chain with a ball at its end, then boxes. Everything moves in the plane of x and z."""

    def __init__(self):
        boxes = [(1.6 + 2 * HALF * column, HALF + 2 * HALF * row) for column in range(COLUMNS) for row in range(ROWS)]
        chain = [(-0.5 * (link + 1), 3.0) for link in range(LINKS)]
        self.count = LINKS + len(boxes)
        self.x = np.zeros((self.count, 3))
        self.x[:, [0, 2]] = chain + boxes
        self.angle = np.zeros(self.count)  # about -y: from x to z
        mass = np.array([0.5] * (LINKS - 1) + [6.0] + [1.0] * len(boxes))
        turn = np.zeros((self.count, 6))
        turn[LINKS:, 3] = 6 / (mass[LINKS:] * (2 * HALF) ** 2)
        self.bodies = carom.Bodies(
            inverse_mass=1 / mass,
            inverse_inertia=turn,
            velocity=np.zeros((self.count, 3)),
            angular_velocity=np.zeros((self.count, 3)),
        )
        self.solver = carom.SceneSolver()

    def corners(self, body):
        c, s = np.cos(self.angle[body]) * HALF, np.sin(self.angle[body]) * HALF
        return np.array([[sx * c - sz * s, 0, sx * s + sz * c] for sx, sz in ((-1, -1), (1, -1), (1, 1), (-1, 1))])

    def box_contacts(self, a, corners, b):
        """Corners of a box in another one of the same size, at the face nearest to its centre."""
        c, s = np.cos(self.angle[b]), np.sin(self.angle[b])
        axes = np.array([[c, 0, s], [-s, 0, c]])
        centre = axes @ (self.x[a] - self.x[b])
        face = abs(centre).argmax()
        normal = axes[face] * np.sign(centre[face])
        for arm in corners:
            point = self.x[a] + arm - self.x[b]
            separation = normal @ point - HALF
            if separation < 0.01 and abs(axes[1 - face] @ point) < HALF + 1e-6:
                yield a, b, normal, arm, point, separation

    def contacts(self):
        found = []
        boxes = range(LINKS, self.count)
        arms = {body: self.corners(body) for body in boxes}
        for a in boxes:
            for arm in arms[a]:
                separation = self.x[a, 2] + arm[2]
                if separation < 0.01:
                    found.append((a, -1, (0, 0, 1), arm, (0, 0, 0), separation))
            for b in boxes:
                if a != b and np.hypot(*(self.x[a] - self.x[b])[[0, 2]]) < 3 * HALF:
                    found += self.box_contacts(a, arms[a], b)
            # The ball at the end of the chain, as a sphere of the size of a box.
            ball = LINKS - 1
            c, s = np.cos(self.angle[a]), np.sin(self.angle[a])
            axes = np.array([[c, 0, s], [-s, 0, c]])
            local = axes @ (self.x[ball] - self.x[a])
            nearest = np.clip(local, -HALF, HALF) @ axes
            apart = self.x[ball] - self.x[a] - nearest
            distance = np.linalg.norm(apart)
            if 1e-9 < distance < HALF + 0.01:
                normal = apart / distance
                found.append((ball, a, normal, -HALF * normal, nearest, distance - HALF))
        if not found:
            return None
        a, b, normal, r_a, r_b, separation = (np.array(column) for column in zip(*found))
        return carom.Contacts(body_a=a, body_b=b, normal=normal.astype(float), r_a=r_a.astype(float),
                              r_b=r_b.astype(float), separation=separation, friction=0.5, restitution=0.1)

    def joints(self):
        """A rod from each link of the chain to the link before it. Its error of length is corrected in the step."""
        rows = []
        for link in range(LINKS):
            before = self.x[link - 1] if link > 0 else np.array([0, 0, 3.0])
            along = self.x[link] - before
            row = carom.distance_joint(a=link, b=link - 1, direction=along)
            row["position_error"] = np.linalg.norm(along) - 0.5
            rows.append(row)
        return np.concatenate(rows)

    def step(self):
        result = self.solver.solve(
            bodies=self.bodies,
            contacts=self.contacts(),
            joints=self.joints(),
            time_step=H,
            gravity=GRAVITY,
            in_place=True,
        )
        self.x += result.displacement
        self.angle -= result.rotation[:, 1]
        return result


# %%
def animate(path, steps):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    world, frames = World(), []
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for number in range(steps):
        world.step()
        if number % 3:
            continue
        ax.clear()
        ax.set(xlim=(-3, 5), ylim=(-0.1, 3.4), aspect="equal")
        ax.axis("off")
        ax.axhline(0, color="0.3")
        chain = np.vstack([[0, 0, 3.0], world.x[:LINKS]])
        ax.plot(chain[:, 0], chain[:, 2], "o-", color="0.4", markersize=3)
        ax.add_patch(plt.Circle(world.x[LINKS - 1, [0, 2]], HALF, color="tab:red"))
        for body in range(LINKS, world.count):
            corners = (world.x[body] + world.corners(body))[:, [0, 2]]
            ax.add_patch(plt.Polygon(corners, facecolor="tab:blue", edgecolor="white"))
        figure.canvas.draw()
        frames.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3]).quantize(32))
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=50, loop=0)
    return world


# %%
if __name__ == "__main__":
    animate(sys.argv[1] if len(sys.argv) == 2 else "scene.gif", 240)
