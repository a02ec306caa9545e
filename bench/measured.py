"""What carom_bench has measured: medians by the name of a benchmark, and the file in bench/results that keeps them."""

import datetime
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

LAW_FORMS = (("inline", "inline bodies"), ("blocked", "blocked bodies"), ("indexed", "indexed bodies"),
             ("space", "contact space"))
CLOSED_LAWS = ("frictionless", "no-slip", "chatterjee-ruina", "bilinear")
OTHER_LAWS = ("whittaker", "smith", "anitescu-potra", "brach", "projected", "polar")
MIXES = {"mixed-closed": ", ".join(CLOSED_LAWS), "mixed-iterative": "whittaker, smith, anitescu-potra",
         "mixed": "all of these"}
CAPTURED = {"boxes": "random boxes", "pile": "a pile of cubes", "funnel": "cubes in a funnel"}
CAPTURED_METHODS = {"series": "series", "euler": "Euler, 100 steps", "chatterjee-ruina": "Chatterjee–Ruina"}
CALLS = {"chatterjee-ruina": "Chatterjee–Ruina", "series": "incremental, series", "euler": "incremental, Euler, 100 steps",
         "planar-chatterjee-ruina": "planar, Chatterjee–Ruina", "planar-incremental": "planar, incremental"}
CALL_SIZES = (1, 16)
IN_CACHE, BEYOND_CACHE = 4096, 1_000_000
STREAM = "limit/stream/f32"

REFERENCE = "reference/energetic/euler/f64/contacts:65536"
ISA_NAMES = {"avx512": "AVX-512", "avx2": "AVX2, FMA3", "sse2": "SSE2", "neon": "NEON", "scalar": "scalar kernel"}
PRECISION_NAMES = {"f32": "float", "f64": "double"}
RATES = {"items_per_second": "per_second", "euler_steps": "euler_steps_per_second",
         "series_steps": "series_steps_per_second"}
COUNTERS = ("of_mean", "active_lanes", "median_error", "p90_error", "contacts", "max_gain")
ACCURACY_STEPS = (10, 100, 1000, 10000)
EQUAL_ERROR = 1e-4  # at which the integrators are compared
# The end of a benchmark's name, which says how it was run.
RUN_SUFFIX = re.compile(r"(/iterations:\d+|/repeats:\d+|/min_time:[\d.]+|/real_time|/manual_time)+$")
MACHINE = ("cpu", "threads", "isas", "compiler", "flags", "carom", "steps")


def resolve_name(precision, isa, threads, integrator="euler"):
    return f"resolve/energetic/{integrator}/{precision}/{isa}/threads:{threads}/contacts:65536"


def accuracy_name(precision, isa, steps):
    """Without steps, the name of the series."""
    return f"accuracy/energetic/{f'euler/{precision}/{isa}/steps:{steps}' if steps else f'series/{precision}/{isa}'}"


def energy_name(precision, isa, contacts):
    return f"energy/energetic/series/{precision}/{isa}/{contacts}"


def limit_name(precision, isa):
    return f"limit/sqrt_div/{precision}/{isa}"


def law_name(law, precision, isa, form, threads, contacts):
    return f"laws/{law}/{precision}/{isa}/{form}/threads:{threads}/contacts:{contacts}"


def captured_name(source, method, precision, isa):
    return f"captured/{source}/{method}/{precision}/{isa}/contacts:65536"


def call_name(method, precision, isa, contacts):
    return f"call/{method}/{precision}/{isa}/contacts:{contacts}"


class Results:
    """Medians, and lookups by the parts of a benchmark's name."""

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
        """Limit of as many cores as threads. The fastest run, since disturbances only lower the throughput."""
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
        return self.counter(energy_name(precision, self.best_isa(), contacts), "max_gain")

    def law(self, law, precision, form, contacts, threads=1):
        """Contacts a second on the best ISA."""
        return self.value(law_name(law, precision, self.best_isa(), form, threads, contacts))

    def of_mean(self, mix, precision, form):
        return self.counter(law_name(mix, precision, self.best_isa(), form, 1, IN_CACHE), "of_mean")

    def captured(self, source, method, precision):
        """Contacts a second on the best ISA, one thread."""
        return self.value(captured_name(source, method, precision, self.best_isa()))

    def call(self, method, precision, contacts):
        """[s] a call on the best ISA, one thread."""
        return 1 / self.value(call_name(method, precision, self.best_isa(), contacts))

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
