"""Writes signatures, documentation with units, enumerations and types of the package.

python3 generate.py <folder of the package, with its compiled module> <include/carom>

Names, shapes and kinds come from the compiled module, which takes them from the descriptions of the columns and the tables
of options and reports. Texts of columns and reports come from the comments of the headers. This file lists no columns, no
options and no figures of reports.
"""

import importlib.util
import math
import pathlib
import re
import sys
import textwrap
from typing import NamedTuple


def comments_of(folder):
    """Returns {struct: {member: comment}} of the headers."""
    structs = {}
    for header in sorted(folder.glob("*.hpp")):
        struct, above, last = None, [], []
        for line in re.sub(r" =\n +", " = ", header.read_text()).splitlines():
            if found := re.match(r"struct (?:CAROM_EXPORT )?(\w+) \{", line):
                struct, above, last = structs.setdefault(found[1], {}), [], []
            elif line.startswith("}"):
                struct = None
            elif struct is None:
                continue
            elif found := re.match(r"\s+///< (.*)", line):
                for name in last:
                    struct[name] += " " + found[1]
            elif found := re.match(r"\s+/// (.*)", line):
                above.append(found[1])
            elif found := re.match(r"  (?!static|constexpr|using|friend)[\w:<>, ]+?[ >](\w+[^()]*);(?:\s+///< (.*))?$", line):
                text = re.sub(r"\{[^}]*\}|= [^,;]+", "", found[1])
                last = re.findall(r"\w+", text)
                for name in last:
                    struct.setdefault(name, " ".join(above + [found[2] or ""]).strip())
                above = []
            else:
                above, last = [], []
    return structs


def class_of(method):
    return "".join(part.capitalize() for part in re.split("[-_]", method))


#: Structs of C++ whose members are columns or keywords in Python.
PLAIN = r"\b(?:\w*Contacts|\w*Columns|\w*Results|\w*Product|Options|SceneOptions|Tolerances)"
#: Columns that are an option, too.
TEXTS = {
    "law": "name or number (carom.Law), one for all contacts or one for each contact",
    "restitution_law": "name or number (carom.RestitutionLaw), one for all contacts or one for each contact",
}


def in_python(text):
    """Writes names of C++ as Python has them: SceneMethod::pgs is Pgs, SceneContacts::slop is Contacts.slop."""
    text = re.sub(r"(?:carom::)?SceneMethod::(\w+)", lambda found: class_of(found[1]), text)
    text = text.replace("SceneContacts::", "Contacts.").replace("SceneBodies::", "Bodies.").replace("JointRows::", "Joints.")
    text = text.replace("IslandResults::", "island_")
    text = re.sub(rf"(?:carom::)?{PLAIN}::(\w+)", r"\1", text).replace("KContacts", "contacts with k")
    text = re.sub(r"(?:carom::)?(\w+)::", r"\1.", text)
    return re.sub(r"\bthrow(s?)( an)? Error\b", r"raise\1\2 Error", text)


def comment_of(structs, of, name):
    return TEXTS.get(name) or in_python(comment_in_header(structs, of, name))


def comment_in_header(structs, of, name):
    # Keywords for the columns of one side: velocity_a.
    if name.endswith(("_a", "_b")) and all(name not in structs.get(struct, {}) for struct in of.split()):
        name = name[:-2]
    for struct in of.split():
        text = structs.get(struct, {}).get(name, "")
        # Enumerators and members such as weights have no comments of their own.
        if text and (found := re.search(r"as in (?:carom::)?(\w+)", text)) and found[1] != struct:
            text = structs.get(found[1], {}).get(name, text)
        if text:
            return text
    if name.startswith("weight_"):
        return comment_in_header(structs, of, "weight") if name != "weight_" else ""
    if name.startswith("island_"):
        return structs["IslandResults"].get(name[len("island_") :], "")
    if name.startswith("of_"):
        return structs["VectorJacobianProduct"].get(name[len("of_") :], "")
    return ""


def shape_of(parts, is_matrix):
    if parts == 1:
        return "(n,)"
    if not is_matrix:
        return f"(n, {parts})"
    side = 3 if parts == 6 else 2
    return f"(n, {parts}) or (n, {side}, {side})"


