"""The search for bugs of one class: runs the proposals of a strategy until the time is up, and collects the bugs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from random import Random
from types import ModuleType

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation import call_watch
from raddle.generation.binding import add_sites, bind
from raddle.generation.bug import Bug
from raddle.generation.call_text import call_title
from raddle.generation.class_builder import ClassBuilder
from raddle.generation.coverage_meter import CoverageMeter, MeasuredCoverage
from raddle.generation.distinct import Identity, Interruption, identity, symptom
from raddle.generation.file_shortage import FileShortage
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.inspect_class import inspect_class
from raddle.generation.interruptions import interruptions
from raddle.generation.module_state import ModuleState
from raddle.generation.native_runs import NativeFailure, NativeSettings
from raddle.generation.observer_choice import ObserverChoice
from raddle.generation.pools import ArgumentPools
from raddle.generation.private_state import private_state
from raddle.generation.reachable_modules import reachable_modules
from raddle.generation.sandbox import Sandbox
from raddle.generation.sequential import SequentialRunner
from raddle.generation.shrinking import shrink_test
from raddle.generation.strategies import make_strategy
from raddle.generation.strategy import Proposal
from raddle.generation.surface import Surface
from raddle.generation.testcase import TestCase
from raddle.generation.witnesses import KnownFailure, are_alike, witnesses
from raddle.inspection import mro
from raddle.instrument import Selection
from raddle.instrument.model.owners import class_owner
from raddle.linearizability.checker import Checker, Failure
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.description import CallNames, sentence
from raddle.linearizability.judgment import Oracle
from raddle.linearizability.legal import LegalHistories, UnusableTestError
from raddle.site import SiteTable

MAX_BARREN = 25  # consecutive times that no test could be built after which other arguments are tried
MAX_RESTARTS_IN_VAIN = 4  # times that other arguments are tried before a search in which no method works is given up
MAX_BUGS_OF_VARIABLE = 5  # wrong outcomes to report for one variable; a class without locks has very many
SHRINKING_EXECUTIONS = 250  # maximum number of executions with which a simpler test must fail
SHRINKING_STEPS = 40_000  # maximum number of scheduling points in these executions, which can be very long
SHRINKING_PREEMPTIONS = 2
MANY_OBSERVERS = 20  # observers that are tried if private attributes show a failure
CONFIRMATIONS = 3  # times that the same decisions must fail if a search does not find the failure again
MAX_SHRINKING = 3_000  # executions after which a test is no longer shrunk
MAX_SHRINKING_STEPS = 60_000  # the same for scheduling points, which take long executions into account


@dataclass(slots=True)
class Counts:
    """What a search has done so far."""

    tests: int = 0
    executions: int = 0
    unusable: int = 0  # tests that could not be judged
    restarts: int = 0
    shrinking_steps: int = 0  # scheduling points reached while tests were shrunk
    methods: set[str] = field(default_factory=set)  # the methods that tests called concurrently
    pairs: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class ClassResult:
    """The result of the search for bugs of one class."""

    surface: Surface
    bugs: tuple[Bug, ...]
    counts: Counts
    seconds: float
    coverage: MeasuredCoverage
    notes: tuple[str, ...] = ()


OnBug = Callable[[Bug], None]
NOT_SIMPLIFIED = "the time limit was reached while its calls were simplified"
NATIVE_ONLY = "it was seen on native threads, and no schedule was found for it"
NOT_REPEATED = f"a second search with at most {SHRINKING_PREEMPTIONS} preemptions did not find it"
PRIVATE_ONLY = "only private attributes show it, and tests do not use them"
OVERTIME = 1.0  # seconds after the time limit at which an execution in progress is ended
OnTest = Callable[[Counts, float], None]  # called after each test with the counts and the seconds so far


class ClassSearch:
    """Searches for bugs of one class.

    Before a failing test is simplified, `on_suspect` is called with a preliminary bug, so that it is not lost if the
    process ends. Afterwards, `on_bug` is called with the bug, or `on_dismissed`.
    """

    def __init__(
        self,
        cls: type,
        options: GenerationOptions,
        *,
        on_bug: OnBug = lambda bug: None,
        on_test: OnTest = lambda counts, seconds: None,
        on_suspect: OnBug = lambda bug: None,
        on_dismissed: Callable[[], None] = lambda: None,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._cls = cls
        self._options = options
        self._on_bug = on_bug
        self._on_test = on_test
        self._on_suspect = on_suspect
        self._on_dismissed = on_dismissed
        self._is_stopping = is_stopping
        factory = options.factory
        self.surface = inspect_class(
            cls, methods=(*options.methods, *factory.methods), exclude=(*options.exclude, *factory.exclude)
        )
        made = (method.owner.load() for method in self.surface.constructors)
        self._modules = reachable_modules(cls, [owner for owner in made if isinstance(owner, type)])
        self._files = frozenset(file for file in map(_file, self._modules) if file)
        self.bugs: list[Bug] = []
        self._symptoms: dict[tuple[str, ...], list[KnownFailure]] = {}
        self.counts = Counts()
        self.notes: list[str] = []
        self._omitted: dict[str, set[str]] = {}  # variables with many bugs, and the methods that were not reported
        self._legal = LegalHistories(())  # of the last test that failed
        self._began = time.monotonic()

    def run(self) -> ClassResult:
        """Search until the time is up."""
        selection = Selection(sources=tuple(sorted(self._files)), root="")
        self._began = time.monotonic()
        with ExitStack() as stack:
            workbench = stack.enter_context(Workbench(Threads(selection, patience_seconds=2.0)))
            add_sites(workbench.installation.table)
            sandbox = stack.enter_context(Sandbox())
            self._prepare(workbench, sandbox, stack)
            self._began = time.monotonic()
            workbench.installation.watchdog.deadline = self._began + self._options.seconds + OVERTIME
            self._search()
        return self.result()

    def result(self) -> ClassResult:
        """Return the result so far."""
        omitted = (
            f"more methods can be interrupted while they use {variable} ({', '.join(sorted(functions))}): fix those "
            "that were reported, and generate again"
            for variable, functions in self._omitted.items()
        )
        return ClassResult(
            self.surface, tuple(self.bugs), self.counts, self.seconds, self._meter.result(), (*self.notes, *omitted)
        )

    @property
    def seconds(self) -> float:
        """The time that the search has taken so far, including the time for writing tests."""
        return time.monotonic() - self._began

    @property
    def _is_over(self) -> bool:
        """Whether the time is up."""
        return self.seconds >= self._options.seconds or self._is_stopping()

    @property
    def _is_cut_short(self) -> bool:
        """Whether executions end early because the time is up, so that a failure cannot be reproduced."""
        return self.seconds >= self._options.seconds + OVERTIME

    def _prepare(self, workbench: Workbench, sandbox: Sandbox, stack: ExitStack) -> None:
        options = self._options
        state = ModuleState(self._modules)
        watch = call_watch.current
        shortage = FileShortage() if watch is None else watch.file_shortage

        def reset() -> None:
            shortage.relieve()
            try:
                sandbox.empty()
            except OSError as error:
                shortage.note(error)
                shortage.relieve()
                sandbox.empty()
            state.restore()
            if options.factory.reset is not None:
                options.factory.reset()

        runner = stack.enter_context(SequentialRunner(workbench, sandbox, reset=reset))
        self._pools = ArgumentPools(self.surface, seed=options.seed, learned=options.learned, factory=options.factory)
        random = Random(options.seed)
        builder = stack.enter_context(
            ClassBuilder(workbench, runner, self._pools, random, sandbox=sandbox, reset=reset, global_ids=state.ids)
        )
        selection = Selection(sources=tuple(sorted(self._files)), root="")
        self._builder = builder
        is_repeatable = options.max_tests is not None
        self._meter = CoverageMeter(self._cls, workbench.installation, is_repeatable=is_repeatable)
        settings = NativeSettings(workbench.installation, selection, reset, on_observed=self._meter.add_steps)
        self._strategy = make_strategy(options.method, builder, settings)
        self._workbench, self._sandbox, self._reset = workbench, sandbox, reset
        self._observers = self._make_observers(builder, workbench.installation.table)

    def _make_observers(self, builder: ClassBuilder, table: SiteTable) -> ObserverChoice | None:
        """Return what chooses observers; None if no oracle or execution could show a difference."""
        options = self._options
        if not self._strategy.is_controlled or options.oracles.isdisjoint((Oracle.EXCEPTIONS, Oracle.STATE)):
            return None
        exclude = (*options.exclude, *options.factory.exclude)
        constructed = [method.owner.load() for method in self.surface.constructors]
        classes = [self._cls, *(one for one in constructed if isinstance(one, type))]
        return ObserverChoice(
            builder,
            self._pools,
            owners={class_owner(table, base) for cls in classes for base in mro(cls)},
            seed=options.seed,
            compares_values=Oracle.STATE in options.oracles,
            is_excluded=lambda name: any(fnmatchcase(name, pattern) for pattern in exclude),
        )

    @property
    def nothing_works(self) -> bool:
        """Whether no test called a method, although all arguments were drawn several times."""
        return self.counts.restarts > MAX_RESTARTS_IN_VAIN and not self._has_called_methods

    @property
    def _has_called_methods(self) -> bool:
        """Whether a test called a method. Tests of constructors alone say nothing about the class."""
        constructors = set(map(str, self.surface.constructors))
        return any(name not in constructors for name in self.counts.methods)

    def _search(self) -> None:
        options, since_new, barren, restart_after = self._options, 0, 0, self._strategy.restart_after
        while not self._is_over and not self.nothing_works:
            if options.max_tests is not None and self.counts.tests >= options.max_tests:
                return
            proposal = self._strategy.propose()
            if proposal is None:
                barren += 1
            else:
                before = len(self.bugs)
                if self._observers is not None:
                    proposal = replace(proposal, test=self._observers.added_to(proposal.test))
                self._try(proposal)
                barren = 0 if self._has_called_methods else barren + 1
                since_new = 0 if len(self.bugs) > before else since_new + 1
            if (restart_after is not None and since_new >= restart_after) or barren >= MAX_BARREN:
                since_new = barren = 0
                self.counts.restarts += 1
                self._pools.restart(self.counts.restarts)
                self._strategy.restart()
                if self._observers is not None:
                    self._observers.restart()

    # -- one test -----------------------------------------------------------------------------------

    def _calls(self, test: TestCase, *, private: bool) -> ConcurrentCalls:
        calls = bind(test, folder=self._sandbox.folder)
        if private:
            calls = replace(calls, observers=(*calls.observers, private_state(self._cls)))
        invariant = self._options.factory.invariant
        return calls if invariant is None else replace(calls, invariants=(invariant,))

    def _checker(self, test: TestCase, *, measured: bool = False, private: bool | None = None) -> Checker:
        """Return a checker of a test; `private` is whether private attributes are compared, by default as requested."""
        calls = self._calls(test, private=self._options.private if private is None else private)
        return Checker(
            self._workbench, calls, reset=self._reset, oracles=self._options.oracles, measuring=measured,
            renewed=False,
        )  # fmt: skip

    def _try(self, proposal: Proposal) -> None:
        """Run a proposal, and examine the failure if there is one."""
        counts, test = self.counts, proposal.test
        failure: Failure | None = None
        measured = proposal.measured or self._meter.wants(self.seconds, counts.tests)
        began = time.monotonic()
        with self._checker(test, measured=measured) as checker:
            if measured:
                checker.after_execution = self._meter.add
            checker.is_wanted = lambda failure: not self._is_known(test, failure, checker.legal())
            try:
                failure = proposal.plan(checker)
                if failure is not None and not self._is_credible(test, failure, checker):
                    failure = None
                if failure is not None:
                    self._legal = checker.legal()
            except UnusableTestError as error:
                counts.unusable += 1
                failure = None
                self._check_observers(test, error)
            counts.executions += checker.executions
        if measured:
            self._meter.spent(time.monotonic() - began)
        counts.tests += 1
        self._note_methods(test)
        self._strategy.learn(proposal, failure)
        if failure is not None:
            self._examine(test, failure)
        self._on_test(counts, self.seconds)

    def _check_observers(self, test: TestCase, error: UnusableTestError) -> None:
        """Drop the observers of a test that cannot be controlled because of them: one of them may block."""
        if self._observers is None or not test.observers or error.slug != "uncontrolled-calls":
            return
        with self._checker(replace(test, observers=())) as checker:
            try:
                checker.legal()
            except UnusableTestError:
                return
            finally:
                self.counts.executions += checker.executions
        self._observers.drop(test.observers)

    def _is_credible(self, test: TestCase, failure: Failure, checker: Checker) -> bool:
        """Return whether a failure can be repeated. Known failures are not repeated, to save time."""
        return (
            isinstance(failure, NativeFailure)
            or self._is_known(test, failure, checker.legal())
            or _is_confirmed(checker, failure)
        )

    def _note_methods(self, test: TestCase) -> None:
        names = [sorted({str(call.method) for call in thread}) for thread in test.threads]
        self.counts.methods.update(*names)
        for number, one in enumerate(names):
            for other in names[number + 1 :]:
                self.counts.pairs.update((min(a, b), max(a, b)) for a in one for b in other)

    # -- bugs ---------------------------------------------------------------------------------------

    def _examine(self, test: TestCase, failure: Failure) -> None:
        """Shrink a failing test, and add the bug if it is new."""
        tests, executions, seconds = self.counts.tests, self.counts.executions, self.seconds
        kind = symptom(failure.violation, failure.error, belongs=self._belongs)
        if self._is_known(test, failure, self._legal):
            return
        shown_by = witnesses(test, failure.violation, self._legal.histories)
        found, preemptions, steps = failure, SHRINKING_PREEMPTIONS, self.counts.shrinking_steps
        what = identity(test, failure.violation, failure.error, belongs=self._belongs)
        aimed_at, explained_by = self._strategy.patterns_of_failure()
        bug = Bug(
            what, test, failure.violation, self._sentence(test, failure), seconds, tests, executions, test, failure,
            aimed_at=aimed_at, explained_by=explained_by, unfinished=NOT_SIMPLIFIED,
        )  # fmt: skip
        self._on_suspect(bug)

        private = False  # whether private attributes must be compared

        def fails(simpler: TestCase) -> bool:
            nonlocal found, preemptions
            if self.counts.executions - executions > MAX_SHRINKING or (found is not failure and self._is_over):
                return False
            if self.counts.shrinking_steps - steps > MAX_SHRINKING_STEPS:
                return False
            again = self._failure_of(simpler, kind, shown_by, preemptions=preemptions, private=private)
            if again is None:
                return False
            found, preemptions = again  # a simpler test rarely needs more preemptions, and trying that takes long
            return True

        # A test must not use private attributes, so look for others that show the failure first.
        start = next((one for one in self._with_public_observers(test, failure) if fails(one)), None)
        if start is None and self._options.private:
            private = True
            start = test if fails(test) else None
        causes: list[Interruption] = []
        if start is None:
            shrunk, is_confirmed = test, self._is_reproducible(test, failure)
        else:
            shrunk = shrink_test(start, fails, constructors=self.surface.constructors)
            again = self._failure_of(shrunk, kind, shown_by, causes, preemptions=preemptions, private=private)
            is_confirmed = again is not None
        if not is_confirmed:
            if not self._is_cut_short:
                self._on_dismissed()
            return
        what = identity(
            shrunk, found.violation, found.error, belongs=self._belongs, cause=causes[0] if causes else None
        )
        self._symptoms.setdefault(kind, []).append(KnownFailure(_methods_of(shrunk), shown_by))
        if self._is_repeated(what):
            self._on_dismissed()
            return
        bug = replace(
            bug, identity=what, test=shrunk, violation=found.violation, sentence=self._sentence(shrunk, found),
            failure=found, unfinished=_why_unfinished(failure, is_found=start is not None, private=private),
        )  # fmt: skip
        self.bugs.append(bug)
        self._on_bug(bug)

    def _with_public_observers(self, test: TestCase, failure: Failure) -> Iterator[TestCase]:
        """Yield the test, and the test with more observers if private attributes may have shown the failure."""
        yield test
        if self._observers is not None and self._options.private and failure.violation.oracle is Oracle.STATE:
            yield self._observers.added_to(test, limit=MANY_OBSERVERS)

    def _is_repeated(self, what: Identity) -> bool:
        """Return whether a bug has been found before, or is one of many about the same variable."""
        identities = [bug.identity for bug in self.bugs]
        if what in identities:
            return True
        if what.variable and [one.variable for one in identities].count(what.variable) >= MAX_BUGS_OF_VARIABLE:
            self._omitted.setdefault(what.variable, set()).add(what.function)
            return True
        return False

    def _sentence(self, test: TestCase, failure: Failure) -> str:
        names = CallNames(
            tuple(tuple(map(call_title, thread)) for thread in test.threads),
            tuple(map(call_title, test.observers)),
            ("the invariant",),
        )
        return sentence(failure.violation, self._legal, names)

    def _is_known(self, test: TestCase, failure: Failure, legal: LegalHistories) -> bool:
        """Return whether a failure is probably one of the known bugs.

        An exception that was raised in the same function is the same bug. Other failures are if the test calls all
        methods of a test that fails in the same way, and the same method shows it.
        """
        kind = symptom(failure.violation, failure.error, belongs=self._belongs)
        known = self._symptoms.get(kind, [])
        if len(kind) > 2 or not known:
            return bool(known)
        called, shown_by = _methods_of(test), witnesses(test, failure.violation, legal.histories)
        return any(bug.methods <= called and are_alike(bug.shown_by, shown_by) for bug in known)

    def _failure_of(
        self,
        test: TestCase,
        kind: tuple[str, ...],
        shown_by: frozenset[str],
        causes: list[Interruption] | None = None,
        *,
        preemptions: int,
        private: bool,
    ) -> tuple[Failure, int] | None:
        """Search a test with up to this many preemptions; return the failure with this symptom and their number.

        The result is None if the test does not fail in this way or cannot be judged.

        `causes` receives the interruptions in the failing execution that no passing execution of the test contains.
        """
        seen: list[list[Interruption]] = []
        table = self._workbench.installation.table

        def is_wanted(failure: Failure) -> bool:
            if symptom(failure.violation, failure.error, belongs=self._belongs) != kind:
                return False
            return are_alike(shown_by, witnesses(test, failure.violation, checker.legal().histories))

        with self._checker(test, measured=causes is not None, private=private) as checker:
            checker.is_wanted = is_wanted
            if causes is not None:
                checker.after_execution = lambda execution: seen.append(
                    [] if execution.observed is None else interruptions(*execution.observed, table)
                )
            try:
                for bound in range(1, preemptions + 1):
                    verdict = checker.search(
                        preemptions=bound, max_executions=SHRINKING_EXECUTIONS, max_steps=SHRINKING_STEPS
                    )
                    if verdict.failure is not None and is_wanted(verdict.failure):
                        self._legal = checker.legal()
                        if causes is not None and seen:
                            harmless = {one for execution in seen[:-1] for one in execution}
                            causes += [one for one in seen[-1] if one not in harmless]
                        return (verdict.failure, bound) if _is_confirmed(checker, verdict.failure) else None
            except UnusableTestError:
                return None
            finally:
                self.counts.executions += checker.executions
                self.counts.shrinking_steps += checker.steps
        return None

    def _is_reproducible(self, test: TestCase, failure: Failure) -> bool:
        """Return whether the decisions of a failing execution fail again, several times.

        If they do not, the failure depends on more than the schedule, such as random numbers or the addresses of
        objects, which determine the order of a set. Native threads make no decisions that could be repeated.
        """
        if isinstance(failure, NativeFailure):
            return True
        with self._checker(test) as checker:
            try:
                return all(_is_confirmed(checker, failure) for _ in range(CONFIRMATIONS))
            except UnusableTestError:
                return False
            finally:
                self.counts.executions += checker.executions

    def _belongs(self, file: str) -> bool:
        return file in self._files


def _is_confirmed(checker: Checker, failure: Failure) -> bool:
    """Return whether a failure happens again. If that cannot be said, try once more.

    The class may have run out of files, which garbage keeps open. It is collected before the next execution.
    """
    try:
        return checker.confirmed(failure)
    except UnusableTestError:
        return checker.confirmed(failure)


def _methods_of(test: TestCase) -> frozenset[str]:
    """Return the names of the methods that the threads of a test call."""
    return frozenset(str(call.method) for thread in test.threads for call in thread)


def _why_unfinished(failure: Failure, *, is_found: bool, private: bool) -> str:
    """Return why a failure has no test, although it was confirmed when it was found; "" if it has one."""
    if is_found:
        return PRIVATE_ONLY if private else ""
    return NATIVE_ONLY if isinstance(failure, NativeFailure) else NOT_REPEATED


def _file(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and file.endswith(".py") else ""
