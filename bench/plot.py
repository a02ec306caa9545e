"""Figures of the benchmarks: speed relative to the reference and to the machine's limit, and accuracy over time."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INK = "#222222"
FAINT = "#DDDDDD"
GREY = "#7A858F"
# By precision and threads, in colours that are distinct for colour-blind readers.
COLOURS = {("f32", 1): "#7FB8DA", ("f32", 2): "#0072B2", ("f64", 1): "#F2C879", ("f64", 2): "#D98A00"}
PRECISIONS = {"f32": "float", "f64": "double"}
ISAS = {"avx512": "AVX-512", "avx2": "AVX2", "sse2": "SSE2", "neon": "NEON", "scalar": "scalar\nkernel"}
THREADS = {1: "1 thread", 2: "2 threads"}


def bars(axes, results, series, height_of, label_of):
    width = 0.84 / len(series)
    for s, (precision, threads) in enumerate(series):
        for i, isa in enumerate(results.isas):
            x = i + (s - (len(series) - 1) / 2) * width
            height = height_of(precision, isa, threads)
            axes.bar(x, height, 0.92 * width, color=COLOURS[precision, threads])
            axes.annotate(label_of(precision, isa, threads), (x, height), (0, 3), textcoords="offset points",
                          ha="center", va="bottom", fontsize=8, color=INK)
    axes.set_xticks(range(len(results.isas)), [ISAS[isa] for isa in results.isas])
    axes.tick_params(axis="x", length=0)
    axes.yaxis.grid(True, color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)


def draw_speed(axes, results):
    def times(*key):
        ratio = results.ratio(*key, "series")
        return f"{ratio:.0f}×" if ratio >= 9.95 else f"{ratio:.1f}×"

    series = [(precision, threads) for precision in PRECISIONS for threads in results.threads]
    bars(axes, results, series, lambda *key: results.contacts(*key, "series") / 1e6, times)
    place, reference = len(results.isas), results.reference() / 1e6
    axes.bar(place, reference, 0.84 / len(series), color=GREY)
    axes.annotate(f"{reference:.2f}", (place, reference), (0, 3), textcoords="offset points", ha="center", va="bottom",
                  fontsize=8, color=INK)
    axes.set_xticks(range(place + 1), [ISAS[isa] for isa in results.isas] + ["scalar\nreference,\ndouble"])
    axes.set(title="Series, exact: contacts per second, and how many times the reference",
             ylabel="million contacts per second")


def draw_limit(axes, results):
    series = [(precision, 1) for precision in PRECISIONS]
    bars(axes, results, series, lambda *key: 100 * results.share(*key),
         lambda *key: f"{results.steps(*key) / 1e9:.2f}\nof {results.limit(*key) / 1e9:.2f}")
    axes.axhline(100, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate("one square root and one division a step, nothing else", (0.5, 100), (0, 3),
                  xycoords=("axes fraction", "data"), textcoords="offset points", ha="center", va="bottom", fontsize=8,
                  color=INK)
    axes.set(ylim=(0, 118), yticks=range(0, 101, 20), title="Euler's method: billion steps/s, one thread",
             ylabel="per cent of the core's limit")


def style():
    plt.rcParams.update({
        "font.size": 10, "axes.titlesize": 12, "axes.titleweight": "bold", "axes.edgecolor": INK,
        "axes.spines.top": False, "axes.spines.right": False, "text.color": INK, "axes.labelcolor": INK
    })


def draw(results, path):
    style()
    figure, (speed, limit) = plt.subplots(1, 2, figsize=(14, 5.2), gridspec_kw={"width_ratios": [1.6, 1]})
    draw_speed(speed, results)
    draw_limit(limit, results)
    handles = [
        plt.Rectangle((0, 0), 1, 1, color=COLOURS[precision, threads],
                      label=f"{PRECISIONS[precision]}, {THREADS[threads]}")
        for precision in PRECISIONS for threads in results.threads
    ]
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False, bbox_to_anchor=(0.5, 0.045))
    figure.suptitle("65,536 contacts of random boxes", fontsize=14)
    figure.text(0.5, 0.02, f"medians of {results.context['repetitions']} runs: {results.machine()}", ha="center",
                fontsize=8, color=GREY)
    figure.tight_layout(rect=(0, 0.1, 1, 1), w_pad=3)
    save(figure, path)


def save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_accuracy(results, euler_steps, path):
    style()
    figure, axes = plt.subplots(figsize=(9, 5.6))
    for precision, name in PRECISIONS.items():
        colour = COLOURS[precision, 2]
        times, medians, p90s = zip(*(results.accuracy(precision, steps) for steps in euler_steps))
        times = [1e9 * time for time in times]
        axes.fill_between(times, medians, p90s, color=COLOURS[precision, 1], alpha=0.4, linewidth=0)
        axes.plot(times, medians, "-o", color=colour, markersize=5, label=f"Euler, {name}")
        time, median, p90 = results.accuracy(precision)
        axes.plot([1e9 * time] * 2, [median, p90], "-", color=COLOURS[precision, 1], linewidth=4)
        axes.plot(1e9 * time, median, "*", color=colour, markersize=15, label=f"series, {name}")
        axes.annotate(f"series, {name}: {1e9 * time:.0f} ns", (1e9 * time, median), (12, -3), textcoords="offset points",
                      color=colour)
    # Labels of steps are next to the line of double, which is the right one.
    for steps in euler_steps:
        time, median, _ = results.accuracy("f64", steps)
        axes.annotate(f"N = {steps:,}", (1e9 * time, median), (9, 5), textcoords="offset points", fontsize=9, color=INK)
    axes.set(xscale="log", yscale="log", xlabel="time per contact [ns], one thread",
             ylabel="error of u, relative to |u0|", title="What accuracy costs: the median, and up to 90 % of the contacts")
    axes.margins(x=0.12)
    axes.grid(True, which="major", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="center right")
    figure.text(0.5, 0.015, f"medians of {results.context['repetitions']} runs: {results.machine()}, "
                f"{ISAS[results.best_isa()]}", ha="center", fontsize=8, color=GREY)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    save(figure, path)
