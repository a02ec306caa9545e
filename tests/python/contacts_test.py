"""solve, check and differentiate accept every form of contacts without conversion and agree with the library."""

import pathlib
import pickle
import tempfile
import threading
import time
import unittest

import carom
import files
import numpy as np


def same_bits(test, a, b, message=""):
    a, b = np.asarray(a), np.asarray(b)
    test.assertEqual(a.shape, b.shape, message)
    # Equal numbers, where zeros of either sign are equal and NaN equals NaN.
    np.testing.assert_array_equal(a, b, message)


def spaces(count, seed=1, dtype=float):
    """Contacts in contact space, with matrices that are positive definite by construction."""
    draw = np.random.default_rng(seed)
    half = draw.normal(size=(count, 3, 3))
    return {
        "k": (half @ half.transpose(0, 2, 1) + 0.1 * np.eye(3)).astype(dtype),
        "separation_velocity": (draw.normal(size=(count, 3)) - [0, 0, 1]).astype(dtype),
        "friction": draw.uniform(0, 1, count).astype(dtype),
        "restitution": draw.uniform(0, 1, count).astype(dtype),
    }


OF_BODIES = ("velocity_a", "angular_velocity_a", "velocity_b", "angular_velocity_b")


class TheCommandsAnswers(unittest.TestCase):
    def compare(self, name, solve, form=dict, needed=("impulse",)):
        with tempfile.TemporaryDirectory() as folder:
            expected = files.solved_by_command(files.GOLDEN / name, folder, "--details")
        result = solve(**form(files.File(files.GOLDEN / name).contacts()))
        names = {"impulse": ("impulse", "p"), "separation_velocity": ("u", "new_separation_velocity")}
        for side in "ab":
            names[f"velocity_{side}"] = (f"new_velocity_{side}",)
            names[f"angular_velocity_{side}"] = (f"new_angular_velocity_{side}",)
        compared = set()
        for mine, theirs in names.items():
            columns = [column for column in map(expected.column, theirs) if column is not None]
            if columns and mine in result.__dict__:
                same_bits(self, getattr(result, mine), columns[0].astype(getattr(result, mine).dtype), f"{name} {mine}")
                compared.add(mine)
        self.assertLessEqual({"impulse", *needed}, compared)
        statuses = [carom.Status[status] for status in expected.text["status"]]
        same_bits(self, result.status, np.array(statuses, np.uint8))

    def test_bodies(self):
        self.compare("bodies3d.csv", carom.solve, needed=OF_BODIES)

    def test_bodies_by_index(self):
        self.compare("bodies3d.csv", carom.solve, files.by_index, needed=OF_BODIES)

    def test_bodies_in_the_plane(self):
        draw = np.random.default_rng(4)
        count = 40

        def body():
            inertia, spin = draw.uniform(1, 9, count), draw.normal(size=count)
            mass, velocity = draw.uniform(0.5, 2, count), draw.normal(size=(count, 2))
            return {"inverse_mass": mass, "inverse_inertia": inertia, "velocity": velocity, "angular_velocity": spin}

        angle = draw.uniform(0, 2 * np.pi, count)
        pairs = {
            "friction": draw.uniform(0, 1, count),
            "restitution": draw.uniform(0, 1, count),
            "normal": np.column_stack([np.cos(angle), np.sin(angle)]),
            "r_a": draw.normal(size=(count, 2)),
            "r_b": draw.normal(size=(count, 2)),
            "a": body(),
            "b": body(),
        }
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plane.csv"
            files.write(path, pairs)
            for form in dict, files.by_index:
                self.compare(path, carom.solve_planar, form, needed=OF_BODIES)

    def test_contact_space_under_the_incremental_law(self):
        self.compare("incremental3d.csv", carom.solve)

    def test_contact_space_of_files_with_parameters_of_other_laws(self):
        def solve(**contacts):
            with self.assertRaisesRegex(carom.Error, "not read by the law incremental"):
                carom.solve(**contacts)
            return carom.solve(**contacts, select=True)

        self.compare("algebraic3d.csv", solve)

    def test_laws_in_the_plane(self):
        self.compare("planar.csv", carom.solve_planar)

    def test_float32(self):
        file = files.File(files.GOLDEN / "incremental3d.csv")
        contacts = {name: c.astype(np.float32) if isinstance(c, np.ndarray) else c for name, c in file.contacts().items()}
        with tempfile.TemporaryDirectory() as folder:
            expected = files.solved_by_command(files.GOLDEN / "incremental3d.csv", folder, "--precision", "float")
        result = carom.solve(**contacts)
        self.assertEqual(result.impulse.dtype, np.float32)
        same_bits(self, result.impulse, expected.column("p").astype(np.float32))


