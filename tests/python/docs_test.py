"""Every snippet of a page runs, in the order of the page, and prints the text that the page shows below it. help() describes
every function and every argument."""

import contextlib
import dataclasses
import inspect
import io
import pathlib
import re
import sys
import unittest

import carom

PAGES = [pathlib.Path(page) for page in sys.argv[1:]]
SNIPPET = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```|\nIt prints `([^`]+)`)", re.S)


class Pages(unittest.TestCase):
    def test_snippets(self):
        self.assertTrue(PAGES)
        for page in PAGES:
            text, names = page.read_text(), {}
            snippets = SNIPPET.findall(text)
            # Every snippet shows its output.
            self.assertEqual(len(snippets), text.count("```python"), page)
            self.assertTrue(snippets, page)
            for program, expected, in_line in snippets:
                with self.subTest(program):
                    out = io.StringIO()
                    with contextlib.redirect_stdout(out):
                        exec(compile(program, str(page), "exec"), names)
                    self.assertEqual(out.getvalue(), expected or in_line + "\n")


class Help(unittest.TestCase):
    def test_every_public_name_is_described(self):
        # The class has the descriptions of its fields.
        fields_of_classes = {carom.MechanismContact, carom.SystemSolver}
        for name in set(carom.__all__) - {"Columns"}:
            value = getattr(carom, name)
            self.assertTrue(inspect.getdoc(value), name)
            for member, what in vars(value).items() if inspect.isclass(value) else ():
                if member.startswith("_") or isinstance(what, property) and value in fields_of_classes:
                    continue
                if isinstance(what, property) or inspect.isroutine(what):
                    # Functions of pybind11 begin with their signatures.
                    text = re.sub(r"^\w+\(.*\) -> .*\n", "", what.__doc__ or "").strip()
                    self.assertTrue(text, f"{name}.{member}")

    def test_every_argument_is_described(self):
        for call in (carom.solve, carom.solve_planar, carom.check, carom.check_planar, carom.differentiate, carom.solve_scene, carom.select,
                     carom.SceneSolver.solve, carom.SceneSolver.reserve, carom.SystemSolver.solve):  # fmt: skip
            described = set(re.findall(r"\w+", " ".join(re.findall(r"^ *((?:\w+, )*\w+) {2}", re.sub(r",\n +", ", ", call.__doc__), re.M))))
            for name in set(inspect.signature(call).parameters) - {"self", "contacts", "scene", "options"}:
                parts = {name, re.sub("_[ab]$", "", name)}
                self.assertTrue(parts & described, f"{call.__name__}: {name}")
        for made in (carom.ball_joint, carom.fixed_joint, carom.hinge, carom.slider, carom.distance_joint, carom.motor, carom.linear_motor, carom.combine):
            signature, text = made.__doc__.split("\n", 1)
            for name in re.findall(r"(\w+): object", signature):
                self.assertRegex(text, rf"(?m)^  (\w+, )?{name}\b", made.__name__)

    def test_options_have_ranges_and_defaults(self):
        for cls in (carom.Substeps, carom.Pgs, carom.Ncp, carom.SequentialImpacts, carom.BenderSchmitt, carom.PositionCorrection):
            lines = re.sub(r"\n {10,}", " ", cls.__doc__)
            for field in dataclasses.fields(cls):
                [line] = re.findall(rf"(?m)^ +{field.name}  (.*)$", lines)
                self.assertIn("Default", line)
                if field.type in ("int", "float") and field.name != "seed":
                    self.assertRegex(line, r"In [\[(]|>=? ", f"{cls.__name__}.{field.name}")
        for text in ("Contacts.separation", "(bodies, 3)", "[m/s²]", "Raises carom.Error", "(islands,)", "(rows,)", "inverse_inertia"):
            self.assertIn(text.removeprefix("Contacts."), carom.solve_scene.__doc__ + carom.Contacts.__doc__)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
