"""Measured results: each tool's rate in its best round, and raddle's rate divided by that of each peer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

SUBJECT = "raddle"

Cell = tuple[str, str]  # (scenario, tool)


@dataclass
class Comparison:
    """The rates of the tools on each scenario. The modes of one package count as one peer."""

    scenarios: list[str]
    package_of: Mapping[str, str]  # maps each tool to its package
    samples: dict[Cell, list[float]] = field(default_factory=dict)  # one rate per round
    failures: dict[Cell, list[str]] = field(default_factory=dict)  # one reason per failed round

    def add(self, scenario: str, tool: str, *, rate: float) -> None:
        self.samples.setdefault((scenario, tool), []).append(rate)

    def fail(self, scenario: str, tool: str, *, reason: str) -> None:
        self.failures.setdefault((scenario, tool), []).append(reason)

    def times_failed(self, scenario: str, tool: str) -> int:
        return len(self.failures.get((scenario, tool), []))

    def best(self, scenario: str, tool: str) -> float | None:
        return max(self.samples.get((scenario, tool), []), default=None)

    @property
    def peers(self) -> list[str]:
        return [package for package in dict.fromkeys(self.package_of.values()) if package != SUBJECT]

    def ratio(self, scenario: str, peer: str) -> float | None:
        """Return raddle's rate divided by the rate of the peer's fastest mode."""
        ours = self.best(scenario, SUBJECT)
        theirs = [self.best(scenario, tool) for tool, package in self.package_of.items() if package == peer]
        fastest = max((rate for rate in theirs if rate), default=None)
        return ours / fastest if ours and fastest else None

    def median_ratio(self, peer: str) -> float | None:
        """Return the median ratio over all scenarios, or None if the peer was not measured on all of them.

        A median over only some of the scenarios would be biased.
        """
        ratios = [self.ratio(scenario, peer) for scenario in self.scenarios]
        known = [ratio for ratio in ratios if ratio is not None]
        return median(known) if len(known) == len(ratios) else None

    def as_json(self) -> dict[str, object]:
        return {
            "executions_per_second": {
                scenario: {tool: self.best(scenario, tool) for tool in self.package_of} for scenario in self.scenarios
            },
            "ratio": {
                scenario: {peer: self.ratio(scenario, peer) for peer in self.peers} for scenario in self.scenarios
            },
            "median_ratio": {peer: self.median_ratio(peer) for peer in self.peers},
            "samples": {
                scenario: {tool: self.samples.get((scenario, tool), []) for tool in self.package_of}
                for scenario in self.scenarios
            },
            "failures": [
                {"scenario": scenario, "tool": tool, "reasons": reasons}
                for (scenario, tool), reasons in self.failures.items()
            ],
        }
