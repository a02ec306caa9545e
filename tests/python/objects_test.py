"""The caller's and the package's objects stay intact: while a call reads them, when copied, and when made by __new__ alone."""

import copy
import gc
import multiprocessing
import pickle
import threading
import types
import unittest

import carom
import files
import numpy as np


def contacts(count=2):
    return {
        "k": np.tile([3.0, 0, 0, 3, 0, 1], (count, 1)),
        "separation_velocity": np.tile([1.0, 0, -2], (count, 1)),
        "friction": np.full(count, 0.4),
        "restitution": np.full(count, 0.5),
    }


def scene():
    bodies = carom.Bodies(inverse_mass=np.ones(1), inverse_inertia=6 * np.eye(3), velocity=np.array([[0, 0, -1.0]]),
                          angular_velocity=np.zeros((1, 3)))
    of_scene = carom.Contacts(body_a=[0], body_b=[-1], normal=(0, 0, 1), r_a=(0, 0, -0.5), r_b=(0, 0, 0), friction=0.5,
                              restitution=0)
    return bodies, of_scene


class During:
    """Numbers that run other code while NumPy reads them."""

    def __init__(self, numbers, work):
        self.numbers, self.work = numbers, work

    def __array__(self, *_, **__):
        self.work()
        return np.array(self.numbers)


class WhileACallReads(unittest.TestCase):
    def test_columns_are_held(self):
        expected = carom.solve(contacts()).impulse
        for columns in contacts(), carom.ColumnsByName(**contacts()):
            items = columns if isinstance(columns, dict) else columns.__dict__

            def empty(items=items):
                items.clear()
                gc.collect()
                self.others = [np.full((2, 6), 7.0) for _ in range(1000)]

            rest = {name: items.pop(name) for name in list(items)}
            # Reading the first column empties the container of the others.
            items["friction"] = During(rest.pop("friction"), empty)
            items.update(rest)
            del rest
            np.testing.assert_array_equal(carom.solve(columns).impulse, expected)

    def test_results_are_held(self):
        out = {"impulse": np.empty((2, 3))}
        columns = contacts() | {"friction": During([0.4, 0.4], out.clear)}
        np.testing.assert_array_equal(carom.solve(**columns, out=out).impulse, carom.solve(contacts()).impulse)

    def test_a_shape_that_changes_is_an_error(self):
        columns = contacts()

        def change():
            columns["k"].shape = (4, 3)

        columns["friction"] = During([0.4, 0.4], change)  # which is read after k
        with self.assertRaisesRegex(carom.Error, "the column k "):
            carom.solve(columns)

    def test_another_thread_renews_columns(self):
        columns, expected = contacts(200), carom.solve(contacts(200)).impulse
        columns = {"friction": [Number(0.4)] * 200} | {name: column for name, column in columns.items() if name != "friction"}
        stop = threading.Event()

        def renew():
            while not stop.is_set():
                columns.update((name, column) for name, column in contacts(200).items() if name != "friction")

        other = threading.Thread(target=renew)
        other.start()
        try:
            for _ in range(300):
                np.testing.assert_array_equal(carom.solve(columns).impulse, expected)
        finally:
            stop.set()
            other.join()


class Number:
    """Runs Python code when NumPy asks for the value, so that other threads may run."""

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value


class Mappings(unittest.TestCase):
    def test_every_mapping_has_columns(self):
        expected = carom.solve(contacts()).impulse
        for mapping in types.MappingProxyType(contacts()), carom.ColumnsByName(**contacts()):
            np.testing.assert_array_equal(carom.solve(mapping).impulse, expected)


class Constructors(unittest.TestCase):
    def test_objects_without_a_constructor_are_errors(self):
        bound = [value for value in vars(carom._carom).values() if isinstance(value, type) and not issubclass(value, Exception)]
        self.assertIn(carom.Solver, bound)
        self.assertGreater(len(bound), 8)
        asks = {"Scene": lambda made: carom.SceneSolver().solve(made)}
        for kind in bound:
            names = [name for name, member in vars(kind).items() if not name.startswith("_") or name == "__getstate__"]
            self.assertTrue(names or kind.__name__ in asks, kind)
            made = kind.__new__(kind)
            for ask in [asks[kind.__name__]] if kind.__name__ in asks else [lambda made, name=name: self.use(made, name) for name in names]:
                with self.assertRaisesRegex(carom.Error, f"this {kind.__name__} was made by __new__ alone"):
                    ask(made)

    @staticmethod
    def use(made, name):
        member = getattr(made, name)
        needed = {"contact": (0,), "in_world": ((0, 0, 1),), "in_frame": ((0, 0, 1),), "apply": (Constructors.contact(), (0, 0, 1)),
                  "restore": (b"",)}
        member(*needed.get(name, ()))

    @staticmethod
    def contact():
        bodies, of_scene = scene()
        return carom.Mechanisms(carom.Scene(bodies=bodies, contacts=of_scene)).contact(0)


