"""pip installs the package from the sources, and it is all there."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class Wheel(unittest.TestCase):
    def test_pip_installs_a_package_that_works(self):
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
            done = subprocess.run([*pip, "--target", folder, ROOT], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            program = "import carom, importlib.metadata; print(carom.__file__, carom.__version__ == importlib.metadata.version('carom'))"
            said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder,
                                  env=os.environ | {"PYTHONPATH": folder})
            self.assertEqual(said.stdout, f"{folder}/carom/__init__.py True\n")
            self.assertTrue((pathlib.Path(folder) / "carom/py.typed").exists())


if __name__ == "__main__":
    unittest.main()
