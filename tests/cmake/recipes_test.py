"""The recipes for vcpkg and Conan, as far as they can be run without these: their files are read and run with stand-ins
for what the managers bring, and CMake takes the options and the sources that they name.

recipes_test.py SOURCES CMAKE SCRATCH"""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import types
import unittest
from unittest import mock

ROOT, CMAKE, SCRATCH = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
HEADER = (ROOT / "include/carom/version.hpp").read_text()
VERSION = ".".join(re.findall(r"CAROM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER))
PORT = ROOT / "packaging/vcpkg/carom"

# Stand-ins for vcpkg's functions. The first writes its options to a file, the others do nothing.
FUNCTIONS = """
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  file(WRITE configured "${arg_SOURCE_PATH};${arg_OPTIONS}")
endfunction()
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\\nendfunction()")
endforeach()
set(CURRENT_PACKAGES_DIR packages)
"""


def configure(name, source, options):
    """CMake configures the sources with these options, all of which it knows."""
    call = [CMAKE, "-S", source, "-B", SCRATCH / name, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options]
    made = subprocess.run(call, capture_output=True, text=True, check=False)
    assert made.returncode == 0 and "not used by the project" not in made.stderr, made.stderr
    return (SCRATCH / name / "CMakeCache.txt").read_text()


class Recipes(unittest.TestCase):
    def test_vcpkg(self):
        manifest = json.loads((PORT / "vcpkg.json").read_text())
        self.assertEqual((manifest["name"], manifest["version"]), ("carom", VERSION))
        (SCRATCH / "port.cmake").write_text(FUNCTIONS + f'include("{PORT}/portfile.cmake")\n')
        subprocess.run([CMAKE, "-P", "port.cmake"], cwd=SCRATCH, check=True)
        source, *options = (SCRATCH / "configured").read_text().split(";")
        self.assertEqual(pathlib.Path(source).resolve(), ROOT)
        cache = configure("vcpkg", source, options)
        self.assertIn("CAROM_BUILD_TESTS:BOOL=OFF", cache)

    def test_conan(self):
        sources = SCRATCH / "sources"

        def copy(recipe, pattern, src, dst):
            source, destination = pathlib.Path(src), pathlib.Path(dst)
            for path in (source / pattern).parent.rglob("*") if "*" in pattern else [source / pattern]:
                to = destination / path.relative_to(source)
                to.parent.mkdir(parents=True, exist_ok=True)
                if path.is_file():
                    shutil.copy(path, to)

        toolchain = mock.Mock(cache_variables={})
        names = ["conan", "conan.tools"] + ["conan." + name for name in ("errors", "tools.build", "tools.cmake", "tools.files")]
        modules = {name: types.ModuleType(name) for name in names}
        modules["conan"].ConanFile = type("ConanFile", (), {})
        modules["conan.errors"].ConanInvalidConfiguration = type("ConanInvalidConfiguration", (Exception,), {})
        modules["conan.tools.build"].check_min_cppstd = lambda recipe, standard: self.assertEqual(standard, 20)
        vars(modules["conan.tools.cmake"]).update(CMake=mock.Mock(), CMakeDeps=mock.Mock(), cmake_layout=mock.Mock(),
                                                  CMakeToolchain=lambda recipe: toolchain)
        modules["conan.tools.files"].copy = copy
        path = ROOT / "packaging/conan/conanfile.py"
        with mock.patch.dict(sys.modules, modules):
            spec = importlib.util.spec_from_file_location("conanfile", path)
            module = importlib.util.module_from_spec(spec)
            with mock.patch.object(sys, "dont_write_bytecode", True):
                spec.loader.exec_module(module)
        recipe = module.Carom()
        recipe.recipe_folder, recipe.export_sources_folder = path.parent, sources
        recipe.options = types.SimpleNamespace(**recipe.default_options)
        recipe.settings = types.SimpleNamespace(compiler="gcc")
        recipe.requires, recipe.cpp_info = mock.Mock(), mock.MagicMock()
        for step in ("set_version", "export_sources", "requirements", "validate", "generate", "package_info"):
            getattr(recipe, step)()
        self.assertEqual(recipe.version, VERSION)
        recipe.settings.compiler = "msvc"
        with self.assertRaises(modules["conan.errors"].ConanInvalidConfiguration):
            recipe.validate()
        self.assertTrue((sources / "LICENSE").is_file())
        # The sources that it exports are enough.
        variables = toolchain.cache_variables.items()
        options = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in variables]
        # CMakeToolchain's answer to the option fPIC.
        cache = configure("conan", sources, [*options, "-DCMAKE_POSITION_INDEPENDENT_CODE=ON"])
        self.assertIn("CAROM_TBB:BOOL=ON", cache)
        flags = [line for line in (SCRATCH / "conan/build.ninja").read_text().splitlines() if "FLAGS = " in line and "-std=" in line]
        self.assertTrue(flags and all("-fPIC" in line for line in flags), flags)


if __name__ == "__main__":
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    unittest.main(argv=sys.argv[:1])
