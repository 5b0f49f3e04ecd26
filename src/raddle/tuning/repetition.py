"""Runs a program repeatedly with fixed noise until coverage no longer grows: saturation-based testing.

This follows Křena, Letko and Vojnar: the coverage of a program grows over its executions and then stabilizes, which
indicates when to stop. `raddle.analysis.saturation` implements the stopping rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from raddle.analysis.saturation import last_new, saturated
from raddle.stop_reason import Reason
from raddle.tally import Covered, Tally
from raddle.tuning.search import Measured, SearchEnd
from raddle.wording import count

_monotonic = time.monotonic


class RepetitionEnd(Reason):
    """The reasons to stop running a program repeatedly."""

    SATURATED = "saturated", "saturated: no new coverage in the last {quiet}"
    RUNS = "runs", "reached the requested number of runs"
    SECONDS = "seconds", "reached the time limit"
    INTERRUPTED = "interrupted", "interrupted"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits at which the repetition stops."""

    runs: int | None = None
    seconds: float | None = None
    # Stop after at least this many runs in a row without new coverage. If this is None, saturation does not stop the
    # repetition.
    saturation: int | None = None


@dataclass(frozen=True, slots=True)
class RepetitionResult:
    """The combined result of all runs."""

    runs: int  # number of runs, including an interrupted run if its coverage was stored
    failed: int  # number of runs that failed
    tally: Tally = field(repr=False)  # coverage, with a run and all its processes counted as one execution
    stopped_because: RepetitionEnd

    @property
    def quiet(self) -> int:
        """The number of runs since coverage last grew."""
        return self.runs - last_new(self.tally)

    @property
    def sentence(self) -> str:
        """The reason why the repetition stopped, as a sentence.

        >>> RepetitionResult(50, 0, Tally(50), RepetitionEnd.SATURATED).sentence
        'saturated: no new coverage in the last 50 runs'
        """
        return self.stopped_because.sentence.format(quiet=count(self.quiet, "run"))


def repeat(
    run: Callable[[int, float | None], Measured], limits: Limits, progress: Callable[[RepetitionResult], None]
) -> RepetitionResult:
    """Run a program repeatedly. `run` takes the number of the run and the seconds left.

    An interrupt stops the repetition. The coverage of earlier runs is kept, and so is that of the interrupted run if it
    was stored.
    """
    start = _monotonic()
    tally, runs, failed = Tally(), 0, 0
    while True:
        left = None if limits.seconds is None else limits.seconds - (_monotonic() - start)
        measured = run(runs + 1, left)
        interrupted = measured.ended is SearchEnd.INTERRUPTED
        if not interrupted or measured.tally.executions:
            tally += _as_one(measured.tally)
            runs += 1
            failed += measured.failed
        end = RepetitionEnd.INTERRUPTED if interrupted else _reason(limits, tally, runs, _monotonic() - start)
        if end is not None:
            return RepetitionResult(runs, failed, tally, end)
        progress(RepetitionResult(runs, failed, tally, RepetitionEnd.RUNS))


def _as_one(tally: Tally) -> Tally:
    """Count a run as one execution, even if it had several processes."""
    return Tally.of({name: dict.fromkeys(keys, Covered(1, 1)) for name, keys in tally.covered.items()}, executions=1)


def _reason(limits: Limits, tally: Tally, runs: int, seconds: float) -> RepetitionEnd | None:
    if limits.saturation is not None and saturated(tally, patience=limits.saturation):
        return RepetitionEnd.SATURATED
    if limits.runs is not None and runs >= limits.runs:
        return RepetitionEnd.RUNS
    if limits.seconds is not None and seconds >= limits.seconds:
        return RepetitionEnd.SECONDS
    return None
