"""The model of many cores in docs/performance.md: prints its table.

T(P) = S + f W / P + loops (a + b P), with the stages that were measured on one and two threads. [µs]
"""

CORES = (2, 8, 16, 64)
# [µs] of a parallel loop: its start and end on two cores, and what one more core adds. From a study on two cores of a
# Sapphire Rapids.
LOOP, LOOP_OF_CORE = 0.27, 0.03

# Measured: time on one and two threads; serial stages on one and on several threads, of which `indices` are the grouping
# of contacts, the comparison with the last graph and the arrangement in shares; loops of a call.
CALLS = {
    "30k, `pgs`, same graph": dict(one=1722, two=971, serial_alone=48, serial=48, indices=40, loops=13),
    "30k, `pgs`, new graph": dict(one=1796, two=1165, serial_alone=109, serial=168, indices=160, loops=13),
    "300k, `pgs`, same graph": dict(one=45838, two=24106, serial_alone=530, serial=570, indices=490, loops=13),
    "300k, `pgs`, new graph": dict(one=46707, two=24214, serial_alone=1110, serial=1790, indices=1710, loops=13),
    "30k, four substeps, same graph": dict(one=5103, two=2707, serial_alone=65, serial=65, indices=47, loops=60),
}


def synchronisation(of, cores):
    return of["loops"] * (LOOP + LOOP_OF_CORE * cores)


def time(of, cores, indices_are_parallel=False):
    work = of["one"] - of["serial_alone"]
    # Each of two threads fetches data of the other one, and both share the memory.
    factor = 2 * (of["two"] - of["serial"] - synchronisation(of, 2)) / work
    moved = of["indices"] if indices_are_parallel else 0
    return of["serial"] - moved + (factor * work + moved) / cores + synchronisation(of, cores)


def main():
    print("| speed-up over one thread | S | f | " + " | ".join(map(str, CORES)) + " |")
    print("|---" * (3 + len(CORES)) + "|")
    for name, of in CALLS.items():
        for parallel in (False, True):
            factor = 2 * (of["two"] - of["serial"] - synchronisation(of, 2)) / (of["one"] - of["serial_alone"])
            serial = of["serial"] - (of["indices"] if parallel else 0)
            gains = [f"{of['one'] / time(of, cores, parallel):.1f}" for cores in CORES]
            print(f"| {'… indices in parallel' if parallel else name} | {serial} | {factor:.2f} | " + " | ".join(gains) + " |")


if __name__ == "__main__":
    main()
