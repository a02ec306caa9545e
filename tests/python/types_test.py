"""The type stubs agree with the package: mypy reads it, stubtest compares stubs with the module."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

PACKAGE = pathlib.Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).resolve()


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # NumPy's own stubs take ten times as long to read as all that is looked at here.
        cls.configuration = cls.folder / "mypy.ini"
        cls.configuration.write_text("[mypy]\n[mypy-numpy.*]\nfollow_imports = skip\n")

    def run_module(self, module, *arguments):
        paths = {"PYTHONPATH": str(PACKAGE), "MYPYPATH": str(PACKAGE), "MYPY_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=self.folder, env=os.environ | paths,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_stubs_are_those_of_the_module(self):
        # The classes of pybind11 have a metaclass, which is an implementation detail.
        classes = self.folder / "classes"
        names = ["MechanismContact", "MechanismContact.__init__", "Mechanisms", "Scene", "SceneSolver", "Solver", "_SystemSolver"]
        classes.write_text("".join(f"carom._carom.{name}\n" for name in names))
        code, said = self.run_module("mypy.stubtest", "carom._carom", "--allowlist", str(classes),
                                     "--mypy-config-file", str(self.configuration))
        self.assertEqual(code, 0, said)

    def test_users_get_types(self):
        program = textwrap.dedent("""
            import carom
            import numpy as np

            r = carom.solve(k=np.eye(3), separation_velocity=(0, 0, -1), friction=0.4, restitution=0.5, law="smith")
            impulse: int = r.impulses
            solved: str = r.report.faults
            carom.solve(fricton=0.4)
            carom.SceneSolver().solve(bodies=carom.Bodies(inverse_mass=1.0), time_step="long")
            carom.solve_scene(carom.Bodies(inverse_mass=1.0), time_step=0.01, method=carom.Ncp(tolerance=1e-8))
            carom.Ncp(iterations=3)
            carom.Substeps(position_correction=0.01)
            carom.solve_scene(carom.Bodies(inverse_mass=1.0), method=3)
        """)
        file = self.folder / "user.py"
        file.write_text(program)
        code, said = self.run_module("mypy", "--config-file", str(self.configuration), str(file))
        errors = [line.split(": error: ")[0].rsplit(":", 1)[1] for line in said.splitlines() if ": error: " in line]
        self.assertEqual(errors, ["6", "7", "8", "9", "11", "12", "13"], said)


if __name__ == "__main__":
    unittest.main()
