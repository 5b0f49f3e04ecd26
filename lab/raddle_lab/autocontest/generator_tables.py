"""The tables of research question 3: Table 2, and the effect of single pruning rules."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from raddle_lab.autocontest import published
from raddle_lab.autocontest.cell import DISABLED, ENABLED, RULES, Part
from raddle_lab.autocontest.published import TABLE_2, Sequence
from raddle_lab.autocontest.study import Study
from raddle_lab.maptest.section import Section, number
from raddle_lab.result_log import Json


def sequences(study: Study) -> Section:
    """Return Table 2: the generator alone, with and without pruning."""
    rows = [
        ["id", "saturation s", "gain", "iterations", "k", "first: s", "gain", "calls", "disabled: s", "gain", "calls"]
    ]
    for name in study.plan.subjects:
        enabled, disabled = _iterations(study, name, ENABLED), _iterations(study, name, DISABLED)
        returned = [one for one in enabled if one["length"]]
        last = returned[-1] if returned else None
        rows.append([
            name,
            number(last["at_seconds"] if last else None, 2),
            str(sum(one["gain"] for one in returned)),
            str(len(returned)),
            str(last["level"] if last else "-"),
            *_cells(enabled[0] if enabled else None),
            *_cells(disabled[0] if disabled else None),
        ])  # fmt: skip
    plan = study.plan
    limit = f"{plan.generator_seconds:g} s" if plan.max_tests is None else f"{plan.max_tests:,} iterations"
    return Section(
        "Table 2: the generator of sequences alone",
        rows,
        [
            f"At most {limit} for each run; the paper's take an hour. Saturation: when the last sequence was found. "
            "Gain: number of new call traces. k: the saturation level at that time. First: the first iteration, with "
            "all pruning rules. Disabled: the first iteration with D1 only; * if it does not end within the limit, "
            "with the best sequence so far.",
            "A call trace shows two rounds of a loop. More are shown when no new traces are found. In the paper, there "
            "is no such limit.",
        ],
    )


def published_sequences(study: Study) -> Section:
    """Return Table 2 as published."""
    rows = [["id", "saturation s", "gain", "first: s", "gain", "calls", "disabled: s", "gain", "calls"]]
    for name in study.plan.subjects:
        paper = TABLE_2[name]
        rows.append([
            name, number(paper.saturation_ms / 1000, 2), str(paper.gain),
            *_published(paper.enabled), *_published(paper.disabled),
        ])  # fmt: skip
    return Section("Table 2 as published", rows)


def _published(one: Sequence) -> list[str]:
    return ["*1hr" if one.seconds is None else number(one.seconds, 2), str(one.gain), str(one.length)]


def _iterations(study: Study, name: str, rules: str) -> list[Json]:
    results = study.results(Part.GENERATOR, name, rules)
    found: list[Json] = results[1]["iterations"] if 1 in results else []
    return found


def _cells(one: Json | None) -> list[str]:
    """Return the time, the gain and the length of an iteration."""
    if one is None:
        return ["-"] * 3
    return [f"{'' if one['ended'] else '*'}{number(one['seconds'], 2)}", str(one["gain"]), str(one["length"])]


def rules(study: Study) -> Section:
    """Return the first iteration with single rules off, which the paper does not show."""
    variants = [name for name in RULES if any(study.of(Part.GENERATOR, name))]
    rows = [["id", *(cell for name in variants for cell in (f"{name}: s", "gain", "calls", "tried"))]]
    for name in study.plan.subjects:
        row = [name]
        for variant in variants:
            found = _iterations(study, name, variant)
            row += [*_cells(found[0] if found else None), f"{found[0]['sequences']:,}" if found else "-"]
        rows.append(row)
    return Section(
        "Single pruning rules",
        rows,
        [
            "The first iteration, with one rule off. Tried: number of sequences. * marks iterations that the time "
            "limit ended. The paper compares only all rules with D1 alone."
        ],
    )


def observations(study: Study) -> Section:
    """Return the sentences of the paper about Table 2, with our numbers and the paper's."""
    return Section("Observations on Table 2", remarks=list(_observations(study)) or ["no runs"])


def _observations(study: Study) -> Iterator[str]:
    enabled = {name: found for name in study.plan.subjects if (found := _iterations(study, name, ENABLED))}
    disabled = {name: found[0] for name in study.plan.subjects if (found := _iterations(study, name, DISABLED))}
    if not enabled:
        return
    first = {name: found[0] for name, found in enabled.items()}
    ended = sum(one["ended"] for one in first.values())
    times = [one["seconds"] for one in first.values()]
    yield (
        f"With pruning, the first iteration ends within the limit for {ended} of {len(first)} classes, after "
        f"{fmean(times):.1f} s on average, at most {max(times):.1f} s. Paper: for 6 of 6, after "
        f"{published.MEAN_FIRST_ITERATION:g} s on average."
    )
    both = [name for name in first if name in disabled]
    if both:
        late = sum(not disabled[name]["ended"] for name in both)
        ratios = [disabled[name]["seconds"] / first[name]["seconds"] for name in both if first[name]["seconds"]]
        speedup = f"{fmean(ratios):,.0f}" if ratios else "-"
        yield (
            f"Without pruning, it does not end for {late} of {len(both)} classes. Pruning makes it at least {speedup} "
            f"times faster, as the mean of the ratios. Paper: 6 of 6; at least {published.SPEEDUP:,.0f} times."
        )
        lost = [
            name
            for name in both
            if (first[name]["gain"], -first[name]["length"]) < (disabled[name]["gain"], -disabled[name]["length"])
        ]
        yield (
            f"The version without pruning has the better sequence for {len(lost)} of {len(both)} classes"
            f"{_differences(lost, first, disabled)}. Paper: for 2 of 6 (A3: gain 23 instead of 24; A6: one call more)."
        )
    returned = [[one for one in found if one["length"]] for found in enabled.values()]
    levels = [found[-1]["level"] for found in returned if found]
    yield (
        f"On average, {fmean(map(len, returned)):.1f} iterations find a sequence, the last one at saturation level "
        f"{number(fmean(levels) if levels else None)}. Paper: {published.MEAN_ITERATIONS} iterations, level "
        f"{published.MEAN_LEVEL}."
    )


def _differences(lost: list[str], first: dict[str, Json], disabled: dict[str, Json]) -> str:
    if not lost:
        return ""
    shown = (
        f"{name}: gain {first[name]['gain']} instead of {disabled[name]['gain']} with {first[name]['length']} instead "
        f"of {disabled[name]['length']} calls"
        for name in lost
    )
    return f" ({'; '.join(shown)})"
