"""Scenes are solved on the arrays of their bodies and agree with the command."""

import tempfile
import unittest

import carom
import files
import numpy as np


def scene_of(file, rows):
    """Keywords of a scene from rows of a contact file, which name bodies and repeat their states."""
    index = {side: file.numbers(f"body_{side}").astype(np.int32)[rows] for side in "ab"}
    count = max(index["a"].max(), index["b"].max()) + 1
    bodies = {}
    for name in ("inverse_mass", "inverse_inertia", "velocity", "angular_velocity"):
        for side in "ab":
            column = file.column(f"{name}_{side}")[rows]
            to = bodies.setdefault(name, np.zeros((count, *column.shape[1:])))
            real = index[side] >= 0
            to[index[side][real]] = column[real]
    names = ("friction", "restitution", "normal", "r_a", "r_b", "separation", "surface_velocity")
    contacts = {name: column[rows] for name, column in file.columns(*names).items()}
    return bodies, contacts | {"body_a": index["a"], "body_b": index["b"]}


def stack(count, dtype=float):
    """A stack of boxes of 1 m and 1 kg on the ground, with velocities of a free fall for 1/60 s."""
    n = 4 * count
    corners = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    body = np.repeat(np.arange(count), 4)
    arm = np.tile(np.column_stack([corners, np.full(4, -0.5)]), (count, 1))
    contacts = {
        "body_a": body.astype(np.int32),
        "body_b": (body - 1).astype(np.int32),
        "normal": np.tile([0, 0, 1], (n, 1)).astype(dtype),
        "r_a": arm.astype(dtype),
        "r_b": np.where(body[:, None] == 0, 0, arm + [0, 0, 1]).astype(dtype),
        "friction": 0.5,
        "restitution": 0.0,
        "separation": 0.0,
    }
    velocity = np.zeros((count, 3), dtype)
    velocity[:, 2] = -9.81 / 60
    bodies = {
        "inverse_mass": np.ones(count, dtype),
        "inverse_inertia": 6 * np.eye(3, dtype=dtype),
        "velocity": velocity,
        "angular_velocity": np.zeros((count, 3), dtype),
    }
    return bodies, contacts


class TheCommandsAnswers(unittest.TestCase):
    def compare(self, method, *options, **keywords):
        path = files.ROOT / "examples/scene/contacts.csv"
        file = files.File(path)
        with tempfile.TemporaryDirectory() as folder:
            expected = files.solved_by_command(path, folder, "--scene", "--method", method, *options)
        steps = file.numbers("scene_step")
        for step in np.unique(steps)[:6]:
            rows = steps == step
            bodies, contacts = scene_of(file, rows)
            # The command reads the gap for methods that correct overlaps; the default is 0.
            result = carom.SceneSolver().solve(bodies=bodies, contacts=contacts, method=method, **keywords)
            np.testing.assert_array_equal(result.impulse, expected.column("impulse")[rows], f"{method} {step}")
            np.testing.assert_array_equal(result.status, [carom.Status[s] for s in np.array(expected.text["status"])[rows]])
            a = contacts["body_a"]
            b = contacts["body_b"]
            for side, body in (("a", a), ("b", b)):
                for name in ("velocity", "angular_velocity"):
                    after = expected.column(f"new_{name}_{side}")[rows][body >= 0]
                    np.testing.assert_array_equal(getattr(result, name)[body[body >= 0]], after, f"{method} {step} {name}")

    def test_pgs(self):
        self.compare("pgs")

    def test_iteration(self):
        self.compare("iteration")

    def test_resting(self):
        self.compare("resting", "--time-step", "0.01", time_step=0.01)

    def test_sequence(self):
        self.compare("sequential-impacts")

    def test_step(self):
        self.compare("step", "--time-step", "0.01", time_step=0.01)

    def test_ncp(self):
        self.compare("ncp")

    def test_substeps(self):
        self.compare("substeps", "--time-step", "0.01", time_step=0.01)


