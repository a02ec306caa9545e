"""carom for Conan 2, from the sources that this recipe lies among: conan create packaging/conan"""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Carom(ConanFile):
    name = "carom"
    license = "MIT"
    description = "Rigid-body collisions in batches, on SIMD lanes and threads"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "tbb": [True, False]}
    default_options = {"shared": False, "fPIC": True, "tbb": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = pathlib.Path(self.recipe_folder).resolve().parents[1] / "include/carom/version.hpp"
        self.version = ".".join(re.findall(r"CAROM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text()))

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder).resolve().parents[1]
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "bindings/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("xsimd/[>=8.1]", visible=False)
        if self.options.tbb:
            self.requires("onetbb/[>=2021.4]")

    def validate(self):
        check_min_cppstd(self, 20)
        if str(self.settings.compiler) not in ("gcc", "clang", "apple-clang"):
            raise ConanInvalidConfiguration("carom is compiled by GCC or Clang")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CAROM_TBB"] = bool(self.options.tbb)
        for part in ("APPS", "BENCHMARKS", "TESTS"):
            toolchain.cache_variables[f"CAROM_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, str(pathlib.Path(self.package_folder) / "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "carom")
        for component, library, target in (("core", "carom", "carom::carom"), ("reference", "carom_reference", "carom::reference")):
            self.cpp_info.components[component].libs = [library]
            self.cpp_info.components[component].set_property("cmake_target_name", target)
        self.cpp_info.components["core"].set_property("pkg_config_name", "carom")
        if self.options.tbb:
            self.cpp_info.components["core"].requires = ["onetbb::onetbb"]
        self.cpp_info.components["reference"].requires = ["core"]
