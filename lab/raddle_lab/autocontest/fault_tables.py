"""The tables of research questions 1 and 2: Table 1, its summary, and Fig. 10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median

from raddle.wording import count
from raddle_lab.autocontest import published
from raddle_lab.autocontest.cell import AUTOCONTEST, CONTEGE, NATIVE_CONTEGE, Part
from raddle_lab.autocontest.published import TABLE_1, Faults
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section, number
from raddle_lab.result_log import Json

SAMPLES = 20  # points of the curves of Fig. 10
SHOWN = (1, 2, 5, 10, 20)  # those that the table shows


def faults(study: Study) -> Section:
    """Return Table 1: the first fault, the tests and the coverage of AutoConTest and of the best run of ConTeGe*."""
    rows = [["id", "code base", "class", "lines", "paper", "issue",
             "A: ms", "tests", "suite", "calls", "covered",
             "G*: seed", "ms", "tests", "suite", "calls", "covered"]]  # fmt: skip
    for name in study.plan.subjects:
        paper = TABLE_1[name]
        row = [name, paper.code_base, paper.class_name, f"{study.lines[name]:,}", f"{paper.lines:,}", paper.issue]
        row += _cells(_first(study, name), study)
        seed, best = _best(study, name)
        rows.append([*row, "-" if seed is None else str(seed), *_cells(best, study)])
    plan, machine = study.plan, study.machine
    limit = f"{plan.seconds:g} s" if plan.max_tests is None else f"{plan.max_tests:,} confirmations"
    return Section(
        "Table 1: faults and coverage",
        rows,
        [
            f"A: AutoConTest with seed 1. G*: ConTeGe's tests with AutoConTest's explorer, the best of {plan.seeds} "
            "runs, which is the one with the earliest fault. ms: time of the first fault, including generation; * if "
            "there is none within the limit. Tests: those that were generated and explored. Suite: calls of all "
            "sequences, each sequence counted once, including calls that construct arguments. Calls: calls of all "
            "tests. Covered: requirements that were triggered.",
            f"Each run takes {limit}, on {machine['processors']} processors ({count(study.jobs, 'run')} at a time; "
            f"{machine['python']}, {machine['system']}). The paper's runs take an hour.",
            "A fault is an exception or a hang that no order of whole calls has, with a symptom that the class is "
            "known for. A1's fault raises nothing, so there results and states are compared as well.",
        ],
        left=3,
    )


def _cells(result: Json | None, study: Study) -> list[str]:
    if result is None:
        return ["-"] * 5
    fault = result["first_fault"]
    milliseconds = f"*{1000 * study.plan.seconds:,.0f}" if fault is None else f"{1000 * fault['seconds']:,.0f}"
    counts = (result["tests"], result["suite_size"], result["calls"], len(result["covered"]))
    return [milliseconds, *(f"{value:,}" for value in counts)]


def _first(study: Study, name: str) -> Json | None:
    return study.results(Part.FAULTS, name, AUTOCONTEST).get(1)


def _best(study: Study, name: str) -> tuple[int | None, Json | None]:
    """Return the run of ConTeGe* with the earliest fault; without faults, the one with the highest coverage."""
    results = study.results(Part.FAULTS, name, CONTEGE)
    if not results:
        return None, None
    seed = min(results, key=lambda seed: (_seconds(results[seed]), -len(results[seed]["covered"]), seed))
    return seed, results[seed]


def _seconds(result: Json) -> float:
    """Return the time of the first fault; infinity if there is none."""
    return float("inf") if result["first_fault"] is None else float(result["first_fault"]["seconds"])


def published_faults(study: Study) -> Section:
    """Return Table 1 as published."""
    rows = [["id", "A: ms", "tests", "suite", "covered", "G*: seed", "ms", "tests", "suite", "covered"]]
    for name in study.plan.subjects:
        paper = TABLE_1[name]
        rows.append([name, *_published(paper.autocontest), str(paper.contege.seed), *_published(paper.contege)])
    return Section("Table 1 as published", rows)


def _published(half: Faults) -> list[str]:
    first = "*1hr" if half.first_fault_ms is None else f"{half.first_fault_ms:,}"
    return [first, f"{half.tests:,}", f"{half.suite_size:,}", f"{half.covered:,}"]


def all_seeds(study: Study) -> Section:
    """Return the number of runs that find the fault, for all seeds, and the median of the times."""
    methods = study.plan.methods
    rows = [["id", *(cell for method in methods for cell in (f"{method}: found", "first test", "median s"))]]
    for name in study.plan.subjects:
        row = [name]
        for method in methods:
            results = list(study.results(Part.FAULTS, name, method).values())
            found = [result["first_fault"] for result in results if result["first_fault"] is not None]
            row.append(f"{len(found)}/{len(results)}")
            row.append(str(sum(fault["tests"] == 1 for fault in found)))
            row.append(number(median([fault["seconds"] for fault in found]) if found else None))
        rows.append(row)
    return Section(
        "Table 1: all seeds",
        rows,
        [
            "Found: runs that find the fault. First test: those of them in which only one test had been generated by "
            "then. Median: of the times of the first fault in the runs that find it. contege runs its tests on native "
            "threads, as published; in the paper, it finds none of the six faults within an hour."
        ],
    )


def observations(study: Study) -> Section:
    """Return the sentences of the paper about Table 1, with our numbers and the paper's."""
    return Section("Observations on Table 1", remarks=list(_observations(study)) or ["no runs"])


