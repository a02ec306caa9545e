"""Scenes are solved on the arrays of their bodies and agree with the command."""

import dataclasses
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


#: Options of a step under gravity.
STEP = {"time_step": 1 / 60, "gravity": (0, 0, -9.81)}


def stack(count, dtype=float):
    """A stack of boxes of 1 m and 1 kg at rest on the ground."""
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
    }
    bodies = {
        "inverse_mass": np.ones(count, dtype),
        "inverse_inertia": 6 * np.eye(3, dtype=dtype),
        "velocity": np.zeros((count, 3), dtype),
        "angular_velocity": np.zeros((count, 3), dtype),
    }
    return bodies, contacts


class TheCommandsAnswers(unittest.TestCase):
    def compare(self, name, *options, **keywords):
        path = files.ROOT / "examples/scene/contacts.csv"
        file = files.File(path)
        with tempfile.TemporaryDirectory() as folder:
            expected = files.solved_by_command(path, folder, "--scene", "--method", name, *options)
        steps = file.numbers("scene_step")
        for step in np.unique(steps)[:6]:
            rows = steps == step
            bodies, contacts = scene_of(file, rows)
            # The file has columns for all methods.
            result = carom.solve_scene(bodies, contacts, select=True, **{"method": name} | keywords)
            np.testing.assert_array_equal(result.impulse, expected.column("impulse")[rows], f"{name} {step}")
            np.testing.assert_array_equal(result.status, [carom.Status[s] for s in np.array(expected.text["status"])[rows]])
            a = contacts["body_a"]
            b = contacts["body_b"]
            for side, body in (("a", a), ("b", b)):
                for column in ("velocity", "angular_velocity"):
                    after = expected.column(f"new_{column}_{side}")[rows][body >= 0]
                    np.testing.assert_array_equal(getattr(result, column)[body[body >= 0]], after, f"{options} {step} {column}")

    def test_pgs(self):
        self.compare("pgs")

    def test_position_correction(self):
        corrected = carom.Pgs(position_correction=carom.PositionCorrection())
        self.compare("pgs", "--position-correction", "--time-step", "0.01", method=corrected, time_step=0.01)

    def test_sequential_impacts(self):
        self.compare("sequential-impacts")

    def test_bender_schmitt(self):
        self.compare("bender-schmitt", "--time-step", "0.01", time_step=0.01)
        self.compare("bender-schmitt", "--phase", "collisions", method=carom.BenderSchmitt(phase="collisions"))
        resting = carom.BenderSchmitt(phase="resting")
        self.compare("bender-schmitt", "--phase", "resting", "--time-step", "0.01", method=resting, time_step=0.01)

    def test_ncp(self):
        self.compare("ncp")
        self.compare("ncp", "--tolerance", "1e-4", method=carom.Ncp(tolerance=1e-4))

    def test_substeps(self):
        self.compare("substeps", "--time-step", "0.01", time_step=0.01)


