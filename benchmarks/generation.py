"""Measures how many tests the portfolio runs per second on classes without known bugs.

    python benchmarks/generation.py [--seconds 5] [--classes C3,C4]

The rates do not include instrumenting the class: the clock starts on a warm workbench. A test comprises the executions
of whole calls and those with one preemption. The first rate is per second of wall time, and the second is per second of
processor time, which depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from dataclasses import dataclass
from operator import attrgetter

from raddle_lab.correct_classes import CORRECT_CLASSES, CorrectClass
from table import aligned

from raddle.errors import RaddleError
from raddle.generation.class_search import ClassSearch
from raddle.generation.generation_options import GenerationOptions


@dataclass(frozen=True, slots=True)
class Rate:
    """What a search did in how much time."""

    tests: int
    executions: int
    seconds: float
    processor_seconds: float

    def cells(self) -> list[str]:
        """Return the figures for the table."""
        return [
            f"{self.tests:,}",
            f"{self.executions / max(self.tests, 1):.1f}",
            f"{self.tests / self.seconds:,.0f}",
            f"{self.tests / self.processor_seconds:,.0f}",
        ]


def measure(subject: CorrectClass, *, seconds: float, seed: int) -> Rate:
    """Search for bugs of a class; return the rate."""
    module, name = subject.target.split(":")
    cls = attrgetter(name)(importlib.import_module(module))
    marks: list[float] = []  # processor time after each test

    def note(*_: object) -> None:
        marks.append(time.process_time())

    search = ClassSearch(cls, GenerationOptions(seconds=seconds, seed=seed), on_test=note)
    result = search.run()
    processor = marks[-1] - marks[0] if len(marks) > 1 else result.seconds
    return Rate(result.counts.tests, result.counts.executions, result.seconds, processor)


def main() -> None:
    """Print one line per class, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each class")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classes", default="", help="comma-separated classes, such as C3,C4 (default: all)")
    options = parser.parse_args()
    wanted = {name for name in options.classes.split(",") if name}
    rows, rates = [], []
    for subject in CORRECT_CLASSES:
        if wanted and subject.id not in wanted:
            continue
        try:
            rate = measure(subject, seconds=options.seconds, seed=options.seed)
        except RaddleError as error:
            print(f"{subject.id} was not measured: {error}")
            continue
        rates.append(rate)
        rows.append([subject.id, subject.target.rpartition(":")[2], *rate.cells()])
        print(f"{subject.id}: {rate.tests:,} tests", flush=True)
    if rates:
        median = statistics.median(rate.tests / rate.seconds for rate in rates)
        of_processor = statistics.median(rate.tests / rate.processor_seconds for rate in rates)
        rows.append(["median", "", "", "", f"{median:,.0f}", f"{of_processor:,.0f}"])
    print(aligned(["id", "class", "tests", "executions per test", "tests/s", "tests/s of processor time"], rows))


if __name__ == "__main__":
    main()
