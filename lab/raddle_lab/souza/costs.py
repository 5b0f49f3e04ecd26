"""Measures a program without defects: its elements, and the SYN-sequences and the coverage of each approach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from raddle.messages.composite import RANDOM_RUNS
from raddle.messages.criteria_goal import DEFAULT_CRITERIA
from raddle.messages.goal import Requirement
from raddle.messages.graphs import graph
from raddle.messages.scenario import MessageScenario
from raddle.messages.strategies import PoolResult, Strategy, Tried, try_inputs
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.graph import Options, Pcfg
from raddle.pcfg.matching import Side
from raddle_lab.messages.programs import MessageProgram
from raddle_lab.result_log import Json
from raddle_lab.souza.random_inputs import Arguments

CRITERIA = tuple(Element(name) for name in DEFAULT_CRITERIA)


def graph_of(program: MessageProgram) -> Pcfg:
    """Return the parallel control flow graph of a program."""
    return graph(program.path, Options(program.ranks, program.roles))


def scenario_of(program: MessageProgram, *, seed: int = 1) -> MessageScenario:
    """Return the program as a scenario."""
    return MessageScenario(program.path, program.ranks, roles=program.roles, seed=seed)


def characteristics(program: MessageProgram, pcfg: Pcfg) -> Json:
    """Return a row of Table II and the static part of Table III."""
    with open(program.path, encoding="utf-8") as file:
        lines = sum(bool(line.strip()) for line in file)
    ends = {
        side: [end for process in pcfg.processes for end in process.transfers(side)] for side in Side if side in _ENDS
    }
    sides = Counter(str(reason.side) for _, reason in pcfg.eliminated)
    elements = Elements(pcfg)
    return {
        "processes": program.ranks,
        "lines": lines,
        "sends": len({(end.rank, end.node) for end in ends[Side.SEND]}),
        "receives": len({(end.rank, end.node) for end in ends[Side.RECEIVE]}),
        "send_lines": len({end.at for end in ends[Side.SEND]}),
        "receive_lines": len({end.at for end in ends[Side.RECEIVE]}),
        "required": {str(one): sum(1 for _ in elements.required(one)) for one in CRITERIA},
        "eliminated": dict(sides),
    }


_ENDS = (Side.SEND, Side.RECEIVE)


def costs(program: MessageProgram, pool: Sequence[Arguments], *, executions: int, random_runs: int, seed: int) -> Json:
    """Return what the approaches execute and cover.

    Elements that no execution of RT on T1, of CovT on T1 and of RTCovT on the pool covers count as infeasible, as the
    testers in the paper would have marked them. The approaches then have to cover the others.
    """
    pcfg = graph_of(program)
    scenario = scenario_of(program, seed=seed)

    def tested(
        inputs: Iterable[Arguments],
        strategy: Strategy,
        infeasible: Collection[Requirement] = (),
        limit: int = executions,
        runs: int = random_runs,
    ) -> PoolResult:
        return try_inputs(
            scenario,
            inputs,
            strategy=strategy,
            criteria=DEFAULT_CRITERIA,
            executions=limit,
            random_runs=runs,
            infeasible=infeasible,
        )

    everything = tested(program.inputs, Strategy.RT)
    chosen = tested(dict.fromkeys(pool), Strategy.RT_COV_T)
    repeated = tested(program.inputs, Strategy.COV_T)
    infeasible = everything.uncovered & chosen.uncovered & repeated.uncovered
    t2 = chosen.needed
    return {
        **characteristics(program, pcfg),
        "infeasible": _by_criterion(infeasible),
        "exhausted": all(tried.complete for tried in everything.tried),
        "t1": len(program.inputs),
        "t2": [list(arguments) for arguments in t2],
        "pool": len(chosen.tried),
        "approaches": {
            "CovT": _tried(tested(program.inputs, Strategy.COV_T, infeasible), infeasible),
            "RT": _tried(everything, infeasible),
            "RTCovT": _tried(tested(program.inputs, Strategy.RT_COV_T, infeasible), infeasible),
            "RTCovT(T2)": _tried(tested(t2, Strategy.RT_COV_T, infeasible), infeasible),
            "once": _tried(tested(program.inputs, Strategy.COV_T, infeasible, limit=1, runs=1), infeasible),
        },
    }


def _tried(result: PoolResult, infeasible: Collection[Requirement]) -> list[Json]:
    return [_one(tried, infeasible) for tried in result.tried]


def _one(tried: Tried, infeasible: Collection[Requirement]) -> Json:
    return {
        "arguments": list(tried.arguments),
        "executions": tried.executions,
        "complete": tried.complete,
        "uncovered": _by_criterion(tried.uncovered.difference(infeasible)),
    }


def _by_criterion(requirements: Iterable[Requirement]) -> dict[str, int]:
    numbers = Counter(requirement[0] for requirement in requirements if isinstance(requirement, tuple))
    return {str(one): numbers[one] for one in CRITERIA}


def figure_3(program: MessageProgram) -> Json:
    """Return Table I: the required elements in the notation of the paper, and what the SYN-sequences cover."""
    pcfg = graph_of(program)
    names = _names(pcfg)
    elements = Elements(pcfg)
    required = [(one, key) for one in CRITERIA for key in elements.required(one)]
    scenario = scenario_of(program)
    first, all_runs, composite = (
        try_inputs(scenario, program.inputs, strategy=strategy, executions=limit, random_runs=RANDOM_RUNS)
        for strategy, limit in ((Strategy.RT, 1), (Strategy.RT, 100), (Strategy.RT_COV_T, 100))
    )

    def edge(key: Sequence[object]) -> str:
        send, sender, receive, receiver = key
        return f"({names[send, sender]},{names[receive, receiver]})"

    edges = [(key, (one, key)) for one, key in required if one is Element.SYNC_EDGES]
    uses = [key for one, key in required if one is Element.S_USES]  # the last four parts are the sync-edge
    return {
        "edges": [edge(key) for key, _ in edges],
        "infeasible": [edge(key) for key, requirement in edges if requirement in all_runs.uncovered],
        "first": [edge(key) for key, requirement in edges if requirement not in first.uncovered],
        "uses": len(uses),
        "uses_on_feasible": sum((Element.SYNC_EDGES, key[2:]) not in all_runs.uncovered for key in uses),
        "sequences": all_runs.executions,
        "exhausted": all(tried.complete for tried in all_runs.tried),
        "composite": composite.executions,
        "composite_uncovered": _by_criterion(composite.uncovered)[Element.SYNC_EDGES],
    }


def _names(pcfg: Pcfg) -> dict[tuple[object, object], str]:
    """Name the nodes of Fig. 3 as the paper does: by the comments in the source, and m, 0, 1, 2 for the processes."""
    lines = pcfg.sources[0].text.splitlines()
    return {
        (node.number, process.label): f"{lines[node.line - 1].rpartition('# ')[2].rstrip('m')}"
        f"{process.rank - 1 if process.rank else 'm'}"
        for process in pcfg.processes
        for node in process.nodes
    }
