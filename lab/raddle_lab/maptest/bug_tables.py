"""The tables of research question 1: Table II, Table III with its observations, and Fig. 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from raddle.wording import count
from raddle_lab.maptest.cell import Part
from raddle_lab.maptest.comparison import SIGNIFICANT, SpeedupSummary, a12, p_value, speedup, summarize
from raddle_lab.maptest.experiment import CLASSES, COVCON, MAPTEST
from raddle_lab.maptest.published import TABLE_3
from raddle_lab.maptest.section import Section, number
from raddle_lab.maptest.study import Series, Study

MAPTEST_RANDOM, NATIVE_COVCON, PORTFOLIO = "maptest-random", "covcon", "portfolio"
COMPARISONS = (
    (MAPTEST, COVCON),
    (MAPTEST, NATIVE_COVCON),
    (MAPTEST, MAPTEST_RANDOM),
    (MAPTEST_RANDOM, COVCON),
    (PORTFOLIO, MAPTEST),
)
PATTERNS = range(1, 18)
LABELS = {
    PORTFOLIO: "P", MAPTEST: "M", COVCON: "C*", NATIVE_COVCON: "C", MAPTEST_RANDOM: "M-R", "contege": "G",
    "contege*": "G*", "autocontest": "A", "random": "R",
}  # fmt: skip


def classes(study: Study) -> Section:
    """Return Table II. Each cell has our number and the paper's."""
    rows = [["id", "project", "version", "class", "fields", "paper", "methods", "paper", "lines", "paper", "bug"]]
    for subject in CLASSES:
        if subject.id in study.sizes:
            size = study.sizes[subject.id]
            pairs = (size.fields, subject.fields), (size.methods, subject.methods), (size.lines, subject.lines)
            numbers = [f"{value:,}" for pair in pairs for value in pair]
            rows.append([subject.id, subject.project, subject.version, subject.published_name, *numbers, subject.label])
    return Section("Table II: the classes, with what they inherit", rows, left=4)


def times(study: Study) -> Section:
    """Return the first part of Table III: the time until the first bug, and how often it was found."""
    series, methods = study.series(), study.plan.methods
    rows = [["id", *(cell for method in methods for cell in (f"{LABELS[method]}: s", "found", "any")),
             "paper: M", "C", "M-R"]]  # fmt: skip
    for name in study.plan.subjects:
        row = [name]
        for method in methods:
            one = series[name, method]
            runs = len(one.attempts)
            marked = "*" if one.found < runs else ""
            row += [f"{number(one.mean)}{marked}", f"{one.found}/{runs}", f"{one.found_any}/{runs}"]
        paper = TABLE_3[name]
        row += [number(paper.maptest), _with_rate(paper.covcon, paper.covcon_rate)]
        rows.append([*row, _with_rate(paper.random, paper.random_rate)])
    plan, machine = study.plan, study.machine
    limit = f"{plan.seconds:g} s" if plan.max_tests is None else f"{plan.max_tests:,} tests"
    remarks = [
        f"{', '.join(f'{LABELS[method]}: {method}' for method in methods)}.",
        f"Mean seconds over {count(plan.seeds, 'seed')}, with at most {limit} per run, on {machine['processors']} "
        f"processors ({count(study.jobs, 'run')} at a time; {machine['python']}, {machine['system']}). * marks means "
        "that contain misses, which count as the limit. Found: runs that report a bug with a symptom that the class is "
        "known for. A run continues after other bugs. Any: runs that report any bug. The paper's runs are limited to "
        "3,600 s.",
        "All methods draw arguments from the same pools and report only exceptions and hangs that no order of whole "
        "calls has. covcon runs its tests on native threads, as published; covcon* runs the same tests under random "
        "schedules that raddle controls. A comparison with covcon compares schedulers, and one with covcon* compares "
        "the choice of tests.",
    ]
    return Section("Table III: time until the first bug", rows, remarks)


def _with_rate(seconds: float, rate: int) -> str:
    return number(seconds) if rate == 100 else f"{number(seconds)} ({rate} %)"


def _comparisons(study: Study) -> list[tuple[str, str]]:
    return [pair for pair in COMPARISONS if {*pair} <= {*study.plan.methods}]


