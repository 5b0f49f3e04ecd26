"""The tables about the class of Fig. 1, in two parts: with the sequences of Fig. 4, and with generated ones."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.wording import count
from raddle_lab.autocontest.given_sequences import SEQUENCES
from raddle_lab.autocontest.published import COVERAGE_OF_D2, GAIN_OF_D3, TESTS
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section

# The two bugs: m3 changes x without the lock, which m1 and other calls of m3 notice; m5 writes z step by step, which
# m3 notices.
BUGS = {"BUG1 (m3 without the lock)": (("m1", "m3"), ("m3", "m3")), "BUG2 (m5)": (("m3", "m5"),)}


def given(study: Study) -> Section:
    """Return what the sequences of Fig. 4 cover and trigger."""
    title = f"Fig. 1, given sequences: {'; '.join(f'{name} = ({_text(calls)})' for name, calls in SEQUENCES.items())}"
    data = study.given
    if data is None:
        return Section(title, remarks=["not run"])
    rows = [["", "here", "paper"]]
    rows.append(_row("M(d2)", data["coverage_of_d2"], sorted(COVERAGE_OF_D2)))
    rows.append(_row("gain of d3 over d1, d2", data["gain_of_d3"], GAIN_OF_D3))
    rows += [
        _row(f"t{n}", [ours], [paper]) for n, (ours, paper) in enumerate(zip(data["tests"], TESTS, strict=True), 1)
    ]
    rows.append(_row("M(m1, m2) and M(m2, m1)", ["differ" if data["order_matters"] else "equal"], ["equal"]))
    rows.append(_row("a8 a2 a9", [_fate(data, "a8 a2 a9")], ["pruned"]))
    rows.append(_row("a4 a1 a5", [_fate(data, "a4 a1 a5")], ["pruned with the lock, triggered without"]))
    rows.append(_row("a7 a3 a7", [_fate(data, "a7 a3 a7")], ["triggered"]))
    for candidate in data["candidates_of_t5"]:
        expected = "triggered" if candidate["candidate"] == 1 else "not triggered"
        result = "triggered" if "a4 a1 a5" in candidate["triggered"] else "not triggered"
        state = f"t5, state {candidate['candidate']} ({', '.join(candidate['after'])}): a4 a1 a5"
        rows.append(_row(state, [result], [expected]))
    rows += [_row(name, [_found(pairs, data["failing"])], ["found"]) for name, pairs in BUGS.items()]
    remarks = [
        "Traces leave out the locking of synchronized methods and reads of the lock, as the paper's do.",
        "Pruned: " + "; ".join(f"({name}) from {', '.join(places)}" for name, places in data["pruned_from"].items()),
        f"Triggered: {', '.join(f'({name})' for name in data['triggered'])}.",
    ]
    return Section(title, rows, remarks, left=3)


def _row(name: str, ours: Sequence[str], paper: Sequence[str]) -> list[str]:
    return [name, "; ".join(ours), "; ".join(paper)]


def _text(calls: Sequence[tuple[str, int | None]]) -> str:
    return ", ".join(name if value is None else f"{name}({value})" for name, value in calls)


def _fate(data: dict[str, list[str]], name: str) -> str:
    pruned, triggered = name in data["pruned"], name in data["triggered"]
    if pruned and triggered:
        return "pruned with the lock, triggered without"
    return (
        "triggered" if triggered else "pruned" if pruned else "open" if name in data["predicted"] else "not predicted"
    )


def _found(pairs: Sequence[tuple[str, str]], failing: Sequence[Sequence[str]]) -> str:
    found = dict.fromkeys(" || ".join(pair) for pair in pairs if list(pair) in [list(one) for one in failing])
    return f"found ({', '.join(found)})" if found else "not found"


def generated(study: Study) -> Section:
    """Return which bugs of the class the generator finds alone."""
    title = "Fig. 1, generated sequences: the bugs that AutoConTest finds in the class alone"
    trial = study.generated
    if trial is None:
        return Section(title, remarks=["not run"])
    rows = [["bug", "found by", "ms", "after tests"]]
    for name, pairs in BUGS.items():
        fault = next((one for one in trial.result["faults"] if tuple(one["calls"]) in pairs), None)
        if fault is None:
            rows.append([name, "not found", "-", "-"])
        else:
            milliseconds = f"{1000 * fault['seconds']:,.0f}"
            rows.append([name, " || ".join(fault["calls"]), milliseconds, f"{fault['explored']:,}"])
    explored = count(trial.result["explored"], "test")
    return Section(title, rows, [f"{explored} explored in {trial.result['seconds']:.1f} s."], left=2)
