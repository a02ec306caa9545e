#!/usr/bin/env python3
"""Measurements of docs/slow-modes.md: towers of cubes stepped by carom.

./dev python docs/figures/slow_modes_measure.py MEASURED.csv

The command writes a row per number: experiment, series, bodies, x, y. slow_modes.py draws them. It takes five minutes of
one core. Every run is in double with one thread. With --times in place of the file the script prints the times of a step.
"""

import csv
import sys
import time

import carom
import numpy as np

import slow_modes_model as model

H = model.STEP
G = model.GRAVITY
CORNERS = np.array([[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [0.5, 0.5, -0.5]])
FALLEN = 0.4  # [m] sideways
EXACT = 16  # Rounds that solve a manifold of four points to nine digits.


class Tower:
    """Cubes of 1 m, one on the other, the first one on the ground. The corners of a cube touch the top of the cube below."""

    def __init__(self, bodies, mass=1, top=1, keys=True):
        self.bodies = bodies
        mass = np.full(bodies, float(mass))
        mass[-1] *= top
        inertia = np.zeros((bodies, 6))
        inertia[:, [0, 3, 5]] = 6 / mass[:, None]
        self.x = np.zeros((bodies, 3))
        self.x[:, 2] = np.arange(bodies) + 0.5
        self.axes = np.tile(np.eye(3), (bodies, 1, 1))
        self.mass = mass
        rates = ("velocity", "angular_velocity", "velocity_change", "angular_velocity_change")
        self.columns = carom.Bodies(inverse_mass=1 / mass, inverse_inertia=inertia,
                                    **{name: np.zeros((bodies, 3)) for name in rates})
        points, below = 4 * bodies, np.repeat(np.arange(bodies, dtype=np.int32), 4)
        self.contacts = carom.Contacts(body_a=below, body_b=below - 1, normal=np.zeros((points, 3)),
                                       r_a=np.zeros((points, 3)), r_b=np.zeros((points, 3)), separation=np.zeros(points),
                                       target_velocity=np.zeros(points), friction=0.5, restitution=0.0)
        if keys:
            self.contacts.key = np.arange(1, points + 1, dtype=np.uint64)
        else:
            self.contacts.warm_impulse = np.zeros((points, 3))
        self.touch()
        self.scene = carom.Scene(bodies=self.columns, contacts=self.contacts)
        # PGS without position correction does not read separations. Both scenes share their arrays.
        read = ("body_a", "body_b", "normal", "r_a", "r_b", "target_velocity", "friction", "restitution",
                "key" if keys else "warm_impulse")
        self.scene_of_pgs = carom.Scene(bodies=self.columns, contacts=carom.Contacts(
            **{name: getattr(self.contacts, name) for name in read}))
        self.solver = carom.SceneSolver(threads=1)

    @property
    def velocity(self):
        return self.columns.velocity

    def touch(self):
        """Contacts of the positions of now."""
        up = np.array([(0.0, 0.0, 1.0), *self.axes[:-1, :, 2]])
        below = np.array([(0.0, 0.0, -0.5), *self.x[:-1]])
        arms = np.einsum("nij,kj->nki", self.axes, CORNERS)
        separation = np.einsum("nki,ni->nk", (self.x - below)[:, None] + arms, up) - 0.5
        other = (self.x - below)[:, None] + arms - separation[..., None] * up[:, None]
        other[0] = 0  # The world has no lever arms.
        self.contacts.normal[:] = np.repeat(up, 4, axis=0)
        self.contacts.r_a[:] = arms.reshape(-1, 3)
        self.contacts.r_b[:] = other.reshape(-1, 3)
        self.contacts.separation[:] = separation.ravel()

    def move(self, way, turn):
        self.x += way
        angle = np.linalg.norm(turn, axis=1)
        small = angle < 1e-4
        safe = np.where(small, 1, angle)
        sine = np.where(small, 1 - angle**2 / 6, np.sin(angle) / safe)[:, None, None]
        cosine = np.where(small, 0.5 - angle**2 / 24, (1 - np.cos(angle)) / safe**2)[:, None, None]
        cross = np.zeros((self.bodies, 3, 3))
        cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -turn[:, 2], turn[:, 1], -turn[:, 0]
        cross -= cross.transpose(0, 2, 1)
        self.axes = (np.eye(3) + sine * cross + cosine * cross @ cross) @ self.axes

    def sweep(self, substeps, sweeps=2, warm=1.0, relaxation=1.0, rounds=EXACT, gravity=G):
        """A step of plain warm-started sweeps: each substep is a call of `pgs` without correction of positions and
        without any check."""
        h = H / substeps
        for _ in range(substeps):
            self.touch()
            self.velocity[:, 2] -= gravity * h
            self.contacts.target_velocity[:] = -np.maximum(self.contacts.separation, 0) / h
            self.solver.solve(self.scene_of_pgs, in_place=True, method=carom.Pgs(
                iterations=sweeps, inner_iterations=rounds, warm_start=warm, relaxation=relaxation, tolerance=0))
            self.move(h * self.velocity, h * self.columns.angular_velocity)

    def step(self, results=None, **options):
        """A step of Substeps: direct by default, swept with min_substeps=2."""
        self.touch()
        self.contacts.target_velocity[:] = 0
        self.columns.velocity_change[:, 2] = -G * H
        self.result = self.solver.solve(self.scene, time_step=H, in_place=True, results=results,
                                        method=carom.Substeps(**options))
        self.move(self.result.displacement, self.result.rotation)

    def lean(self):
        """[m] sideways, of the cube that is farthest from its place"""
        return abs(self.x[:, :2]).max()

    def push(self, speed):
        """Sideways, with the shape of a bent cantilever and this speed [m/s] at the top."""
        self.velocity[:, 0] += speed * ((np.arange(self.bodies) + 1) / self.bodies) ** 2

    def bend(self, size):
        """Velocities of the slowest mode of sweeps, the largest of them `size` [m/s]."""
        shape = model.slowest(self.bodies).reshape(-1, 3)
        shape *= size / abs(shape).max()
        self.velocity[:, 0] += shape[:, 0]
        self.velocity[:, 2] += shape[:, 1]
        self.columns.angular_velocity[:, 1] += shape[:, 2] / np.sqrt(model.INERTIA)

    def size(self):
        """Root of twice the kinetic energy, of cubes of 1 kg."""
        return np.sqrt((self.velocity**2).sum() + model.INERTIA * (self.columns.angular_velocity**2).sum())


def lost(bodies, rounds, calls=40):
    """What two sweeps of carom take out of the slowest mode of a loaded tower, as a share of its velocity."""
    tower = Tower(bodies, keys=False)
    tower.contacts.warm_impulse[:, 2] = np.repeat((bodies - np.arange(bodies)) * G * H / 4, 4)
    tower.bend(1e-3)
    sizes = []
    for _ in range(calls):
        tower.velocity[:, 2] -= G * H
        tower.solver.solve(tower.scene_of_pgs, in_place=True,
                           method=carom.Pgs(iterations=2, inner_iterations=rounds, tolerance=0))
        sizes.append(tower.size())
    half = calls // 2
    return 1 - (sizes[-1] / sizes[half]) ** (1 / (calls - 1 - half))


def falls(tower, seconds, step):
    """The time of the fall [s] after a push of 10 mm/s, or 0."""
    for _ in range(30):
        step()
    tower.push(0.01)
    for count in range(int(seconds / H)):
        step()
        if tower.lean() > FALLEN:
            return count * H
    return 0


def swept_fall(bodies, substeps, sweeps, top=1, seconds=60):
    tower = Tower(bodies, top=top)
    return falls(tower, seconds, lambda: tower.sweep(substeps, sweeps, rounds=8))


def top_after_push(tower, step, speed, seconds):
    """Positions of the top [m] in every step after a push, from its place at the push."""
    for _ in range(60):
        step()
    start, found = tower.x[-1, 0], []
    tower.push(speed)
    for _ in range(round(seconds / H)):
        step()
        found.append(tower.x[-1, 0] - start)
        if tower.lean() > 2:
            break
    return np.array(found)


def growth(way, last):
    """[1/s] of an exponential, from the last seconds of it"""
    chosen = way[-round(last / H):]
    return np.polyfit(np.arange(len(chosen)) * H, np.log(abs(chosen)), 1)[0]


def sway(way):
    """[rad/s] of a sine with an offset and a drift, by least squares"""
    times = np.arange(len(way)) * H

    def missed(omega):
        columns = np.array([np.ones_like(times), times, np.cos(omega * times), np.sin(omega * times)]).T
        return np.linalg.lstsq(columns, way, rcond=None)[1][0]

    low, high = 0.05, 10.0
    for _ in range(4):
        tried = np.linspace(low, high, 200)
        best = min(range(200), key=lambda k: missed(tried[k]))
        low, high = tried[max(best - 1, 0)], tried[min(best + 1, 199)]
    return (low + high) / 2


def gaps(write):
    for bodies in (2, 4, 8, 16, 32, 64):
        write("separation", "exact manifolds", bodies, 2, lost(bodies, EXACT))
        write("separation", "one round", bodies, 2, lost(bodies, 1))


def boundaries(write):
    for bodies, numbers in {10: (1, 2), 14: (1, 2, 3), 20: (2, 3, 4), 28: (4, 5, 6), 40: (7, 8, 9),
                            56: (12, 13, 14, 15)}.items():
        for substeps in numbers:
            write("boundary", "substeps", bodies, substeps, swept_fall(bodies, substeps, 2))
    for bodies, numbers in {10: (1, 2, 3), 14: (4, 5, 6, 7), 20: (14, 16, 17, 18), 28: (38, 44, 47, 52)}.items():
        for sweeps in numbers:
            write("boundary", "sweeps", bodies, sweeps, swept_fall(bodies, 1, sweeps))
    for bodies, top, numbers in ((10, 100, (4, 5, 6, 7)), (20, 100, (10, 11, 12, 13)), (20, 10, (3, 4, 5))):
        for substeps in numbers:
            write("heavy top", str(top), bodies, substeps, swept_fall(bodies, substeps, 2, top=top, seconds=40))


def rates(write):
    for substeps in (2, 3, 4, 5, 6, 7):
        tower = Tower(40)
        way = top_after_push(tower, lambda: tower.sweep(substeps, rounds=8), 1e-3, 20)
        write("rate", "growth", 40, substeps, growth(way[abs(way) < 0.2], 4))
    for substeps in (10, 11, 12, 14, 16, 20):
        tower = Tower(40)
        way = top_after_push(tower, lambda: tower.sweep(substeps, rounds=8), 1e-3, 20)
        write("rate", "sway", 40, substeps, sway(way[round(2 / H):]))


SWAYS = {
    "12 swept substeps": lambda tower: tower.sweep(12, rounds=8),
    "20 swept substeps": lambda tower: tower.sweep(20, rounds=8),
    "13 swept with energy check": lambda tower: tower.step(min_substeps=2),
    "20 swept with energy check": lambda tower: tower.step(min_substeps=20, max_substeps=20),
    "direct": lambda tower: tower.step(),
}


def sways(write):
    for name, step in SWAYS.items():
        tower = Tower(60)
        way = top_after_push(tower, lambda: step(tower), 0.1, 30)
        for k in range(5, len(way), 12):
            write("sway", name, 60, (k + 1) * H, way[k])
    for speed in (0.02, 0.05, 0.1, 0.2):
        for name in ("13 swept with energy check", "20 swept with energy check", "direct"):
            tower = Tower(60)
            way = top_after_push(tower, lambda: SWAYS[name](tower), speed, 30)
            write("push " + str(speed), name, 60, len(way) * H, way[-1])


def solves(write):
    """What one direct step takes out of the slowest mode, and where the tower is too tall for it."""
    for bodies in (4, 10, 20, 40, 64, 100, 200):
        tower = Tower(bodies)
        for _ in range(60):
            tower.step()
        tower.bend(1e-4)
        before = tower.size()
        tower.step()
        write("direct step", "carom", bodies, 1, 1 - tower.size() / before)
    for bodies in (500, 550, 600, 800):
        tower = Tower(bodies)
        way = top_after_push(tower, tower.step, 1e-3, 60 if bodies < 600 else 40)
        write("direct tower", "top", bodies, len(way) * H, way[-1])
        if bodies > 500:
            write("direct tower", "growth", bodies, 1, growth(way, 4))
            write("direct tower", "growth of the model", bodies, 1, model.direct_growth(bodies))


def rebounds(write):
    """A cube of M kg at 4.43 m/s on a resting one of 1 kg; ten sweeps a step."""
    speed = np.sqrt(2 * G)
    for warm in (1, 0.85, 0.5, 0):
        for mass in (1, 3, 10, 30, 100, 300, 1000):
            tower = Tower(2, top=mass)
            tower.velocity[1, 2] = -speed
            fastest, deepest = -np.inf, 0
            for _ in range(120):
                tower.sweep(1, 10, warm, gravity=0)
                fastest, deepest = max(fastest, tower.velocity[1, 2]), max(deepest, -tower.contacts.separation.min())
            write("rebound", f"speed {warm}", 2, mass, fastest / speed)
            write("rebound", f"overlap {warm}", 2, mass, deepest)
        tower = Tower(2, top=100)
        tower.velocity[1, 2] = -speed
        for count in range(60):
            tower.sweep(1, 10, warm)
            write("blow", f"warm start {warm}", 2, (count + 1) * H, tower.x[1, 2] - 1.5)
    tower = Tower(2, top=100)
    tower.velocity[1, 2] = -speed
    for count in range(60):
        tower.step()
        write("blow", "direct", 2, (count + 1) * H, tower.x[1, 2] - 1.5)


def relaxations(write):
    for relaxation in (1, 1.2, 1.3, 1.35, 1.4, 1.5):
        tower, farthest = Tower(20), 0
        for _ in range(30):
            tower.sweep(8, 1, relaxation=relaxation, rounds=1)
        tower.push(0.01)
        for _ in range(1200):
            tower.sweep(8, 1, relaxation=relaxation, rounds=1)
            farthest = max(farthest, tower.lean())
            if farthest > FALLEN:
                break
        write("relaxation", "one sweep, one round", 20, relaxation, farthest)


def rests(write):
    """A minute from a cold start, without a push."""
    for bodies in (20, 60, 100):
        for name, options in (("swept with energy check", {"min_substeps": 2}), ("direct", {})):
            tower = Tower(bodies)
            for _ in range(3600):
                tower.step(**options, results=["displacement", "rotation", "island_substeps"])
            write("rest", name, bodies, tower.result.island_substeps[0], tower.lean())


def warm_starts(write):
    """Part of the warm start: how far the top has sunk after 5 s, and the time of the fall."""
    for bodies, substeps in ((20, 8), (40, 12)):
        for warm in (1, 0.95, 0.85):
            tower, fell, sunk = Tower(bodies), 0, 0
            for count in range(1800):
                tower.sweep(substeps, warm=warm, rounds=8)
                if count == 30:
                    tower.push(0.01)
                if count == 299:
                    sunk = bodies - 0.5 - tower.x[-1, 2]
                if tower.lean() > FALLEN:
                    fell = count * H
                    break
            write("warm start", "sunk", bodies, warm, sunk)
            write("warm start", "falls", bodies, warm, fell)


def times():
    """The fastest call at rest [µs], from Python."""
    for bodies in (20, 60, 100, 200):
        enough = int(np.ceil(1.15 * model.substeps_to_stand(bodies)))
        for name, options in (("direct", {}), (f"{enough} substeps, swept", {"min_substeps": enough, "max_substeps": 4096})):
            tower, fastest = Tower(bodies), np.inf
            for _ in range(60):
                tower.step(**options)
            for _ in range(400):
                tower.touch()
                method = carom.Substeps(**options)
                start = time.perf_counter()
                result = tower.solver.solve(tower.scene, time_step=H, in_place=True, method=method)
                fastest = min(fastest, time.perf_counter() - start)
                tower.move(result.displacement, result.rotation)
            print(f"| {bodies} | {name} | {1e6 * fastest:.0f} µs |")


def main(path):
    if path == "--times":
        times()
        return
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("experiment", "series", "bodies", "x", "y"))
        for experiment in (gaps, boundaries, rates, sways, solves, rebounds, relaxations, rests,
                           warm_starts):
            start = time.perf_counter()
            experiment(lambda name, series, bodies, x, y: table.writerow((name, series, bodies, f"{x:.4g}", f"{y + 0.0:.4g}")))
            print(f"{experiment.__name__}  {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
