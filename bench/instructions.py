"""Counts the instructions of fixed calls in two builds of the command carom, and fails if the second needs more.

    instructions.py BASE_COMMAND COMMAND [--limit PERCENT]

Valgrind counts the instructions of the library's calls on one thread: not the reading of files, and the same number in
every run. It has no AVX-512, so the calls run on AVX2.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
FUNNEL = "examples/funnel/contacts.csv"
SCENES = "--scene examples/scene/contacts.csv --time-step 0.01 --gravity 0,0,-9.81 --method"
# Arguments of `carom solve`, by the name of the row.
ROWS = {
    "contacts, series": FUNNEL,
    "contacts, series in float": f"{FUNNEL} --precision float",
    "contacts, Euler": f"{FUNNEL} --integrator euler --steps 100",
    "contacts, Smith": f"{FUNNEL} --law smith",
    "contacts, no slip": f"{FUNNEL} --law no-slip",
    "scenes, substeps": f"{SCENES} substeps",
    "scenes, substeps in float": f"{SCENES} substeps --precision float",
    "scenes, PGS": f"{SCENES} pgs",
    "scenes, NCP": f"{SCENES} ncp",
    "scenes, sequential impacts": "--scene examples/scene/contacts.csv --method sequential-impacts",
    "system": "tests/system/data/Box_Stacks-i0122-82-5.hdf5",
}
# The functions in which instructions count. A name that matched a function within them would end the count there.
COUNTED = [f"carom::{kind}Report carom::{kind}Solver::solve<*" for kind in ("", "Scene", "System")]


def instructions(command, arguments):
    """The number of instructions; None if the command does not know the arguments."""
    with tempfile.TemporaryDirectory() as folder:
        run = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder}/profile",
            *(f"--toggle-collect={function}" for function in COUNTED),
            *(command, "solve", *arguments.split(), "--threads", "1", "-o", f"{folder}/results"),
        ]
        environment = os.environ | {"CAROM_ISA": "avx2"}
        done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        # Exit code 1: rows with faults.
        if done.returncode not in (0, 1):
            return None
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=3, help="percent by which a row may grow")
    asked = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = {
            (name, command): pool.submit(instructions, command.resolve(), arguments)
            for name, arguments in ROWS.items()
            for command in (asked.base, asked.command)
        }
    grown = []
    print(f"{'million instructions':28}{'base':>10}{'here':>10}{'change':>10}")
    for name in ROWS:
        before, here = (counts[name, command].result() for command in (asked.base, asked.command))
        if not here:
            sys.exit(f"instructions.py: {asked.command} did not solve the row '{name}'")
        if before is None:
            print(f"{name:28}{'-':>10}{here / 1e6:10.2f}{'new':>10}")
            continue
        change = 100 * (here / before - 1)
        print(f"{name:28}{before / 1e6:10.2f}{here / 1e6:10.2f}{change:+9.2f}%")
        if change > asked.limit:
            grown.append(name)
    if grown:
        sys.exit(f"instructions.py: more than {asked.limit:g} % above the base: {'; '.join(grown)}")


if __name__ == "__main__":
    main()
