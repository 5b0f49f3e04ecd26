"""The tables of section 5.3: Table 2, and the same with single pruning rules switched off."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from raddle_lab.autocontest.cell import Part, Pruning
from raddle_lab.autocontest.published import HOUR_MS, ITERATIONS, LEVEL, TABLE_2, Optimum
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section, number
from raddle_lab.result_log import Json


def pruning(study: Study) -> Section:
    """Return Table 2. Below each row is the published one."""
    rows = [["id", "saturation, ms", "traces", "first, ms", "gain", "calls", "only D1, ms", "gain", "calls"]]
    for name in study.plan.subjects:
        paper, whole = TABLE_2[name], study.generator(name, Part.SATURATION)
        rows.append([name, *_saturation(whole), *_first(whole), *_first(study.generator(name, Part.FIRST, _D1))])
        rows.append(
            ["(paper)", f"{paper.saturation_ms:,}", f"{paper.traces:,}", *_optimum(paper.pruned),
             *_optimum(paper.unpruned)]
        )  # fmt: skip
    return Section(
        "Table 2: the generator alone, with all pruning rules and with D1 only. Below each row is the published one",
        rows,
        [
            f"At most {study.plan.generator_seconds:g} s for each run (paper: an hour). Saturation: when the last "
            "sequence was returned. Traces: distinct call traces of all sequences. First: the first iteration, with "
            "the new call traces and the length of its sequence.",
            "* marks a first iteration that a limit ended before every sequence within the saturation level was "
            "tried. With all rules, an iteration also ends after 3,000 sequences, as in AutoConTest; with D1 only, the "
            "time is the only limit. > marks a run that still found new traces at the end.",
        ],
    )


_D1 = Pruning.ONLY_D1


def _saturation(result: Json | None) -> list[str]:
    if result is None or result["last_returned"] is None:
        return ["-", "-"]
    mark = "" if result["saturated"] else ">"
    return [f"{mark}{1000 * result['last_returned']['at']:,.0f}", f"{result['traces']:,}"]


def _first(result: Json | None) -> list[str]:
    if result is None or result["first"] is None:
        return ["-", "-", "-"]
    first = result["first"]
    mark = "" if first["finished"] else "*"
    return [f"{mark}{1000 * first['seconds']:,.0f}", f"{first['gained']:,}", f"{first['length']:,}"]


def _optimum(one: Optimum) -> list[str]:
    time = f"*{HOUR_MS:,}" if one.time_ms is None else f"{one.time_ms:,}"
    return [time, f"{one.gained:,}", f"{one.length:,}"]


def rules(study: Study) -> Section:
    """Return the first iteration with single rules switched off, which the paper does not have."""
    rows = [["id", "rules", "ms", "sequences", "gain", "calls", "k", "times as long"]]
    for name in study.plan.subjects:
        everything = study.generator(name, Part.FIRST)
        for pruned in Pruning:
            result = study.generator(name, Part.FIRST, pruned)
            if result is None or result["first"] is None:
                continue
            first = result["first"]
            level = f"{first['level']:,}"
            rows.append(
                [name, str(pruned), _first(result)[0], f"{first['nodes']:,}", f"{first['gained']:,}",
                 f"{first['length']:,}", level, _ratio(result, everything)]
            )  # fmt: skip
    return Section(
        "The first iteration with single pruning rules switched off",
        rows,
        [
            f"Time is the only limit ({study.plan.generator_seconds:g} s); * marks an iteration that it ended, and "
            "whose time is therefore a lower bound. Times as long: compared with all rules."
        ],
        left=2,
    )


def _ratio(result: Json, base: Json | None) -> str:
    """Return how many times as long a first iteration took as another one, if at least a lower bound is known."""
    if base is None or base["first"] is None or not base["first"]["finished"] or not base["first"]["seconds"]:
        return "-"
    bound = "" if result["first"]["finished"] else ">="
    return f"{bound}{number(result['first']['seconds'] / base['first']['seconds'])}"


def observations(study: Study) -> Section:
    """Return the paper's observations on Table 2, repeated."""
    names = study.plan.subjects
    pairs = [
        (ours["first"], other["first"])
        for name in names
        if (ours := study.generator(name, Part.SATURATION)) is not None
        and (other := study.generator(name, Part.FIRST, _D1)) is not None
        and ours["first"] is not None
        and other["first"] is not None
    ]
    paper = [(row.pruned, row.unpruned) for row in TABLE_2.values()]
    paper_seconds = [(one.time_ms or HOUR_MS) / 1000 for one, _ in paper]
    ratios = [HOUR_MS / (one.time_ms or HOUR_MS) for one, _ in paper]
    own_ratios = [other["seconds"] / one["seconds"] for one, other in pairs if one["finished"] and one["seconds"]]
    remarks = [
        f"With all rules and limits, the first iteration takes {_mean([one['seconds'] for one, _ in pairs], 2)} s on "
        f"average and at most {_most([one['seconds'] for one, _ in pairs])} s. Paper: {_mean(paper_seconds)} s.",
        f"{sum(one['finished'] for one, _ in pairs)} of {len(pairs)} first iterations tried every sequence within the "
        "saturation level; a limit ended the others.",
        f"With D1 only, {sum(other['finished'] for _, other in pairs)} of {len(pairs)} first iterations finish in "
        f"{study.plan.generator_seconds:g} s (paper: 0 of {len(TABLE_2)} in an hour). For the classes whose first "
        f"iteration finishes with all rules, they take at least {_mean(own_ratios, 0)} times as long on average. "
        f"Paper: {_mean(ratios, 0)} times.",
        f"{_lost([((one['gained'], one['length']), (other['gained'], other['length'])) for one, other in pairs])} "
        f"Paper: {_lost([((a.gained, a.length), (b.gained, b.length)) for a, b in paper])}",
    ]
    whole = [result for name in names if (result := study.generator(name, Part.SATURATION)) is not None]
    returned = [result["returned"] for result in whole]
    levels = [result["last_returned"]["level"] for result in whole if result["last_returned"] is not None]
    remarks.append(
        f"{sum(result['saturated'] for result in whole)} of {len(whole)} generators find no more traces before the "
        f"time is up. They return {_mean(returned)} sequences on average, the last one with k = {_mean(levels)}. "
        f"Paper: {ITERATIONS} sequences, k = {LEVEL}."
    )
    return Section("The paper's observations on Table 2, repeated", remarks=remarks)


def _mean(values: Sequence[float], digits: int = 1) -> str:
    return number(fmean(values), digits) if values else "-"


def _most(values: Sequence[float]) -> str:
    return number(max(values), 2) if values else "-"


def _lost(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> str:
    """Describe what pruning lost, given the gains and lengths with all rules and with D1 only.

    >>> _lost([((23, 43), (24, 48)), ((44, 88), (44, 87)), ((6, 11), (6, 11))])
    'Pruning loses traces for 1 of 3 classes (23 for 24), and the sequence is longer for 1 (88 calls for 87).'
    """
    worse = [f"{one[0]} for {other[0]}" for one, other in pairs if one[0] < other[0]]
    longer = [f"{one[1]} calls for {other[1]}" for one, other in pairs if one[0] == other[0] and one[1] > other[1]]
    traces = f" ({', '.join(worse)})" if worse else ""
    lengths = f" ({', '.join(longer)})" if longer else ""
    return (
        f"Pruning loses traces for {len(worse)} of {len(pairs)} classes{traces}, and the sequence is longer for "
        f"{len(longer)}{lengths}."
    )
