"""Finds out which approaches reveal one defect.

A defect is revealed by an execution that fails, or that prints something which the program without the defect does not
print for the same input. If the program prints different things in different SYN-sequences, and not all of its
sequences can be executed, outputs are not compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from raddle.errors import UsageError
from raddle.execute.session import Session
from raddle.messages.criteria_goal import DEFAULT_CRITERIA
from raddle.messages.mutants import Mutant, mutants, sample
from raddle.messages.scenario import MessageScenario
from raddle.messages.strategies import Attempt, Strategy, try_inputs
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.installation import MpiInstallation
from raddle.pcfg.elements import Element
from raddle.schedulers.base import Scheduler
from raddle.schedulers.random_walk import RandomWalk
from raddle_lab.messages.programs import MessageProgram
from raddle_lab.result_log import Json
from raddle_lab.souza.cell import Cell
from raddle_lab.souza.costs import scenario_of
from raddle_lab.souza.random_inputs import Arguments, random_inputs

WITH_ITERATIONS = (str(Element.REPEATED_SYNC_EDGES), str(Element.S_USES))
REFERENCES = 10  # executions of the program without the defect, for each input
STEP_LIMIT = 5_000  # of executions with a defect
PATIENCE_SECONDS = 0.2  # a rank that computes for ten times as long without a message counts as endless
RANDOM_SEED = 1_000  # added to the seed of the experiment, so that random inputs are not those of the pool


def drawn(program: MessageProgram, total: int, *, seed: int) -> list[Mutant]:
    """Return as many mutants of a program as the paper has, spread over the kinds of defect."""
    found = sample(mutants(Path(program.path).read_text(encoding="utf-8")), total, seed)
    return sorted(found, key=lambda mutant: (mutant.defect, mutant.line, mutant.column, mutant.after))


@dataclass
class Reference:
    """What the program without the defect prints."""

    program: MessageProgram
    _outputs: dict[Arguments, frozenset[tuple[str, ...]]] = field(default_factory=dict)

    def differs(self, attempt: Attempt) -> bool:
        """Return whether an execution reveals a defect."""
        if attempt.failed:
            return True
        if attempt.arguments not in self._outputs:
            self._outputs[attempt.arguments] = self._printed(attempt.arguments)
        known = self._outputs[attempt.arguments]
        return bool(known) and attempt.output not in known

    def _printed(self, arguments: Arguments) -> frozenset[tuple[str, ...]]:
        """Return the outputs for an input; nothing if there are several and perhaps more."""
        scenario = replace(scenario_of(self.program), argv=arguments)
        installation = scenario.domain().install()
        assert isinstance(installation, MpiInstallation)
        search = VariantSearch(installation.world)
        found = {attempt.output for attempt in _executions(scenario, installation, search, REFERENCES)}
        return frozenset(found) if search.finished or len(found) == 1 else frozenset()


def _executions(
    scenario: MessageScenario, installation: MpiInstallation, search: Scheduler, limit: int
) -> Iterator[Attempt]:
    with Session(scenario.scenario(installation), installation, **scenario.session_options()) as session:
        number = 0
        while number < limit and search.begin(number + 1, 0):
            number += 1
            outcome = session.run_for(search).outcome
            yield Attempt(scenario.argv, outcome.failed, installation.world.output.texts)


def defect(program: MessageProgram, cell: Cell) -> Json:
    """Return which approaches reveal a defect, each with the number of executions that it took or made."""
    mutant = drawn(program, cell.total, seed=cell.seed)[cell.number]
    described: Json = {"defect": int(mutant.defect), "text": str(mutant)}
    with tempfile.TemporaryDirectory(prefix="raddle-") as folder:
        path = Path(folder) / Path(program.path).name
        path.write_text(mutant.source, encoding="utf-8")
        scenario = MessageScenario(
            path, program.ranks, roles=program.roles, seed=cell.seed, step_limit=STEP_LIMIT,
            patience_seconds=PATIENCE_SECONDS,
        )  # fmt: skip
        try:
            return {**described, "approaches": _approaches(program, scenario, cell)}
        except UsageError as error:  # for example, its graph cannot be built
            return {**described, "problem": str(error)}


def _approaches(program: MessageProgram, scenario: MessageScenario, cell: Cell) -> Json:
    reference = Reference(program)

    def tried(inputs: Sequence[Arguments], strategy: Strategy, criteria: tuple[str, ...] = DEFAULT_CRITERIA) -> Json:
        found: list[bool] = []

        def stop(attempt: Attempt) -> bool:
            found.append(reference.differs(attempt))
            return found[-1]

        try_inputs(
            scenario, inputs, strategy=strategy, criteria=criteria, executions=cell.executions,
            random_runs=cell.random_runs, stop=stop,
        )  # fmt: skip
        return {"revealed": any(found), "executions": len(found)}

    pool = random_inputs(program.name, cell.inputs, seed=cell.seed + RANDOM_SEED)
    return {
        "CovT": tried(program.inputs, Strategy.COV_T),
        "RTCovT": tried(cell.t2, Strategy.RT_COV_T),
        "random": _random(scenario, pool, reference),
        "RT": tried(program.inputs, Strategy.RT),
        "RTCovT*": tried(cell.t2, Strategy.RT_COV_T, WITH_ITERATIONS),
    }


def _random(scenario: MessageScenario, inputs: Sequence[Arguments], reference: Reference) -> Json:
    """Run each input once."""
    for number, arguments in enumerate(inputs, 1):
        given = replace(scenario, argv=arguments)
        installation = given.domain().install()
        assert isinstance(installation, MpiInstallation)
        walk = RandomWalk(scenario.seed + number)
        if any(reference.differs(attempt) for attempt in _executions(given, installation, walk, 1)):
            return {"revealed": True, "executions": number}
    return {"revealed": False, "executions": len(inputs)}