class Option(NamedTuple):
    """A line of the table of options."""

    kind: str
    name: str
    usual: str
    choices: str
    unit: str
    range: tuple
    help: str

    def range_text(self):
        """Returns "In [0, 1]", "> 0"; nothing for names and where every number is allowed."""

        def number(value):
            power = math.log2(value) if value >= 2**20 else 0.5
            return f"2**{power:.0f}" if power == int(power) else f"{value:.12g}"

        low, high, excludes_low, excludes_high = self.range
        if low < -1e30:
            return "" if math.isinf(low) else "Finite"
        if high > 1e30:
            return f"{'>' if excludes_low else '>='} {number(low)}"
        return f"In {'(' if excludes_low else '['}{number(low)}, {number(high)}{')' if excludes_high else ']'}"

    def text(self):
        usual = self.usual[:-2] if self.usual.endswith(".0") else self.usual
        parts = [f"[{self.unit}]" if self.unit else "", self.help, f"One of {self.choices}." if self.choices else ""]
        parts += [f"{text}." if (text := self.range_text()) else "", "" if "Default" in self.help else f"Default {usual}."]
        return " ".join(part for part in parts if part)


class Function:
    """The description of a function: its columns, options and results, each once."""

    def __init__(self, described):
        self.columns, self.options, self.results = {}, {}, {}
        for entry in described:
            if entry[0] == "options":
                self.options[entry[2]] = Option(*entry[1:])
            elif entry[0] != "keywords":
                group, of, name, parts, is_matrix, element, is_needed, readers = entry
                to = self.results if group == "results" else self.columns
                to.setdefault(group, {}).setdefault(name, (of, parts, is_matrix, element, is_needed, readers))

    def group(self, *groups):
        """Returns the columns of these groups together."""
        return {name: entry for group in groups for name, entry in self.columns.get(group, {}).items()}

    def keywords(self):
        """Returns the options as parameters with their types."""
        return [(name, f"{option.kind} | None") for name, option in self.options.items()]


def wrapped(name, text, width=110):
    return textwrap.fill(f"{name}  {text}", width, initial_indent="  ", subsequent_indent="      ")


def column_lines(structs, columns, length_of=lambda name: "n"):
    # Neighbours with the same shape and text, such as weights, are one line.
    lines = {}
    for name, (of, parts, is_matrix, element, is_needed, readers) in columns.items():
        text = comment_of(structs, of, name) + (f". Read by {readers}." if readers else "")
        shape = shape_of(parts, is_matrix).replace("n", length_of(name))
        lines.setdefault((shape, text.replace("..", ".")), []).append(name)
    return [wrapped(f"{', '.join(names)}  {shape}", text) for (shape, text), names in lines.items()]


def option_lines(options):
    return [wrapped(name, option.text()) for name, option in options.items()]


def annotation(entry):
    element = entry[3]
    return "Laws | None" if element in ("law", "restitution_law") else "ArrayLike | None"


def signature(parameters, kind):
    """Returns the parameters of a function: with types if `kind` is "typed", without types if it is "text"."""
    parts = []
    for name, hint in parameters:
        if hint is None or kind == "text":
            parts.append(name if hint is None else f"{name}=None")
        else:
            parts.append(f"{name}: {hint} = None")
    return ", ".join(parts)


