"""The binary interface in C is stable within a minor version, checked by abidiff: functions keep their types, enumerators
their numbers, and structs their fields. Structs with a struct_size may grow at the end; functions and enumerators may be
added.

tests/c/interface-<version>.txt records all declarations without comments. It is rewritten when the headers change, if
abidiff accepts the change: libraries with empty functions are built from both, for their debug information.

abi_test.py SOURCES CC ABIDIFF SCRATCH
abi_test.py SOURCES CC ABIDIFF SCRATCH --record [--break]   records the present interface; --break accepts any change
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
INCLUDE = ROOT / "include"
VERSION = ".".join(re.findall(r"CAROM_VERSION_(?:MAJOR|MINOR) (\d+)", (INCLUDE / "carom/version.hpp").read_text()))
RECORD = ROOT / f"tests/c/interface-{VERSION}.txt"
#: Fields of carom_options.
STEPS = "  int32_t steps;\n  int32_t step_budget;\n  double max_restitution;"


def included(name, seen):
    """The text of a header of C and of those before it."""
    if name in seen:
        return ""
    seen.add(name)
    text = (INCLUDE / name).read_text()
    return "".join(included(other, seen) for other in re.findall(r"#include <(carom/c/.*\.h)>", text)) + text


def interface():
    text = re.sub(r"//.*", "", included("carom/carom.h", set()))
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^#(include|pragma).*\n", "", text, flags=re.M)
    return re.sub(r"\s*\n\s*\n", "\n", re.sub(r" +$", "", text, flags=re.M)).strip() + "\n"


def library(name, text):
    compiler, scratch = sys.argv[2], sys.argv[4]
    folder = pathlib.Path(scratch) / name
    folder.mkdir(parents=True, exist_ok=True)
    text, count = re.subn(r"^CAROM_EXPORT ([^;]*);", r"\1 { abort(); }", text, flags=re.M)
    assert count > 40, count
    (folder / "carom.c").write_text("#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n" + text)
    # Enumerations are not in the types of functions.
    flags = ["-std=c99", "-g", "-fPIC", "-shared", "-fno-eliminate-unused-debug-types"]
    subprocess.run([compiler, *flags, "carom.c", "-o", "libcarom.so"], cwd=folder, check=True)
    return folder / "libcarom.so"


def without_growth(before, after):
    """`after` without the fields that structs with a struct_size have added at their ends."""
    struct = re.compile(r"typedef struct (carom_(?!method )\w+) \{\s*(?:size_t struct_size|carom_method head);([^}]*)\}")
    fields = dict(struct.findall(before))

    def shortened(found):
        was = fields.get(found[1], "")
        same = was and found[2].split()[: len(was.split())] == was.split()
        return found[0].replace(found[2], was) if same else found[0]

    return struct.sub(shortened, after)


def changes(before, name, after):
    """What abidiff finds that callers of `before` would notice."""
    found = subprocess.run([sys.argv[3], "--non-reachable-types", "--no-added-syms", library("there_was", before),
                            library(name, without_growth(before, after))], capture_output=True, text=True, check=False)
    assert not found.returncode & 3, found.stderr  # wrong use
    return found.stdout if re.search(r"^ +\[[CD]\] ", found.stdout, re.M) else ""  # changed or deleted, not added


class Interface(unittest.TestCase):
    maxDiff = None

    def test_is_recorded(self):
        self.assertTrue(RECORD.exists(), f"there is no record of {VERSION}: see CONTRIBUTING.md")
        self.assertEqual(RECORD.read_text(), interface(), "the headers have changed: see CONTRIBUTING.md")

    def test_changes_would_be_found(self):
        text = interface()
        function = "CAROM_EXPORT void carom_solver_destroy(carom_solver* solver);"
        for name, old, new in [
            ("removed", function, ""),
            ("argument", "void carom_options_init(carom_options* options, size_t",
             "void carom_options_init(carom_options* options, int32_t"),
            ("field", STEPS, STEPS.replace("int32_t", "int64_t", 1)),
            ("order", "size_t struct_size;\n  int32_t law;\n  int32_t restitution_law;",
             "size_t struct_size;\n  int32_t restitution_law;\n  int32_t law;"),
            ("inserted", STEPS, "  double more;\n" + STEPS),
            ("grown", "  carom_vectors3 angular_velocity;\n} carom_bodies;",
             "  carom_vectors3 angular_velocity;\n  double more;\n} carom_bodies;"),
            ("head", "} carom_method;", "  int32_t more;\n} carom_method;"),
            ("number", "CAROM_LAW_NO_SLIP = 2", "CAROM_LAW_NO_SLIP = 20"),
        ]:
            with self.subTest(name):
                self.assertEqual(text.count(old), 1)
                self.assertNotEqual(changes(text, name, text.replace(old, new)), "")

    def test_growth_is_none(self):
        text = interface()
        grown = text
        more = "typedef struct carom_new {\n  int x;\n} carom_new;\nCAROM_EXPORT void carom_more(carom_new* given);\n"
        for old, new in [("} carom_options;", "  double more;\n} carom_options;"),
                         ("} carom_ncp;", "  double more;\n} carom_ncp;"),
                         ("  CAROM_LAW_COMPOSITE = 12,", "  CAROM_LAW_COMPOSITE = 12,\n  CAROM_LAW_MORE = 13,")]:
            self.assertEqual(text.count(old), 1)
            grown = grown.replace(old, new)
        self.assertEqual(changes(text, "growth", grown + more), "")


def record(may_break):
    found = changes(RECORD.read_text(), "there_is", interface()) if RECORD.exists() and not may_break else ""
    if found:
        sys.exit(f"{found}This breaks callers within a version.")
    RECORD.write_text(interface())


if __name__ == "__main__":
    if sys.argv[5:6] == ["--record"]:
        record(sys.argv[6:] == ["--break"])
    else:
        unittest.main(argv=sys.argv[:1])
