"""Writes signatures, documentation with units, enumerations and types of the package.

python3 generate.py <folder of the package, with its compiled module> <include/carom>

Names, shapes and kinds come from the compiled module, which takes them from the description of the columns. Texts come
from the comments of the headers. This file lists no columns.
"""

import importlib.util
import pathlib
import re
import sys
import textwrap


def comments_of(folder):
    """Returns {struct: {member: comment}} of the headers."""
    structs = {}
    for header in sorted(folder.glob("*.hpp")):
        struct, above, last = None, [], []
        for line in header.read_text().splitlines():
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


def comment_of(structs, of, name):
    for struct in of.split():
        text = structs.get(struct, {}).get(name, "")
        # Enumerators and members such as weights have no comments of their own.
        if text and (found := re.search(r"as in (?:carom::)?(\w+)", text)) and found[1] != struct:
            text = structs.get(found[1], {}).get(name, text)
        if text:
            return text
    if name.startswith("weight_"):
        return comment_of(structs, of, "weight") if name != "weight_" else ""
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


class Function:
    """The description of a function: its columns, options and results, each once."""

    def __init__(self, described):
        self.columns, self.options, self.results = {}, {}, {}
        for entry in described:
            if entry[0] == "options":
                _, of, name, member, kind, usual, choices = entry
                self.options.setdefault(name, []).append((of, member, kind, usual, choices))
            else:
                group, of, name, parts, is_matrix, element, is_needed = entry
                to = self.results if group == "results" else self.columns
                to.setdefault(group, {}).setdefault(name, (of, parts, is_matrix, element, is_needed))

    def group(self, *groups):
        """Returns the columns of these groups together."""
        return {name: entry for group in groups for name, entry in self.columns.get(group, {}).items()}


def wrapped(name, text, width=110):
    return textwrap.fill(f"{name}  {text}", width, initial_indent="  ", subsequent_indent="      ")


def column_lines(structs, columns):
    return [
        wrapped(f"{name}  {shape_of(parts, is_matrix)}", comment_of(structs, of, name))
        for name, (of, parts, is_matrix, element, is_needed) in columns.items()
    ]


def option_lines(structs, options):
    lines = []
    for name, places in options.items():
        texts = {}
        for of, member, _, usual, choices in places:
            parts = [choices, structs.get(of, {}).get(member, "").rstrip("."), f"usually {usual}"]
            texts[of] = "; ".join(part for part in parts if part)
        told = ". ".join((f"{of}: {text}" if len(texts) > 1 else text) for of, text in texts.items())
        lines.append(wrapped(name, told))
    return lines


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
    "solve": ("Result", "Resolves every contact as if it were alone.", ("space", "inline", "indexed")),
    "solve_planar": ("Result", "Resolves contacts of bodies in the plane.", ("space", "inline", "indexed")),
    "check": (
        "Region",
        "Tells how far impulses lie inside the permissible region of their contacts, whatever law they come from.",
        ("impulse", "space", "inline", "indexed"),
    ),
    "check_planar": (
        "Region",
        "Tells how far impulses of planar contacts lie inside the permissible region.",
        ("impulse", "space", "inline", "indexed"),
    ),
    "differentiate": (
        "Gradients",
        "Tells how impulses and separation velocities after a collision change with the numbers of the contact.",
        ("contacts", "cotangent"),
    ),
    "contact_space": ("ContactSpace", "Makes K and u0 of two bodies, in a frame whose last axis is the normal.", ("pair",)),
    "pull_back": (
        "PairGradients",
        "Turns the product of a cotangent, which differentiate gives, to derivatives by the numbers of the bodies. Impulses,\n"
        "velocities and their cotangents are in the frame of contact_space. By unit normals; K and u0 alone are followed.",
        ("pair", "cotangent"),
    ),
}
# Functions of the module that no solver has. They have no results by name.
ALONE = ("contact_space", "pull_back")
EXTRA = {
    "differentiate": {
        "by": ("Sequence[str] | None", "names of the columns to differentiate by; those that all laws read"),
        "of": ("Sequence[str] | None", "impulse, separation_velocity; both, or none where a cotangent is given"),
        "tolerance": ("float | None", "[1] relative: how near a border of courses is on it"),
    },
    "pull_back": {"product": ("Columns | None", "of differentiate for the same cotangent, by k and separation_velocity")},
    "check": {"tolerance": ("float | None", "[1] relative: how far outside counts")},
    "check_planar": {"tolerance": ("float | None", "[1] relative: how far outside counts")},
}
OUT = {
    "out": ("Columns | None", "arrays of the caller's by the names of results, which are written into"),
    "results": ("Sequence[str] | None", "names of the results to make"),
}
BODIES = {
    "a": ("Columns | None", "the bodies A: carom.Bodies, a dict or a structured array of their columns"),
    "b": ("Columns | None", "the bodies B likewise; the immovable world"),
    "bodies": ("Columns | None", "bodies that are stored once, of body_a and body_b"),
}


HAVE_OUT = [name for name in CALLS if name not in ("differentiate", *ALONE)]


