#!/usr/bin/env python3
"""Turns what carom_bench has measured into what the repository shows.

report.py BENCH.json   writes bench/results/<cpu>_<isa>/benchmarks.json, the pictures in docs/images, the figures in README.md
report.py --check      fails if the figures in README.md are not those of the results that it names
"""

import datetime
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"<!-- figures of (?P<results>\S+), written by ./dev bench -->\n.*?<!-- end of figures -->",
                   re.DOTALL)

LAW_FORMS = (("inline", "inline bodies"), ("blocked", "blocked bodies"), ("indexed", "indexed bodies"),
             ("space", "contact space"))
CLOSED_LAWS = ("frictionless", "no-slip", "chatterjee-ruina", "bilinear")
OTHER_LAWS = ("whittaker", "smith", "anitescu-potra", "brach", "projected", "polar")
MIXES = {"mixed-closed": ", ".join(CLOSED_LAWS), "mixed-iterative": "whittaker, smith, anitescu-potra",
         "mixed": "all of these"}
IN_CACHE, BEYOND_CACHE = 4096, 1_000_000
STREAM = "limit/stream/f32"

REFERENCE = "reference/energetic/euler/f64/contacts:65536"
ISA_NAMES = {"avx512": "AVX-512", "avx2": "AVX2, FMA3", "sse2": "SSE2", "neon": "NEON", "scalar": "scalar kernel"}
PRECISION_NAMES = {"f32": "float", "f64": "double"}
RATES = {"items_per_second": "per_second", "euler_steps": "euler_steps_per_second",
         "series_steps": "series_steps_per_second"}
COUNTERS = ("of_mean", "active_lanes", "median_error", "p90_error", "contacts", "largest_gain")
ACCURACY_STEPS = (10, 100, 1000, 10000)
EQUAL_ERROR = 1e-4  # at which the integrators are compared
# What a benchmark's name has behind it that says how it was run.
RUN_SUFFIX = re.compile(r"(/iterations:\d+|/repeats:\d+|/min_time:[\d.]+|/real_time)+$")
MACHINE = ("cpu", "threads", "isas", "compiler", "flags", "carom", "steps")


def resolve_name(precision, isa, threads, integrator="euler"):
    return f"resolve/energetic/{integrator}/{precision}/{isa}/threads:{threads}/contacts:65536"


def accuracy_name(precision, isa, steps):
    """Of the series where there are no steps."""
    return f"accuracy/energetic/{f'euler/{precision}/{isa}/steps:{steps}' if steps else f'series/{precision}/{isa}'}"


def energy_name(precision, isa, contacts):
    return f"energy/energetic/series/{precision}/{isa}/{contacts}"


def limit_name(precision, isa):
    return f"limit/sqrt_div/{precision}/{isa}"


def law_name(law, precision, isa, form, threads, contacts):
    return f"laws/{law}/{precision}/{isa}/{form}/threads:{threads}/contacts:{contacts}"