CALLS = {
    "solve": ("Result", "Resolves every contact on its own, as if it were alone.", ("space", "inline", "indexed")),
    "solve_planar": ("Result", "Resolves contacts of bodies in the plane.", ("space", "inline", "indexed")),
    "check": (
        "Region",
        "Returns how far impulses lie inside the permissible region of their contacts. The law does not matter.",
        ("impulse", "space", "inline", "indexed"),
    ),
    "check_planar": (
        "Region",
        "Returns how far impulses of planar contacts lie inside the permissible region.",
        ("impulse", "space", "inline", "indexed"),
    ),
    "differentiate": (
        "Gradients",
        "Returns derivatives of impulses and separation velocities after the collision by the columns of the contacts.",
        ("contacts", "cotangent"),
    ),
    "contact_space": ("ContactSpace", "Returns K and u0 of two bodies, in a frame whose last axis is the normal.", ("pair",)),
    "pull_back": (
        "PairGradients",
        "Turns the product of differentiate() into derivatives by the columns of the bodies. Impulses, velocities and their\n"
        "cotangents are in the frame of contact_space(). Normals vary as unit vectors. Only the dependence through K and u0\n"
        "is followed.",
        ("pair", "cotangent"),
    ),
}
# Functions of the module that no solver has. They have no results by name.
ALONE = ("contact_space", "pull_back")
SELECT_LAWS = {
    "select": (
        "bool | None",
        "True: leaves out columns of laws that no law of the call reads, to solve the same contacts under several laws."
        " Default False: such a column is an Error.",
    )
}
CHECK = SELECT_LAWS | {"tolerance": ("float | None", "[1] Relative distance outside the region that counts as outside.")}
EXTRA = {
    "solve": SELECT_LAWS,
    "solve_planar": SELECT_LAWS,
    "differentiate": SELECT_LAWS | {
        "by": ("Sequence[str] | None", "Names of the columns to differentiate by. Default: the columns that all laws read."),
        "of": ("Sequence[str] | None", "impulse, separation_velocity. Default: both, or none if a cotangent is given."),
        "tolerance": ("float | None", "[1] Relative distance from a border between phases that counts as on the border."),
    },
    "pull_back": {"product": ("Columns | None", "Result of differentiate() for the same cotangent, by k and separation_velocity.")},
    "check": CHECK,
    "check_planar": CHECK,
}
OUT = {
    "out": (
        "Columns | None",
        "Your arrays, by the names of results. They are written in place, and no other arrays are made. They have the shape of"
        " the result and the precision of the call. Default: new arrays.",
    ),
    "results": (
        "Sequence[str] | None",
        "Names of the results to make. Default: impulse, separation_velocity, status, path, and the new velocities of bodies.",
    ),
}
BODIES = {
    "a": ("Columns | None", "Bodies A: carom.Bodies, a dict or a structured array. Or pass their columns as velocity_a and so on."),
    "b": ("Columns | None", "Bodies B, likewise. Default: the immovable world."),
    "bodies": ("Columns | None", "Bodies that are stored once; body_a and body_b are indices into them."),
}


SCENE = {
    "bodies": ("Columns | None", "Required: carom.Bodies, a dict or a structured array."),
    "contacts": ("Columns | None", "carom.Contacts, a dict or a structured array. Default: no contacts."),
    "joints": ("Columns | None", "Rows of joints: what hinge() and the like return, carom.Joints or a dict. Default: no joints."),
}
METHOD_TEXT = (
    "carom.Substeps(), Pgs(), Ncp(), SequentialImpacts() or BenderSchmitt(), each with its options. Or a name, such as 'ncp',"
    " for the defaults. Default carom.Substeps()."
)
SCENE_OPTIONS = {
    "method": ("Method | str | None", METHOD_TEXT),
    "in_place": ("bool | None", "True: the new velocities are written into the arrays of the bodies. Default False."),
    "select": (
        "bool | None",
        "True: leaves out columns that the method does not read, as carom.select() does. Default False: such a column is an Error.",
    ),
    "out": OUT["out"],
    "results": (
        "Sequence[str] | None",
        "Names of the results to make. Default: velocity, angular_velocity, displacement, rotation, impulse, separation_velocity,"
        " status; with joints joint_impulse, joint_status, joint_island.",
    ),
}
SELECT = {"method": ("Method | str | None", METHOD_TEXT)} | SCENE
RESERVE = {
    "bodies": ("int", "Number of bodies. >= 0. Default 0."),
    "contacts": ("int", "Number of contacts. >= 0. Default 0."),
    "joint_rows": ("int", "Number of rows of joints. >= 0. Default 0."),
    "method": ("Method | str | None", METHOD_TEXT),
    "dtype": ("str", "Precision of the calls, 'float64' or 'float32'. Default 'float64'."),
}
EXECUTOR = [
    wrapped("isa", "Instruction set: auto, scalar, sse2, avx2, avx512 or neon. Default 'auto': the best one of this CPU."),
    wrapped("threads", "Maximum number of threads. In [0, 1024]. Default 0: all."),
    "",
    "Results do not depend on them, except with sse2. A solver serves one call at a time; a second one meanwhile raises",
    "carom.Error. Keep the solver from call to call: it owns the workspace.",
]


def with_columns(name, text, scene):
    """Adds the names of the required columns of a group of a scene."""
    needed = [key for key, entry in scene.columns[name].items() if entry[4]]
    return f"{text} Required columns: {', '.join(needed)}; all columns: help(carom.{name.capitalize()})."


