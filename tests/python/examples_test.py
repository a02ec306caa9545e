"""The examples work, on fewer contacts and steps than in their pictures."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/python"))
import fit
import laws
import scene
import system
import throw


class Examples(unittest.TestCase):
    def test_laws_side_by_side(self):
        angle, results, lost = laws.responses(60)
        self.assertEqual(set(results), set(lost))
        self.assertTrue(all(result.report.faults == 0 for result in results.values()))
        # No slip dissipates (1 - e²) of the contact energy for every approach, up to a few roundings.
        np.testing.assert_allclose(lost["no-slip"], 1 - 0.6**2, rtol=1e-13)
        # The page says that the bilinear law gains energy here.
        self.assertLess(lost["bilinear"].min(), 0)

    def test_a_fit_finds_the_coefficients_again(self):
        contacts = fit.impacts(40)
        velocity = fit.measured(contacts)
        values, error, _ = fit.fit("incremental", contacts, velocity)
        # 80 numbers with noise of 0.01 m/s on velocities of 2 m/s: coefficients within 0.01 / 2 / sqrt(80), six times.
        self.assertAlmostEqual(values["friction"], 0.3, delta=4e-3)
        self.assertAlmostEqual(values["restitution"], 0.7, delta=4e-3)
        # The noise, of 80 draws less 2: within 3 / sqrt(2 * 78) of itself.
        self.assertAlmostEqual(error, fit.NOISE, delta=0.25 * fit.NOISE)
        self.assertGreater(fit.fit("smith", contacts, velocity)[1], 5 * error)

    def test_a_fit_finds_tangential_restitution_again(self):
        contacts = fit.impacts(40)
        values, error, _ = fit.fit("chatterjee-ruina", contacts, fit.measured(contacts, fit.GRIPPING))
        # As above; the noise goes into slips of 1 m/s instead of 2, and friction holds most of the contacts.
        for name, delta in (("friction", 2e-2), ("restitution", 4e-3), ("tangential_restitution", 2e-2)):
            self.assertAlmostEqual(values[name], fit.GRIPPING[name], delta=delta, msg=name)
        self.assertAlmostEqual(error, fit.NOISE, delta=0.25 * fit.NOISE)

    def test_gradients_of_a_throw_are_those_of_differences(self):
        for z in (throw.BEGIN, np.array([4.5, 2, 3, 3, -4, 2])):
            h = 1e-6
            steps = h * np.eye(6)
            expected = np.transpose([(throw.landing(z + step) - throw.landing(z - step)) / (2 * h) for step in steps])
            # ε of metres over h, and h² of the third derivative.
            np.testing.assert_allclose(throw.jacobian(z), expected, rtol=0, atol=2e-8)

    def test_a_throw_reaches_its_target_and_spin_saves_energy(self):
        plain, spun = throw.optimise(spins=False), throw.optimise()
        for best in plain, spun:
            self.assertTrue(best.success)
            np.testing.assert_allclose(throw.landing(best.x), throw.TARGET, atol=1e-6)
            # The ball comes to the wall above the floor, and stays before the wall then.
            points = throw.path(best.x)
            self.assertGreater(points[:, 2].min(), throw.RADIUS - 1e-9)
            self.assertLess(points[:, 0].max(), 4 - throw.RADIUS + 1e-9)
        self.assertTrue((plain.x[3:] == 0).all())
        self.assertLess(spun.fun, 0.98 * plain.fun)

    def test_scripts_are_cells_of_notebooks(self):
        for example in fit, laws, scene, system, throw:
            head, *cells = pathlib.Path(example.__file__).read_text().split("\n# %%\n")
            # The text before the cells is only the documentation; each cell is a program, the last one the script's.
            self.assertEqual(head.strip(), f'"""{example.__doc__}"""')
            self.assertGreaterEqual(len(cells), 3, example)
            self.assertTrue(cells[-1].startswith('if __name__ == "__main__":'), example)
            names = {"__name__": "a notebook"}
            for cell in cells:
                exec(compile(cell, example.__file__, "exec"), names)

    def test_a_scene_stands_and_its_chain_holds(self):
        world = scene.World()
        first = world.x[scene.LINKS :].copy()
        for _ in range(5):
            result = world.step()
        self.assertTrue(result.report.ok, result.report)
        # The ball has not come yet, and the slop of boxes is 5 mm.
        self.assertLess(abs(world.x[scene.LINKS :] - first).max(), 5e-3)
        self.assertLess(world.x[scene.LINKS - 1, 2], 3)
        chain = np.vstack([[0, 0, 3.0], world.x[: scene.LINKS]])
        # Rods are stretched by less than a percent in a step.
        np.testing.assert_allclose(np.linalg.norm(np.diff(chain, axis=0), axis=1), 0.5, rtol=1e-2)

    def test_work_makes_a_system_converge(self):
        W, q = system.wall(3, 3)
        reports = [report for _, report in system.convergence(W, q, budgets=np.array([1, 1000]))]
        self.assertGreater(reports[0].error, 1e-3)
        self.assertLessEqual(reports[1].error, 1e-12)

    def test_pictures_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scene.gif"
            scene.animate(path, 4)
            self.assertGreater(path.stat().st_size, 1000)
            throw.draw(path.with_suffix(".png"), {"begun with": throw.BEGIN})
            self.assertGreater(path.with_suffix(".png").stat().st_size, 1000)
            laws.draw(path.with_suffix(".png"), 10)
            self.assertGreater(path.with_suffix(".png").stat().st_size, 1000)

    @unittest.skipUnless(importlib.util.find_spec("mpi4py") and importlib.util.find_spec("h5py") and shutil.which("mpirun"),
                         "python3-mpi4py and python3-h5py are not installed")
    def test_ranks_solve_slices_as_the_command_does(self):
        import h5py

        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        script = pathlib.Path(__file__).parents[2] / "examples/python/slices.py"
        with tempfile.TemporaryDirectory() as folder:
            contacts, whole, slices = (str(pathlib.Path(folder, name)) for name in ("c.h5", "whole.h5", "slices.h5"))
            carom = os.environ["CAROM"]
            subprocess.run([carom, "generate", "--contacts", "5000", "--distribution", "matrices", "-o", contacts], check=True)
            subprocess.run([carom, "solve", contacts, "-o", whole], check=True, stdout=subprocess.DEVNULL)
            run = subprocess.run(["mpirun", "-n", "3", "--oversubscribe", sys.executable, "-B", str(script), contacts, slices],
                                 check=True, capture_output=True, text=True, env={**os.environ, **root})
            self.assertEqual(run.stdout, "5000 of 5000 resolved\n")
            with h5py.File(whole) as expected, h5py.File(slices) as found:
                for axis in "xyz":
                    np.testing.assert_array_equal(found["p_" + axis][:], expected["p_" + axis][:])


if __name__ == "__main__":
    unittest.main()
