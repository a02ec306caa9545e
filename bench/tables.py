"""The figures as text: five numbers and the picture for README.md, all the tables for docs/benchmarks.md."""

import textwrap

from measured import (ACCURACY_STEPS, BEYOND_CACHE, CALL_SIZES, CALLS, CAPTURED, CAPTURED_METHODS, CLOSED_LAWS, EQUAL_ERROR,
                      IN_CACHE, ISA_NAMES, LAW_FORMS, MIXES, OTHER_LAWS, PRECISION_NAMES, call_name, captured_name,
                      energy_name, law_name)

ENERGY_NAMES = {"random": "random boxes", "lossless": "the same, one in twelve without losses",
                "lossless_space": "random K and u0, one in twelve without losses"}


def table(header, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


def millions(rate):
    return f"{rate / 1e6:.0f} million/s"


def paragraph(text):
    return textwrap.fill(text, 130, break_long_words=False, break_on_hyphens=False)


def steps_text(rate):
    return f"{rate / 1e9:.2f} G" if rate >= 1e8 else f"{rate / 1e6:.0f} M"


def threads_text(n):
    return f"{n} thread{'' if n == 1 else 's'}"


def error_text(error):
    digits, exponent = f"{error:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def time_text(seconds):
    return f"{seconds * 1e9:.0f} ns" if seconds < 1e-6 else f"{seconds * 1e6:.1f} µs"


def speed_table(results, integrator, title):
    columns = [(precision, n) for precision in PRECISION_NAMES for n in results.threads]
    return table([title] + [f"{PRECISION_NAMES[p]}, {threads_text(n)}" for p, n in columns],
                 [[ISA_NAMES[isa]] + [f"{results.contacts(p, isa, n, integrator) / 1e6:.2f} "
                                      f"({results.ratio(p, isa, n, integrator):.1f}×)" for p, n in columns]
                  for isa in results.isas])


def steps_table(results):
    return table(["Euler, one thread"] + [f"{name}: {what}" for name in PRECISION_NAMES.values()
                                          for what in ("steps/s", "of the limit", "active lanes")],
                 [[ISA_NAMES[isa]] + [cell for p in PRECISION_NAMES
                                      for cell in (steps_text(results.steps(p, isa, 1)),
                                                   f"{results.share(p, isa, 1):.0%}",
                                                   f"{results.active_lanes(p, isa):.0%}")] for isa in results.isas])


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
        return (f"In float Euler's method does not reach a median error of {target}: rounding leaves it at "
                f"{error_text(floor)} with {most:,} steps.")
    rounding = floor / results.accuracy("f64", most)[1]
    return (f"For a median error of {target} Euler's method in float takes {time_text(euler)} a contact. The series, which is "
            f"exact to rounding, is **{euler / series:.0f} times** as fast. (Euler's time is interpolated between two rows of "
            f"the table, on logarithmic axes.) With {most:,} steps Euler's error in float is {rounding:.2f} times that in "
            f"double, because rounding adds to it.")


def energy_table(results):
    count = results.counter(energy_name("f32", results.best_isa(), "random"), "contacts")
    return table([f"largest gain of energy in {count / 1e6:.0f} million collisions"] + list(PRECISION_NAMES.values()),
                 [[title] + [error_text(results.energy_gain(precision, contacts)) for precision in PRECISION_NAMES]
                  for contacts, title in ENERGY_NAMES.items()])


def closed_laws_table(results, precision):
    header = [f"{PRECISION_NAMES[precision]}, {ISA_NAMES[results.best_isa()]}, one thread", "contacts", *CLOSED_LAWS]
    return table(header, [[title, f"{n:,}"] + [f"{results.law(law, precision, form, n) / 1e6:.0f}" for law in CLOSED_LAWS]
                          for form, title in LAW_FORMS for n in (IN_CACHE, BEYOND_CACHE)])


def closed_laws_text(results):
    share = results.law("chatterjee-ruina", "f32", "blocked", BEYOND_CACHE) / results.stream()
    text = (f"A batch of {IN_CACHE:,} contacts stays in the caches, one of {BEYOND_CACHE:,} does not. A loop without any arithmetic, "
            f"which only reads such blocks of contacts and writes such results, does {results.stream() / 1e6:.0f} million "
            f"contacts/s here; blocked bodies reach {share:.0%} of it.")
    if len(results.threads) > 1:
        two = results.law("chatterjee-ruina", "f32", "indexed", BEYOND_CACHE, 2)
        ratio = two / results.law("chatterjee-ruina", "f32", "indexed", BEYOND_CACHE)
        text += (f" Two threads resolve a million contacts on 100,000 shuffled bodies at {millions(two)}, {ratio:.2f} times "
                 f"the rate of one thread.")
    return text


def structs_section(results):
    """Nothing of measurements that are older than it."""
    isa, laws = results.best_isa(), {"chatterjee-ruina": "Chatterjee–Ruina", "incremental": "incremental, series"}
    if not results.has(law_name("incremental", "f64", isa, "floor-structs", 1, IN_CACHE)):
        return ""
    forms = {"floor": "columns, all contiguous", "floor-pages": "columns, each from the beginning of a page",
             "floor-repeated": "columns; friction, restitution and floor are repeated values",
             "floor-structs": "structs of 22 numbers, as in the README", "indexed": "indexed bodies, columns",
             "indexed-structs": "indexed bodies and contacts as structs"}
    header = [f"{PRECISION_NAMES[p]}: {title}" for p in PRECISION_NAMES for title in laws.values()]
    rows = [[title] + [f"{results.law(law, p, form, IN_CACHE) / 1e6:.1f}" if
                       results.has(law_name(law, p, isa, form, 1, IN_CACHE)) else "–" for p in PRECISION_NAMES for law in laws]
            for form, title in forms.items()]
    return f"""
## A host's own structs

A host submits fields of its structs as columns with a stride, and a value that all contacts share as a column with stride 0. The
first four rows are the same contacts, of bodies that hit an immovable floor. {IN_CACHE:,} contacts, of which impulse and status
are stored (of indexed bodies the velocities, too). Large arrays of most allocators, and so of numpy, begin at the same place of a
page, where they displace each other from the first-level cache; arrays that lie anywhere do not.

{table([f"million contacts/s, {ISA_NAMES[isa]}, one thread", *header], rows)}
"""


def captured_table(results):
    cases = [(precision, method) for precision in PRECISION_NAMES for method in CAPTURED_METHODS]

    def cell(source, precision, method):
        rate = results.captured(source, method, precision)
        ratio = "" if source == "boxes" else f" ({rate / results.captured('boxes', method, precision):.2f}×)"
        return f"{rate / 1e6:.2f}{ratio}"

    header = [f"{PRECISION_NAMES[precision]}: {CAPTURED_METHODS[method]}" for precision, method in cases]
    return table([f"million contacts/s, {ISA_NAMES[results.best_isa()]}, one thread", *header],
                 [[title] + [cell(source, *case) for case in cases] for source, title in CAPTURED.items()])


def captured_section(results):
    """Nothing of measurements that are older than it."""
    if not results.has(captured_name("pile", "series", "f32", results.best_isa())):
        return ""
    return f"""
## Contacts of an engine

Random boxes meet in all directions, each with a friction of its own. The contacts of a simulation are more alike. The table
compares them with the random boxes, as inline bodies, 65,536 at a time. The number in parentheses is the rate divided by that on
the random boxes. The contacts come from a simulation of 1000 cubes that fall through a funnel (μ = 0.1, e = 0.48). The *pile* is
one contact in 24 of three moments; nearly half of them separate. The *funnel* is the contacts of
`examples/funnel/contacts.csv`, which all approach. Either is repeated in its order until there are 65,536.

{captured_table(results)}
"""


def calls_section(results):
    """Nothing of measurements that are older than it."""
    if not results.has(call_name("series", "f32", results.best_isa(), 1)):
        return ""
    header = [f"{PRECISION_NAMES[p]}: {n} contact{'' if n == 1 else 's'}" for p in PRECISION_NAMES for n in CALL_SIZES]
    rows = [[title] + [f"{results.call(method, p, n) * 1e6:.2f}" for p in PRECISION_NAMES for n in CALL_SIZES]
            for method, title in CALLS.items()]
    return f"""
## Small calls

A step of a small scene resolves few contacts at a time, and a call has work of its own: it checks its columns and sums up its
report. The table shows microseconds a call of `Solver::solve` on one thread, of random boxes as inline bodies.

{table([f"µs a call, {ISA_NAMES[results.best_isa()]}", *header], rows)}
"""


def other_laws_table(results):
    return table(["contact space, one thread", *OTHER_LAWS],
                 [[name] + [f"{results.law(law, precision, 'space', IN_CACHE) / 1e6:.1f}" for law in OTHER_LAWS]
                  for precision, name in PRECISION_NAMES.items()])


def mixed_laws_table(results):
    cases = [(precision, form) for precision in PRECISION_NAMES for form in ("space", "inline")]
    header = [f"{dict(LAW_FORMS)[form]}, {PRECISION_NAMES[precision]}" for precision, form in cases]
    return table(["laws in the batch", *header],
                 [[laws] + [f"{results.of_mean(mix, *case):.0%}" for case in cases] for mix, laws in MIXES.items()])


def machine_text(results):
    context = results.context
    return f"Medians of {context['repetitions']} runs: {results.machine()}; {context['threads']}."


def marker(path):
    return f"<!-- figures of {path}, written by ./dev bench -->"


def readme_text(results, path):
    """The figure, and the numbers that matter most to users: speed and accuracy of collisions and closed forms."""
    isa = results.best_isa()

    def exact(precision):
        return (f"{results.contacts(precision, isa, 1, 'series') / 1e6:.2f} million/s, "
                f"{results.ratio(precision, isa, 1, 'series'):.1f}× the scalar reference")

    def closed(form, contacts):
        return millions(results.law("chatterjee-ruina", "f32", form, contacts))

    rows = [["full frictional collisions in float, exact to rounding", exact("f32")],
            ["the same in double", exact("f64")],
            ["a law in closed form (Chatterjee–Ruina) in float, batch within the caches", closed("inline", IN_CACHE)],
            ["the same, a million contacts, beyond the caches",
             f"{closed('inline', BEYOND_CACHE)}; {closed('blocked', BEYOND_CACHE)} in `BlockedContacts`"],
            ["median error of the separation velocity, relative to the one before the collision",
             f"{error_text(results.accuracy('f32')[1])} in float, {error_text(results.accuracy('f64')[1])} in double"]]
    if results.has(law_name("chatterjee-ruina", "f32", isa, "floor-structs", 1, IN_CACHE)):
        rows.insert(3, ["the same from structs of your own, as above", closed("floor-structs", IN_CACHE)])
    if results.has(captured_name("pile", "series", "f32", isa)):
        rows.insert(2, ["the same in float, contacts of a pile of cubes, of which half collide",
                        f"{results.captured('pile', 'series', 'f32') / 1e6:.2f} million/s"])
    return f"""{marker(path)}
![Contacts per second by ISA, precision and threads, and the share of the machine's limit](docs/images/bench.png)

{table([f"{ISA_NAMES[isa]}, one thread", ""], rows)}

The collisions are 65,536 contacts between random boxes, as inline bodies. The scalar reference is Euler's method with
{results.context['steps']} steps in double on one thread: {results.reference() / 1e6:.2f} million/s.

{machine_text(results)}
<!-- end of figures -->"""


def page_text(results, path):
    """docs/benchmarks.md, all of it."""
    steps = results.context["steps"]
    return f"""{marker(path)}
# Benchmarks

`./dev bench` writes this page. It runs `carom_bench`, which compares every answer with the scalar reference before it times it.
[performance.md](performance.md) says how the measurements are made and what bounds them.

{machine_text(results)}
A rate counts contacts per second. Other CPUs have other rates.

The words of the tables:

- *float* and *double* are the precisions of the columns and of the arithmetic.
- *AVX-512*, *AVX2*, *SSE2* and *NEON* are the instruction sets that carom chooses among when it runs. The *scalar kernel* is
  the same code without SIMD; on x86-64 only tests and benchmarks have it. *FMA3* is the fused multiply-add of AVX2 machines.
- *Inline bodies*, *blocked bodies*, *indexed bodies* and *contact space* are the forms in which a host hands over its contacts
  ([submitting-contacts.md](submitting-contacts.md)).
- The *scalar reference* is a second implementation in plain double, which shares no code with the lanes
  ([reference.md](reference.md)).

## The incremental law: contacts per second

The incremental law follows a collision with friction from its beginning to its end. The *series* is its default integrator and
is exact to rounding. *Euler's method* with {steps} steps is off by a few thousandths.

The batch has 65,536 contacts between random boxes, as inline bodies. The tables show million contacts/s. The number in
parentheses is the rate divided by that of the scalar reference, which resolves {results.reference() / 1e6:.3f} million/s by Euler's
method with {steps} steps in double on one thread.

{speed_table(results, "series", "series, exact: million contacts/s")}

{speed_table(results, "euler", f"Euler, {steps} steps: million contacts/s")}

![Contacts per second by ISA, precision and threads, and the share of the machine's limit](images/bench.png)
{captured_section(results)}{structs_section(results)}{calls_section(results)}
## Steps of Euler's method, and the limit of the machine

A step of Euler's method needs one square root and one division. A loop that does nothing else sets the limit. The table shows the
steps per second, their share of that limit, and the share of the lanes that are at work.

{steps_table(results)}

## Accuracy against time

The error is that of the separation velocity u after the collision, relative to its length |u0| before. It is measured against the
exact reference, on contacts of the same kind. Half of the contacts are below the *median error*, nine of ten below the number
under *90 %*.

![Error of the separation velocity against time per contact, Euler's method and the series](images/accuracy.png)

{accuracy_table(results)}

{paragraph(equal_error_text(results))}

## Energy

A collision must not gain energy. The table shows the largest gain that rounding caused under the series with energetic
restitution. The unit is the energy that an impulse could have taken from the pair. A negative number means that even the contact
that loses least loses some.

{energy_table(results)}

## Laws in closed form

These laws need no integration. The table shows million contacts/s; impulse, new velocities and status are written.

{closed_laws_table(results, "f32")}

{paragraph(closed_laws_text(results))}

## Laws that are solved by an equation or a bound

The other laws without a course solve an equation for each contact or find a bound of the permissible region. The table shows
million contacts/s for {IN_CACHE:,} contacts in contact space.

{other_laws_table(results)}

## A law for every contact

A batch can name a law for every contact. Here each of {IN_CACHE:,} contacts has one of the laws in the first column, at random.
The table shows the rate as a share of the harmonic mean of the rates of these laws alone. At 100 % mixing the laws would cost
nothing.

{mixed_laws_table(results)}
"""
