#!/usr/bin/env python3
"""Writes the results of carom_bench to the repository: the figures in docs/images, five numbers in README.md and the tables
of docs/benchmarks.md.

report.py BENCH.json   writes bench/results/<cpu>_<isa>/benchmarks.json, then all of these
report.py --render     writes all of these again from the results that README.md names, without a measurement
report.py --check      fails if README.md and docs/benchmarks.md do not show the results that README.md names
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # not into the sources

from measured import ACCURACY_STEPS, ROOT, Results, aggregated, store
from tables import energy_table, equal_error_text, page_text, readme_text

README = ROOT / "README.md"
PAGE = ROOT / "docs" / "benchmarks.md"
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"<!-- figures of (?P<results>\S+), written by ./dev bench -->\n.*?<!-- end of figures -->",
                   re.DOTALL)


def block_in_readme():
    block = BLOCK.search(README.read_text())
    if not block:
        sys.exit("report.py: README.md has no place for the figures")
    return block


def results_in(path):
    return Results(json.loads((ROOT / path).read_text()))


def render(path):
    import plot
    results = results_in(path)
    plot.draw(results, IMAGES / "bench.png")
    plot.draw_accuracy(results, ACCURACY_STEPS, IMAGES / "accuracy.png")
    README.write_text(README.read_text().replace(block_in_readme().group(0), readme_text(results, path)))
    PAGE.write_text(page_text(results, path))
    print(f"results  {path}\npictures {IMAGES.relative_to(ROOT)}/{{bench,accuracy}}.png\n"
          f"figures  README.md, Measure; {PAGE.relative_to(ROOT)}\n\n{equal_error_text(results)}\n\n{energy_table(results)}")


def check():
    block = block_in_readme()
    path = block["results"]
    results = results_in(path)
    if block.group(0) != readme_text(results, path):
        sys.exit(f"report.py: the figures in README.md are not those of {path}")
    if PAGE.read_text() != page_text(results, path):
        sys.exit(f"report.py: {PAGE.relative_to(ROOT)} is not that of {path}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        check()
    elif sys.argv[1] == "--render":
        render(block_in_readme()["results"])
    else:
        render(store(aggregated(json.loads(pathlib.Path(sys.argv[1]).read_text()))).relative_to(ROOT))