def _observations(study: Study) -> Iterator[str]:
    subjects = study.plan.subjects
    ours = [result for name in subjects if (result := _first(study, name)) is not None]
    times = [_seconds(result) for result in ours if result["first_fault"] is not None]
    if ours:
        first = sum(fault["tests"] == 1 for result in ours if (fault := result["first_fault"]) is not None)
        share = sum(result["generation_seconds"] for result in ours) / sum(result["seconds"] for result in ours)
        yield (
            f"AutoConTest finds {len(times)} of {len(ours)} faults with seed 1, in {_mean(times)} on average, at most "
            f"{number(max(times, default=None))} s. Paper: 6 of 6, in {published.MEAN_FIRST_FAULT:g} s on average, "
            f"less than {published.MAX_FIRST_FAULT:g} s."
        )
        yield (
            f"It finds {first} of {len(ours)} with its first test. Paper: {published.FAULTS_BY_FIRST_TEST}. Generation "
            f"takes {100 * share:.0f} % of the time. Paper: {published.GENERATION_PERCENT} %."
        )
        tested = sum(result["tested"] for result in ours)
        shared = sum(result["tested_in_contexts"] for result in ours)
        percent = f"{100 * shared / tested:.0f} %" if tested else "-"
        yield (
            f"Context sensitivity: {percent} of the {tested:,} tested interleavings have the same instructions as "
            f"another one and differ from it in their calling contexts. Paper: {published.CONTEXT_PERCENT} %."
        )
    best = [result for name in subjects if (result := _best(study, name)[1]) is not None]
    found = [_seconds(result) for result in best if result["first_fault"] is not None]
    if best:
        yield (
            f"The best runs of ConTeGe* find {len(found)} of {len(best)} faults, in {_mean(found)} on average. Paper: "
            f"4 of 6, in {published.MEAN_FIRST_FAULT_CONTEGE:g} s."
        )
    native = list(study.of(Part.FAULTS, NATIVE_CONTEGE))
    if native:
        names = {run.cell.subject for run in native if run.result["first_fault"] is not None}
        yield f"ConTeGe on native threads finds {len(names)} of {len(subjects)} faults. Paper: none."


def _mean(times: Sequence[float]) -> str:
    return f"{fmean(times):.1f} s" if times else "no time"


def curves(study: Study) -> dict[str, list[float]] | None:
    """Return the points of Fig. 10: the mean coverage of AutoConTest and of ConTeGe* at equal times, as a share.

    The total of a class contains the requirements that any run of the two methods covers. Classes without such
    requirements are left out. Return None without results.
    """
    found: dict[str, list[list[float]]] = {AUTOCONTEST: [], CONTEGE: []}
    for name in study.plan.subjects:
        runs = {AUTOCONTEST: _first(study, name), CONTEGE: _best(study, name)[1]}
        results = [result for method in runs for result in study.results(Part.FAULTS, name, method).values()]
        total = {key for result in results for _, key in result["covered"]}
        if total and all(result is not None for result in runs.values()):
            for method, result in runs.items():
                assert result is not None
                found[method].append(_curve(study, result, len(total)))
    if not found[AUTOCONTEST]:
        return None
    return {method: [fmean(points) for points in zip(*rows, strict=True)] for method, rows in found.items()}


def _curve(study: Study, result: Json, total: int) -> list[float]:
    limit = study.plan.seconds if study.plan.max_tests is None else result["seconds"]
    times = [limit * place / SAMPLES for place in range(1, SAMPLES + 1)]
    return [sum(seconds <= time for seconds, _ in result["covered"]) / total for time in times[:-1]] + [
        len(result["covered"]) / total
    ]


def coverage(study: Study) -> Section:
    """Return Fig. 10 as a table."""
    title = "Fig. 10: coverage over time"
    found = curves(study)
    if found is None:
        return Section(title, remarks=["no runs"])
    seconds = study.plan.seconds
    rows = [["method", *(f"{seconds * place / SAMPLES:g} s" for place in SHOWN)]]
    rows += [[name, *(f"{100 * curve[place - 1]:.0f}" for place in SHOWN)] for name, curve in found.items()]
    reached = next((place for place, share in enumerate(found[AUTOCONTEST], 1) if share >= found[CONTEGE][-1]), None)
    sentence = (
        f"AutoConTest reaches the final coverage of ConTeGe* within {seconds * reached / SAMPLES:g} s"
        if reached is not None
        else f"AutoConTest does not reach the final coverage of ConTeGe* within {seconds:g} s"
    )
    return Section(
        title,
        rows,
        [
            "Mean over the classes of the share of requirements that were triggered, in percent. The total of a class "
            "consists of the requirements that any run of the two methods triggers; the paper does not say what its "
            "total is.",
            f"{sentence}. Paper: in less than {published.EQUAL_COVERAGE_SECONDS:g} s of an hour.",
        ],
    )