class Stepping(unittest.TestCase):
    def test_a_stack_stays_and_its_velocities_are_replaced_in_place(self):
        bodies, contacts = stack(3)
        velocity = bodies["velocity"]
        scene = carom.Scene(bodies=carom.Bodies(**bodies), contacts=carom.AnyContacts(**contacts))
        solver = carom.SceneSolver()
        result = solver.solve(scene, iterations=1000, in_place=True)
        self.assertIs(result.velocity, velocity)
        # Converged to 1e-6 of the approach at 0.16 m/s; three boxes keep a little more than this.
        self.assertEqual(result.report.not_converged, 0)
        self.assertLess(abs(velocity).max(), 1e-5)
        # The ground carries three boxes: 3 m g H.
        self.assertAlmostEqual(result.impulse[:4, 2].sum(), 3 * 9.81 / 60, delta=1e-5)
        velocity[:, 2] -= 9.81 / 60
        again = solver.solve(scene, iterations=1000, in_place=True)
        self.assertTrue(again.report.same_graph)

    def test_float32_and_float64_agree(self):
        double = carom.SceneSolver().solve(**dict(zip(("bodies", "contacts"), stack(3))), iterations=100)
        single = carom.SceneSolver().solve(**dict(zip(("bodies", "contacts"), stack(3, np.float32))), iterations=100)
        self.assertEqual(single.velocity.dtype, np.float32)
        # 24 bits for impulses of 0.5 N s, over a hundred iterations.
        np.testing.assert_allclose(single.impulse, double.impulse, atol=1e-5)

    def test_a_sequence_has_options_and_laws_of_its_own(self):
        bodies, contacts = stack(2)
        solver = carom.SceneSolver(threads=1)
        result = solver.solve(bodies=bodies, contacts=contacts, method="sequential-impacts", law="frictionless", impacts=50)
        self.assertEqual(result.report.method, "sequential-impacts")
        with self.assertRaisesRegex(TypeError, "solve has no argument or column 'time_step'"):
            solver.solve(bodies=bodies, contacts=contacts, method="sequential-impacts", time_step=0.1)
        with self.assertRaisesRegex(carom.Error, "time_step"):
            solver.solve(bodies=bodies, contacts=contacts, method="substeps")

    def test_islands(self):
        bodies, contacts = stack(3)
        result = carom.SceneSolver().solve(bodies=bodies, contacts=contacts, results=["island", "island_iterations", "island_status"])
        self.assertEqual(result.island.tolist(), [0] * 12)
        self.assertEqual(result.island_iterations.shape, (1,))


class Joints(unittest.TestCase):
    def pendulum(self):
        return {
            "inverse_mass": np.ones(1),
            "inverse_inertia": np.zeros((1, 6)),
            "velocity": np.array([[0.0, 0.0, -1.0]]),
            "angular_velocity": np.zeros((1, 3)),
        }

    def test_a_ball_joint_holds_a_point(self):
        joints = carom.ball_joint(a=0, b=-1)
        self.assertEqual(joints.shape, (3,))
        result = carom.SceneSolver().solve(bodies=self.pendulum(), joints=joints, iterations=50)
        np.testing.assert_allclose(result.velocity, 0, atol=1e-6)
        np.testing.assert_allclose(result.joint_impulse, [0, 0, 1], atol=1e-6)

    def test_rows_are_arrays_that_can_be_changed_and_joined(self):
        rows = np.concatenate([
            carom.hinge(a=0, axis=(0, 0, 1)),
            carom.motor(a=0, axis=(0, 0, 1), speed=2.0, largest=1.0),
            carom.slider(a=0, axis=(1, 0, 0)),
            carom.fixed_joint(a=0),
            carom.distance_joint(a=0, direction=(0, 0, 1)),
            carom.linear_motor(a=0, axis=(0, 0, 1), speed=1.0, largest=1.0),
        ])
        self.assertEqual(len(rows), 5 + 1 + 5 + 6 + 1 + 1)
        self.assertEqual(rows["target_velocity"][5], 2.0)
        rows = carom.distance_joint(a=0, direction=(0, 0, -1))
        rows["max_impulse"] = 0.25
        result = carom.SceneSolver().solve(bodies=self.pendulum(), joints=rows)
        # The row needs 1 N s and is limited to a quarter of it. It pushes A along the direction, as does the fall.
        self.assertEqual(result.joint_status.tolist(), [carom.Status.ok])
        self.assertLessEqual(result.joint_impulse[0], 0.25)
        with self.assertRaisesRegex(carom.Error, "axis"):
            carom.hinge(a=0, axis=(0, 0, 0))
        for wrong, why in (
            ({"a": "x"}, "a is 'x', not a whole number"), ({"a": 2**40}, "a is 1099511627776, beyond"), ({"axis": None}, "axis is None"),
            ({"axis": 3}, "axis is 3, not three numbers"), ({"axis": (0, 1)}, r"axis is \(0, 1\), not three"),
            ({"axis": "abc"}, r"axis\[0\] is 'a', not a number"), ({"dtype": "f"}, "dtype is 'f'"), ({"speed": "x"}, "speed is 'x'"),
        ):  # fmt: skip
            with self.assertRaisesRegex(carom.Error, why):
                carom.motor(**{"a": 0, "axis": (0, 0, 1), "speed": 1, "largest": 1} | wrong)