class Stepping(unittest.TestCase):
    def test_a_stack_stays_and_its_velocities_are_replaced_in_place(self):
        bodies, contacts = stack(3)
        velocity = bodies["velocity"]
        scene = carom.Scene(bodies=carom.Bodies(**bodies), contacts=carom.Contacts(**contacts))
        solver = carom.SceneSolver()
        result = solver.solve(scene, method=carom.Pgs(iterations=1000), in_place=True, **STEP)
        self.assertIs(result.velocity, velocity)
        # Converged to 1e-6 of the approach at 0.16 m/s; three boxes keep a little more than this.
        self.assertEqual(result.report.not_converged, 0)
        self.assertLess(abs(velocity).max(), 1e-5)
        # The ground carries three boxes: 3 m g H.
        self.assertAlmostEqual(result.impulse[:4, 2].sum(), 3 * 9.81 / 60, delta=1e-5)
        again = solver.solve(scene, method=carom.Pgs(iterations=1000), in_place=True, **STEP)
        self.assertTrue(again.report.same_graph)

    def test_float32_and_float64_agree(self):
        options = {"method": carom.Pgs(iterations=100)} | STEP
        double = carom.solve_scene(*stack(3), **options)
        single = carom.solve_scene(*stack(3, np.float32), **options)
        self.assertEqual(single.velocity.dtype, np.float32)
        # 24 bits for impulses of 0.5 N s, over a hundred iterations.
        np.testing.assert_allclose(single.impulse, double.impulse, atol=1e-5)

    def test_a_stack_stands_under_the_default_method(self):
        result = carom.solve_scene(*stack(3), **STEP)
        self.assertEqual(result.report.method, "substeps")
        self.assertLess(abs(result.displacement).max(), 1e-6)
        self.assertRegex(str(result.report), r"^12 contacts: 12 ok; 1 island, residual \de-\d\d m/s, \d+ substeps?$")
        self.assertTrue(result.report.ok)

    def test_sequential_impacts_have_laws(self):
        bodies, contacts = stack(2)
        solver = carom.SceneSolver(threads=1)
        method = carom.SequentialImpacts(law="frictionless", max_impacts=50)
        result = solver.solve(bodies=bodies, contacts=contacts, method=method, **STEP)
        self.assertEqual(result.report.method, "sequential-impacts")
        self.assertEqual(abs(result.impulse[:, :2]).max(), 0)
        with self.assertRaisesRegex(carom.Error, "time_step is 0"):
            solver.solve(bodies=bodies, contacts=contacts)

    def test_methods_have_options(self):
        bodies, contacts = stack(3)
        loose, tight = (carom.solve_scene(bodies, contacts, method=carom.Ncp(tolerance=t), **STEP) for t in (1e-2, 1e-10))
        self.assertLess(tight.report.relative_error, 1e-10)
        self.assertLessEqual(loose.report.relative_error, 1e-2)
        self.assertRegex(str(tight.report), r"^12 contacts: 12 ok; 1 island, relative error \de-\d\d, \d+ iterations?$")
        by_name = carom.solve_scene(bodies, contacts, method="ncp", **STEP)
        np.testing.assert_array_equal(by_name.impulse, carom.solve_scene(bodies, contacts, method=carom.Ncp(), **STEP).impulse)
        # Every option of every class reaches the library: a value out of range is an error that names it.
        for cls in carom.Substeps, carom.Pgs, carom.Ncp, carom.SequentialImpacts, carom.BenderSchmitt, carom.PositionCorrection:
            for field in dataclasses.fields(cls):
                if field.type not in ("int", "float") or field.name == "seed":
                    continue
                made = method = cls(**{field.name: -1})
                if cls is carom.PositionCorrection:
                    method = carom.Substeps(position_correction=made)
                with self.assertRaisesRegex(carom.Error, rf"option [a-z_.]*{field.name} is -1, not in"):
                    carom.solve_scene(bodies, contacts, method=method, **STEP)

    def test_position_correction_pushes_bodies_apart(self):
        bodies, contacts = stack(1)
        contacts["separation"] = -0.1
        plain = carom.Pgs(position_correction=carom.PositionCorrection(max_speed=0.5))
        for method in plain, carom.Substeps(position_correction=carom.PositionCorrection(max_speed=0.5)):
            result = carom.solve_scene(bodies, contacts, method=method, **STEP)
            self.assertAlmostEqual(result.displacement[0, 2], 0.5 / 60, delta=1e-3)
        with self.assertRaisesRegex(carom.Error, "contacts.separation is not read by the method pgs without position_correction"):
            carom.solve_scene(bodies, contacts, method=carom.Pgs(), **STEP)
        ignored = carom.solve_scene(bodies, contacts, method=carom.Pgs(), select=True, **STEP)
        self.assertLess(abs(ignored.velocity).max(), 1e-5)

    def test_solve_scene_remembers_nothing(self):
        bodies, contacts = stack(5)
        options = {"method": carom.Pgs(iterations=2)} | STEP
        first = carom.solve_scene(bodies, contacts, **options)
        np.testing.assert_array_equal(carom.solve_scene(bodies, contacts, **options).impulse, first.impulse)
        with self.assertRaisesRegex(carom.Error, "contacts.key is for carom.SceneSolver"):
            carom.solve_scene(bodies, contacts | {"key": np.arange(1, 21, dtype=np.uint64)}, **options)
        with self.assertRaisesRegex(TypeError, "contacts is given twice"):
            carom.solve_scene(bodies, contacts, contacts=contacts, **options)

    def test_islands(self):
        bodies, contacts = stack(3)
        result = carom.SceneSolver().solve(bodies=bodies, contacts=contacts, method="pgs", results=["island", "island_algorithm", "island_iterations", "island_status"], **STEP)
        self.assertEqual(result.island.tolist(), [0] * 12)
        self.assertEqual(result.island_iterations.shape, (1,))
        self.assertEqual(carom.IslandAlgorithm(result.island_algorithm[0]).name, "pgs")
        self.assertIn(carom.IslandStatus(result.island_status[0]).name, ("converged", "not_converged"))