def report_of(result):
    return result.report if {"_report", "report"} & set(result.__dict__) else None


class Copies(unittest.TestCase):
    def results(self):
        bodies, of_scene = scene()
        pair = {"a": bodies, "normal": (0, 0, 1), "r_a": (0, 0, -0.5)}
        space = carom.contact_space(**pair)
        product = carom.differentiate(k=space.k, separation_velocity=space.separation_velocity, friction=0.5, restitution=0,
                                      of_impulse=np.ones((1, 3)), by=["k", "separation_velocity"])
        yield carom.solve(contacts())
        yield carom.check(contacts(), impulse=np.ones((2, 3)))
        yield carom.differentiate(contacts())
        yield space
        yield product
        yield carom.pull_back(**pair, product=product.product, impulse=np.ones((1, 3)), of_impulse=np.ones((1, 3)))
        yield carom.SceneSolver().solve(bodies=bodies, contacts=of_scene, time_step=0.01)
        yield carom.solve_system(np.eye(3), [[0, 0, -1]], 0.3)

    def same(self, a, b):
        self.assertIs(type(a), type(b))
        if isinstance(a, np.ndarray):
            self.assertEqual(a.dtype, b.dtype)
            np.testing.assert_array_equal(a, b)
        elif isinstance(a, dict):
            self.assertEqual(a.keys(), b.keys())
            for name in a:
                self.same(a[name], b[name])
        elif isinstance(a, (carom.ColumnsByName, carom._base.Arrays)):
            self.same(*({name: value for name, value in of.__dict__.items() if name not in ("_report", "report", "islands")} for of in (a, b)))
            self.assertEqual(report_of(a), report_of(b))
        else:
            self.assertEqual(a, b)

    def test_results_and_columns(self):
        for result in self.results():
            for copied in pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result):
                with self.subTest(result):
                    self.same(result, copied)
                    self.same(copied, pickle.loads(pickle.dumps(copied)))
                    if isinstance(result, carom.SystemResult):
                        self.assertEqual(copied.islands, result.islands)

    def test_options(self):
        for options in carom.PositionCorrection(slop=0.01), carom.Substeps(max_substeps=8), carom.Pgs(), carom.Ncp():
            self.assertEqual(pickle.loads(pickle.dumps(options)), options)

    def test_solvers(self):
        isa = files.isas()[-1]
        for solver in carom.Solver(isa=isa, threads=1), carom.SceneSolver(isa=isa, threads=1):
            for copied in pickle.loads(pickle.dumps(solver)), copy.copy(solver), copy.deepcopy(solver):
                self.assertEqual((copied.isa, copied.threads), (isa, 1))
        copied = pickle.loads(pickle.dumps(carom.SystemSolver(threads=1)))
        self.assertEqual(copied.solve(np.eye(3), [[0, 0, -1]], 0.3).report.threads, 1)

    def test_solvers_tell_their_memory(self):
        bodies, of_scene = scene()
        for solver, solve in (
            (carom.Solver(threads=1), lambda of: of.solve(contacts())),
            (carom.SceneSolver(threads=1), lambda of: of.solve(bodies=bodies, contacts=of_scene, time_step=0.01)),
            (carom.SystemSolver(threads=1), lambda of: of.solve(np.eye(3), [[0, 0, -1]], 0.3)),
        ):
            with self.subTest(solver):
                new = type(solver)(threads=1).memory
                self.assertEqual(solver.memory, new)
                solve(solver)
                held = solver.memory
                self.assertGreater(held, new)
                solve(solver)
                self.assertEqual(solver.memory, held)
                with self.assertRaises(AttributeError):
                    solver.memory = 0

    def test_other_processes_solve(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            [result] = pool.map(carom.solve, [contacts()])
            self.same(result, carom.solve(contacts()))
            [impulse] = pool.map(carom.Solver(threads=1).solve, [contacts()])
            self.same(impulse, carom.solve(contacts()))
            for wrong, kind in ({}, carom.Error), (contacts() | {"mass": 1}, carom.ArgumentError):
                with self.assertRaises(kind):
                    pool.map(carom.solve, [wrong])


if __name__ == "__main__":
    unittest.main()