class Errors(unittest.TestCase):
    def test_columns_are_named(self):
        bodies, contacts = stack(2)
        solver = carom.SceneSolver()
        with self.assertRaisesRegex(carom.Error, "column contacts.gap has 3 elements, but contacts.body_a has 8"):
            solver.solve(bodies=bodies, contacts=contacts | {"separation": np.zeros(3)})
        with self.assertRaisesRegex(carom.Error, "column bodies.velocity is missing"):
            solver.solve(bodies={name: column for name, column in bodies.items() if name != "velocity"}, contacts=contacts)
        with self.assertRaisesRegex(TypeError, "contacts has no argument or column 'lever'"):
            carom.Scene(bodies=bodies, contacts=contacts | {"lever": 1})
        with self.assertRaisesRegex(carom.Error, "column bodies.velocity is no array of the caller's"):
            solver.solve(bodies=bodies | {"velocity": (0.0, 0.0, 0.0)}, contacts=contacts, in_place=True)

    def test_arguments_are_named(self):
        bodies, contacts = stack(2)
        solver = carom.SceneSolver()
        for wrong in 3, {"bodies": bodies}, carom.Bodies(**bodies):
            with self.assertRaisesRegex(carom.Error, "scene is .*, not a carom.Scene"):
                solver.solve(wrong)
            with self.assertRaisesRegex(carom.Error, "scene is .*, not a carom.Scene"):
                carom.Mechanisms(wrong)
        with self.assertRaisesRegex(carom.Error, "a scene needs bodies"):
            solver.solve(None)
        for wrong, why in ({"method": 3}, "method is 3, not a name: sim"), ({"in_place": "yes"}, "in_place is 'yes'"), (
            {"iterations": 10**20}, "iterations is 10+, beyond"), ({"method": "resting", "gravity": 3}, "gravity is 3, not three numbers"):  # fmt: skip
            with self.assertRaisesRegex(carom.Error, why):
                solver.solve(bodies=bodies, contacts=contacts, **wrong)
        mechanisms = carom.Mechanisms(carom.Scene(bodies=bodies, contacts=contacts))
        with self.assertRaisesRegex(carom.Error, "index is -1"):
            mechanisms.contact(-1)
        with self.assertRaisesRegex(carom.Error, "contact is 3"):
            mechanisms.apply(3, (0, 0, 1))

    def test_a_saved_state_is_restored(self):
        bodies, contacts = stack(5, np.float32)
        contacts["key"] = np.arange(1, 21, dtype=np.uint64)
        solver = carom.SceneSolver()
        step = lambda of: of.solve(bodies=bodies, contacts=contacts, iterations=3).impulse
        step(solver)
        state = solver.save()
        self.assertIsInstance(state, bytes)
        expected = step(solver)
        self.assertNotEqual(solver.save(), state)
        other = carom.SceneSolver()
        for restored in solver, other:
            restored.restore(state)
            self.assertEqual(restored.save(), state)
            np.testing.assert_array_equal(step(restored), expected)
        with self.assertRaisesRegex(carom.Error, "bytes, not"):
            solver.restore(state[:-1])
        with self.assertRaises(TypeError):
            solver.restore(3)

    def test_a_step_may_have_no_contacts(self):
        bodies, contacts = stack(2)
        for empty in [], np.array([]):
            none = {name: empty for name in contacts}
            result = carom.SceneSolver().solve(bodies=bodies, contacts=none)
            np.testing.assert_array_equal(result.velocity, bodies["velocity"])
            self.assertEqual(result.impulse.shape, (0, 3))


if __name__ == "__main__":
    unittest.main()
