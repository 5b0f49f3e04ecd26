"""The verdicts of raddle on message scenarios, with recall and precision per class of error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from raddle.messages import explore
from raddle.mpi.options import Collectives, Sends
from raddle_lab.message_scenarios import blocking, buffers, collectives, patterns, requests, wildcards
from raddle_lab.message_scenarios.published import PUBLISHED
from raddle_lab.message_scenarios.scenario import CORRECT, MessageScenario

SCENARIOS: tuple[MessageScenario, ...] = (
    *blocking.SCENARIOS,
    *buffers.SCENARIOS,
    *collectives.SCENARIOS,
    *wildcards.SCENARIOS,
    *requests.SCENARIOS,
    *patterns.SCENARIOS,
)
EXECUTIONS = 3_000  # limit in each mode


@dataclass(frozen=True, slots=True)
class Reported:
    """What raddle reports about a scenario in one mode."""

    sends: Sends
    collectives: Collectives
    findings: frozenset[str]
    warnings: frozenset[str]
    sequences: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What raddle reports about a scenario in all modes."""

    scenario: MessageScenario
    reported: tuple[Reported, ...]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of all findings and, if there are none, of all warnings."""
        findings = frozenset[str]().union(*(one.findings for one in self.reported))
        return findings or frozenset[str]().union(*(one.warnings for one in self.reported))

    @property
    def mistakes(self) -> list[str]:
        """Sentences on everything that differs from the scenario's verdict."""
        return [f"{self.scenario.name}, {one.sends} sends, {one.collectives} collectives: {mistake}"
                for one in self.reported for mistake in _mistakes(self.scenario, one)]  # fmt: skip


def _mistakes(scenario: MessageScenario, one: Reported) -> list[str]:
    needed = (one.sends is Sends.SYNCHRONOUS or not scenario.only_synchronous) and (
        one.collectives is Collectives.SYNCHRONIZING or not scenario.only_synchronizing
    )
    expected = {str(scenario.finds)} if scenario.finds and needed else set()
    mistakes = []
    if one.findings != expected:
        mistakes.append(f"findings {sorted(one.findings)} instead of {sorted(expected)}")
    warned = {scenario.warns} if scenario.warns else set()
    if not scenario.finds and one.warnings != warned:
        mistakes.append(f"warnings {sorted(one.warnings)} instead of {sorted(warned)}")
    counted = scenario.sequences is not None and (one.sends, one.collectives) == (Sends.BUFFERED, Collectives.MINIMAL)
    if counted and one.sequences != scenario.sequences:
        mistakes.append(f"{one.sequences} sequences instead of {scenario.sequences}")
    return mistakes


def judge(scenario: MessageScenario) -> Verdict:
    """Explore a scenario in all modes."""
    return Verdict(scenario, tuple(_report(scenario, sends, kind) for kind in Collectives for sends in Sends))


def _report(scenario: MessageScenario, sends: Sends, collectives: Collectives) -> Reported:
    result = explore(
        scenario.program,
        ranks=scenario.ranks,
        sends=str(sends),
        collectives=str(collectives),
        executions=EXECUTIONS,
        step_limit=scenario.step_limit,
        shrink=False,
    )
    return Reported(
        sends,
        collectives,
        frozenset(str(finding.kind) for finding in result.findings),
        frozenset(warning["kind"] for warning in result.warnings),
        result.sequences or 0,
    )


@dataclass(frozen=True, slots=True)
class Score:
    """How many scenarios of a class raddle recognizes."""

    error_class: str
    scenarios: int
    found: int  # scenarios of the class for which raddle reports the class
    false: int  # scenarios of other classes for which raddle reports the class

    @property
    def recall(self) -> float:
        """The proportion of the scenarios of the class that raddle recognizes."""
        return self.found / self.scenarios

    @property
    def precision(self) -> float:
        """The proportion of the reports of the class that are right."""
        return self.found / (self.found + self.false) if self.found + self.false else 0.0


def score(verdicts: Iterable[Verdict]) -> list[Score]:
    """Return the score of each class, then of all errors together, where any report counts as an error."""
    verdicts = list(verdicts)
    classes = dict.fromkeys(verdict.scenario.error_class for verdict in verdicts if _is_faulty(verdict))
    scores = [_score(str(one), verdicts, lambda verdict, one=one: one in verdict.kinds) for one in classes]  # type: ignore[misc]
    faulty = [verdict for verdict in verdicts if _is_faulty(verdict)]
    found = sum(bool(verdict.kinds) for verdict in faulty)
    false = sum(bool(verdict.kinds) for verdict in verdicts) - found
    return [*scores, Score("any error", len(faulty), found, false)]


def _is_faulty(verdict: Verdict) -> bool:
    return verdict.scenario.error_class != CORRECT


def _score(error_class: str, verdicts: list[Verdict], reports: Callable[[Verdict], bool]) -> Score:
    members = [verdict for verdict in verdicts if verdict.scenario.error_class == error_class]
    reporting = [verdict for verdict in verdicts if reports(verdict)]
    found = sum(verdict in reporting for verdict in members)
    return Score(error_class, len(members), found, len(reporting) - found)


def table(verdicts: list[Verdict]) -> str:
    """Return the table of scores, the published figures of other tools, and the mistakes."""
    lines = [f"{'class of error':24}{'programs':>9}{'found':>7}{'false':>7}{'recall':>8}{'precision':>11}"]
    lines += [
        f"{one.error_class:24}{one.scenarios:9}{one.found:7}{one.false:7}{one.recall:8.2f}{one.precision:11.2f}"
        for one in score(verdicts)
    ]
    correct = [verdict for verdict in verdicts if not _is_faulty(verdict)]
    lines.append(f"correct programs: {len(correct)}, {sum(bool(one.kinds) for one in correct)} with a report")
    lines += ["", "published for about 190 C programs per class (MPI Bugs Initiative), not for these programs:"]
    lines += [f"{tool:47}{recall:8.2f}{precision:11.2f}" for tool, (recall, precision) in PUBLISHED.items()]
    mistakes = [mistake for verdict in verdicts for mistake in verdict.mistakes]
    return "\n".join([*lines, *(["", "not as expected:", *mistakes] if mistakes else [])])


def as_json(verdicts: list[Verdict]) -> dict[str, Any]:
    """Return the scores and the mistakes as JSON data."""
    return {
        "classes": [
            {
                "class": one.error_class,
                "programs": one.scenarios,
                "found": one.found,
                "false": one.false,
                "recall": round(one.recall, 4),
                "precision": round(one.precision, 4),
            }
            for one in score(verdicts)
        ],
        "published": {tool: {"recall": one[0], "precision": one[1]} for tool, one in PUBLISHED.items()},
        "mistakes": [mistake for verdict in verdicts for mistake in verdict.mistakes],
    }