class ColumnsOfMethods(unittest.TestCase):
    METHODS = (carom.Substeps(), carom.Pgs(), carom.Pgs(position_correction=carom.PositionCorrection()), carom.Ncp(),
               carom.SequentialImpacts(), carom.BenderSchmitt(), carom.BenderSchmitt(phase="collisions"))  # fmt: skip

    @staticmethod
    def scene():
        """A scene with columns of all methods."""
        bodies, contacts = stack(2)
        bodies["velocity"][:, 0] = 1
        contacts |= {"static_friction": 0.6, "friction_2": 0.4, "friction_direction": (1.0, 0, 0), "rolling_friction": 0.01, "separation": -0.001,
                     "slop": 0.002, "law": "smith", "key": np.arange(1, 9, dtype=np.uint64)}  # fmt: skip
        return {"bodies": bodies, "contacts": contacts, "joints": carom.distance_joint(a=1, direction=(0, 1, 0))}

    def test_are_selected_for_each_method(self):
        for method in self.METHODS:
            scene = self.scene()
            solve = carom.SceneSolver(threads=1).solve
            with self.assertRaisesRegex(carom.Error, "is not read by the method"):
                solve(**scene, method=method, **STEP)
            selected = carom.select(method, **scene)
            self.assertEqual(list(selected), ["bodies", "contacts", "joints"])
            self.assertIs(selected["bodies"]["velocity"], scene["bodies"]["velocity"])
            self.assertEqual("law" in selected["contacts"], isinstance(method, carom.SequentialImpacts))
            result = solve(**selected, method=method, **STEP)
            expected = carom.SceneSolver(threads=1).solve(**scene, method=method, select=True, **STEP)
            self.assertTrue(expected.report.ok, f"{method}: {expected.report}")
            np.testing.assert_array_equal(result.impulse, expected.impulse, str(method))
            np.testing.assert_array_equal(result.velocity, expected.velocity, str(method))
            np.testing.assert_array_equal(result.joint_impulse, expected.joint_impulse, str(method))
            # Rows of joints have keys of 0, which are no names.
            selected["contacts"].pop("key", None)
            alone = carom.solve_scene(**selected, method=method, **STEP)
            np.testing.assert_array_equal(alone.impulse, expected.impulse, str(method))

    def test_are_those_of_any_form(self):
        scene = self.scene()
        for contacts in carom.Contacts(**scene["contacts"]), scene["contacts"]:
            self.assertNotIn("slop", carom.select("ncp", contacts=contacts)["contacts"])
            self.assertIn("slop", carom.select(contacts=contacts)["contacts"])
        self.assertEqual(carom.select("pgs"), {})
        self.assertEqual(carom.select("pgs", scene["bodies"]), {"bodies": scene["bodies"]})
        self.assertIn("key", carom.select("pgs", joints=scene["joints"])["joints"])
        self.assertNotIn("position_error", carom.select("pgs", joints=scene["joints"])["joints"])

    def test_misuse_is_an_error(self):
        for wrong, why in (
            (lambda: carom.select("pgz"), "did you mean 'pgs'"),
            (lambda: carom.select("pgs", contact={}), "did you mean 'contacts'"),
            (lambda: carom.select("pgs", contacts={"seperation": 1}), "did you mean 'separation'"),
            (lambda: carom.select("pgs", {}, bodies={}), "bodies is given twice"),
            (lambda: carom.select("pgs", {}, {}, {}, {}), "has 4 positional arguments: method, bodies, contacts, joints"),
        ):
            with self.assertRaisesRegex(carom.Error, why):
                wrong()

    def test_keys_of_rows_are_for_a_solver(self):
        rows = carom.distance_joint(a=0, direction=(0, 1, 0))
        joints = carom.select("pgs", joints=rows)["joints"]
        joints["key"] = np.ones(1, np.uint64)
        with self.assertRaisesRegex(carom.Error, "joints.key is for carom.SceneSolver"):
            carom.solve_scene(stack(1)[0], joints=joints, method="pgs", time_step=0.01)


