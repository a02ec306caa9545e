"""Times every row of carom_bench on AVX-512 and on AVX2 in turn, and prints where the wide vectors lose.

The choice of vectors is made on machines that have both: this shows it for the machine at hand, by the time that the
thread was at work. Arguments are those of carom_bench. CAROM_ISA, or Execution::isa, sets the ISA whatever this prints.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ISAS = ("avx512", "avx2")
ROUNDS = 3
SLOWER = 0.97  # of the speed of AVX2, where machines are shared


def measured(isa, arguments):
    """The time of each row on its best ISA, by its name without the ISA."""
    out = pathlib.Path("out/widths.json")
    subprocess.run(["build/release/bin/carom_bench", f"--benchmark_out={out}", "--benchmark_out_format=json",
                    "--benchmark_repetitions=1", *arguments],
                   env={**os.environ, "CAROM_ISA": isa}, check=True, stdout=subprocess.DEVNULL)
    rows = json.loads(out.read_text())["benchmarks"]
    return {re.sub(rf"/{isa}(?=/|$)", "", row["name"]): time_of(row) for row in rows
            if f"/{isa}/" in row["name"] + "/" and not row.get("error_occurred")}


def time_of(row):
    """CPU time of the row's thread, so that other processes matter less. Wall-clock time for rows with several threads
    and for rows that measure a difference of times."""
    by_clock = "/manual_time" in row["name"] or re.search(r"/threads:(?!1/)", row["name"] + "/")
    return row["real_time" if by_clock else "cpu_time"]


def main():
    best = {isa: collections.defaultdict(lambda: float("inf")) for isa in ISAS}
    for _ in range(ROUNDS):
        for isa in ISAS:
            for name, time in measured(isa, sys.argv[1:]).items():
                best[isa][name] = min(best[isa][name], time)
    slower = 0
    print(f"{'speed of AVX-512 / AVX2':>24}  row")
    for name, wide in best["avx512"].items():
        if name not in best["avx2"]:
            continue
        ratio = best["avx2"][name] / wide
        slower += ratio < SLOWER
        print(f"{ratio:24.2f}  {name}{'  <' if ratio < SLOWER else ''}")
    print(f"{slower} rows are slower on AVX-512, by more than {100 * (1 - SLOWER):.0f} %")


if __name__ == "__main__":
    main()
