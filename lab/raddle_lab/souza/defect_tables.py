"""Tables VII, VIII, XI and XII, and Fig. 5: defects, and which approaches reveal them."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

from raddle.messages.defects import Defect
from raddle_lab.maptest.section import Section, number
from raddle_lab.souza.cost_tables import FEWEST, bars, comparison_table
from raddle_lab.souza.element_tables import NOT_MEASURED, PAPER
from raddle_lab.souza.experiment import PUBLISHED
from raddle_lab.souza.hypotheses import Comparison, rank_sum
from raddle_lab.souza.published import TABLE_7_TOTALS, TABLE_8
from raddle_lab.souza.study import APPROACHES, Study


def table_7(study: Study) -> Section:
    """Return Table VII: the numbers of defects by kind and program."""
    programs = study.plan.programs
    measured = {name: Counter(found["defect"] for found in study.defects(name)) for name in programs}
    rows = [["defect", *programs]]
    rows += [[f"{one.value:2} {one.title}", *(str(measured[name][one.value]) for name in programs)] for one in Defect]
    rows.append(["total", *(str(measured[name].total()) for name in programs)])
    rows.append([PAPER, *(str(TABLE_7_TOTALS[PUBLISHED[name]]) for name in programs)])
    return Section(
        "Table VII: the programs with one defect each that were measured",
        rows,
        [
            "Mutants are drawn at random and spread over the kinds as evenly as possible, because the cells of Table "
            "VII are illegible in part. Without --mutants, the totals are the paper's."
        ],
    )


def table_8(study: Study) -> Section:
    """Return Table VIII: the share of defects that each approach reveals."""
    rows = [["program", "defects", *APPROACHES, "by none"]]
    for name in study.plan.programs:
        found = study.defects(name)
        if found:
            none = sum(not any(one["revealed"] for one in result["approaches"].values()) for result in found)
            rows.append([name, str(len(found)), *(number(study.effectiveness(name, one)) for one in APPROACHES),
                         str(none)])  # fmt: skip
        else:
            rows.append([name, NOT_MEASURED, *["-"] * (len(APPROACHES) + 1)])
        paper = TABLE_8.get(PUBLISHED[name])
        if paper is not None:
            rows.append([PAPER, str(TABLE_7_TOTALS[PUBLISHED[name]]), *map(str, paper), "", "", ""])
    plan = study.plan
    return Section(
        "Table VIII: defects revealed, in percent",
        rows,
        [
            "CovT and RT use T1; RTCovT and RTCovT*, which distinguishes the iterations of loops (all-edges-s*), use "
            f"T2. random: {plan.random_inputs} random inputs, each executed once. CovT repeats each input up to "
            f"{plan.mutant_random_runs} times, and the other approaches end at {plan.mutant_executions} executions per "
            "input.",
            "A defect is revealed by an execution that fails, or whose output the original program does not print for "
            "the same input. If the original has several outputs and more sequences than were executed, as "
            "philosophers does, only failures count. Some mutants are equivalent to the original; "
            "they are among those that nothing reveals.",
        ],
    )


def figure_5(study: Study) -> Section:
    """Return Fig. 5, the effectiveness as bars."""
    measured = {
        f"{name} {approach}": share
        for name in study.plan.programs
        for approach in ("CovT", "RTCovT", "random")
        if (share := study.effectiveness(name, approach)) is not None
    }
    return Section(
        "Fig. 5: the effectiveness", bars(measured, "", "revealed, %"), [] if measured else [NOT_MEASURED], left=2
    )


def table_11(study: Study) -> Section:
    """Return Table XI: NH3, RTCovT and CovT are equally effective."""
    return _compared(study, "Table XI", "CovT", [row.covt for row in TABLE_8.values()])


def table_12(study: Study) -> Section:
    """Return Table XII: RTCovT and random inputs."""
    return _compared(study, "Table XII", "random", [row.random for row in TABLE_8.values()])


def _compared(study: Study, table: str, other: str, published: list[float]) -> Section:
    names = [name for name in study.plan.programs if study.defects(name)]
    ours, theirs = ([study.effectiveness(name, one) or 0.0 for name in names] for one in ("RTCovT", other))
    paper = rank_sum([row.rtcovt for row in TABLE_8.values()], published, correction=True)
    comparisons: dict[str, Comparison | None] = {"here": None, PAPER: paper}
    if len(names) >= FEWEST and len({*ours, *theirs}) > 1:  # without ranks, there is nothing to test
        comparisons["here"] = rank_sum(ours, theirs, correction=True)
    means = [f"Means here: RTCovT {fmean(ours):.1f} %, {other} {fmean(theirs):.1f} %."] if names else []
    return comparison_table(
        f"{table}: effectiveness of RTCovT and {other}, Wilcoxon rank sum test (null hypothesis: equally effective)",
        comparisons,
        means,
    )