class Results:
    """Medians, and lookups by what a benchmark measures."""

    def __init__(self, content):
        self.content = content
        self.context = content["context"]
        self.isas = [isa for isa in self.context["isas"].split() if self.has(resolve_name("f32", isa, 1))]
        self.threads = [n for n in (1, 2) if self.has(resolve_name("f32", self.isas[0], n))]

    def has(self, name):
        return name in self.content["benchmarks"]

    def value(self, name, rate="per_second"):
        return self.content["benchmarks"][name][rate]["median"]

    def reference(self):
        return self.value(REFERENCE)

    def contacts(self, precision, isa, threads, integrator="euler"):
        return self.value(resolve_name(precision, isa, threads, integrator))

    def ratio(self, precision, isa, threads, integrator="euler"):
        return self.contacts(precision, isa, threads, integrator) / self.reference()

    def steps(self, precision, isa, threads):
        return self.value(resolve_name(precision, isa, threads), "euler_steps_per_second")

    def limit(self, precision, isa, threads):
        """Of as many cores as threads; the fastest run, since a limit that was disturbed is none."""
        return threads * self.content["benchmarks"][limit_name(precision, isa)]["per_second"]["max"]

    def share(self, precision, isa, threads):
        return self.steps(precision, isa, threads) / self.limit(precision, isa, threads)

    def active_lanes(self, precision, isa):
        return self.content["benchmarks"][resolve_name(precision, isa, 1)]["active_lanes"]

    def best_isa(self):
        return self.isas[0]

    def counter(self, name, counter):
        return self.content["benchmarks"][name][counter]

    def accuracy(self, precision, steps=None):
        """Time a contact [s], median and 90 % point of the error of u relative to |u0|, one thread, the best ISA."""
        name = accuracy_name(precision, self.best_isa(), steps)
        return 1 / self.value(name), self.counter(name, "median_error"), self.counter(name, "p90_error")

    def euler_time(self, precision, error):
        """[s] a contact, for that median error: on the line between two numbers of steps, both axes logarithmic. None
        if no number of steps gets there."""
        points = [self.accuracy(precision, steps)[:2] for steps in ACCURACY_STEPS]
        for (time, above), (next_time, below) in zip(points, points[1:]):
            if above >= error >= below:
                part = math.log(above / error) / math.log(above / below)
                return time * (next_time / time) ** part
        return None

    def energy_gain(self, precision, contacts):
        return self.counter(energy_name(precision, self.best_isa(), contacts), "largest_gain")

    def law(self, law, precision, form, contacts, threads=1):
        """Contacts a second on the best ISA."""
        return self.value(law_name(law, precision, self.best_isa(), form, threads, contacts))

    def of_mean(self, mix, precision, form):
        return self.counter(law_name(mix, precision, self.best_isa(), form, 1, IN_CACHE), "of_mean")

    def stream(self):
        return self.content["benchmarks"][STREAM]["per_second"]["max"]

    def date(self):
        return datetime.date.fromisoformat(self.context["date"])

    def machine(self):
        """One line that every figure has to be read with."""
        date = self.date()
        compiler = self.context["compiler"].replace("GNU", "g++").replace("Clang", "clang++")
        optimisation = " ".join(re.findall(r"-O\S+|-m\S+", self.context["flags"]))
        return f"{self.context['cpu']}, {compiler} {optimisation}, {date.day} {date:%B %Y}"


def summary(values):
    """Enough digits for a figure, few enough for a readable difference."""
    return {name: float(f"{f(values):.5g}") for name, f in (("median", statistics.median), ("min", min), ("max", max))}