def bodies_of(name, function):
    if "bodies" not in function.columns:
        return []
    return ["a", "b"] if name in ALONE else list(BODIES)


def parameters_of(name, function):
    columns = function.group(*CALLS[name][2])
    # A column of a law must not be named twice, as a column and as an option.
    named = {key: (annotation(entry), None) for key, entry in columns.items()}
    named |= {key: entry for key, entry in BODIES.items() if key in bodies_of(name, function)}
    if name in HAVE_OUT:
        named |= OUT
    named |= EXTRA.get(name, {})
    kinds = {"float": "float", "int": "int", "bool": "bool", "str": "str", "Sequence[float]": "Sequence[float]"}
    for key, places in function.options.items():
        named.setdefault(key, (f"{kinds[places[0][2]]} | None", None))
    return named


def text_of_call(structs, name, function):
    result, headline, groups = CALLS[name]
    named = parameters_of(name, function)
    lines = [headline, ""]
    needed = {
        "space": "Contacts in contact space have",
        "inline": "Contacts with the bodies a and b have",
        "indexed": "Contacts of bodies by index have",
        "contacts": "Contacts have",
        "impulse": "The impulses are",
        "pair": "Contacts have",
        "cotangent": "A cotangent of a number f makes derivatives of it",
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
        lines += ["What single laws read, and laws of single contacts", "", *column_lines(structs, optional), ""]
    if bodies := bodies_of(name, function):
        lines += ["Bodies", "", *(wrapped(key, BODIES[key][1]) for key in bodies)]
        lines += column_lines(structs, function.columns["bodies"]) + [""]
    extra = EXTRA.get(name, {}) | (OUT if name in HAVE_OUT else {})
    if function.options or extra:
        lines += ["Options", "", *option_lines(structs, function.options)]
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


HEAD = '"""{}\n\nWritten by python/generate.py.\n"""\n\n'


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
    text = "\n".join(["Arrays of results.", "", *column_lines(structs, columns)])
    return "\n".join(
        [f"class {name}(Arrays):", f'    """{text}"""'.replace("\n", "\n    "), ""]
        + [f"    {key}: NDArray[Any]" for key in columns]
    )


def enum_text(name, members):
    return "\n".join([f"class {name}(IntEnum):", *(f"    {key} = {value}" for key, value in members.items())])


def without_trailing_spaces(text):
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def main():
    package, include = map(pathlib.Path, sys.argv[1:])
    module, structs = load(package), comments_of(include)
    functions = {name: Function(described) for name, described in module.descriptions.items()}

    names = HEAD.format("Names of columns and results, and the numbers that stand for laws and statuses.")
    names += "from enum import IntEnum\nfrom typing import Any\n\nfrom numpy.typing import ArrayLike, NDArray\n\n"
    names += "from ._base import Arrays, ColumnsByName, Laws\n\n\n"
    classes = [enum_text(name, members) for name, members in module.enumerations.items()]
    scene = functions["SceneSolver.solve"]
    classes.append(class_of_columns(structs, "Bodies", "Columns of bodies, of contacts or of a scene.", scene.columns["bodies"]))
    classes.append(class_of_columns(structs, "Contacts", "Columns of the contacts of a scene.", scene.columns["contacts"]))
    classes.append(class_of_columns(structs, "Joints", "Columns of the rows of joints of a scene.", scene.columns["joints"]))
    for name, function in (("Result", "solve"), ("Region", "check"), ("SceneResult", "SceneSolver.solve"), ("SystemResult", "solve_system")):
        classes.append(class_of_arrays(structs, name + "Arrays", functions[function].results["results"]))
    (package / "_names.py").write_text(without_trailing_spaces(names + "\n\n\n".join(classes) + "\n"))

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
    options = {key: (f"{places[0][2]} | None", None) for key, places in scene.options.items()}
    steps = {
        "bodies": ("Columns | None", "carom.Bodies, a dict or a structured array of their columns"),
        "contacts": ("Columns | None", "carom.Contacts likewise"),
        "joints": ("Columns | None", "carom.Joints likewise: what hinge() and its neighbours give"),
        "in_place": ("bool | None", "whether the new velocities replace those of the bodies, in their arrays"),
    } | OUT
    parameters = [(key, hint) for key, (hint, _) in (steps | options).items()]
    lines = ["Solves one step of a scene: a carom.Scene, or its bodies, contacts and joints.", ""]
    lines += [wrapped(key, text) for key, (_, text) in steps.items()]
    lines += ["", "Options; of one name there are several for several methods", "", *option_lines(structs, scene.options)]
    lines += ["", "Results", "", *column_lines(structs, scene.results["results"])]
    docs["SceneSolver.solve"] = (
        f"solve($self, {signature([('scene', 'x'), ('/', None), ('*', None)] + parameters, 'text')})\n--\n\n" + "\n".join(lines)
    )
    typed_scene = f"scene: Scene | None = None, /, *, {signature(parameters, 'typed')}"
    typed = HEAD.format("The compiled module.")
    typed += "from collections.abc import Sequence\nfrom typing import Any, final\n\nfrom numpy.typing import ArrayLike, NDArray\n\n"
    typed += "from ._base import Columns, Laws\nfrom ._results import ContactSpace, Gradients, PairGradients, Region, Result, SceneResult, SystemResult\n\n"
    typed += "version: str\ndescriptions: dict[str, list[tuple[Any, ...]]]\nenumerations: dict[str, dict[str, int]]\n\n"
    typed += "class Error(ValueError): ...\n\nclass ArgumentError(Error, TypeError): ...\n\n"
    typed += "".join(f"def {name}({parameters}) -> {result}: ...\n" for name, parameters, result in typed_functions)
    typed += "def begin(classes: Any) -> None: ...\ndef document(texts: dict[str, str]) -> None: ...\n"
    joint = "*, a: int = -1, b: int = -1, r_a: Sequence[float] = ..., r_b: Sequence[float] = ..., {}dtype: str = 'float64'"
    for names_of_joints, more in (
        (("ball_joint", "fixed_joint"), ""),
        (("hinge", "slider"), "axis: Sequence[float], "),
        (("distance_joint",), "direction: Sequence[float], "),
        (("motor", "linear_motor"), "axis: Sequence[float], speed: float, largest: float, "),
    ):
        typed += "".join(f"def {name}({joint.format(more)}) -> Any: ...\n" for name in names_of_joints)
    executor = "    def __init__(self, *, isa: str = 'auto', threads: int = 0) -> None: ...\n"
    executor += "    @property\n    def isa(self) -> str: ...\n    @property\n    def threads(self) -> int: ...\n"
    typed += "def combine(of_bodies: ArrayLike, body_a: ArrayLike, body_b: ArrayLike, *, rule: str = 'geometric-mean', "
    typed += "of_world: float = ..., out: ArrayLike | None = None) -> NDArray[Any]: ...\n"
    typed += "\nclass Solver:\n" + executor
    of_solver = [entry for entry in typed_functions if entry[0] not in ALONE]
    typed += "".join(f"    def {name}(self, {parameters}) -> {result}: ...\n" for name, parameters, result in of_solver)
    typed += "\nclass Scene:\n    def __init__(self, *, bodies: Columns, contacts: Columns | None = None, joints: Columns | None = None) -> None: ...\n"
    typed += "\nclass SceneSolver:\n" + executor + "    def forget(self) -> None: ...\n"
    typed += "    def save(self) -> bytes: ...\n    def restore(self, state: bytes, /) -> None: ...\n"
    typed += f"    def solve(self, {typed_scene}) -> SceneResult: ...\n"
    typed += "\nclass _SystemSolver:\n    def __init__(self, threads: int = 0) -> None: ...\n"
    typed += "    def solve(self, **arguments: Any) -> SystemResult: ...\n"
    typed += "\nclass MechanismContact:\n"
    fields = [name for name, member in vars(module.MechanismContact).items() if isinstance(member, property)]
    typed += "".join(f"    @property\n    def {name}(self) -> Any: ...\n" for name in fields)
    typed += "    def columns(self) -> dict[str, Any]: ...\n"
    typed += "".join(f"    def {name}(self, vector: Sequence[float]) -> NDArray[Any]: ...\n" for name in ("in_world", "in_frame"))
    mechanisms = functions["Mechanisms"].options
    keywords = ", ".join(f"{name}: {places[0][2]} = ..." for name, places in mechanisms.items())
    typed += f"\nclass Mechanisms:\n    def __init__(self, scene: Scene, *, {keywords}) -> None: ...\n"
    typed += "    def contact(self, index: int) -> MechanismContact: ...\n"
    typed += "    def apply(self, contact: MechanismContact, impulse: Sequence[float], *, joint_impulse: ArrayLike | None = None) -> None: ...\n"
    typed += "    def satisfy_rows(self, *, joint_impulse: ArrayLike | None = None) -> None: ...\n"
    classes_docs["MechanismContact"] = "\n".join(
        ["One contact of a mechanism in its frame, of which the third axis is the normal.", ""]
        + [wrapped(name, structs["MechanismContact"][name]) for name in fields]
        + ["", "columns() gives k, separation_velocity and the coefficients to solve() as those of one contact."]
    )
    classes_docs["Mechanisms"] = "\n".join(
        ["Bodies of a scene whose joints hold during an impact; contact(), solve(), apply() (docs/mechanisms.md).", ""]
        + ["Velocities are those of the scene's arrays, read by contact() and written in place by apply() and satisfy_rows()."]
        + ["joint_impulse=array takes the impulses of the rows.", "", *option_lines(structs, mechanisms)]
    )
    texts = HEAD.format("Texts of help() for the functions of the compiled module.") + "TEXTS: dict[str, str] = {\n"
    texts += "".join(f"    {key!r}: {without_trailing_spaces(text)!r},\n" for key, text in docs.items()) + "}\n"
    texts += "CLASSES: dict[str, str] = {\n"
    texts += "".join(f"    {key!r}: {text!r},\n" for key, text in classes_docs.items()) + "}\n"
    (package / "_docs.py").write_text(texts)
    (package / "_carom.pyi").write_text(typed)


main()
