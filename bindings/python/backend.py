"""Builds the wheel of carom for pip (PEP 517): CMake builds and installs the package, and a wheel is its zip file.

CMAKE_ARGS in the environment holds further arguments for CMake: CMAKE_ARGS=-DCAROM_ISAS=avx2 builds faster.

python3 backend.py BUILD FOLDER makes the wheel of the package that the build tree BUILD already has, in FOLDER.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _version():
    header = (ROOT / "include/carom/version.hpp").read_text()
    return ".".join(re.findall(r"CAROM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def _described(name):
    """Returns a value of pyproject.toml. Python before 3.11 has no TOML parser."""
    return re.search(rf"^{name} = (.*)$", (ROOT / "pyproject.toml").read_text(), re.M)[1]


def _metadata():
    """Returns the tag of the wheel, and the files of its dist-info without RECORD."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}{sys.abiflags}-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    lines = ["Metadata-Version: 2.1", "Name: carom", f"Version: {_version()}"]
    lines += [f"Summary: {_described('description').strip(chr(34))}", "License: MIT"]
    lines += [f"Requires-Python: {_described('requires-python').strip(chr(34))}"]
    lines += [f"Requires-Dist: {needed}" for needed in re.findall(r'"([^"]+)"', _described("dependencies"))]
    return tag, {
        "METADATA": "\n".join([*lines, ""]),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: carom\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "LICENSE": (ROOT / "LICENSE").read_text(),
    }


def _build():
    """Returns the build tree of this interpreter. It is kept, so the next wheel compiles only changed files."""
    # Environments are temporary; the interpreter that they link to is permanent.
    python = os.path.realpath(sys.executable)
    build = ROOT / "build/wheel" / hashlib.sha256(python.encode()).hexdigest()[:8]
    options = ["CMAKE_BUILD_TYPE=Release", "CAROM_BUILD_PYTHON=ON", f"Python3_EXECUTABLE={python}"]
    options += [f"CAROM_BUILD_{what}=OFF" for what in ("APPS", "TESTS", "BENCHMARKS")]
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    generator = ["-G", "Ninja"] if subprocess.run(["ninja", "--version"], capture_output=True, check=False).returncode == 0 else []
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, *(f"-D{option}" for option in options), *more], check=True)
    subprocess.run(["cmake", "--build", build, "--parallel", str(os.cpu_count()), "--target", "carom_python_package"], check=True)
    return build


def _package(build):
    """Returns the files of the package by their paths in the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", folder, "--strip"], check=True)
        [package] = pathlib.Path(folder).rglob("carom")
        files = {path.relative_to(package.parent).as_posix(): path.read_bytes() for path in sorted(package.iterdir())}
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if f"carom/_carom{suffix}" not in files:
        raise SystemExit(f"{build} is not for {sys.executable}: it has no _carom{suffix}")
    return files


def _wheel(build, folder):
    tag, metadata = _metadata()
    info = f"carom-{_version()}.dist-info"
    files = {f"{info}/{name}": text.encode() for name, text in metadata.items()} | _package(build)
    record = [
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
        for path, data in files.items()
    ]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"carom-{_version()}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    # Without this hook pip builds for minutes before it looks for NumPy.
    info = pathlib.Path(metadata_directory) / f"carom-{_version()}.dist-info"
    info.mkdir()
    for name, text in _metadata()[1].items():
        (info / name).write_text(text)
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(_build(), wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    name = f"carom-{version}.tar.gz"
    subprocess.run(["git", "-C", ROOT, "archive", f"--prefix=carom-{version}/", "-o", pathlib.Path(sdist_directory) / name, "HEAD"],
                   check=True)
    return name


if __name__ == "__main__":
    print(_wheel(*sys.argv[1:]))