def aggregated(measured):
    runs = {}
    for run in measured["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"report.py: {run['name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            runs.setdefault(RUN_SUFFIX.sub("", run["run_name"]), []).append(run)

    benchmarks = {}
    for name, repetitions in runs.items():
        entry = {rate: summary([run[key] for run in repetitions])
                 for key, rate in RATES.items() if key in repetitions[0]}
        for counter in COUNTERS:
            if counter in repetitions[0]:
                entry[counter] = float(f"{statistics.median(run[counter] for run in repetitions):.4g}")
        benchmarks[name] = entry
    context = {key: measured["context"][key] for key in MACHINE}
    context["date"] = measured["context"]["date"][:10]
    context["repetitions"] = min(len(runs[name]) for name in runs if not name.startswith("energy/"))
    return {"context": context, "benchmarks": benchmarks}


def store(content):
    cpu = re.sub(r"[^a-z0-9]+", "-", content["context"]["cpu"].lower()).strip("-")
    folder = ROOT / "bench" / "results" / f"{cpu}_{content['context']['isas'].split()[0]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "benchmarks.json"
    path.write_text(json.dumps(content, indent=1) + "\n")
    return path


def table(header, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def steps_text(rate):
    return f"{rate / 1e9:.2f} G" if rate >= 1e8 else f"{rate / 1e6:.0f} M"


def threads_text(n):
    return f"{n} thread{'' if n == 1 else 's'}"


def error_text(error):
    digits, exponent = f"{error:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def time_text(seconds):
    return f"{seconds * 1e9:.0f} ns" if seconds < 1e-6 else f"{seconds * 1e6:.1f} µs"


def accuracy_table(results):
    def row(title, steps):
        cells = [title]
        for precision in PRECISION_NAMES:
            time, median, p90 = results.accuracy(precision, steps)
            cells += [time_text(time), error_text(median), error_text(p90)]
        return cells

    title = f"accuracy, {ISA_NAMES[results.best_isa()]}, one thread"
    header = [title] + [f"{name}: {what}" for name in PRECISION_NAMES.values()
                        for what in ("time a contact", "median error", "90 %")]
    return table(header, [row(f"Euler, {steps:,} steps", steps) for steps in ACCURACY_STEPS] + [row("series", None)])


def equal_error_text(results):
    """The float integrators at one accuracy."""
    euler, series = results.euler_time("f32", EQUAL_ERROR), results.accuracy("f32")[0]
    most = ACCURACY_STEPS[-1]
    floor = results.accuracy("f32", most)[1]
    target = error_text(EQUAL_ERROR).replace(".0", "")
    if euler is None:
        return (f"In float Euler's method does not get to a median error of {target}: rounding leaves it at "
                f"{error_text(floor)} with {most:,} steps.")
    rounding = floor / results.accuracy("f64", most)[1]
    return (f"For a median error of {target} Euler's method in float takes {time_text(euler)} a contact (between two "
            f"rows, both axes logarithmic), **{euler / series:.0f} times** as long as the series, which is exact to rounding. "
            f"With {most:,} steps Euler's error in float is {rounding:.2f} times that in double: its rounding.")


ENERGY_NAMES = {"random": "random boxes", "lossless": "the same, one in twelve without losses",
                "lossless_space": "random K and u0, one in twelve without losses"}


def energy_table(results):
    count = results.counter(energy_name("f32", results.best_isa(), "random"), "contacts")
    return table([f"largest gain of energy in {count / 1e6:.0f} million collisions"] + list(PRECISION_NAMES.values()),
                 [[title] + [error_text(results.energy_gain(precision, contacts)) for precision in PRECISION_NAMES]
                  for contacts, title in ENERGY_NAMES.items()])


def closed_laws_table(results, precision):
    header = [f"{PRECISION_NAMES[precision]}, {ISA_NAMES[results.best_isa()]}, one thread", "contacts", *CLOSED_LAWS]
    return table(header, [[title, f"{n:,}"] + [f"{results.law(law, precision, form, n) / 1e6:.0f}" for law in CLOSED_LAWS]
                          for form, title in LAW_FORMS for n in (IN_CACHE, BEYOND_CACHE)])


def other_laws_table(results):
    return table(["contact space, one thread", *OTHER_LAWS],
                 [[name] + [f"{results.law(law, precision, 'space', IN_CACHE) / 1e6:.1f}" for law in OTHER_LAWS]
                  for precision, name in PRECISION_NAMES.items()])


def mixed_laws_table(results):
    cases = [(precision, form) for precision in PRECISION_NAMES for form in ("space", "inline")]
    header = [f"{dict(LAW_FORMS)[form]}, {PRECISION_NAMES[precision]}" for precision, form in cases]
    return table(["a law a contact, of the laws alone", *header],
                 [[laws] + [f"{results.of_mean(mix, *case):.0%}" for case in cases] for mix, laws in MIXES.items()])


def laws_text(results):
    share = results.law("chatterjee-ruina", "f32", "blocked", BEYOND_CACHE) / results.stream()
    unvalidated = [results.law("chatterjee-ruina", "f32", f"{form}-unvalidated", IN_CACHE) / 1e6
                   for form in ("inline", "blocked")]
    text = (f"A million contacts are beyond the caches. A loop that only reads such blocks and writes such results does "
            f"{results.stream() / 1e6:.0f} million contacts/s here, of which blocked bodies reach {share:.0%}. Where the "
            f"host vouches for its numbers (`Options::validate`), Chatterjee–Ruina's law in cache goes at "
            f"{unvalidated[0]:.0f} million/s of inline and {unvalidated[1]:.0f} of blocked bodies.")
    if len(results.threads) > 1:
        two = results.law("chatterjee-ruina", "f32", "indexed", BEYOND_CACHE, 2)
        ratio = two / results.law("chatterjee-ruina", "f32", "indexed", BEYOND_CACHE)
        text += (f" Two threads resolve {two / 1e6:.0f} million/s of a million contacts on 100,000 shuffled bodies, "
                 f"{ratio:.2f} times as many as one.")
    return text + (" The last table is for laws at random, in cache: the rate against the harmonic mean of the rates of "
                   "the laws alone.")


def figures(results, path):
    columns = [(precision, n) for precision in PRECISION_NAMES for n in results.threads]

    def speeds(integrator, title):
        return table([title] + [f"{PRECISION_NAMES[p]}, {threads_text(n)}" for p, n in columns],
                     [[ISA_NAMES[isa]] + [f"{results.contacts(p, isa, n, integrator) / 1e6:.2f} "
                                          f"({results.ratio(p, isa, n, integrator):.1f}×)" for p, n in columns]
                      for isa in results.isas])

    shares = table(["Euler, one thread"] + [f"{name}: {what}" for name in PRECISION_NAMES.values()
                                     for what in ("steps/s", "of the limit", "active lanes")],
                   [[ISA_NAMES[isa]] + [cell for p in PRECISION_NAMES
                                        for cell in (steps_text(results.steps(p, isa, 1)),
                                                     f"{results.share(p, isa, 1):.0%}",
                                                     f"{results.active_lanes(p, isa):.0%}")] for isa in results.isas])
    context, reference = results.context, results.reference() / 1e6
    return f"""<!-- figures of {path}, written by ./dev bench -->
![Contacts per second by ISA, precision and threads, and the share of the machine's limit](docs/images/bench.png)

In parentheses: how many times the scalar Euler reference in double on one thread, which resolves {reference:.3f} million/s.

{speeds("series", "series, exact: million contacts/s")}

{speeds("euler", "Euler, 100 steps: million contacts/s")}

{shares}

![Error of the separation velocity against time per contact, Euler's method and the series](docs/images/accuracy.png)

{accuracy_table(results)}

Error of u relative to |u0| against the exact reference, the same kind of contacts. {equal_error_text(results)}

{energy_table(results)}

Relative to the energy that an impulse could have taken from the pair; negative where even the contact that loses least loses some.

The laws without a course, in million contacts/s with impulse, new velocities and status written:

{closed_laws_table(results, "f32")}

{other_laws_table(results)}

{mixed_laws_table(results)}

{laws_text(results)}

Medians of {context['repetitions']} runs: {results.machine()}; {context['threads']}.
<!-- end of figures -->"""


def publish(measured_path):
    path = store(aggregated(json.loads(pathlib.Path(measured_path).read_text())))
    results = Results(json.loads(path.read_text()))
    sys.dont_write_bytecode = True  # not into the sources
    import plot
    plot.draw(results, IMAGES / "bench.png")
    plot.draw_accuracy(results, ACCURACY_STEPS, IMAGES / "accuracy.png")
    text = README.read_text()
    block = BLOCK.search(text)
    if not block:
        sys.exit("report.py: README.md has no place for the figures")
    README.write_text(text.replace(block.group(0), figures(results, path.relative_to(ROOT))))
    print(f"results  {path.relative_to(ROOT)}\npictures {IMAGES.relative_to(ROOT)}/{{bench,accuracy}}.png\n"
          f"figures  README.md, Measure\n\n{equal_error_text(results)}\n\n{energy_table(results)}")


def check():
    block = BLOCK.search(README.read_text())
    if not block:
        sys.exit("report.py: README.md has no figures")
    results = Results(json.loads((ROOT / block["results"]).read_text()))
    if block.group(0) != figures(results, block["results"]):
        sys.exit(f"report.py: the figures in README.md are not those of {block['results']}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        check()
    else:
        publish(sys.argv[1])
