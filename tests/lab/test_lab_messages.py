"""The verdicts on the message scenarios."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from raddle_lab.message_scenarios.scenario import MessageScenario
from raddle_lab.message_verdicts import SCENARIOS, Reported, Verdict, judge, score

from raddle.cli.lab_messages import messages
from raddle.mpi.options import Collectives, Sends
from raddle.outcome import OutcomeKind


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_has_its_verdict_in_every_mode(scenario: MessageScenario) -> None:
    assert judge(scenario).mistakes == []


def verdict(finds: OutcomeKind | None, *reported: str) -> Verdict:
    scenario = MessageScenario(lambda comm: None, 2, finds=finds)
    return Verdict(
        scenario, (Reported(Sends.BUFFERED, Collectives.MINIMAL, frozenset(reported), frozenset(), sequences=1),)
    )


def test_recall_and_precision() -> None:
    # Of two deadlocks, one is found, and a correct program is reported as another deadlock: recall 1/2, precision 1/2.
    verdicts = [verdict(OutcomeKind.DEADLOCK, "deadlock"), verdict(OutcomeKind.DEADLOCK), verdict(None, "deadlock")]
    deadlock, total = score(verdicts)
    assert (deadlock.recall, deadlock.precision) == (0.5, 0.5)
    assert (total.scenarios, total.found, total.false) == (2, 1, 1)


def test_the_command_prints_scores() -> None:
    done = CliRunner().invoke(messages, ["--scenarios", "recv_recv,any_two", "--json"], standalone_mode=False)
    (first, total) = json.loads(done.stdout)["classes"]
    assert (first["class"], first["recall"], total["false"]) == ("deadlock", 1.0, 0)