def length_in_scene(result):
    """Returns the length of a result of a scene, in words."""
    if result in ("velocity", "angular_velocity", "displacement", "rotation"):
        return "bodies"
    return "rows" if result.startswith("joint_") else "islands" if result.startswith("island_") else "contacts"


HAVE_OUT = [name for name in CALLS if name not in ("differentiate", *ALONE)]


def bodies_of(name, function):
    if "bodies" not in function.columns:
        return []
    return ["a", "b"] if name in ALONE else list(BODIES)


def parameters_of(name, function):
    columns = function.group(*CALLS[name][2], "sides")
    # A column of a law must not be named twice, as a column and as an option.
    named = {key: (annotation(entry), None) for key, entry in columns.items()}
    named |= {key: entry for key, entry in BODIES.items() if key in bodies_of(name, function)}
    if name in HAVE_OUT:
        named |= OUT
    named |= EXTRA.get(name, {})
    for key, hint in function.keywords():
        named.setdefault(key, (hint, None))
    return named


def text_of_call(structs, name, function):
    result, headline, groups = CALLS[name]
    named = parameters_of(name, function)
    lines = [headline, ""]
    needed = {
        "space": "Columns of contacts that are given by K and u0",
        "inline": "Columns of contacts that are given by their bodies a and b",
        "indexed": "Columns of contacts of bodies by index",
        "contacts": "Columns of contacts",
        "impulse": "Impulses",
        "pair": "Columns of contacts",
        "cotangent": "Cotangent of a number f; the result is then the derivative of f",
    }
    shown = set()
    for group in groups:
        columns = {
            key: entry
            for key, entry in function.columns[group].items()
            if (entry[4] or group == "cotangent") and key not in shown
        }
        shown |= set(columns)
        lines += [needed[group], "", *column_lines(structs, columns), ""]
    optional = {key: entry for key, entry in function.group(*groups).items() if key not in shown}
    if optional:
        lines += ["Optional columns: laws of single contacts, and parameters of some laws", "", *column_lines(structs, optional), ""]
    if bodies := bodies_of(name, function):
        lines += ["Bodies", "", *(wrapped(key, BODIES[key][1]) for key in bodies)]
        lines += column_lines(structs, function.columns["bodies"]) + [""]
    extra = EXTRA.get(name, {}) | (OUT if name in HAVE_OUT else {})
    if function.options or extra:
        lines += ["Options", "", *option_lines(function.options)]
        lines += [wrapped(key, text) for key, (_, text) in extra.items()]
    if function.results:
        lines += ["", "Results", "", *column_lines(structs, function.results["results"])]
    text_signature = signature([("contacts", "x"), ("/", None), ("*", None)] + [(key, hint) for key, (hint, _) in named.items()], "text")
    return text_signature, "\n".join(lines)


def load(package):
    [module] = package.glob("_carom*.so")
    spec = importlib.util.spec_from_file_location("_carom", module)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


HEAD = '"""{}\n\nWritten by bindings/python/generate.py.\n"""\n\n'


def class_of_columns(structs, name, headline, columns):
    keywords = [(key, annotation(entry)) for key, entry in columns.items()]
    text = "\n".join([headline, "", *column_lines(structs, columns)])
    body = [f"class {name}(ColumnsByName):", f'    """{text}"""'.replace("\n", "\n    "), ""]
    body += ["    def __init__(", "        self,", "        *,"]
    body += [f"        {key}: {hint} = None," for key, hint in keywords]
    body += ["    ) -> None:"]
    body += [f"        super().__init__({', '.join(f'{key}={key}' for key, _ in keywords)})"]
    return "\n".join(body)


def class_of_arrays(structs, name, columns):
    length_of = length_in_scene if name == "SceneResultArrays" else lambda _: "n"
    text = "\n".join(["Arrays of results.", "", *column_lines(structs, columns, length_of)])
    return "\n".join(
        [f"class {name}(Arrays):", f'    """{text}"""'.replace("\n", "\n    "), ""]
        + [f"    {key}: NDArray[Any]" for key in columns]
    )


METHODS = {
    "PositionCorrection": "Position correction: moves overlapping bodies and drifting joints back. For Substeps and Pgs.",
    "Substeps": "Substeps with position correction. The default, and the method for engines.",
    "Pgs": "Projected Gauss-Seidel: a fixed number of iterations over all contacts, as in a classical engine.",
    "Ncp": "The contact problem solved to a tolerance. For robotics and research.",
    "SequentialImpacts": "Impacts one contact after the other by their laws, until no contact approaches.",
    "BenderSchmitt": "The collision and contact iteration of Bender and Schmitt, 2006.",
}


