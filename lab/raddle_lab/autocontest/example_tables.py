"""The tables about the paper's example: Fig. 1 with given and with generated sequences."""

from __future__ import annotations

from raddle_lab.autocontest.cell import Part
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section, number
from raddle_lab.result_log import Json

# The call traces of d2 and the new one of d3, as the paper prints them.
PUBLISHED_TRACES = {
    "m3(10) of d2": ">m3 a3 l1 >m4 a4 a5 <m4 l2 <m3",
    "m7() of d2": ">m7 a8 a9 <m7",
    "m5() of d2": ">m5 a6 a7 a7 <m5",
    "m3(10) of d3": ">m3 a3 >m4 a4 a5 <m4 <m3",
}
PUBLISHED_TESTS = ("d1 || d1", "d2 || d2", "d2 || d1", "d3 || d3", "d3 || d1", "d3 || d2")
NAMED = ("a8 a2 a9", "a4 a1 a5", "a7 a3 a7")  # the interleavings that the paper discusses
BUGS = {"BUG1": ("m1 | m3", "m3 | m3"), "BUG2": ("m3 | m5",)}  # the calls that fail because of each bug


def _result(study: Study, part: Part) -> Json | None:
    return next((run.result for run in study.of(part)), None)


def traces(study: Study) -> Section:
    """Return the call traces of the given sequences d2 and d3."""
    title = "Fig. 1, given sequences: call traces"
    result = _result(study, Part.FIGURE_1)
    if result is None:
        return Section(title, remarks=["no runs"])
    d2, d3 = result["traces"]["d2"], result["traces"]["d3"]
    rows = [["call", "trace", "as published"]]
    rows += [
        [call, trace, "yes" if trace == PUBLISHED_TRACES[call] else PUBLISHED_TRACES[call]]
        for call, trace in zip(PUBLISHED_TRACES, [*d2, *result["gain_of_d3"]], strict=False)
    ]
    tests = ", ".join(f"t{number} = ({test})" for number, test in enumerate(result["tests"], 1))
    return Section(
        title,
        rows,
        [
            "d1 = (m5, m1(1), m2(0), m7), d2 = (m3(10), m7, m5), d3 = (m7, m5, m3(10)). M(d2) has three traces; of "
            f"those of d3, {len(result['gain_of_d3'])} of {len(d3)} is new. Lock events of synchronized methods and "
            "reads of the lock attribute are left out, as in the paper.",
            f"(m1, m2) and (m2, m1) have {'different' if result['order_matters'] else 'the same'} sequential coverage. "
            "Paper: the same.",
            f"Tests: {tests}. {'As' if tuple(result['tests']) == PUBLISHED_TESTS else 'Not as'} published.",
        ],
        left=3,
    )


def interleavings(study: Study) -> Section:
    """Return what the given tests do with the interleavings that the paper discusses."""
    title = "Fig. 1, given sequences: interleavings"
    result = _result(study, Part.FIGURE_1)
    if result is None:
        return Section(title, remarks=["no runs"])
    rows = [["interleaving", "outer and inner call", "test", "pruned", "triggered", "fault"]]
    for name in NAMED:
        for one in result["attempts"]:
            if one["accesses"] == name:
                row = [name, one["calls"], one["test"], "yes" if one["is_pruned"] else "no"]
                rows.append([*row, _states(one["triggered"]), _states(one["failed"])])
    others = sorted({one["accesses"] for one in result["attempts"]} - set(NAMED))
    return Section(
        title,
        rows,
        [
            "Pruned: synchronization makes the interleaving impossible. Triggered, fault: in which of the two "
            "candidate states, those before the outer call (1) and before the inner call (2) in their own sequences. "
            "If the states are equal, there is only one. A fault is a result or a final state that no order of whole "
            "calls gives.",
            "Paper: a8 a2 a9 is pruned, because one lock guards all three accesses. a4 a1 a5 is pruned if m3 takes the "
            "lock, and t5 triggers it in the first state (BUG1). a7 a3 a7 is feasible if m5 writes twice (BUG2).",
            f"Other interleavings of these tests that match the criterion: {', '.join(others)}.",
        ],
        left=6,
    )


def _states(flags: list[bool]) -> str:
    """Return the numbers of the states.

    >>> _states([True, False]), _states([False]), _states([])
    ('1', 'no', '-')
    """
    states = ", ".join(str(place) for place, flag in enumerate(flags, 1) if flag)
    return states or ("no" if flags else "-")


def generated(study: Study) -> Section:
    """Return whether the generator alone finds both bugs of the example."""
    title = "Fig. 1, generated sequences"
    result = _result(study, Part.GENERATED)
    if result is None:
        return Section(title, remarks=["no runs"])
    rows = [["bug", "found", "calls", "test", "executions", "seconds"]]
    for bug, calls in BUGS.items():
        found = next((fault for fault in result["faults"] if fault["calls"] in calls), None)
        if found is None:
            rows.append([bug, "no", " or ".join(calls), "-", "-", "-"])
        else:
            place = [str(found["tests"]), f"{found['executions']:,}", number(found["seconds"], 2)]
            rows.append([bug, "yes", found["calls"], *place])
    return Section(
        title,
        rows,
        [
            f"AutoConTest with seed 1, which knows only the class, for {result['seconds']:.0f} s. Test: the number of "
            "tests that had been generated by then. The paper's d1 cannot come from the generator, whose first "
            "sequence also calls m3."
        ],
        left=3,
    )
