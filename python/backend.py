"""Builds the wheel of carom for pip (PEP 517): CMake builds and installs the package, and a wheel is its zip file.

CMAKE_ARGS in the environment are further arguments of CMake's: CMAKE_ARGS=-DCAROM_ISAS=avx2 builds faster. CAROM_BUILD is
a folder in which the package has been built already.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def _version():
    header = (ROOT / "include/carom/version.hpp").read_text()
    return ".".join(re.findall(r"CAROM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def _described(name):
    """A value of pyproject.toml, which Python before 3.11 cannot read."""
    return re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]


def _build(build):
    options = ["CMAKE_BUILD_TYPE=Release", "CAROM_BUILD_PYTHON=ON", f"Python3_EXECUTABLE={sys.executable}"]
    options += [f"CAROM_BUILD_{what}=OFF" for what in ("APPS", "TESTS", "BENCHMARKS")]
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    generator = ["-G", "Ninja"] if subprocess.run(["ninja", "--version"], capture_output=True, check=False).returncode == 0 else []
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, *(f"-D{option}" for option in options), *more], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", str(os.cpu_count()), "--target", "carom_python_package"], check=True)


def _package(folder):
    """The files of the package by their paths in the wheel."""
    build = os.environ.get("CAROM_BUILD")
    if build is None:
        build = ROOT / "build/wheel"  # stays, so that the next wheel builds what has changed
        _build(build)
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", folder, "--strip"], check=True)
    [package] = pathlib.Path(folder).rglob("carom")
    return {path.relative_to(package.parent).as_posix(): path.read_bytes() for path in sorted(package.iterdir())}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version, abi = _version(), "cp" + sysconfig.get_config_var("py_version_nodot")
    tag = f"{abi}-{abi}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    name, info = f"carom-{version}-{tag}.whl", f"carom-{version}.dist-info"
    files = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: carom\nVersion: {}\nSummary: {}\nLicense: MIT\n"
        "Requires-Python: {}\nRequires-Dist: numpy<2\n".format(version, _described("description"), _described("requires-python")),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: carom\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_text(),
    }
    files = {path: text.encode() for path, text in files.items()}
    with tempfile.TemporaryDirectory() as folder:
        files |= _package(folder)
    record = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for path, data in files.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    name = f"carom-{version}.tar.gz"
    subprocess.run(["git", "-C", ROOT, "archive", f"--prefix=carom-{version}/", "-o", pathlib.Path(sdist_directory) / name, "HEAD"],
                   check=True)
    return name