def class_of_options(name, options):
    text = "\n".join([METHODS[name], "", *option_lines(options)])
    fields = [f"    {key}: {option.kind} = {'math.inf' if option.usual == 'inf' else option.usual}" for key, option in options.items()]
    head = ["@options", "@dataclass(frozen=True)", f"class {name}:"]
    return "\n".join([*head, f'    """{text}\n"""'.replace("\n", "\n    "), "", *fields])


def text_of_methods(functions, methods):
    text = HEAD.format("The methods that solve scenes, with their options.")
    text += "from __future__ import annotations\n\nimport math\nfrom dataclasses import dataclass\nfrom typing import Union\n\n"
    text += "from ._base import options\n\n\n"
    text += "\n\n\n".join(class_of_options(name, functions[name].options) for name in ("PositionCorrection", *methods))
    return without_trailing_spaces(text) + f"\n\n\n#: A method and its options.\nMethod = Union[{', '.join(methods)}]\n"


#: Base and headline of the class of a report.
REPORTS = {
    "Report": ("ContactReport", "Summary of a batch of contacts. ok: no contact is at fault."),
    "RegionReport": ("ContactReport", "How many impulses leave the permissible region, and by which bound. ok: no contact is at fault."),
    "GradientReport": ("CountedReport", "Number of gradients by GradientStatus. ok: every contact has a gradient."),
    "SceneReport": (
        "JointReport",
        "Report of a scene. ok: no contact and no joint row is at fault and, under Ncp, SequentialImpacts and BenderSchmitt,\n"
        "all islands have converged.",
    ),
    "SystemReport": ("StateReport", "Report of a call for a contact system. ok: every island is solved to the tolerance."),
    "SystemIsland": ("", "An island: contacts that the matrix connects. Each island is solved by itself."),
}


def text_of_figure(structs, report, name, kind):
    if kind != "dict[str, int]":
        return comment_of(structs, report, name)
    of = "joint row" if "joint" in name else "contact"
    by = {"by_path": "path, the most frequent first", "by_state": "ContactState"}.get(name.removeprefix("first_"), "status")
    return f"first {of} by the name of its {by}" if name.startswith("first_") else f"number of {of}s by the name of their {by}, without zeros"


def class_of_report(structs, name, fields):
    base, headline = REPORTS[name]
    lines = ["@dataclass(frozen=True)", f"class {name}{f'({base})' if base else ''}:", *f'    """{headline}"""'.replace("\n", "\n    ").split("\n"), ""]
    for figure, kind in fields:
        text = text_of_figure(structs, name, figure, kind)
        lines += textwrap.wrap(text, 110, initial_indent="    #: ", subsequent_indent="    #: ")
        lines.append(f"    {figure}: {kind}")
    return "\n".join(lines)


def text_of_reports(structs, reports):
    text = HEAD.format("The reports of calls.") + "from dataclasses import dataclass\n\n"
    text += f"from ._base import {', '.join(sorted({base for base, _ in REPORTS.values() if base}))}\n\n\n"
    return text + "\n\n\n".join(class_of_report(structs, name, fields) for name, fields in reports.items()) + "\n"


ENUMERATIONS = {
    "Law": "Collision laws: docs/laws.md. Columns take the names, with hyphens, or the numbers.",
    "RestitutionLaw": "Hypotheses of restitution that end a collision of the incremental law.",
    "Status": "Outcome of a contact or a joint row. All but ok, separating and several_solutions are faults.",
    "SceneMethod": "The methods of scenes.",
    "IslandStatus": "How the solution of an island ended: docs/scenes.md.",
    "IslandAlgorithm": "The algorithm that solved an island.",
    "GradientStatus": "Outcome of differentiate() for a contact: docs/gradients.md.",
    "ContactState": "State of a contact of a contact system: no impulse, within the friction cone, or on it.",
}


def enum_text(name, members):
    head = [f"class {name}(IntEnum):", f'    """{ENUMERATIONS[name]}"""', ""]
    return "\n".join([*head, *(f"    {key} = {value}" for key, value in members.items())])