class Forms(unittest.TestCase):
    def test_the_immovable_world_is_b_where_there_is_none(self):
        contacts = files.File(files.GOLDEN / "bodies3d.csv").contacts()
        world = {name: np.zeros_like(column) for name, column in contacts["b"].items()}
        alone = {name: column for name, column in contacts.items() if name not in ("b", "r_b")}
        same_bits(self, carom.solve(**alone).impulse, carom.solve(**contacts | {"b": world}).impulse)
        with self.assertRaisesRegex(carom.Error, "r_b: body B is absent"):
            carom.solve(**alone, r_b=contacts["r_b"])

    def test_bodies_may_have_keywords(self):
        contacts = files.File(files.GOLDEN / "bodies3d.csv").contacts()
        flat = {name: column for name, column in contacts.items() if name not in ("a", "b")}
        flat |= {f"{name}_{side}": column for side in "ab" for name, column in contacts[side].items()}
        same_bits(self, carom.solve(**flat).impulse, carom.solve(**contacts).impulse)
        alone = {name: column for name, column in flat.items() if not name.endswith("_b") or name == "body_b"}
        world = {name: column for name, column in contacts.items() if name not in ("b", "r_b")}
        same_bits(self, carom.solve(**alone).impulse, carom.solve(**world).impulse)
        with self.assertRaisesRegex(carom.Error, "column velocity_a is missing"):
            carom.solve(**{name: column for name, column in flat.items() if name != "velocity_a"})
        with self.assertRaisesRegex(TypeError, "velocity_a and the body a are both given"):
            carom.solve(**contacts, velocity_a=np.zeros(3))

    def test_planar_bodies(self):
        # A disc that falls without spin or friction rebounds with e times its speed.
        disc = carom.Bodies(inverse_mass=2.0, inverse_inertia=4.0, velocity=np.array([[1.0, -2.0]]), angular_velocity=0.0)
        result = carom.solve_planar(a=disc, normal=(0.0, 1.0), r_a=(0.0, -1.0), friction=0.0, restitution=0.5)
        same_bits(self, result.velocity_a, [[1.0, 1.0]])
        self.assertEqual(result.angular_velocity_a.shape, (1,))

    def test_matrices_of_six_numbers_and_whole_ones_are_the_same(self):
        contacts = spaces(50)
        six = contacts["k"][:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        same_bits(self, carom.solve(**contacts | {"k": six}).impulse, carom.solve(**contacts).impulse)

    def test_a_number_stands_for_all_contacts(self):
        contacts = spaces(20)
        once = carom.solve(**contacts | {"friction": 0.4, "k": contacts["k"][3], "separation_velocity": (1.0, 0.5, -2.0)})
        every = carom.solve(
            **contacts
            | {
                "friction": np.full(20, 0.4),
                "k": np.repeat(contacts["k"][3:4], 20, axis=0),
                "separation_velocity": np.tile([1.0, 0.5, -2.0], (20, 1)),
            }
        )
        same_bits(self, once.impulse, every.impulse)

    def test_numbers_lists_and_integers_take_the_precision_of_the_arrays(self):
        contacts = spaces(3, dtype=np.float32) | {"friction": 1, "restitution": [0.5, 0.25, 1]}
        self.assertEqual(carom.solve(**contacts).impulse.dtype, np.float32)
        mixed = contacts | {"friction": np.full(3, 1.0)}
        self.assertEqual(carom.solve(**mixed).impulse.dtype, np.float64)

    def test_no_contacts(self):
        result = carom.solve(**{name: column[:0] for name, column in spaces(1).items()})
        self.assertEqual(result.impulse.shape, (0, 3))
        self.assertEqual(result.report.contacts, 0)

    def test_empty_lists_are_columns_of_no_contacts(self):
        empty = {"k": np.array([]), "separation_velocity": [], "friction": [], "restitution": np.array([]), "law": []}
        self.assertEqual(carom.solve(empty).impulse.shape, (0, 3))
        # Empty columns do not determine the precision.
        single = {name: column.astype(np.float32)[:0] for name, column in spaces(1).items()}
        self.assertEqual(carom.solve(single | {"friction": np.array([])}).impulse.dtype, np.float32)
        out = np.array([])
        self.assertIs(carom.solve(empty, out={"impulse": out}).impulse, out)


class Views(unittest.TestCase):
    def setUp(self):
        self.contacts = spaces(41)
        self.expected = carom.solve(**self.contacts).impulse

    def test_strided_and_reversed_views(self):
        views = {}
        for name, column in self.contacts.items():
            wide = np.full((2 * len(column), *column.shape[1:]), np.nan)
            wide[::-2] = column
            views[name] = wide[::-2]
        same_bits(self, carom.solve(**views).impulse, self.expected)

    def test_columns_that_are_contiguous_by_parts(self):
        views = {name: np.asfortranarray(column) for name, column in self.contacts.items()}
        same_bits(self, carom.solve(**views).impulse, self.expected)

    def test_a_structured_array_is_read_where_it_is(self):
        kinds = [("separation_velocity", "f8", 3), ("k", "f8", (3, 3)), ("friction", "f8"), ("restitution", "f8")]
        rows = np.empty(41, np.dtype(kinds, align=True))
        for name, *_ in kinds:
            rows[name] = self.contacts[name]
        same_bits(self, carom.solve(rows).impulse, self.expected)
        with self.assertRaisesRegex(TypeError, "friction is given twice"):
            carom.solve(rows, friction=0.5)

    def test_packed_and_foreign_numbers_are_converted(self):
        kinds = [("mark", "u1"), ("friction", ">f8"), ("k", "f8", (3, 3))]
        rows = np.empty(41, kinds)
        rows["friction"], rows["k"] = self.contacts["friction"], self.contacts["k"]
        contacts = self.contacts | {"friction": rows["friction"], "k": rows["k"]}
        same_bits(self, carom.solve(**contacts).impulse, self.expected)

    def test_results_go_into_arrays_of_the_caller_and_nowhere_else(self):
        rows = np.zeros(41, [("impulse", "f8", 3), ("mark", "f8")])
        result = carom.solve(**self.contacts, out={"impulse": rows["impulse"]})
        same_bits(self, rows["impulse"], self.expected)
        self.assertTrue((rows["mark"] == 0).all())
        self.assertIs(result.impulse.base, rows)
        with self.assertRaisesRegex(AttributeError, "no array 'status'"):
            result.status

    def test_in_place(self):
        velocity = self.contacts["separation_velocity"]
        expected = carom.solve(**self.contacts).separation_velocity
        carom.solve(**self.contacts, out={"separation_velocity": velocity})
        same_bits(self, velocity, expected)

    def test_results_by_name(self):
        result = carom.solve(**self.contacts, results=["work_compression", "steps"])
        self.assertTrue((result.work_compression <= 0).all())
        self.assertEqual(result.steps.dtype, np.int32)
        self.assertNotIn("impulse", result.__dict__)


class Laws(unittest.TestCase):
    def test_names_numbers_and_one_name_agree(self):
        contacts = spaces(10)
        one = carom.solve(**contacts, law="smith").impulse
        same_bits(self, carom.solve(**contacts, law=["smith"] * 10).impulse, one)
        same_bits(self, carom.solve(**contacts, law=np.full(10, "smith")).impulse, one)
        same_bits(self, carom.solve(**contacts, law=np.full(10, carom.Law.smith)).impulse, one)
        same_bits(self, carom.solve(**contacts, law=np.full(10, carom.Law.smith, np.uint8)).impulse, one)
        same_bits(self, carom.solve(**contacts, law=["smith", carom.Law.smith, np.int64(carom.Law.smith), "smith", 6] * 2).impulse, one)
        same_bits(self, carom.solve(**contacts, law=carom.Law.smith).impulse, one)

    def test_parameters_of_laws(self):
        result = carom.solve(**spaces(10), law="chatterjee-ruina", tangential_restitution=0.3)
        self.assertEqual(result.report.faults, 0)
        weighted = carom.solve(**spaces(10), law="composite", weight_smith=1.0, weight_frictionless=0.0)
        same_bits(self, weighted.impulse, carom.solve(**spaces(10), law="smith").impulse)

    def test_options(self):
        contacts = spaces(10)
        with self.assertRaisesRegex(carom.Error, r"steps is 0, not in \[1"):
            carom.solve(**contacts, steps=0)
        series = carom.solve(**contacts).impulse
        euler = carom.solve(**contacts, integrator="euler", steps=20_000).impulse
        # Euler's method is of first order: 200 steps promise 1e-3, and 20,000 steps come within a hundredth of it.
        np.testing.assert_allclose(euler, series, atol=1e-3)
        self.assertTrue((euler != series).any())

    def test_path_and_report(self):
        result = carom.solve(k=np.diag([3.0, 3.0, 1.0]), separation_velocity=(5.0, 0.0, -1.0), friction=0.1, restitution=1.0)
        # The contact slides to its end: friction at an impulse of 2 N s takes 0.6 m/s from a slip of 5 m/s.
        self.assertEqual(result.report.by_path, {"slide_end+c1d1": 1})
        self.assertEqual(result.path["compressions"].tolist(), [1])
        self.assertEqual(result.report.by_status, {"ok": 1})
        self.assertEqual(str(result.report), "1 contact: 1 ok")
        self.assertEqual(result.status.tolist(), [carom.Status.ok])

    def test_faults_are_statuses(self):
        contacts = spaces(3)
        contacts["friction"][1] = -1
        contacts["restitution"][2] = np.nan
        result = carom.solve(**contacts)
        self.assertEqual(result.status[1:].tolist(), [carom.Status.negative_friction, carom.Status.not_a_number])
        self.assertEqual(result.report.faults, 2)
        self.assertFalse(result.report.ok)
        self.assertRegex(str(result.report), r"^3 contacts: 1 (ok|separating), 1 not_a_number \(first: contact \d\), 1 negative_friction \(first: contact \d\)$")
        for status in ("ok", "separating", "not_a_number", "negative_friction"):
            where = [i for i, of in enumerate(result.status) if carom.Status(of).name == status]
            self.assertEqual(result.report.count(status), len(where))
            self.assertEqual(result.report.first(status), where[0] if where else None)
        self.assertEqual((result.report.count("overflow"), result.report.first("overflow")), (0, None))


class Errors(unittest.TestCase):
    def raises(self, kind, pattern, **change):
        with self.assertRaisesRegex(kind, pattern):
            carom.solve(**spaces(4) | change)

    def test_columns_are_named(self):
        self.raises(carom.Error, "column restitution is missing", restitution=None)
        self.raises(carom.Error, "column friction has 3 elements, but k has 4", friction=np.ones(3))
        self.raises(carom.Error, r"column k has the shape \(4, 5\), not \(n, 6\), \(n, 3, 3\)", k=np.ones((4, 5)))
        self.raises(carom.Error, "column friction has elements of type <U1, not numbers", friction=["a"] * 4)
        self.raises(carom.Error, "column friction has elements of type complex", friction=np.ones(4, complex))
        self.raises(TypeError, r"solve has no argument or column 'fricton'; did you mean 'friction'\?$", fricton=1.0)
        self.raises(TypeError, r"'step_buget'; did you mean 'step_budget'\?$", step_buget=3)
        self.raises(TypeError, "has no argument or column 'xyz'$", xyz=1.0)
        with self.assertRaisesRegex(TypeError, r"'norml'; did you mean 'normal'\?"):
            carom.solve(norml=(0, 0, 1), friction=0.5)
        self.assertTrue(issubclass(carom.Error, ValueError))

    def test_columns_rows_and_options_are_attributes(self):
        def place(call):
            with self.assertRaises(carom.Error) as caught:
                call()
            error = caught.exception
            for same in (error, pickle.loads(pickle.dumps(error))):
                self.assertEqual(str(same), str(error))
                self.assertEqual(same.kind, "argument")
            return (same.column, same.row, same.option)

        self.assertEqual(place(lambda: carom.solve(**spaces(4) | {"steps": 0})), ("", None, "steps"))
        W = np.eye(3).reshape(1, 1, 3, 3)
        self.assertEqual(place(lambda: carom.solve_system(W, [[0, 0, -1]], [-1.0])), ("system.friction", 0, ""))
        self.assertEqual(carom.Error("carom: other").column, "")

    def test_columns_of_bodies_are_named(self):
        disc = {"inverse_mass": 1.0, "inverse_inertia": 1.0, "velocity": (0.0, 0.0)}
        contact = {"normal": (0.0, 1.0), "r_a": (0.0, 0.0), "friction": 0.0, "restitution": 0.0}
        with self.assertRaisesRegex(carom.Error, "column a.angular_velocity is missing"):
            carom.solve_planar(a=disc, **contact)
        with self.assertRaisesRegex(TypeError, "a has no argument or column 'inverse_mas'; did you mean 'inverse_mass'"):
            carom.solve_planar(a=disc | {"inverse_mas": 1.0}, **contact)

    def test_rows_are_named(self):
        self.raises(carom.Error, r"law\[2\]: 'newton' is not a law", law=["smith", "smith", "newton", "smith"])
        self.raises(carom.Error, r"law\[1\] is 300", law=np.array([1, 300, 1, 1]))
        bodies = {"inverse_mass": np.ones(2), "inverse_inertia": np.eye(3), "velocity": np.zeros(3), "angular_velocity": np.zeros(3)}
        contact = {"normal": (0.0, 0.0, 1.0), "r_a": (0.0, 0.0, 0.0), "r_b": (0.0, 0.0, 0.0), "friction": 0.0}
        with self.assertRaisesRegex(carom.Error, r"body_a\[1\] is 4294967296"):
            carom.solve(**contact, restitution=0.0, bodies=bodies, body_a=[0, 2**32], body_b=[1, 1])

    def test_laws_are_named(self):
        smith = ["smith"] * 3
        for wrong, why in (300, "300 is beyond"), (-1, "-1 is beyond"), (2.0, "2.0 is neither"), (True, "True is neither"):
            self.raises(carom.Error, rf"law\[3\]: {why}", law=[*smith, wrong])
        self.raises(carom.Error, r"law has laws in the shape \(2, 2\)", law=[["smith"] * 2] * 2)
        self.raises(carom.Error, "option law is 'newton', none of incremental", law="newton")

    def test_numbers_are_named(self):
        for wrong, why in (
            ([1j] * 4, "complex"), ([[1], [2, 3]], "inhomogeneous"), ([object()] * 4, "float"), (10**400, "beyond what it holds"),
            ([10**400] * 4, "too large"), (np.array([True] * 4), "bool"), ({}, "float"),
        ):  # fmt: skip
            self.raises(carom.Error, f"column friction.*{why}", friction=wrong)

    def test_options_are_named(self):
        for name, wrong, why in (
            ("steps", 10**20, "is 100000000000000000000, beyond what it holds"), ("steps", 2.5, "is 2.5, not a whole number"),
            ("steps", "x", "is 'x', not a whole number"), ("max_restitution", "x", "is 'x', not a number"),
            ("max_restitution", 1j, "is 1j, not a number"), ("integrator", 3, "is 3, not a name: euler, series"),
            ("integrator", "rk4", "is 'rk4', none of euler, series"),
        ):  # fmt: skip
            self.raises(carom.Error, f"the option {name} {why}", **{name: wrong})
        with self.assertRaisesRegex(carom.Error, "isa is 3, not a string"):
            carom.Solver(isa=3)
        with self.assertRaisesRegex(carom.Error, "threads is '2', not a whole number"):
            carom.Solver(threads="2")
        with self.assertRaisesRegex(carom.Error, "tolerance is 'x', not a number"):
            carom.check(spaces(1), impulse=np.zeros((1, 3)), tolerance="x")
        with self.assertRaisesRegex(carom.Error, "by is 3, not a sequence of names"):
            carom.differentiate(spaces(1), by=3)

    def test_what_holds_no_columns_is_named(self):
        for wrong, words in (3, "3"), ("k", "'k'"), ([1], r"\[1\]"), (carom.Bodies, "Bodies"):
            with self.assertRaisesRegex(carom.Error, f"solve: columns by name are .*, not .*{words}"):
                carom.solve(wrong)
        with self.assertRaisesRegex(carom.Error, "names of columns are strings, not 3"):
            carom.solve({3: 4})
        with self.assertRaisesRegex(carom.Error, "out: columns by name are .*, not 3"):
            carom.solve(spaces(1), out=3)
        # An unknown argument, or an argument of a wrong type, is also a TypeError.
        self.assertTrue(issubclass(carom.ArgumentError, TypeError))

    def test_results_are_named(self):
        for wrong in 3, "impulse", [3]:
            self.raises(carom.Error, "results is .*, not a sequence of names", results=wrong)
        self.raises(carom.Error, "results impulse is 3, not an array", out={"impulse": 3})
        self.raises(carom.Error, "results impulse has elements of type float32; the call writes float64",
                    out={"impulse": np.empty((4, 3), np.float32)})
        self.raises(carom.Error, r"results impulse has the shape \(3, 3\); there are 4", out={"impulse": np.empty((3, 3))})
        self.raises(carom.Error, "results status is read-only", out={"status": np.broadcast_to(np.uint8(0), 4)})
        self.raises(TypeError, r"solve has no result 'impulses'; did you mean 'impulse'\?", results=["impulses"])
        self.raises(TypeError, "solve has no result 'impulses'", out={"impulses": np.empty((4, 3))})


class RegionAndGradients(unittest.TestCase):
    def test_margins_of_a_law_that_keeps_to_the_region(self):
        contacts = spaces(30)
        impulse = carom.solve(**contacts, law="smith").impulse
        region = carom.check(**contacts, impulse=impulse)
        self.assertEqual(region.report.outside, 0)
        region = carom.check(**contacts, impulse=-impulse, results=["tension", "plastic_sticking"])
        self.assertGreater(region.report.pulls, 0)
        self.assertEqual(region.plastic_sticking.shape, (30, 3))

    def test_energy_margin_by_hand(self):
        # p = (0, 0, 1) on K = 1, u0 = (0, 0, -2): -(p·u0 + p·K p / 2) = 2 - 1/2.
        region = carom.check(k=np.eye(3), separation_velocity=(0.0, 0.0, -2.0), friction=0.5, restitution=0.0,
                             impulse=np.array([[0.0, 0.0, 1.0]]))
        self.assertEqual(region.energy.tolist(), [1.5])
        self.assertEqual(region.cone.tolist(), [0.5])

    def test_gradients_of_a_closed_form(self):
        # Without friction p_z = -(1 + e) u_z / K_zz.
        contacts = spaces(20) | {"law": "frictionless"}
        gradients = carom.differentiate(**contacts)
        u, k, e = contacts["separation_velocity"][:, 2], contacts["k"][:, 2, 2], contacts["restitution"]
        approaches = u < 0
        # Two products and a division round three times, in the library and here.
        expected = np.where(approaches, (1 + e) * u / k**2, 0)
        np.testing.assert_allclose(gradients.impulse["k"][:, 2, 5], expected, rtol=4e-15)
        np.testing.assert_allclose(gradients.impulse["restitution"][:, 2], np.where(approaches, -u / k, 0), rtol=4e-15)
        self.assertEqual(gradients.impulse["separation_velocity"].shape, (20, 3, 3))

    def test_a_product_is_the_jacobian_times_the_cotangent(self):
        contacts = spaces(20)
        cotangent = np.random.default_rng(2).normal(size=(2, 20, 3))
        whole = carom.differentiate(**contacts, by=["friction", "k"])
        product = carom.differentiate(**contacts, by=["friction", "k"], of_impulse=cotangent[0],
                                      of_separation_velocity=cotangent[1]).product
        for name in ("friction", "k"):
            expected = np.einsum("ni,ni...->n...", cotangent[0], whole.impulse[name])
            expected += np.einsum("ni,ni...->n...", cotangent[1], whole.separation_velocity[name])
            # Each sum has six products of magnitude 1 to 100.
            np.testing.assert_allclose(product[name], expected, rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(TypeError, "no derivatives by 'mass'"):
            carom.differentiate(**contacts, by=["mass"])


class Threads(unittest.TestCase):
    def test_calls_from_many_threads_give_the_same_bits(self):
        contacts = spaces(3000)
        expected = carom.solve(**contacts).impulse
        found = []
        calls = [threading.Thread(target=lambda: found.append(carom.solve(**contacts).impulse)) for _ in range(4)]
        for call in calls:
            call.start()
        for call in calls:
            call.join()
        self.assertEqual(len(found), 4)
        for impulse in found:
            same_bits(self, impulse, expected)

    def test_other_threads_run_during_a_call(self):
        contacts, solver = spaces(1000), carom.Solver(threads=1)
        # This number of Euler steps takes some hundred milliseconds.
        call = threading.Thread(target=lambda: solver.solve(**contacts, integrator="euler", steps=100_000))
        moments = [time.monotonic()]
        call.start()
        while call.is_alive():
            time.sleep(1e-4)
            moments.append(time.monotonic())
        # If the call held the interpreter's lock, this thread would stop for the whole call.
        self.assertGreater(moments[-1] - moments[0], 0.02)
        self.assertLess(np.diff(moments).max(), 0.5 * (moments[-1] - moments[0]))

    def test_a_solver_is_kept_and_has_its_own_threads(self):
        isa = files.isas()[-1]
        solver = carom.Solver(isa=isa, threads=1)
        self.assertEqual((solver.isa, solver.threads), (isa, 1))
        result = solver.solve(**spaces(30))
        self.assertEqual((result.report.isa, result.report.threads), (isa, 1))
        same_bits(self, carom.Solver(threads=1).solve(**spaces(30)).impulse, carom.solve(**spaces(30)).impulse)
        with self.assertRaisesRegex(carom.Error, "threads is -1"):
            carom.Solver(threads=-1)


class Help(unittest.TestCase):
    def test_help_has_units_and_python_knows_the_signature(self):
        import inspect

        self.assertRegex(carom.solve.__doc__, r"k  \(n, 6\) or \(n, 3, 3\)  \[1/kg\] collision matrix")
        self.assertIn("tangential_restitution", inspect.signature(carom.solve).parameters)
        self.assertRegex(carom.solve.__doc__, r"steps  .* In \[1, 2\*\*30\]. Default 200.")
        self.assertRegex(carom.Bodies.__doc__, r"velocity, angular_velocity  \(n, 3\)  \[m/s\], \[rad/s\] before the forces")
        for name, described in carom._carom.descriptions.items():
            self.assertTrue(described, name)


if __name__ == "__main__":
    unittest.main()
