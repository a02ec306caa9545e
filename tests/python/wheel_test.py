"""pip installs the package into a clean environment, and it works there."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
# A build tree that contains the package, or a wheel. Without this argument pip builds from source, which takes minutes.
BUILT = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
PROGRAM = """
import carom, importlib.metadata, numpy
impulse = carom.solve(k=numpy.eye(3), separation_velocity=(0, 0, -1), friction=0.5, restitution=1).impulse
print(carom.__file__, importlib.metadata.version("carom") == carom.__version__, impulse.tolist())
"""


class Environment:
    """A virtual environment for the interpreter that runs the test, isolated from the test's environment variables."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder).resolve()
        subprocess.run([sys.executable, "-m", "venv", *options, self.folder], check=True)
        self.environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "CMAKE_"))}

    def run(self, *arguments, **more):
        return subprocess.run([self.folder / "bin/python", *arguments], capture_output=True, text=True, check=False, cwd=self.folder,
                              env=self.environment | more)

    def pip(self, *arguments, **more):
        return self.run("-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", *arguments, **more)


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def installed(self, done, environment):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = environment.run("-c", PROGRAM)
        self.assertRegex(said.stdout, rf"^{environment.folder}/lib/.*/carom/__init__.py True \[\[0\.0, 0\.0, 2\.0\]\]\n$", said.stderr)

    def wheel(self):
        if BUILT.is_file():
            return BUILT
        made = subprocess.run([sys.executable, ROOT / "bindings/python/backend.py", BUILT, self.folder], capture_output=True, text=True, check=True)
        return self.folder / made.stdout.splitlines()[-1]

    @unittest.skipUnless(BUILT, "builds from the sources")
    def test_a_wheel(self):
        wheel = self.wheel()
        names = zipfile.ZipFile(wheel).namelist()
        self.assertIn("carom/py.typed", names)
        self.assertEqual([name for name in names if "__pycache__" in name], [])
        # pip checks the wheel's tag and its dependency, the system's NumPy.
        environment = Environment(self.folder / "venv", "--system-site-packages", "--without-pip")
        self.installed(environment.pip(wheel), environment)

    @unittest.skipIf(BUILT, "needs no sources")
    def test_the_sources(self):
        seen = Environment(self.folder / "seen", "--system-site-packages")
        # One instruction set, to save time.
        fast = {"CMAKE_ARGS": "-DCAROM_ISAS=avx2"}
        self.installed(seen.pip(ROOT, **fast), seen)
        # The build itself works without NumPy. pip reports the missing dependency before it builds.
        hidden = Environment(self.folder / "hidden")
        missing = hidden.pip(ROOT, **fast)
        self.assertRegex(missing.stderr, "No matching distribution found for numpy")
        done = hidden.pip("--no-deps", ROOT, **fast)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(hidden.run("-c", "import carom").stderr, "No module named 'numpy'")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