def without_trailing_spaces(text):
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def main():
    package, include = map(pathlib.Path, sys.argv[1:])
    module, structs = load(package), comments_of(include)
    functions = {name: Function(described) for name, described in module.descriptions.items()}

    names = HEAD.format("Names of columns and results, and the numbers that stand for laws and statuses.")
    names += "from __future__ import annotations\n\nfrom enum import IntEnum\nfrom typing import Any\n\nfrom numpy.typing import ArrayLike, NDArray\n\n"
    names += "from ._base import Arrays, ColumnsByName, Laws\n\n\n"
    classes = [enum_text(name, members) for name, members in module.enumerations.items()]
    scene = functions["Scene"]
    for name, headline in (
        ("Bodies", "Columns of n bodies, of contacts or of a scene."),
        ("Contacts", "Columns of n contacts of a scene. Columns with `optional` or `Read by` may be missing."),
        ("Joints", "Columns of n rows of joints of a scene. Columns with `optional` may be missing."),
    ):
        headline += "\nOne number, one vector of shape (3,) or one matrix applies to all."
        classes.append(class_of_columns(structs, name, headline, scene.columns[name.lower()]))
    for name, function in (("Result", "solve"), ("Region", "check"), ("SceneResult", "SceneSolver.solve"), ("SystemResult", "solve_system")):
        classes.append(class_of_arrays(structs, name + "Arrays", functions[function].results["results"]))
    (package / "_names.py").write_text(without_trailing_spaces(names + "\n\n\n".join(classes) + "\n"))
    (package / "_methods.py").write_text(text_of_methods(functions, [class_of(name) for name in module.enumerations["SceneMethod"]]))

    (package / "_reports.py").write_text(text_of_reports(structs, module.reports))

    docs, classes_docs, typed_functions = {}, {}, []
    for name, function in functions.items():
        if name not in CALLS:
            continue
        text_signature, text = text_of_call(structs, name, function)
        named = parameters_of(name, function)
        typed = signature([(key, hint) for key, (hint, _) in named.items()], "typed")
        result = CALLS[name][0]
        for key, first in ((name, ""),) if name in ALONE else ((name, ""), ("Solver." + name, "$self, ")):
            docs[key] = f"{name}({first}{text_signature})\n--\n\n{text}"
        typed_functions.append((name, f"contacts: Columns | None = None, /, *, {typed}", result))
    typed_scene = ""
    for name, headline in (
        ("SceneSolver.solve", "Solves one step of a scene: a carom.Scene, or its bodies, contacts and joints."),
        ("solve_scene", "Solves one step of a scene. Remembers nothing: impulses by key need a carom.SceneSolver."),
    ):
        function = functions[name]
        columns = [(key, hint) for key, (hint, _) in SCENE.items()]
        keywords = [(key, hint) for key, (hint, _) in SCENE_OPTIONS.items()] + function.keywords()
        lines = [headline, ""] + [wrapped(key, with_columns(key, text, scene)) for key, (_, text) in SCENE.items()]
        lines += [wrapped(key, text) for key, (_, text) in SCENE_OPTIONS.items()]
        lines += ["", "Options of all methods", "", *option_lines(function.options)]
        lines += ["", "Returns a carom.SceneResult: its report, and these arrays", ""]
        lines += column_lines(structs, function.results["results"], length_in_scene)
        lines += ["", "Raises carom.Error, before any result is written, for a wrong argument, column or option. Faulty data of"]
        lines += ["a contact or a row are no error: it gets a status, and the others are solved."]
        typed_columns, typed_keywords = signature(columns, "typed"), signature(keywords, "typed")
        if name == "solve_scene":
            parameters = [*columns, ("*", None), *keywords]
            typed_functions.append((name, f"{typed_columns}, *, {typed_keywords}", "SceneResult"))
        else:
            parameters = [("$self", None), ("scene", "x"), ("/", None), ("*", None), *columns, *keywords]
            typed_scene = f"scene: Scene | None = None, /, *, {typed_columns}, {typed_keywords}"
        docs[name] = f"{name.split('.')[-1]}({signature(parameters, 'text')})\n--\n\n" + "\n".join(lines)
    keywords = [(key, hint) for key, (hint, _) in SELECT.items()]
    lines = ["Returns the columns of a scene that a method reads, to run several methods on one scene:", ""]
    lines += ["    columns = carom.select(method, bodies=bodies, contacts=contacts, joints=joints)"]
    lines += ["    carom.solve_scene(**columns, method=method, time_step=1 / 60)", ""]
    lines += [wrapped(key, text.replace("Required: ", "").replace("no contacts", "none").replace("no joints", "none")) for key, (_, text) in SELECT.items()]
    lines += ["", "Returns a dict with the groups that were given, bodies, contacts and joints: each is a dict of its columns by name."]
    lines += ["The columns are your objects, which are not copied. Raises carom.Error for an unknown column or method."]
    docs["select"] = f"select({signature(keywords, 'text')})\n--\n\n" + "\n".join(lines)
    typed_functions.append(("select", signature(keywords, "typed"), "dict[str, Any]"))
    reserve = functions["SceneSolver.reserve"]
    positional, options = list(RESERVE)[:3], list(RESERVE)[3:] + list(reserve.options)
    lines = ["Allocates ahead the memory that grows with the numbers of bodies, contacts and joint rows, for calls in this precision"]
    lines += ["under these options. Numbers below those of an earlier call or reservation have no effect.", ""]
    lines += [wrapped(key, text) for key, (_, text) in RESERVE.items()]
    lines += ["", "Options of all methods", "", *option_lines(reserve.options)]
    lines += ["", "Raises carom.Error for a wrong argument or option, MemoryError if memory runs out."]
    docs["SceneSolver.reserve"] = f"reserve($self, {', '.join(f'{key}=0' for key in positional)}, *, {', '.join(f'{key}=None' for key in options)})\n--\n\n" + "\n".join(lines)
    typed_reserve = ", ".join([f"{key}: int = 0" for key in positional] + ["*"])
    typed_reserve += "".join(f", {key}: {hint.removesuffix(' | None')} | None = None" for key, (hint, _) in list(RESERVE.items())[3:])
    typed_reserve += "".join(f", {key}: {hint} = None" for key, hint in reserve.keywords())
    typed = HEAD.format("The compiled module.")
    typed += "from collections.abc import Sequence\nfrom typing import Any, final\n\nfrom numpy.typing import ArrayLike, NDArray\n\n"
    typed += "from ._base import Columns, Laws\nfrom ._methods import Method\nfrom ._results import ContactSpace, Gradients, PairGradients, Region, Result, SceneResult, SystemResult\n\n"
    typed += "version: str\ndescriptions: dict[str, list[tuple[Any, ...]]]\nenumerations: dict[str, dict[str, int]]\nreports: dict[str, list[tuple[str, str]]]\n\n"
    typed += "class Error(ValueError):\n    kind: str\n    column: str\n    row: int | None\n    option: str\n\n"
    typed += "class ArgumentError(Error, TypeError): ...\n\n"
    typed += "".join(f"def {name}({parameters}) -> {result}: ...\n" for name, parameters, result in typed_functions)
    typed += "def begin(results: Any, methods: Any) -> None: ...\ndef document(texts: dict[str, str]) -> None: ...\n"
    joint = "*, a: int = -1, b: int = -1, r_a: Sequence[float] = ..., r_b: Sequence[float] = ..., {}dtype: str = 'float64'"
    for names_of_joints, more in (
        (("ball_joint", "fixed_joint"), ""),
        (("hinge", "slider"), "axis: Sequence[float], "),
        (("distance_joint",), "direction: Sequence[float], "),
        (("motor", "linear_motor"), "axis: Sequence[float], speed: float, max_impulse: float, "),
    ):
        typed += "".join(f"def {name}({joint.format(more)}) -> Any: ...\n" for name in names_of_joints)
    executor = "    def __init__(self, *, isa: str = 'auto', threads: int = 0) -> None: ...\n"
    executor += "    @property\n    def isa(self) -> str: ...\n    @property\n    def threads(self) -> int: ...\n"
    memory = "    @property\n    def memory(self) -> int: ...\n"
    executor += memory
    typed += "def combine(of_bodies: ArrayLike, body_a: ArrayLike, body_b: ArrayLike, *, rule: str = 'geometric-mean', "
    typed += "of_world: float = ..., out: ArrayLike | None = None) -> NDArray[Any]: ...\n"
    typed += "\nclass Solver:\n" + executor
    of_solver = [entry for entry in typed_functions if entry[0] not in (*ALONE, "solve_scene", "select")]
    typed += "".join(f"    def {name}(self, {parameters}) -> {result}: ...\n" for name, parameters, result in of_solver)
    typed += "\nclass Scene:\n    def __init__(self, *, bodies: Columns, contacts: Columns | None = None, joints: Columns | None = None) -> None: ...\n"
    typed += "\nclass SceneSolver:\n" + executor + "    def forget(self) -> None: ...\n"
    typed += f"    def reserve(self, {typed_reserve}) -> None: ...\n"
    typed += "    def save(self) -> bytes: ...\n    def restore(self, state: bytes, /) -> None: ...\n"
    typed += f"    def solve(self, {typed_scene}) -> SceneResult: ...\n"
    typed += "\nclass _SystemSolver:\n    def __init__(self, threads: int = 0) -> None: ...\n" + memory
    typed += "    def solve(self, **arguments: Any) -> SystemResult: ...\n"
    typed += "\nclass MechanismContact:\n"
    fields = [name for name, member in vars(module.MechanismContact).items() if isinstance(member, property)]
    typed += "".join(f"    @property\n    def {name}(self) -> Any: ...\n" for name in fields)
    typed += "    def columns(self) -> dict[str, Any]: ...\n"
    typed += "".join(f"    def {name}(self, vector: Sequence[float]) -> NDArray[Any]: ...\n" for name in ("in_world", "in_frame"))
    mechanisms = functions["Mechanisms"].options
    keywords = ", ".join(f"{name}: {option.kind} = ..." for name, option in mechanisms.items())
    typed += f"\nclass Mechanisms:\n    def __init__(self, scene: Scene, *, {keywords}) -> None: ...\n"
    typed += "    def contact(self, index: int) -> MechanismContact: ...\n"
    typed += "    def apply(self, contact: MechanismContact, impulse: Sequence[float], *, joint_impulse: ArrayLike | None = None) -> None: ...\n"
    typed += "    def satisfy_rows(self, *, joint_impulse: ArrayLike | None = None) -> None: ...\n"
    classes_docs["Scene"] = "\n".join(
        ["The columns of a step. They are read once: arrays of the scene's precision are read in place in every call, and may", "change from step to step. Other arrays are copied.", ""]
        + [wrapped(key, with_columns(key, text, scene)) for key, (_, text) in SCENE.items()]
        + ["", "Raises carom.Error for wrong columns."]
    )
    classes_docs["Solver"] = "\n".join(["Resolves contacts, each by itself.", "", *EXECUTOR])
    classes_docs["SceneSolver"] = "\n".join(
        ["Solves scenes, and keeps the impulses of contacts and rows with a `key` from step to step.", "", *EXECUTOR]
    )
    classes_docs["MechanismContact"] = "\n".join(
        ["One contact of a mechanism in its frame, whose third axis is the normal.", ""]
        + [wrapped(name, in_python(structs["MechanismContact"][name])) for name in fields]
        + ["", "columns() returns k, separation_velocity, friction and restitution as arguments of solve()."]
    )
    classes_docs["Mechanisms"] = "\n".join(
        ["Bodies of a carom.Scene whose joints hold during an impact: call contact(), carom.solve(), apply().", ""]
        + ["contact() reads velocities from the arrays of the scene; apply() and satisfy_rows() write them in place."]
        + ["joint_impulse=array adds the impulses of the rows to an array.", "", *option_lines(mechanisms)]
    )
    texts = HEAD.format("Texts of help() for the functions of the compiled module.") + "TEXTS: dict[str, str] = {\n"
    texts += "".join(f"    {key!r}: {without_trailing_spaces(text)!r},\n" for key, text in docs.items()) + "}\n"
    texts += "CLASSES: dict[str, str] = {\n"
    texts += "".join(f"    {key!r}: {text!r},\n" for key, text in classes_docs.items()) + "}\n"
    system = functions["solve_system"]
    lines = ["Options", "", *option_lines(system.options), "", "Returns a carom.SystemResult: its report, its islands, and these arrays", ""]
    lines += column_lines(structs, system.results["results"], lambda name: "m" if name.startswith("angular_") else "n")
    texts += f"SYSTEM: str = {without_trailing_spaces(chr(10).join(lines))!r}\n"
    (package / "_docs.py").write_text(texts)
    (package / "_carom.pyi").write_text(typed)


main()