class Reserve(unittest.TestCase):
    def test_results_stay(self):
        bodies, contacts = stack(3)
        expected = carom.SceneSolver().solve(bodies=bodies, contacts=contacts, **STEP)
        for dtype in "float64", "float32":
            solver = carom.SceneSolver()
            self.assertIsNone(solver.reserve(3, 12, 6, dtype=dtype, **STEP))
            solver.reserve(bodies=3, contacts=12, method=carom.Pgs())
            np.testing.assert_array_equal(solver.solve(bodies=bodies, contacts=contacts, **STEP).impulse, expected.impulse)

    def test_misuse_is_an_error(self):
        solver = carom.SceneSolver()
        for wrong, why in (
            ({"bodies": -1}, "bodies is -1"),
            ({"contacts": 1.5}, "contacts is 1.5, not a whole number"),
            ({"bodies": 2**40}, "2147483647"),
            ({"dtype": "f4"}, "dtype is 'f4', not 'float32' or 'float64'"),
            ({"contact": 3}, "did you mean 'contacts'"),
            ({"iterations": 3}, "it is an option of carom.Substeps, carom.Pgs"),
            ({"time_step": 0}, "time_step is 0"),
        ):
            with self.assertRaisesRegex(carom.Error, why):
                solver.reserve(**STEP | wrong)


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
        for options in {"method": carom.Pgs(iterations=50)}, {"time_step": 0.01}:
            result = carom.solve_scene(self.pendulum(), joints=joints, **options)
            np.testing.assert_allclose(result.velocity, 0, atol=1e-6)
            np.testing.assert_allclose(result.joint_impulse, [0, 0, 1], atol=1e-6)

    def test_a_position_error_is_not_ignored(self):
        # Rows of joints have columns for all methods; neutral ones may be omitted.
        joints = carom.ball_joint(a=0, b=-1)
        for method in "pgs", "ncp", "sequential-impacts", "bender-schmitt":
            carom.solve_scene(self.pendulum(), joints=joints, time_step=0.01, method=method)
        joints["position_error"][2] = 0.1
        soft = carom.Substeps(position_correction=carom.PositionCorrection(joint_frequency=5.0))
        with self.assertRaisesRegex(carom.Error, "joint_frequency is 5, but is not read together with the column joints.frequency"):
            carom.solve_scene(self.pendulum(), joints=joints, method=soft, time_step=0.01)
        with self.assertRaisesRegex(carom.Error, "joints.position_error is not read by the method pgs"):
            carom.solve_scene(self.pendulum(), joints=joints, method="pgs")
        by_name = {name: joints[name] for name in joints.dtype.names}
        with self.assertRaisesRegex(carom.Error, "joints.key is|joints.position_error is not read"):
            carom.solve_scene(self.pendulum(), joints=by_name, method="pgs")
        carom.solve_scene(self.pendulum(), joints=joints, method="pgs", select=True)

    def test_rows_are_arrays_that_can_be_changed_and_joined(self):
        rows = np.concatenate([
            carom.hinge(a=0, axis=(0, 0, 1)),
            carom.motor(a=0, axis=(0, 0, 1), speed=2.0, max_impulse=1.0),
            carom.slider(a=0, axis=(1, 0, 0)),
            carom.fixed_joint(a=0),
            carom.distance_joint(a=0, direction=(0, 0, 1)),
            carom.linear_motor(a=0, axis=(0, 0, 1), speed=1.0, max_impulse=1.0),
        ])
        self.assertEqual(len(rows), 5 + 1 + 5 + 6 + 1 + 1)
        self.assertEqual(rows["target_velocity"][5], 2.0)
        rows = carom.distance_joint(a=0, direction=(0, 0, -1))
        rows["max_impulse"] = 0.25
        result = carom.SceneSolver().solve(bodies=self.pendulum(), joints=rows, method="pgs")
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
                carom.motor(**{"a": 0, "axis": (0, 0, 1), "speed": 1, "max_impulse": 1} | wrong)


