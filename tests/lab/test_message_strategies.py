"""The composite approach and the strategies of Souza et al. on the nine programs, with real criteria."""

from __future__ import annotations

import pytest
from raddle_lab.messages.programs import FAULTY, PROGRAMS

from raddle.messages import explore
from raddle.messages.scenario import MessageScenario
from raddle.messages.strategies import Attempt, Ending, PoolResult, Strategy, try_inputs
from raddle.result import Result

MMULT_WILD = FAULTY["mmult_wild"]


def composite(criteria: str | None = None, **options: int) -> Result:
    return explore(
        MMULT_WILD.path,
        ranks=4,
        argv=("6", "1"),
        approach="composite",
        sends="buffered",
        criteria=criteria,
        shrink=False,
        **options,
    )


def test_plain_edges_miss_the_wrong_product() -> None:
    # The master's receives are in a loop, so the first execution already covers each edge that any execution covers.
    result = composite()
    assert (result.executions, result.stopped_because, result.findings) == (1, "nothing-promised", ())
    assert any("race variants promised nothing new" in note for note in result.notes)


@pytest.mark.parametrize("iterations", [2, 3])
def test_edges_between_iterations_find_the_wrong_product_in_at_most_three_executions(iterations: int) -> None:
    result = composite("all-edges-s*", iterations=iterations)
    assert result.executions < 36
    assert [finding.kind for finding in result.findings] == ["assertion"]
    assert result.findings[0].execution <= 3


def test_the_composite_approach_covers_the_other_order_of_gcd() -> None:
    # The first execution covers 6 sync-edges (figure 3 of the paper), the second one 2 more.
    program = PROGRAMS["gcd"]
    result = explore(program.path, ranks=4, argv=(2, 8, 4), approach="composite", sends="buffered")
    assert result.executions == 2
    assert result.criteria["all-edges-s"]["covered"] == 6 + 2


def tried(name: str, strategy: Strategy, *, ranks: int = 0, inputs: int = 2, executions: int = 50) -> PoolResult:
    program = PROGRAMS[name]
    scenario = MessageScenario(program.path, ranks or program.ranks)
    return try_inputs(scenario, program.inputs[:inputs], strategy=strategy, executions=executions, random_runs=10)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_composite_approach_needs_no_more_executions_than_reachability_testing(name: str) -> None:
    ranks = {"philosophers": 3, "jacobi": 3}.get(name, 0)  # fewer ranks, so that all sequences can be executed
    composite, complete = (tried(name, strategy, ranks=ranks) for strategy in (Strategy.RT_COV_T, Strategy.RT))
    assert composite.executions <= complete.executions
    assert composite.uncovered >= complete.uncovered


def test_gcd_needs_inputs_for_both_branches() -> None:
    # (2 8 4): each of the two orders covers sync-edges that the other does not. (1 1 1) takes the other branch of the
    # master. Its workers send what they received, which is another definition, again in two orders.
    result = tried("gcd", Strategy.RT_COV_T)
    assert result.ending is Ending.INPUTS
    assert [one.executions for one in result.tried] == [2, 2]
    assert result.needed == (("2", "8", "4"), ("1", "1", "1"))


def test_inputs_after_complete_coverage_are_not_tried() -> None:
    # The first input of the program `vanderwaals` covers everything.
    result = tried("vanderwaals", Strategy.RT_COV_T)
    assert result.ending is Ending.COVERED
    assert len(result.tried) == 1


def test_random_executions_come_first_in_the_strategy_covt() -> None:
    result = tried("gcd", Strategy.COV_T, inputs=1)
    assert result.tried[0].executions in (10, 11)  # the last one covers the other order, unless chance has done so
    assert result.uncovered == tried("gcd", Strategy.RT, inputs=1).uncovered


def test_infeasible_requirements_need_not_be_covered() -> None:
    program = PROGRAMS["reduction"]
    scenario = MessageScenario(program.path, program.ranks)
    first = try_inputs(scenario, program.inputs)
    assert first.ending is Ending.INPUTS
    # The only sequence covers everything else, so the other three inputs are not needed.
    again = try_inputs(scenario, program.inputs, infeasible=first.uncovered)
    assert again.ending is Ending.COVERED
    assert again.required == first.required - len(first.uncovered)
    assert [(one.executions, one.covered, one.uncovered) for one in again.tried] == [
        (1, (again.required,), frozenset())
    ]


def test_testing_ends_when_the_caller_says_so() -> None:
    program = FAULTY["gcd_wrong_source"]
    attempts: list[Attempt] = []

    def stop(attempt: Attempt) -> bool:
        attempts.append(attempt)
        return attempt.failed

    scenario = MessageScenario(program.path, program.ranks)
    result = try_inputs(scenario, program.inputs, strategy=Strategy.RT, stop=stop)
    # One of the two sequences of the first input fails; gcd(2, 8, 4) is 2.
    assert result.ending is Ending.STOPPED
    assert result.executions == len(attempts) <= 2
    assert attempts[-1].failed
    assert all(attempt.output[0] == "2\n" for attempt in attempts[:-1])