def _compared(one: Series, other: Series) -> tuple[float | None, float | None, float | None]:
    """Return the speed-up of the first method, the p-value and A12, for the attempts with the same seeds."""
    first, second = one.paired(other)
    if not first:
        return None, None, None
    factor = speedup(sum(first), sum(second)) if sum(first) and sum(second) else 1.0
    return factor, p_value(first, second), a12(first, second)


def comparisons(study: Study) -> Section:
    """Return the second part of Table III: speed-ups, p-values and effect sizes."""
    series, pairs = study.series(), _comparisons(study)
    rows = [["id", *(cell for one, other in pairs for cell in (f"{LABELS[one]} over {LABELS[other]}", "p", "A12"))]]
    for name in study.plan.subjects:
        row = [name]
        for one, other in pairs:
            factor, p, effect = _compared(series[name, one], series[name, other])
            star = "*" if p is not None and p < SIGNIFICANT else ""
            row += [number(factor, 2), f"{number(p, 3)}{star}", number(effect, 2)]
        rows.append(row)
    remarks = [
        "A negative speed-up means that the first method is slower. p: Wilcoxon's signed-rank test of the runs with "
        "the same seeds, two-sided, by the normal approximation with a continuity correction, as in the paper; * if "
        "below 0.05. A12: the probability that a run of the first method is the faster one, which the paper does not "
        "give."
    ]
    return Section("Table III: comparisons", rows, remarks) if pairs else Section("Table III: no comparisons")


def published_comparisons(study: Study) -> Section:
    """Return the second part of Table III as published."""
    rows = [["id", "M. over C.", "p", "M. over M-R.", "p", "M-R. over C.", "p"]]
    for name in study.plan.subjects:
        paper = TABLE_3[name]
        pairs = paper.maptest_over_covcon, paper.maptest_over_random, paper.random_over_covcon
        rows.append([name, *(cell for speed, p in pairs for cell in (number(speed, 2), number(p, 3)))])
    return Section("Table III as published: comparisons", rows)


def effort(study: Study) -> Section:
    """Return the medians of seconds, tests and executions until the bug."""
    series, methods = study.series(), study.plan.methods
    rows = [["id", *(cell for method in methods for cell in (f"{LABELS[method]}: s", "tests", "runs"))]]
    for name in study.plan.subjects:
        row = [name]
        for method in methods:
            one = series[name, method]
            found = [attempt for attempt in one.attempts.values() if attempt.found]
            row.append(number(one.median, 2))
            row += [_median([a.tests or 0 for a in found]), _median([a.executions or 0 for a in found])]
        rows.append(row)
    remarks = ["Medians of seconds, and of the tests and executions (runs) in the searches that find the bug."]
    return Section("Tests and executions until the first bug", rows, remarks)


def _median(values: Sequence[int]) -> str:
    return f"{median(values):,.0f}" if values else "-"


def observations(study: Study) -> Section:
    """Return the sentences of the paper about Table III, with our numbers and the paper's."""
    series, subjects = study.series(), study.plan.subjects
    lines = []
    for method in study.plan.methods:
        rows = [series[name, method] for name in subjects]
        once = sum(one.found > 0 for one in rows)
        always = sum(0 < len(one.attempts) == one.found for one in rows)
        misses = sum(0 < one.found < len(one.attempts) for one in rows)
        lines.append(
            f"{method} finds the bug of {once} of {len(subjects)} classes, of {always} in every run; it sometimes "
            f"misses that of {misses}.{_published_success(method)}"
        )
    for one, other in _comparisons(study):
        lines.append(_observed(study, one, other))
    return Section("Observations on Table III", remarks=lines)


def _published_success(method: str) -> str:
    covcon = [row.covcon_rate for row in TABLE_3.values()]
    rates = {
        MAPTEST: [100 for _ in TABLE_3],
        NATIVE_COVCON: covcon,
        COVCON: covcon,
        MAPTEST_RANDOM: [row.random_rate for row in TABLE_3.values()],
    }.get(method)
    if rates is None:
        return ""
    found, missed = sum(rate > 0 for rate in rates), sum(0 < rate < 100 for rate in rates)
    return f" Paper: {found} of {len(rates)}; {missed} sometimes missed."