class Errors(unittest.TestCase):
    def test_columns_are_named(self):
        bodies, contacts = stack(2)
        solver = carom.SceneSolver()
        with self.assertRaisesRegex(carom.Error, "column contacts.separation has 3 elements, but contacts.body_a has 8"):
            solver.solve(bodies=bodies, contacts=contacts | {"separation": np.zeros(3)})
        with self.assertRaisesRegex(carom.Error, "column bodies.velocity is missing"):
            solver.solve(bodies={name: column for name, column in bodies.items() if name != "velocity"}, contacts=contacts)
        with self.assertRaisesRegex(TypeError, r"contacts has no argument or column 'seperation'; did you mean 'separation'\?"):
            carom.Scene(bodies=bodies, contacts=contacts | {"seperation": 0.0})
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
        for wrong, why in (
            ({"method": 3}, r"method is 3, not carom.Substeps\(\) or the like, or a name: substeps, pgs"),
            ({"method": carom.Ncp}, "method is <class .*, not carom.Substeps"),
            ({"method": "npc"}, r"method is 'npc', none of substeps, .*; did you mean 'ncp'\?"),
            ({"in_place": "yes"}, "in_place is 'yes'"), ({"gravity": 3}, "gravity is 3, not three numbers"),
            ({"method": carom.Pgs(iterations=10**20)}, "option pgs.iterations is 10+, beyond"),
            ({"method": carom.Pgs(warm_start=None)}, "option pgs.warm_start is None, not a number"),
            ({"method": carom.SequentialImpacts(law="smit")}, r"sequential_impacts.law is 'smit', .*; did you mean 'smith'\?"),
            ({"method": carom.Pgs(position_correction=3)}, "pgs.position_correction is 3, not a carom.PositionCorrection"),
            ({"method": carom.Substeps(position_correction=None)}, "position_correction is None, not a carom.PositionCorrection"),
            ({"method": carom.Pgs(position_correction=carom.PositionCorrection(slop="x"))}, "pgs.position_correction.slop is 'x'"),
            ({"timestep": 0.1}, r"SceneSolver.solve has no argument or column 'timestep'; did you mean 'time_step'\?"),
            ({"iterations": 3}, "'iterations'; it is an option of carom.Substeps, carom.Pgs$"),
            ({"slop": 3}, "'slop'; it is an option of carom.PositionCorrection$"),
        ):  # fmt: skip
            with self.assertRaisesRegex(carom.Error, why):
                solver.solve(bodies=bodies, contacts=contacts, **wrong)
        for make, why in (
            (lambda: carom.Pgs(iteration=3), r"Pgs has no option 'iteration'; did you mean 'iterations'\?"),
            (lambda: carom.Ncp(max_substeps=3), "Ncp has no option 'max_substeps'; it is an option of carom.Substeps"),
            (lambda: carom.Pgs(slop=0.1), "Pgs has no option 'slop'; it is an option of carom.PositionCorrection"),
        ):  # fmt: skip
            with self.assertRaisesRegex(carom.ArgumentError, why):
                make()
        with self.assertRaises(dataclasses.FrozenInstanceError):
            carom.Pgs().iterations = 3
        mechanisms = carom.Mechanisms(carom.Scene(bodies=bodies, contacts=contacts))
        with self.assertRaisesRegex(carom.Error, "index is -1"):
            mechanisms.contact(-1)
        with self.assertRaisesRegex(carom.Error, "contact is 3"):
            mechanisms.apply(3, (0, 0, 1))

    def test_a_saved_state_is_restored(self):
        bodies, contacts = stack(5, np.float32)
        contacts["key"] = np.arange(1, 21, dtype=np.uint64)
        solver = carom.SceneSolver()
        step = lambda of: of.solve(bodies=bodies, contacts=contacts, method=carom.Pgs(iterations=3), **STEP).impulse
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
            result = carom.SceneSolver().solve(bodies=bodies, contacts=none, time_step=0.01)
            np.testing.assert_array_equal(result.velocity, bodies["velocity"])
            self.assertEqual(result.impulse.shape, (0, 3))


if __name__ == "__main__":
    unittest.main()
