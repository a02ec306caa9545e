#!/usr/bin/env python3
"""Turns what carom_bench has measured into what the repository shows.

report.py BENCH.json   writes bench/results/<cpu>_<isa>/benchmarks.json, docs/images/bench.png, the figures in README.md
report.py --check      fails if the figures in README.md are not those of the results that it names
"""

import datetime
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "bench.png"
BLOCK = re.compile(r"<!-- figures of (?P<results>\S+), written by ./dev bench -->\n.*?<!-- end of figures -->",
                   re.DOTALL)

REFERENCE = "reference/energetic/euler/f64/contacts:65536"
ISA_NAMES = {"avx512": "AVX-512", "avx2": "AVX2, FMA3", "sse2": "SSE2", "neon": "NEON", "scalar": "scalar kernel"}
PRECISION_NAMES = {"f32": "float", "f64": "double"}
RATES = {"items_per_second": "per_second", "euler_steps": "euler_steps_per_second",
         "series_steps": "series_steps_per_second"}
MACHINE = ("cpu", "threads", "isas", "compiler", "flags", "carom", "steps")


def resolve_name(precision, isa, threads, integrator="euler"):
    return f"resolve/energetic/{integrator}/{precision}/{isa}/threads:{threads}/contacts:65536"


def limit_name(precision, isa):
    return f"limit/sqrt_div/{precision}/{isa}"


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
            runs.setdefault(run["run_name"].removesuffix("/real_time"), []).append(run)

    benchmarks = {}
    for name, repetitions in runs.items():
        entry = {rate: summary([run[key] for run in repetitions])
                 for key, rate in RATES.items() if key in repetitions[0]}
        if "active_lanes" in repetitions[0]:
            entry["active_lanes"] = round(statistics.median(run["active_lanes"] for run in repetitions), 4)
        benchmarks[name] = entry
    context = {key: measured["context"][key] for key in MACHINE}
    context["date"] = measured["context"]["date"][:10]
    context["repetitions"] = min(len(repetitions) for repetitions in runs.values())
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

Medians of {context['repetitions']} runs: {results.machine()}; {context['threads']}.
<!-- end of figures -->"""


def publish(measured_path):
    path = store(aggregated(json.loads(pathlib.Path(measured_path).read_text())))
    results = Results(json.loads(path.read_text()))
    sys.dont_write_bytecode = True  # not into the sources
    import plot
    plot.draw(results, PICTURE)
    text = README.read_text()
    block = BLOCK.search(text)
    if not block:
        sys.exit("report.py: README.md has no place for the figures")
    README.write_text(text.replace(block.group(0), figures(results, path.relative_to(ROOT))))
    print(f"results  {path.relative_to(ROOT)}\npicture  {PICTURE.relative_to(ROOT)}\nfigures  README.md, Measure")


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