def published_summary(one: str, other: str) -> SpeedupSummary | None:
    """Return the summary of a comparison in the published Table III; None if the paper does not make it.

    The paper's CovCon uses native threads.
    """
    rows = {
        (MAPTEST, NATIVE_COVCON): [row.maptest_over_covcon for row in TABLE_3.values()],
        (MAPTEST, MAPTEST_RANDOM): [row.maptest_over_random for row in TABLE_3.values()],
        (MAPTEST_RANDOM, NATIVE_COVCON): [row.random_over_covcon for row in TABLE_3.values()],
    }
    if other == COVCON:
        other = NATIVE_COVCON
    return summarize(rows.get((one, other), []))


def _observed(study: Study, one: str, other: str) -> str:
    series = study.series()
    rows = (_compared(series[name, one], series[name, other]) for name in study.plan.subjects)
    ours = summarize((factor, p) for factor, p, _ in rows if factor is not None)
    if ours is None:
        return f"{one} over {other}: no runs."
    published = published_summary(one, other)
    paper = f" Paper: {_summary(published)}." if published is not None else ""
    return f"{one} over {other}: {_summary(ours)}.{paper}"


def _summary(found: SpeedupSummary) -> str:
    return (
        f"faster for {found.faster} of {found.classes} classes ({found.faster_significantly} significantly), more than "
        f"twice as fast for {found.noticeably_faster} ({found.noticeably_faster_significantly} significantly), more "
        f"than twice as slow for {found.noticeably_slower}; speed-up {found.mean:.1f} on average "
        f"({found.mean_ratio:.1f} as the mean of ratios, {found.geometric_mean:.1f} as their geometric mean, median "
        f"{found.median:.1f}), at most {found.maximum:.0f}"
    )


def patterns(study: Study) -> Section:
    """Return Fig. 4 as a table: the number of MAPTest's runs whose first bug each pattern triggered."""
    aimed, explains = pattern_counts(study)
    rows = [["pattern", "aimed at", "explains"]]
    rows += [[str(pattern), str(aimed[pattern]), str(explains[pattern])] for pattern in PATTERNS]
    rows.append(["none", str(aimed[0]), str(explains[0])])
    total = sum(aimed.values())
    share = f"{100 * aimed[3] / total:.0f} %" if total else "-"
    remarks = [
        "Aimed at: the pattern that MAPTest's scheduler was forcing in the failing execution. Explains: the smallest "
        "pattern of the failing execution whose steps lie in the failing call and which no passing execution of the "
        f"test contains. Pattern 3 was aimed at in {share} of {total} runs; in the paper, in more than half."
    ]
    return Section("Fig. 4: patterns that trigger the first bug", rows, remarks)


def pattern_counts(study: Study) -> tuple[Counter[int], Counter[int]]:
    """Return the numbers of MAPTest's successful runs by the pattern aimed at, and by the explaining pattern."""
    found = [
        attempt
        for (_, method), one in study.series().items()
        if method == MAPTEST
        for attempt in one.attempts.values()
        if attempt.found
    ]
    return Counter(one.aimed_at for one in found), Counter(one.explained_by for one in found)


def irregularities(study: Study) -> Section:
    """Return remarks about bugs with unexpected symptoms, and about processes that were killed or died."""
    return Section("Irregular runs", remarks=[*_unexpected(study), *_broken(study)] or ["none"])


def _unexpected(study: Study) -> Iterator[str]:
    found = Counter(
        (name, attempt.symptom, attempt.sentence)
        for (name, _), one in sorted(study.series().items())
        for attempt in one.attempts.values()
        if attempt.found_any and not attempt.found
    )
    for (name, symptom, sentence), times_seen in found.items():
        yield f"{name}: {symptom} is not a known symptom: {sentence} ({times_seen} runs)."


def _broken(study: Study) -> Iterator[str]:
    ends = Counter(
        (run.cell.part, run.cell.subject, run.cell.method, run.result["end"], run.result["error"])
        for part in Part
        for run in study.of(part)
        if "error" in run.result
    )
    for (part, subject, method, end, error), times_seen in ends.items():
        yield f"{subject}, {method}, {part}: process {end} {error} ({times_seen} runs)."
