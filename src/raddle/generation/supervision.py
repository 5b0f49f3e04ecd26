"""Supervises the searches for bugs of one class, which run in child processes where the platform can fork.

A child that dies, or in which a call never returns, is replaced by another one. It continues for the rest of the time,
without the call to blame. Several children with different seeds can share the work. Bugs that they find in common are
reported once.

The tests of bugs are written here, one after the other, while the children continue to search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from random import Random

from raddle.errors import RaddleError
from raddle.execute.fork import can_fork
from raddle.generation.backlog import Backlog
from raddle.generation.blame import Blame
from raddle.generation.bug import Bug
from raddle.generation.call_watch import MethodRecord, Refusals
from raddle.generation.class_search import NOT_SIMPLIFIED, Counts
from raddle.generation.coverage_meter import MeasuredCoverage
from raddle.generation.distinct import Identity
from raddle.generation.search_end import SearchEnd
from raddle.generation.search_messages import (
    Broken,
    Covered,
    Dismissed,
    Ended,
    Found,
    Message,
    Raised,
    Refused,
    Started,
    Status,
    Suspected,
)
from raddle.generation.search_process import SearchProcess
from raddle.generation.silence import Silence
from raddle.generation.surface import Method, Surface
from raddle.generation.testcase import Call, TestCase
from raddle.generation.watched_search import SearchRequest, run_search

POLL_SECONDS = 0.1
DIED = "the process of the search ended while its calls were simplified"
OUT_OF_FILES_NOTE = "the calls left too many files open, so new processes continued the search"
STOP_SECONDS = 3.0  # time for a child to end its search after Ctrl-C
MAX_RESTARTS = 20  # processes that may die before the search is given up
MAX_UNEXPLAINED = 3  # processes that may die while no call is in progress
MIN_SECONDS = 0.2  # a search is not continued for a shorter time
MAX_BUGS = 20  # bugs after which the search ends, because fixing one often fixes others
KEPT_TESTS = 10  # tests that raise coverage to keep


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a child may make no progress before it is killed, in seconds.

    These limits are longer than those of the watchdog in the child, which ends most calls that do not return.
    """

    alone: float = 10.0  # while one call is in progress
    concurrent: float = 40.0  # while several calls are
    idle: float = 120.0  # while none is, for example while modules are instrumented
    overtime: float = 2.0  # how much longer than its time limit a search may take

    def of(self, calls: tuple[Call, ...], seconds: float) -> float:
        """Return the limit while these calls are in progress, in a search with this time limit."""
        if len(calls) < 2:
            return self.alone if calls else self.idle
        return min(self.concurrent, max(self.alone, seconds / 4))


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of the search for bugs of one class."""

    why: SearchEnd
    bugs: tuple[Bug, ...] = ()
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    coverage: MeasuredCoverage = field(default_factory=MeasuredCoverage)
    records: Mapping[str, MethodRecord] = field(default_factory=dict)  # how the calls of each method ended
    refused: Mapping[str, str] = field(default_factory=dict)  # methods that were excluded during the search, and why
    tests: tuple[TestCase, ...] = ()  # tests that raised the coverage of `map`
    notes: tuple[str, ...] = ()
    error: RaddleError | None = None  # why the class was not tested
    traceback: str = ""  # of an internal error


OnBug = Callable[[Bug, float], None]  # called with a bug and the seconds that are left for writing a test
OnProgress = Callable[[Counts, float], None]


class Supervisor:
    """Runs the searches for one class."""

    def __init__(
        self,
        request: SearchRequest,
        surface: Surface,
        *,
        workers: int = 1,
        on_bug: OnBug = lambda bug, seconds: None,
        on_progress: OnProgress = lambda counts, seconds: None,
        patience: Patience | None = None,
    ) -> None:
        self._surface = surface
        self._on_bug = on_bug
        self._backlog = Backlog(on_bug)
        self._on_progress = on_progress
        self._patience = Patience() if patience is None else patience
        self._blame = Blame()
        self._searches = [_Search(_share(request, number, workers), number) for number in range(workers)]
        self._bugs: dict[Identity, Bug] = {}
        self._suspects: list[Bug] = []  # bugs whose tests could not be simplified
        self._raised: dict[TestCase, int] = {}
        self._notes: list[str] = []
        self._restarts = self._unexplained = 0
        self._why: SearchEnd | None = None  # why all searches have to end
        self._error: RaddleError | None = None
        self._traceback = ""

    def run(self) -> Searched:
        """Search until the time is up, and return the result. Ctrl-C ends the search, and the result is partial."""
        try:
            if can_fork():
                self._supervise()
            else:
                self._search_here()
            self._write_rest()
        except KeyboardInterrupt:
            self._stop()
            self._why = SearchEnd.INTERRUPTED
            self._receive_rest()
            self._write_rest(seconds=self._backlog.estimate)
        finally:
            for search in self._searches:
                self._keep_suspect(search, NOT_SIMPLIFIED)
                search.close()
            self._report_suspects()
        return self._result()

    # -- in child processes -------------------------------------------------------------------------

    def _supervise(self) -> None:
        for search in self._searches:
            search.start(self._blame.refusals)
        while self._why is None and (running := [search for search in self._searches if search.process]):
            if self._backlog:
                self._backlog.write_next(self._left)
            else:
                wait([search.process.connection for search in running if search.process], POLL_SECONDS)
            self.attend()
        for search in self._searches:
            search.close()

    def attend(self) -> None:
        """Handle what the children have sent so far. Call this regularly while the test of a bug is written."""
        for search in self._searches:
            self._receive(search)
            if search.why is None:
                self._check(search)
            self._answer(search)

    def _answer(self, search: _Search) -> None:
        """Let a child report another bug, unless there is no time left to write its test."""
        left = search.seconds - search.used
        if search.is_waiting and (search.is_stopping or left <= 0 or self._backlog.fits(left)):
            search.answer()

    @property
    def _left(self) -> float:
        """The seconds until the time of all searches is up."""
        return max(search.seconds - search.used for search in self._searches)

    def _write_rest(self, *, seconds: float = 0.0) -> None:
        """Write the remaining tests, in the time that is left or this time, whichever is longer."""
        until = time.monotonic() + max(self._left, seconds, 0.0)
        while self._backlog:
            self._backlog.write_next(until - time.monotonic())

    def _receive(self, search: _Search) -> None:
        """Handle the messages that a child has sent."""
        process = search.process
        for message in process.messages() if process is not None else ():
            self._handle(search, message)
            self._answer(search)
            if search.why is not None or self._why is not None:
                search.close()
                return

    def _stop(self) -> None:
        """Ask the children to end, and wait a moment for their last messages, which contain the coverage."""
        for search in self._searches:
            search.stop()
        until = time.monotonic() + STOP_SECONDS
        while (running := [search for search in self._searches if search.process]) and time.monotonic() < until:
            wait([search.process.connection for search in running if search.process], POLL_SECONDS)
            for search in running:
                self._receive(search)
                if search.process is not None and not search.process.is_alive:
                    return

    def _receive_rest(self) -> None:
        """Handle the messages that the children had sent before they were interrupted."""
        for search in self._searches:
            if search.process is not None:
                search.process.kill()
                for message in search.process.messages():
                    self._handle(search, message)

    def _check(self, search: _Search) -> None:
        """Replace the process of a search if it has died or makes no progress."""
        process = search.process
        if process is None:
            return
        if not process.is_alive:
            process.kill()  # its children
            self._receive(search)
            if search.process is not None:
                self._replace(search, process.calls, f"ends the process ({process.how_it_ended()})")
            return
        overtime = self._patience.overtime  # also after a test was written, so that the child can report its coverage
        if search.used > search.seconds + overtime and time.monotonic() - search.answered > overtime:
            self._end_late(search, process)
            return
        if process.heartbeat.count != search.beats:
            search.progressed()
            return
        if time.monotonic() - search.since < POLL_SECONDS:
            return
        calls = process.calls
        if search.is_waiting and not calls:  # until the backlog is shorter
            search.progressed()
            return
        limit = self._patience.of(calls, search.seconds)
        if time.monotonic() - search.since > limit:
            process.kill()
            self._replace(search, calls, f"does not return within {limit:g} s")

    def _end_late(self, search: _Search, process: SearchProcess) -> None:
        """End a search that does not end in time."""
        calls = process.calls
        if calls and process.heartbeat.count == search.beats:
            names = " and ".join(dict.fromkeys(self._name(call.method) for call in calls))
            self._notes.append(f"{names} had not returned when the time was up")
        process.kill()
        self._receive(search)
        if search.why is None:
            search.end(SearchEnd.SECONDS)

    def _keep_suspect(self, search: _Search, reason: str) -> None:
        """Keep the bug whose test was being simplified when the process ended."""
        bug, search.suspect = search.suspect, None
        if bug is not None:
            self._suspects.append(replace(bug, unfinished=reason))

    def _report_suspects(self) -> None:
        """Report the bugs whose tests were not simplified, unless a simplified test shows the same."""
        for bug in self._suspects:
            if not any(_shows(found, bug) for found in self._bugs.values()):
                self._bugs[bug.identity] = bug
                self._on_bug(bug, 0.0)

    def _replace(self, search: _Search, calls: tuple[Call, ...], what: str) -> None:
        """Continue a search in a new process, without the calls to blame."""
        self._keep_suspect(search, DIED)
        self._blame.add(calls, what)
        last = None if calls or search.process is None else search.process.last_call
        if search.process is not None and search.process.is_out_of_files:
            if OUT_OF_FILES_NOTE not in self._notes:
                self._notes.append(OUT_OF_FILES_NOTE)
        elif calls:
            names = " or ".join(dict.fromkeys(self._name(call.method) for call in calls))
            self._notes.append(f"{names} {what}")
        elif last is not None and self._has_others(last.method) and self._blame.suspect(last, what):
            after = f"after {self._name(last.method)}"
            self._notes.append(f"the process of the search {what.replace('ends the process', 'ended')} {after}")
        else:
            self._unexplained += 1
            self._notes.append(f"the process of the search {what.replace('ends the process', 'ended')}")
        self._restarts += 1
        search.finish_part()
        refusals = self._blame.refusals
        if self._restarts > MAX_RESTARTS or self._unexplained > MAX_UNEXPLAINED:
            self._why = SearchEnd.PROCESS_DIES
        elif all(method in refusals.methods for method in self._surface.methods):
            self._why = SearchEnd.NO_METHODS
        elif search.seconds - search.used < MIN_SECONDS:
            search.end(SearchEnd.SECONDS)
        elif search.has_run_all_tests:
            search.end(SearchEnd.TESTS)
        else:
            search.start(refusals)

    def _has_others(self, method: Method) -> bool:
        """Return whether the search could continue without a method."""
        refused = self._blame.refusals.methods
        return any(other != method and other not in refused for other in self._surface.methods)

    def _name(self, method: Method) -> str:
        return f"{method}()" if method.name else f"{method.owner.name}()"

    # -- in this process ----------------------------------------------------------------------------

    def _search_here(self) -> None:
        """Search in this process, without protection against calls that end it."""
        (search, *others) = self._searches
        for other in others:
            other.why = SearchEnd.SECONDS
        if others:
            self._notes.append("this system cannot fork, so one process did all the work")

        with Silence() as silence:

            def handle(message: Message) -> None:
                with silence.suspended():
                    self._handle(search, message)
                    self._write_rest()

            run_search(search.request, handle)

    # -- messages -----------------------------------------------------------------------------------

    def _handle(self, search: _Search, message: Message) -> None:
        match message:
            case Status():
                search.status = message
                self._on_progress(self._counts(), self._seconds())
            case Started():
                search.started()
            case Suspected(bug):
                search.suspect = bug
            case Dismissed():
                search.suspect = None
            case Found(bug):
                search.suspect, search.is_waiting = None, True
                if bug.identity not in self._bugs:
                    self._bugs[bug.identity] = bug
                    self._backlog.add(bug)
                if len(self._bugs) >= MAX_BUGS:
                    self._why = SearchEnd.MANY_BUGS
            case Raised(test, gain):
                self._raised[test] = max(gain, self._raised.get(test, 0))
            case Covered(coverage):
                search.coverage = coverage
            case Ended(why, status, coverage, notes):
                search.status, search.coverage, search.why = status, coverage, why
                self._notes += [note for note in notes if note not in self._notes]
            case Refused(error):
                self._error, self._why = error, SearchEnd.UNBUILDABLE
                search.why = self._why
            case Broken(traceback):
                self._traceback, self._why = traceback, SearchEnd.INTERNAL_ERROR
                search.why = self._why

    def _counts(self) -> Counts:
        total = Counts()
        for search in self._searches:
            for status in (*search.earlier, search.status):
                total = merged(total, status.counts)
        return total

    def _seconds(self) -> float:
        return max(sum(status.seconds for status in (*search.earlier, search.status)) for search in self._searches)

    def _result(self) -> Searched:
        coverage = MeasuredCoverage()
        records: dict[str, MethodRecord] = {}
        for search in self._searches:
            for part in (*search.earlier_coverage, search.coverage):
                coverage += part
            for status in (*search.earlier, search.status):
                for name, record in status.records.items():
                    records[name] = records.get(name, MethodRecord()) + record
        refused = {str(method): reason for method, reason in self._blame.refusals.methods.items()}
        for search in self._searches:
            refused = {**search.status.refused, **refused}
        best = sorted(self._raised, key=lambda test: -self._raised[test])[:KEPT_TESTS]
        first = next((search.why for search in self._searches if search.why is not None), SearchEnd.SECONDS)
        return Searched(
            self._why or first,
            tuple(self._bugs.values()),
            self._counts(),
            self._seconds(),
            coverage,
            records,
            refused,
            tuple(test for test in self._raised if test in best),
            tuple(self._notes),
            self._error,
            self._traceback,
        )


class _Search:
    """One of the searches that run at the same time, with the process that runs it now."""

    def __init__(self, request: SearchRequest, number: int) -> None:
        self.request = request
        self.seconds = request.options.seconds
        self.process: SearchProcess | None = None
        self.status = Status()
        self.coverage = MeasuredCoverage()
        self.earlier: list[Status] = []  # of the processes that have died
        self.earlier_coverage: list[MeasuredCoverage] = []
        self.why: SearchEnd | None = None  # why the search has ended
        self.suspect: Bug | None = None  # a bug whose test is being simplified
        self.answered = float("-inf")  # when a bug was handled last
        self.is_waiting = False  # whether the process has to wait before it reports another bug
        self.is_stopping = False  # whether it was asked to end its search
        self.beats = -1
        self.since = 0.0  # the time of the last progress
        self._number = number
        self._used = 0.0  # seconds that the processes took that have died
        self._began: float | None = None  # when the time of this process began to count; None if it has not yet

    @property
    def used(self) -> float:
        """The seconds that the search has taken, including the time for writing tests."""
        return self._used + (0.0 if self._began is None else time.monotonic() - self._began)

    def start(self, refusals: Refusals) -> None:
        """Start a process for the rest of the time."""
        options, parts = self.request.options, len(self.earlier)
        seed = _derived(options.seed, self._number, parts)
        tests = None if options.max_tests is None else options.max_tests - self._tests
        rest = replace(options, seed=seed, seconds=max(self.seconds - self.used, MIN_SECONDS), max_tests=tests)
        self.process = SearchProcess(replace(self.request, options=rest, refusals=refusals))
        self.beats, self.since = -1, time.monotonic()
        # Instrumenting the modules counts only if it is done again.
        self._began = self.since if parts else None

    def started(self) -> None:
        """Record that the process has begun to search."""
        if self._began is None:
            self._began = time.monotonic()

    def answer(self) -> None:
        """Let the process report another bug."""
        if self.process is not None:
            self.is_waiting = False
            self.process.answer()
            self.answered = time.monotonic()
            self.progressed()

    def stop(self) -> None:
        """Ask the process to end its search soon."""
        self.is_stopping = True
        if self.process is not None:
            self.process.heartbeat.stop()
            if self.is_waiting:
                self.answer()

    @property
    def _tests(self) -> int:
        return sum(status.counts.tests for status in self.earlier)

    @property
    def has_run_all_tests(self) -> bool:
        """Whether the limit on tests is reached."""
        limit = self.request.options.max_tests
        return limit is not None and self._tests >= limit

    def progressed(self) -> None:
        """Record that the process makes progress."""
        if self.process is not None:
            self.beats = self.process.heartbeat.count
        self.since = time.monotonic()

    def finish_part(self) -> None:
        """Keep what the process has reported before it died. The time without progress counts."""
        stuck = time.monotonic() - self.since
        self.status = replace(self.status, seconds=self.status.seconds + stuck)
        self.earlier.append(self.status)
        self.earlier_coverage.append(self.coverage)
        self.status, self.coverage = Status(), MeasuredCoverage()
        self._used, self._began, self.is_waiting = self.used, None, False
        self.close()

    def end(self, why: SearchEnd) -> None:
        """End the search."""
        self.why = why
        self.close()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            with suppress(OSError):
                self.process.__exit__()
            self.process = None


def _shows(found: Bug, suspect: Bug) -> bool:
    """Return whether a bug with a simplified test is probably the one whose test was not simplified."""
    if found.identity == suspect.identity:
        return True
    methods = [{str(call.method) for thread in bug.test.threads for call in thread} for bug in (found, suspect)]
    same = (found.identity.kind, found.identity.exception) == (suspect.identity.kind, suspect.identity.exception)
    return same and methods[0] <= methods[1]


def merged(one: Counts, other: Counts) -> Counts:
    """Return the counts of two processes together.

    >>> merged(Counts(tests=2, methods={"get"}), Counts(tests=3, methods={"put"})).tests
    5
    """
    return Counts(
        one.tests + other.tests,
        one.executions + other.executions,
        one.unusable + other.unusable,
        one.restarts + other.restarts,
        one.shrinking_steps + other.shrinking_steps,
        one.methods | other.methods,
        one.pairs | other.pairs,
    )


def _share(request: SearchRequest, number: int, workers: int) -> SearchRequest:
    """Return the request for one of several searches."""
    limit = request.options.max_tests
    if limit is None or workers == 1:
        return request
    own = limit // workers + (number < limit % workers)
    return replace(request, options=replace(request.options, max_tests=own))


def _derived(seed: int, number: int, part: int) -> int:
    """Return the seed of a process. The first process of the first search uses the seed that the user knows."""
    return seed if not number and not part else Random(f"{seed}:{number}:{part}").randrange(1 << 31)
