"""Tables IV, V, VI, IX and X, and Fig. 4: what the approaches cost and cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raddle_lab.maptest.section import Section, number
from raddle_lab.souza.element_tables import NOT_MEASURED, PAPER
from raddle_lab.souza.experiment import PUBLISHED
from raddle_lab.souza.hypotheses import Comparison, normality, rank_sum, variance_ratio, welch
from raddle_lab.souza.published import PROGRAMS, TABLE_4, TABLE_5, TABLE_6
from raddle_lab.souza.study import Study

COMPARED = ("CovT", "RT", "RTCovT")
T2 = "RTCovT(T2)"
CRITERIA = ("all-edges-s", "all-s-uses")
BAR = 50  # length of the longest bar
FEWEST = 3  # programs that the test of Shapiro and Wilk needs


def table_4(study: Study) -> Section:
    """Return Table IV: the numbers of SYN-sequences."""
    rows = [["program", *COMPARED, T2, "inputs of T2"]]
    for name in study.plan.programs:
        found = study.costs(name)
        cells = [_executions(study, name, approach) for approach in (*COMPARED, T2)]
        rows.append([name, *cells, "-" if found is None else f"{len(found['t2'])} of {found['pool']}"])
        rows.append([PAPER, *map(str, TABLE_4[PUBLISHED[name]]), ""])
    plan = study.plan
    return Section(
        "Table IV: SYN-sequences that the approaches execute on T1, and RTCovT on T2",
        rows,
        [
            f"CovT repeats each input until everything feasible is covered, at most {plan.random_runs} times, and "
            "then forces the remainder. CovT and RTCovT end when everything feasible is covered, so they may need "
            f'only a part of T1. RT executes at most {plan.executions} sequences per input; "at least" marks sums of '
            "numbers that reached the limit.",
            "In the paper, CovT is 10 times RTCovT in every row, which no stopping rule explains, and RT of gcd is 126 "
            "for 7 inputs, although gcd has 2 sequences per input.",
            f"Feasible elements that RTCovT leaves uncovered on T1: {_left(study)}.",
            f"T2: the inputs of a pool of {plan.pool} random ones with which RTCovT covers something new.",
        ],
    )


def _left(study: Study) -> str:
    """Return the programs of which the composite approach leaves something uncovered that no variant promises."""
    left = []
    for name in study.plan.programs:
        found = study.costs(name)
        after = found["approaches"]["RTCovT"][-1:] if found is not None else []
        number_left = sum(sum(one["uncovered"].values()) for one in after)
        left += [f"{name} {number_left}"] if number_left else []
    return ", ".join(left) or "none"


def _executions(study: Study, name: str, approach: str) -> str:
    found = study.executions(name, approach)
    if found is None:
        return NOT_MEASURED
    return f"{found:,}" if study.is_complete(name, approach) else f"at least {found:,}"


def figure_4(study: Study) -> Section:
    """Return Fig. 4, the costs as bars."""
    measured = {
        f"{name} {approach}": found
        for name in study.plan.programs
        for approach in COMPARED
        if (found := study.executions(name, approach)) is not None
    }
    return Section(
        "Fig. 4: the costs on T1", bars(measured, "", "SYN-sequences"), [] if measured else [NOT_MEASURED], left=2
    )


def bars(values: Mapping[str, float], head: str, title: str) -> list[list[str]]:
    """Return the rows of a bar chart; none if there are no values.

    >>> bars({"a": 10, "b": 1}, "", "")[1:]
    [['a', '##################################################', '10'], ['b', '#####', '1']]
    """
    if not values:
        return []
    longest = max(values.values()) or 1
    return [
        [head, "", title],
        *([name, "#" * round(BAR * value / longest), f"{value:,.4g}"] for name, value in values.items()),
    ]


def table_5(study: Study) -> Section:
    """Return Table V: coverage of jacobi after each test case."""
    return _evolution(study, "Table V", "jacobi", TABLE_5)


def table_6(study: Study) -> Section:
    """Return Table VI: coverage of mmult after each test case."""
    return _evolution(study, "Table VI", "mmult", TABLE_6)


def _evolution(study: Study, table: str, program: str, published: Sequence[Sequence[float]]) -> Section:
    title = f"{table}: coverage of {program} after each test case, in percent of the feasible elements"
    found = study.costs(program)
    if found is None:
        return Section(title, remarks=[NOT_MEASURED])
    approaches = ("once", "CovT", "RTCovT")
    heads = [f"{name}: {what}" for what in ("edges", "s-uses") for name in approaches]
    rows = [["test case", *heads, "paper: edges", "s-uses"]]
    feasible = {one: found["required"][one] - found["infeasible"][one] for one in CRITERIA}
    for case in range(max(found["t1"], len(published))):
        row = [str(case + 1)]
        for criterion in CRITERIA:
            for approach in approaches:
                after = found["approaches"][approach]
                share = None
                if case < len(after) and feasible[criterion]:
                    share = 100 * (1 - after[case]["uncovered"][criterion] / feasible[criterion])
                row.append(number(share))
        paper = published[case] if case < len(published) else None
        row += ["-", "-"] if paper is None else [f"{paper[0]} / {paper[1]}", f"{paper[2]} / {paper[3]}"]
        rows.append(row)
    return Section(
        title,
        rows,
        [
            '"once" runs each input once, in a random order of messages. "-": the approach had covered everything '
            "feasible before. The columns of the paper are CovT / RTCovT."
        ],
    )


def table_9(study: Study) -> Section:
    """Return Table IX: NH1, the costs of RTCovT and RT are equal."""
    ours = _samples(study, "RTCovT", "RT")
    paper = [TABLE_4[name].rtcovt for name in PROGRAMS], [TABLE_4[name].rt for name in PROGRAMS]
    return comparison_table(
        "Table IX: costs of RTCovT and RT, Wilcoxon rank sum test (NH1: equal costs)",
        {
            "here": None if len(ours[0]) < FEWEST else rank_sum(*ours, correction=False),
            PAPER: rank_sum(*paper, correction=False),
        },
        [
            f"Normality ({who}, Shapiro-Wilk): p = {normality(one):.4g} (RTCovT), {normality(two):.4g} (RT)."
            for who, (one, two) in (("here", ours), ("paper", paper))
            if len(one) >= FEWEST and _varies(one) and _varies(two)
        ],
    )


def table_10(study: Study) -> Section:
    """Return Table X: NH2, the costs of RTCovT and CovT are equal."""
    ours = _samples(study, "RTCovT", "CovT")
    paper = [TABLE_4[name].rtcovt for name in PROGRAMS], [TABLE_4[name].covt for name in PROGRAMS]
    return comparison_table(
        "Table X: costs of RTCovT and CovT, Welch's t-test (NH2: equal costs)",
        {"here": None if len(ours[0]) < FEWEST else welch(*ours), PAPER: welch(*paper)},
        [
            f"Variances ({who}, F-test): p = {variance_ratio(one, two):.4g}."
            for who, (one, two) in (("here", ours), ("paper", paper))
            if len(one) >= FEWEST and _varies(one) and _varies(two)
        ]
        + ["The paper prints 0.0997 for the last p-value, which is a misprint for 0.997."],
    )


def _varies(sample: Sequence[float]) -> bool:
    return len(set(sample)) > 1


def _samples(study: Study, *approaches: str) -> tuple[list[float], list[float]]:
    names = [name for name in study.plan.programs if study.costs(name) is not None]
    one, two = ([float(study.executions(name, approach) or 0) for name in names] for approach in approaches)
    return one, two


def comparison_table(title: str, comparisons: Mapping[str, Comparison | None], remarks: Sequence[str]) -> Section:
    """Return a table of hypothesis tests. Those of the paper are recomputed from its tables."""
    rows = [["", "statistic", "df", "two-sided p", "less", "greater", "null hypothesis"]]
    for who, found in comparisons.items():
        if found is None:
            rows.append([who, *["-"] * 5, NOT_MEASURED])
            continue
        rows.append([
            who, f"{found.statistic:.4g}", number(found.degrees_of_freedom, 2),
            *(f"{value:.4g}" for value in found.p_values), "rejected" if found.is_rejected else "kept",
        ])  # fmt: skip
    few = [f"The tests need {FEWEST} programs."] if None in comparisons.values() else []
    return Section(title, rows, [*few, *remarks])
