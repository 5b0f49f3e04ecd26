"""The tables of sections 5.1 and 5.2: Table 1, what Fig. 10 shows, and the share of contexts."""

from __future__ import annotations

from statistics import fmean

from raddle_lab.autocontest.cell import Approach
from raddle_lab.autocontest.curves import COMPARED, POINTS, mean_curves, overtaking_seconds
from raddle_lab.autocontest.published import (
    CONTEXT_PERCENT,
    GENERATION_PERCENT,
    HOUR_MS,
    OVERTAKEN_SECONDS,
    STRESS_FAULTS,
    TABLE_1,
    Effect,
)
from raddle_lab.autocontest.study import Study, Trial
from raddle_lab.autocontest.subjects import SUBJECTS
from raddle_lab.maptest.section import Section, number

SHOWN = 6  # points of Fig. 10 in the table
LABELS = dict(zip(COMPARED, ("AutoConTest", "ConTeGe*"), strict=True))


def faults(study: Study) -> Section:
    """Return Table 1. Below each row is the published one."""
    rows = [["id", "code base", "class", "lines", "issue", "A: fault, ms", "tests", "size", "covered", "seed",
             "C*: fault, ms", "tests", "size", "covered"]]  # fmt: skip
    for name in study.plan.subjects:
        published, ours = TABLE_1[name], study.best(name, Approach.AUTOCONTEST)
        random = study.best(name, Approach.CONTEGE_STAR)
        subject = SUBJECTS[name]
        row = [name, f"{subject.project} {subject.version}", subject.published_name, f"{study.lines[name]:,}"]
        row += [published.issue, *_effect(study, ours)]
        rows.append([*row, "-" if random is None else str(random.seed), *_effect(study, random)])
        paper = ["", "", "(paper)", f"{published.lines:,}", "", *_published(published.ours), str(published.seed)]
        rows.append([*paper, *_published(published.contege)])
    return Section(
        "Table 1: the first fault, tests and covered requirements of AutoConTest (A) and of the best run of ConTeGe* "
        "(C*). Below each row is the published one",
        rows,
        [
            f"One run of AutoConTest and {study.plan.seeds} of ConTeGe*, {study.plan.seconds:g} s each (paper: an "
            "hour). * marks a fault that was not found in this time. A fault counts if it has a symptom that the class "
            "is known for.",
            "Tests: those explored completely. Size: the number of calls in the test suite, including those that "
            "construct arguments, with each sequence of calls counted once, as the published numbers suggest.",
            "Covered: the requirements that active testing triggered.",
        ],
        left=3,
    )


def _effect(study: Study, trial: Trial | None) -> list[str]:
    if trial is None:
        return ["-", "-", "-", "-"]
    fault, result = trial.fault, trial.result
    milliseconds = f"*{1000 * study.plan.seconds:,.0f}" if fault is None else f"{1000 * fault.seconds:,.0f}"
    numbers = result["explored"], result["calls_of_sequences"], len(result["triggered"])
    return [milliseconds, *(f"{one:,}" for one in numbers)]


def _published(effect: Effect) -> list[str]:
    first = f"*{HOUR_MS:,}" if effect.first_fault_ms is None else f"{effect.first_fault_ms:,}"
    return [first, f"{effect.tests:,}", f"{effect.suite_size:,}", f"{effect.covered:,}"]


def calls(study: Study) -> Section:
    """Return what the runs of Table 1 did in more detail."""
    rows = [["id", "approach", "concurrent calls at the first fault", "after tests", "any failure, ms", "assembled",
             "calls", "executions", "predicted", "pruned", "tested"]]  # fmt: skip
    for name in study.plan.subjects:
        for approach in COMPARED:
            trial = study.best(name, approach)
            if trial is not None:
                rows.append([name, LABELS[approach], *_details(trial)])
    return Section(
        "The runs of Table 1 in detail",
        rows,
        [
            "After tests: the number of tests that were explored completely before; 0 means the first generated test. "
            "Any failure: the first failure, whatever its symptom. Assembled: the number of tests generated. Calls: "
            "those of all tests, with each test counted. Predicted, pruned, tested: numbers of requirements.",
        ],
        left=3,
    )


