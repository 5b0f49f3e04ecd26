"""Formats the JSON results of `raddle lab` as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from raddle_lab import false_alarms
from raddle_lab.autocontest import report as autocontest_report
from raddle_lab.autocontest.study import Study as AutoConTestStudy
from raddle_lab.correlation import Mean
from raddle_lab.correlation_table import between, chance, number
from raddle_lab.lu_bounds import BOUNDS
from raddle_lab.maptest import report as maptest_report
from raddle_lab.maptest.study import Study
from raddle_lab.published import TABLE_2, TABLE_3, VERDICT, Abstraction, Quantities

Data = Mapping[str, Any]
CASES = {
    "philosophers": "philosophers",
    "airlines": "airlines",
    "crawler": "crawler",
    "ftp": "FTP server",
    "broker": "broker",
}


def table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return a Markdown table. The first row is the header, and the first `left` columns are left-aligned.

    >>> print(table([["metric", "total"], ["avio*", "6"]]))
    | metric | total |
    |---|---:|
    | avio\\* | 6 |
    """
    head, *others = [[cell.replace("*", "\\*") if "**" not in cell else cell for cell in row] for row in rows]
    rule = ["---" if place < left else "---:" for place, _ in enumerate(head)]
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(rule)}|", *(f"| {' | '.join(row)} |" for row in others)]
    return "\n".join(lines)


# -- raddle lab krena ---------------------------------------------------------------------------------


def programs(data: Data) -> str:
    """Return our version of the paper's Table 2, with the paper's row below each row."""
    head = ["case", "executions", "classes", "error ratio", "objects", "types", "abstract", "threads", "types"]
    rows = [[*head, "abstract 10", "abstract 20"]]
    for case in data["cases"]:
        rows.append(_abstraction(CASES[case["case"]], f"{case['collected']:,}", Abstraction(**case["table2"])))
        rows.append(_abstraction("*paper*", "", TABLE_2[case["case"]]))
    # The name of the paper's row is emphasized, not escaped.
    return table(rows).replace("\\*paper\\*", "*paper*")


