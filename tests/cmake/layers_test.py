"""The layers of the library: layers_test.py SOURCES

src/README.md lists the layers and their folders. This test reads the list and checks every #include "..." below src/,
bindings/ and tools/."""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
MAX_FILES = 22
ROOTS = ("src", "bindings", "tools")  # folders that #include "..." is resolved from
# Kernels include these headers, too: data, and functions that are always inlined. dispatch.hpp is for callers of kernels.
SHARED_WITH_KERNELS = re.compile(
    r"core/(jobs/(?!dispatch\.hpp).*|columns/(derivative_)?columns\.hpp|scene/thresholds\.hpp)")
# Layers whose includes are limited further.
ONLY_INCLUDES = {"reference": {"reference", "core"}}
INCLUDED_BY_NONE = {"isa"}


def name_of(path):
    """Returns a path as src/README.md writes it: below src/, or from the root of the repository."""
    relative = path.relative_to(ROOT).as_posix()
    return relative.removeprefix("src/")


def folder_of(name):
    return name.rpartition("/")[0]


def is_kernel(name):
    return "kernels" in name.split("/")[:-1]


def is_shared(name):
    """Returns whether code that is compiled per ISA may see the file."""
    return is_kernel(name) or SHARED_WITH_KERNELS.fullmatch(name) is not None


def read_includes():
    """Returns the included files of every source, both by name. Headers outside of the layers are left out."""
    sources = {path for root in ROOTS for path in (ROOT / root).rglob("*") if path.suffix in (".hpp", ".cpp")}
    includes = {}
    for path in sources:
        found = []
        for include in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', path.read_text(), re.M):
            for folder in (path.parent, *(ROOT / root for root in ROOTS)):
                target = folder / include
                if target in sources:
                    found.append((include, name_of(target)))
                    break
        includes[name_of(path)] = found
    return includes


def find_cycle(graph):
    """Returns the nodes of a cycle, the first one again at its end, or None."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        for after in sorted(graph[node]):
            cycle = visit(after, path + [node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


README = (ROOT / "src/README.md").read_text()
LISTED = re.findall(r"^\| `([a-z0-9_/]+)/` \|", README, re.M)
LAYERS = [folder for folder in LISTED if "/" not in folder]
INCLUDES = read_includes()


def layer_of(name):
    return name.split("/")[0]


class Layers(unittest.TestCase):
    maxDiff = None

    def fail_with(self, errors, advice):
        if errors:
            self.fail("\n".join([advice, *sorted(errors)]))

    def test_sources_are_found(self):
        self.assertGreater(len(INCLUDES), 300)
        self.assertGreater(sum(map(len, INCLUDES.values())), 1000)

    def test_every_folder_has_a_line_in_the_readme(self):
        folders = {folder_of(name) for name in INCLUDES}
        self.fail_with([folder for folder in folders if folder not in LISTED], "src/README.md has no line for:")
        self.fail_with([folder for folder in LISTED if folder not in folders and folder not in LAYERS],
                       "src/README.md lists folders without sources:")

    def test_a_layer_includes_only_itself_and_layers_above_it(self):
        errors = []
        for name, included in INCLUDES.items():
            layer = layer_of(name)
            for _, target in included:
                of_target = layer_of(target)
                if of_target == layer:
                    continue
                if LAYERS.index(of_target) > LAYERS.index(layer):
                    errors.append(f"{name} includes {target}")
                elif of_target in INCLUDED_BY_NONE or of_target not in ONLY_INCLUDES.get(layer, {of_target}):
                    errors.append(f"{name} includes {target}, which {layer}/ may not")
        self.fail_with(errors, "The order of the layers is " + ", ".join(LAYERS) + "; src/README.md has the rules:")

    def test_folders_have_no_cycle(self):
        graph = collections.defaultdict(set)
        reasons = collections.defaultdict(list)
        for name, included in INCLUDES.items():
            for _, target in included:
                edge = folder_of(name), folder_of(target)
                if edge[0] != edge[1]:
                    graph[edge[0]].add(edge[1])
                    graph.setdefault(edge[1], set())
                    reasons[edge].append(f"{name} includes {target}")
        cycle = find_cycle(graph)
        if cycle:
            self.fail("Folders include each other:\n" + "\n".join(reasons[edge][0] for edge in zip(cycle, cycle[1:])))

    def test_kernels_and_other_code_share_only_data(self):
        errors = []
        for name, included in INCLUDES.items():
            for _, target in included:
                if is_kernel(target) and not is_kernel(name):
                    errors.append(f"{name} includes the kernel {target}")
                elif is_shared(name) and not is_shared(target):
                    errors.append(f"{name}, which kernels see, includes {target}")
        self.fail_with(errors, "Code that is compiled per ISA is in folders kernels/, and only there:")

    def test_only_units_of_isa_kernels_are_compiled_per_isa(self):
        units = set(re.findall(r"[\w/]+\.cpp", re.search(r"add_library\(\$\{kernels\} OBJECT ([^)]*)\)",
                                                         (ROOT / "cmake/CaromIsa.cmake").read_text())[1]))
        in_kernels = {name for name in INCLUDES if is_kernel(name) and name.endswith(".cpp")}
        self.assertEqual(units, in_kernels, "cmake/CaromIsa.cmake and the .cpp files in folders kernels/ differ")

    def test_folders_are_small(self):
        files = collections.Counter(map(folder_of, INCLUDES))
        self.fail_with([f"{folder}: {number} files" for folder, number in files.items() if number > MAX_FILES],
                       f"More than {MAX_FILES} files in a folder:")

    def test_no_source_is_beside_folders(self):
        folders = {folder_of(name) for name in INCLUDES}
        errors = []
        for name in INCLUDES:
            folder = folder_of(name)
            if any(other.startswith(folder + "/") and other != folder + "/kernels" for other in folders) or not folder:
                errors.append(name)
        self.fail_with(errors, "A folder with folders in it has no sources of its own, kernels/ apart:")

    def test_one_way_to_write_an_include(self):
        errors = []
        for name, included in INCLUDES.items():
            for include, target in included:
                short = folder_of(name) == folder_of(target)
                expected = target.rpartition("/")[2] if short else re.sub(r"^(bindings|tools)/", "", target)
                if include != expected:
                    errors.append(f'{name}: "{include}", not "{expected}"')
        self.fail_with(errors, "The name alone in the same folder, else the path from src/, bindings/ or tools/:")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
