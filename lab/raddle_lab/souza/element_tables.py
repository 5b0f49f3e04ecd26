"""Tables I, II and III: the example of the paper, the programs, and their required elements."""

from __future__ import annotations

from raddle_lab.maptest.section import Section
from raddle_lab.souza.experiment import PUBLISHED
from raddle_lab.souza.published import TABLE_1_EDGES, TABLE_2, TABLE_3
from raddle_lab.souza.study import Study

NOT_MEASURED = "not measured"
PAPER = "  (paper)"


def table_1(study: Study) -> Section:
    """Return Table I, the required elements of Fig. 3."""
    title = "Table I: the sync-edges of the program in Fig. 3, with the input 2 8 4"
    found = study.figure_3
    if found is None:
        return Section(title, remarks=[NOT_MEASURED])
    left = [edge for edge in found["edges"] if edge not in found["infeasible"]]
    rows = [["sync-edge", "all sequences", "first run", "Table I"]]
    rows += [
        [
            edge,
            "never covered" if edge in found["infeasible"] else "covered",
            "covered" if edge in found["first"] else "-",
            "listed" if edge in TABLE_1_EDGES else "-",
        ]
        for edge in found["edges"]
    ]
    proof = "all SYN-sequences were executed" if found["exhausted"] else "not all SYN-sequences were executed"
    return Section(
        title,
        rows,
        [
            f"Required: {len(found['edges'])}. Infeasible: {len(found['infeasible'])} ({proof}: {found['sequences']}). "
            f"The others are {'' if set(left) == set(TABLE_1_EDGES) else 'not '}the {len(TABLE_1_EDGES)} of Table I.",
            f"The first run covers {len(found['first'])}. The composite approach takes {found['composite']} runs, "
            f"after which {found['composite_uncovered']} are uncovered. The paper's variants v1 and v2 lead to "
            "the same sequence.",
            f"S-uses (definition, sync-edge, variable): {found['uses']} in total, {found['uses_on_feasible']} on the "
            "sync-edges of Table I. Table I lists 13 different ones: it takes 5p for 6p as a definition of x, and 4m "
            "for the definition of y in 5m.",
        ],
        left=4,
    )


def table_2(study: Study) -> Section:
    """Return Table II: the sizes of the programs."""
    rows = [["program", "processes", "lines", "sends", "receives", "send lines", "receive lines"]]
    for name in study.plan.programs:
        found, paper = study.costs(name), TABLE_2[PUBLISHED[name]]
        keys = ("processes", "lines", "sends", "receives", "send_lines", "receive_lines")
        rows.append([name, *(["-"] * 6 if found is None else [f"{found[key]:,}" for key in keys])])
        rows.append([PAPER, *map(str, paper), "", ""])
    return Section(
        "Table II: the programs",
        rows,
        [
            "Sends and receives are counted as nodes of the graph, in which each process has its own, and as lines of "
            "the program. The paper mixes both: gcd has 7 sends (nodes) and 5 receives (lines). Its programs are in C."
        ],
    )


def table_3(study: Study) -> Section:
    """Return Table III: the required elements."""
    rows = [["program", "T1", "edges", "eliminated", "infeasible", "s-uses", "infeasible", "RT"]]
    for name in study.plan.programs:
        found, paper = study.costs(name), TABLE_3[PUBLISHED[name]]
        if found is None:
            rows.append([name, *["-"] * 6, NOT_MEASURED])
        else:
            edges, uses = "all-edges-s", "all-s-uses"
            rows.append([
                name, str(found["t1"]), f"{found['required'][edges]:,}", f"{sum(found['eliminated'].values()):,}",
                f"{found['infeasible'][edges]:,}", f"{found['required'][uses]:,}", f"{found['infeasible'][uses]:,}",
                "complete" if found["exhausted"] else "limited",
            ])  # fmt: skip
        rows.append([PAPER, "", str(paper.edges), "", str(paper.infeasible_edges), str(paper.uses),
                     str(paper.infeasible_uses), ""])  # fmt: skip
    return Section(
        "Table III: the required elements of all-edges-s and all-s-uses",
        rows,
        [
            "The programs of the paper were never published. Six of these (gcd, reduction, pairwise, philosophers, "
            "mmult and sieve) were written to fit the required totals of the paper, so equal totals confirm nothing. "
            "qsort, jacobi and vanderwaals can be compared in shape only.",
            "Required: without the pairs that a literal rank eliminates. Infeasible: required, but not covered by any "
            "execution of RT on T1, of CovT on T1, or of RTCovT on the pool from which T2 is chosen. If RT is "
            "complete, no order of messages covers them with the inputs of T1. Other inputs might.",
        ],
    )