def _details(trial: Trial) -> list[str]:
    fault, result = trial.fault, trial.result
    first = ["-", "-"] if fault is None else [" || ".join(fault.calls), f"{fault.explored:,}"]
    earliest = f"{1000 * result['faults'][0]['seconds']:,.0f}" if result["faults"] else "-"
    keys = "assembled", "calls_of_tests", "executions", "predicted", "pruned", "tested"
    return [*first, earliest, *(f"{result[key]:,}" for key in keys)]


def observations(study: Study) -> Section:
    """Return the paper's observations on Table 1, repeated."""
    names = study.plan.subjects
    ours = [trial for name in names if (trial := study.best(name, Approach.AUTOCONTEST)) is not None]
    found = [trial.fault for trial in ours if trial.fault is not None]
    published = [row.ours.first_fault_ms / 1000 for row in TABLE_1.values() if row.ours.first_fault_ms]
    remarks = [
        f"AutoConTest finds the fault of {len(found)} of {len(ours)} classes, {_spread([f.seconds for f in found])}. "
        f"Paper: {len(published)} of {len(TABLE_1)}, {_spread(published)}.",
        f"The first generated test shows {sum(one.is_in_first_test for one in found)} of {len(ours)} faults. Paper: "
        f"{len(TABLE_1)} of {len(TABLE_1)}.",
    ]
    random = [trial for name in names if (trial := study.best(name, Approach.CONTEGE_STAR)) is not None]
    by_random = [trial.fault.seconds for trial in random if trial.fault is not None]
    paper = [row.contege.first_fault_ms / 1000 for row in TABLE_1.values() if row.contege.first_fault_ms is not None]
    remarks.append(
        f"ConTeGe* finds the fault of {len(by_random)} of {len(random)} classes in the best of its runs, "
        f"{_spread(by_random)}. Paper: {len(paper)} of {len(TABLE_1)}, {_spread(paper)}."
    )
    native = [study.best(name, Approach.CONTEGE) for name in names]
    by_stress = sum(trial is not None and trial.fault is not None for trial in native)
    remarks.append(
        f"ConTeGe on native threads finds the fault of {by_stress} of {sum(one is not None for one in native)} "
        f"classes. Paper: {STRESS_FAULTS} of {len(TABLE_1)}."
    )
    shares = [one.result["generation_seconds"] / one.result["seconds"] for one in ours if one.result["seconds"]]
    share = f"{100 * fmean(shares):.0f} %" if shares else "-"
    remarks.append(f"The generation of tests takes {share} of the time on average. Paper: {GENERATION_PERCENT} %.")
    tested = sum(one.result["tested"] for one in ours)
    sharing = sum(one.result["sharing_instructions"] for one in ours)
    percent = f"{100 * sharing / tested:.0f} % of {tested:,}" if tested else "none of the"
    remarks.append(
        f"Of the tested interleavings, {percent} have the same instructions as another one and differ from it in their "
        f"calling contexts. Paper: {CONTEXT_PERCENT} %."
    )
    return Section("The paper's observations on Table 1, repeated", remarks=remarks)


def _spread(seconds: list[float]) -> str:
    """Describe times.

    >>> _spread([1.0, 2.5]), _spread([])
    ('after 1.8 s on average and at most 2.5 s', 'never')
    """
    if not seconds:
        return "never"
    return f"after {number(fmean(seconds))} s on average and at most {number(max(seconds))} s"


def coverage(study: Study) -> Section:
    """Return the points of Fig. 10."""
    curves, seconds = mean_curves(study), study.plan.seconds
    places = [POINTS * at // SHOWN for at in range(1, SHOWN + 1)]
    rows = [["", *(f"{number(seconds * place / POINTS)} s" for place in places)]]
    for approach, curve in curves.items():
        rows.append([LABELS[approach], *(f"{curve[place]:.1f}" for place in places)])
    reached = overtaking_seconds(curves, seconds)
    return Section(
        "Fig. 10: coverage over time, as a percentage, on average over the classes",
        rows if curves else (),
        [
            "All requirements that either approach triggers in its run are 100 %; the paper does not say what is. "
            "ConTeGe*'s run is the one of Table 1.",
            f"AutoConTest {'does not reach' if reached is None else 'reaches'} ConTeGe*'s final coverage"
            f"{'' if reached is None else f' after {number(reached)} s'}. "
            f"Paper: in less than {OVERTAKEN_SECONDS} s of an hour.",
        ],
    )