def _abstraction(title: str, executions: str, row: Abstraction) -> list[str]:
    return [title, executions, *(f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" for cell in row)]


def growth(data: Data) -> str:
    """Return our version of the paper's Table 3."""
    cases = {CASES[case["case"]]: case["table3"] for case in data["cases"]}
    return _threes({title: {name: _quantities(one) for name, one in own.items()} for title, own in cases.items()})


def _quantities(one: Data) -> Quantities:
    return Quantities(one["total"], one["average_percent"], one["smooth_percent"])


def published(data: Data) -> str:
    """Return the paper's Table 3, for the cases in our results."""
    names = [case["case"] for case in data["cases"]]
    return _threes({CASES[name]: {metric: row[name] for metric, row in TABLE_3.items()} for name in names})


def _threes(cases: Mapping[str, Mapping[str, Quantities]]) -> str:
    metrics = next(iter(cases.values()))
    rows = [[metric, *(_three(own[metric]) for own in cases.values())] for metric in metrics]
    return table([["metric", *cases], *rows])


def _three(one: Quantities) -> str:
    if one.average_percent is None:
        return "0"
    return f"{one.total:,.0f} · {one.average_percent:.0f} · {one.smooth_percent:.0f}"


def verdict(data: Data) -> str:
    """Return a table of the verdicts, with the share of a series after which its coverage has settled.

    Verdicts that differ from the paper's are in bold.
    """
    rows = [["metric", *(CASES[case["case"]] for case in data["cases"]), "verdict", "paper"]]
    (found,) = data["verdicts"].values()
    for metric, one in found.items():
        shares = [case["table3"][metric]["settled"] for case in data["cases"]]
        settled = ["-" if share is None else f"{100 * share:.0f}" for share in shares]
        here = one["here"] if one["here"] == VERDICT[metric] else f"**{one['here']}**"
        rows.append([metric, *settled, here, VERDICT[metric]])
    return table(rows)


def agreement(data: Data) -> str:
    """Return text that counts the metrics with the same verdict as in the paper and names the exceptions."""
    (found,) = data["verdicts"].values()
    others = [metric for metric, one in found.items() if one["here"] != VERDICT[metric]]
    agreeing = f"For {len(found) - len(others)} of {len(found)} metrics, the verdict is the same as in the paper"
    named = ", ".join(f"`{metric}` ({found[metric]['here']}; paper: {VERDICT[metric]})" for metric in others)
    return f"{agreeing}. The exceptions: {named}." if others else f"{agreeing}."


def beginning(data: Data) -> str:
    """Return a table with the percentage of a series' coverage that is reached in its first tenth."""
    rows = [["metric", *(CASES[case["case"]] for case in data["cases"])]]
    for metric in data["cases"][0]["table3"]:
        shares = [case["table3"][metric]["beginning_percent"] for case in data["cases"]]
        rows.append([metric, *("-" if share is None else f"{share:.0f}" for share in shares)])
    return table(rows)


# -- raddle lab correlation ---------------------------------------------------------------------------


def correlation(data: Data) -> str:
    """Return a table of Kendall's τ for each criterion, highest first."""
    rows = [["criterion", "τ", "95 %", "significant", "pooled τ", "τ at equal size", "95 %", "p", "requirements"]]
    found = sorted(data["criteria"].items(), key=lambda named: (named[1]["all_sizes"] or {"tau": -2})["tau"])
    for criterion, one in reversed(found):
        every, equal = _mean(one["all_sizes"]), _mean(one["equal_size"])
        requirements = sum(subject["requirements"][criterion] for subject in data["subjects"])
        rows.append([criterion, number(every and every.tau), between(every), _significant(one["significant"], every)])
        rows[-1] += [number(one["pooled"]), number(equal and equal.tau), between(equal), chance(equal)]
        rows[-1].append(f"{requirements:,}")
    return table(rows)


def _mean(data: Data | None) -> Mean | None:
    return None if data is None else Mean(**data)


def _significant(count: int, mean: Mean | None) -> str:
    return "-" if mean is None else f"{count} of {mean.subjects}"


def subjects(data: Data) -> str:
    """Return text that gives the numbers of subjects, mutants, executions and test sets."""
    mutants = sum(subject["mutants"] for subject in data["subjects"])
    bugs = sum(subject["bugs"] for subject in data["subjects"])
    passed = sum(subject["outcomes"].get("passed", 0) for subject in data["subjects"])
    every = sum(sum(subject["outcomes"].values()) for subject in data["subjects"])
    sizes = ", ".join(map(str, data["sizes"]))
    return (
        f"Of the {mutants} mutants of {len(data['subjects'])} subjects, {bugs} can fail. Each of these {bugs} was "
        f"executed {data['executions']:,} times. Of these {every:,} executions, {every - passed:,} failed. For each "
        f"size ({sizes}) there are {data['sets']} test sets."
    )


def compared(data: Data) -> str:
    """Return text about the two criteria that the paper compares."""
    lead = Mean(**data["map_ahead"])
    one, other = (data["criteria"][name]["all_sizes"]["tau"] for name in ("map", "method-pairs"))
    return (
        f"Here τ is {number(one)} for MAP and {number(other)} for method pairs. The difference, in the {lead.subjects} "
        f"subjects for which both are defined, is {number(lead.tau)} ({between(lead)}, p {chance(lead)})."
    )


# -- raddle lab lu ------------------------------------------------------------------------------------


def bounds(data: Data) -> str:
    """Return Table 1 of the paper."""
    rows = [["criterion", "lower bound", "upper bound"]]
    rows += [[name, one["lower"] or "-", one["upper"]] for name, one in data["bounds"].items()]
    return table(rows, left=3)


def exhausted(data: Data) -> str:
    """Return a table of each criterion's averages over the programs that were explored exhaustively."""
    return _summary(data["exhausted"])


def not_exhausted(data: Data) -> str:
    """Return a table of each criterion's averages over the programs that were not explored exhaustively."""
    return _summary(data["not_exhausted"])


def _summary(found: Data) -> str:
    head = ["criterion", "programs", "feasible", "set size", "executions until complete"]
    rows = [[*head, "exposes %", "at random %", "unseen %"]]
    for criterion, one in found.items():
        sizes = [f"{one['feasible']:,.0f}", f"{one['size']:,.1f}", f"{one['executions']:,.1f}"]
        shares = [f"{100 * one[share]:.0f}" for share in ("exposing", "at_random", "unseen")]
        rows.append([criterion, str(one["programs"]), *sizes, *shares])
    return table(rows)


def costs(data: Data) -> str:
    """Return a table of the sizes of complete test sets and their upper bounds, for exhaustively explored programs."""
    rows = [["program", "executions", "M", "n", "V", *BOUNDS]]
    for one in data["programs"]:
        if one["exhausted"]:
            row = [one["program"], f"{one['executions']:,}", str(one["threads"]), f"{one['accesses']:.1f}"]
            cells = [one["criteria"][criterion] for criterion in BOUNDS]
            rows.append(
                [*row, str(one["variables"]), *(f"{cell['size']:.0f} / {cell['upper_bound']}" for cell in cells)]
            )
    return table(rows)


def not_costed(data: Data) -> str:
    """Return text about the programs for which `all` was not evaluated."""
    names = [one["program"] for one in data["programs"] if not one["exhausted"]]
    harmless = [one["program"] for one in data["programs"] if not one["failures"]]
    count = f"{len(names)} of {len(data['programs'])} programs"
    text = f"{count} were not explored exhaustively, so `all` was not evaluated for them."
    return (
        f"{text} These programs never failed, so they have no bug to expose: {', '.join(harmless)}."
        if harmless
        else text
    )


# -- raddle lab sctbench ------------------------------------------------------------------------------


def schedulers(data: Data) -> str:
    """Return a table of executions until the first finding.

    A cell has the median and the maximum over all seeds. If the search found nothing with some seeds, the cell has the
    median and the number of seeds with a finding.
    """
    programs = dict.fromkeys(row["program"] for row in data["rows"])
    rows = [["program", *data["schedulers"]]]
    rows += [[name, *(_first(row) for row in data["rows"] if row["program"] == name)] for name in programs]
    own = [[row for row in data["rows"] if row["scheduler"] == name] for name in data["schedulers"]]
    rows.append(["found with every seed", *(str(sum(row["found"] == row["seeds"] for row in some)) for some in own)])
    medians = [[row["median"] for row in some if row["median"] is not None] for some in own]
    rows.append(["median at most 10", *(str(sum(one <= 10 for one in some)) for some in medians)])
    return table(rows)


def _first(row: Data) -> str:
    middle = "-" if row["median"] is None else f"{row['median']:g}"
    if row["found"] < row["seeds"]:
        return f"{middle} [{row['found']} of {row['seeds']}]"
    return f"{middle} ({max(row['executions'])})"


# Maps each experiment to its tables, under the names that the page uses for them.
# -- raddle lab maptest, autocontest, false-alarms ------------------------------------------------------


def protocol(data: Data) -> str:
    """Return text that says which runs the tables come from."""
    plan, where = Study.of_json(dict(data)).plan, data["machine"]
    warning = "These numbers come from a trial with `--quick`, which is too short for conclusions. "
    return (
        f"{warning if data['quick'] else ''}{len(data['runs']):,} runs of {len(plan.subjects)} classes, {data['jobs']} "
        f"at a time, on {where['processors']} processors ({where['python']}, {where['system']}). Question 1: "
        f"{plan.seeds} seeds, at most {plan.seconds:g} s each. Question 2: {plan.coverage_seconds:g} s, "
        f"and 4 times that for the total. Question 3: {plan.correlation_seeds} seeds, {plan.correlation_seconds:g} s "
        "each, and 6 times that for the totals."
    )


def maptest_section(name: str, data: Data) -> str:
    """Return a table of `raddle lab maptest` with its remarks."""
    return maptest_report.TABLES[name](Study.of_json(dict(data))).markdown(table)


def autocontest_protocol(data: Data) -> str:
    """Return text that says which runs the tables come from."""
    plan, where = AutoConTestStudy.of_json(dict(data)).plan, data["machine"]
    warning = "These numbers come from a trial with `--quick`, which is too short for conclusions. "
    return (
        f"{warning if data['quick'] else ''}{len(data['runs']):,} runs, {data['jobs']} at a time, on "
        f"{where['processors']} processors ({where['python']}, {where['system']}). Table 1: {plan.seconds:g} s for "
        f"each run (the paper's hour); one run of AutoConTest, and {plan.seeds} of ConTeGe\\* and ConTeGe for each "
        f"class. Table 2: at most {plan.generator_seconds:g} s for each run (the paper's hour)."
    )


def autocontest_section(name: str, data: Data) -> str:
    """Return a table of `raddle lab autocontest` with its remarks."""
    return autocontest_report.TABLES[name](AutoConTestStudy.of_json(dict(data))).markdown(table)


def false_alarms_table(data: Data) -> str:
    """Return the table of false alarms, with its remarks and the alarms."""
    counts, alarms = false_alarms.sections(dict(data))
    return f"{counts.markdown(table)}\n\nAlarms:\n\n{alarms.markdown(table)}"


TABLES: dict[str, dict[str, Callable[[Data], str]]] = {
    "krena": {
        "test-cases": programs,
        "growth": growth,
        "published": published,
        "verdict": verdict,
        "agreement": agreement,
        "beginning": beginning,
    },
    "correlation": {"correlation": correlation, "subjects": subjects, "compared": compared},
    "lu": {
        "bounds": bounds,
        "costs": costs,
        "exhausted": exhausted,
        "not-exhausted": not_exhausted,
        "not-costed": not_costed,
    },
    "sctbench": {"schedulers": schedulers},
    "maptest": {"protocol": protocol, **{name: partial(maptest_section, name) for name in maptest_report.TABLES}},
    "autocontest": {
        "protocol": autocontest_protocol,
        **{name: partial(autocontest_section, name) for name in autocontest_report.TABLES},
    },
    "false-alarms": {"alarms": false_alarms_table},
}
