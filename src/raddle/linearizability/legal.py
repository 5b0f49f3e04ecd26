"""Legal histories: those of executions that make the calls one at a time, in every order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from raddle.errors import RaddleError
from raddle.execute.session import Session
from raddle.linearizability.harness import Harness
from raddle.linearizability.history import Ending, History
from raddle.linearizability.whole_calls import WholeCalls

MAX_ORDERS = 300  # maximum number of executions; more are needed only if calls start threads or make many timed waits


class UnusableTestError(RaddleError):
    """The calls cannot be tested, for example because the setup raises an exception."""

    def __init__(self, message: str, slug: str = "unusable-test") -> None:
        super().__init__(slug, message)

    def __reduce__(self) -> tuple[type[UnusableTestError], tuple[str, str]]:
        return type(self), (str(self), self.slug)


Position = tuple[int, int]  # index of a thread, or -1 for the observers, and index of a call


@dataclass(frozen=True, slots=True)
class LegalHistories:
    """The histories of all orders of whole calls.

    >>> from raddle.linearizability.history import EndingKind
    >>> one = History(((Ending(EndingKind.RETURNED, 1),),))
    >>> LegalHistories((one,), frozenset({(0, 0)})).comparable(one)
    History(threads=((Ending(kind='returned', value=None),),), observed=(), broken=())
    """

    histories: tuple[History, ...]
    volatile: frozenset[Position] = frozenset()  # calls whose results differ between two executions of the same order

    def has(self, thread: int, index: int, ending: Ending) -> bool:
        """Return whether a call ends like this in any legal history."""
        return any(ending == history.threads[thread][index] for history in self.histories)

    def comparable(self, history: History) -> History:
        """Return the history without volatile results."""
        if not self.volatile:
            return history
        threads = tuple(
            tuple(self._stable(ending, (thread, index)) for index, ending in enumerate(endings))
            for thread, endings in enumerate(history.threads)
        )
        observed = tuple(self._stable(ending, (-1, index)) for index, ending in enumerate(history.observed))
        return History(threads, observed, history.broken)

    def _stable(self, ending: Ending, position: Position) -> Ending:
        return replace(ending, value=None) if position in self.volatile else ending


def find_legal(session: Session, harness: Harness, *, max_orders: int = MAX_ORDERS) -> tuple[LegalHistories, int]:
    """Run every order of whole calls; return the distinct histories and the number of executions.

    Executions in which calls overlap because one of them sleeps are left out.

    Raises:
        UnusableTestError: If an execution fails or there are too many orders.
    """
    search, histories, executions = WholeCalls(harness), list[History](), 0
    harness.pauses_between_calls = True
    volatile: frozenset[Position] = frozenset()
    try:
        first = _run(session, harness, _first_order(harness))
        while search.begin(executions + 1, session.known_points.version):
            if executions == max_orders:
                raise UnusableTestError(
                    f"the calls have more than {max_orders} orders of whole calls: make fewer of them",
                    "too-many-orders",
                )
            history = _run(session, harness, search)
            if not executions:
                volatile = _differences(first, history)
            executions += 1
            if history not in histories and not search.overlaps:
                histories.append(history)
    finally:
        harness.pauses_between_calls = False
    return distinct_histories(histories, volatile), executions + 1


def distinct_histories(histories: Iterable[History], volatile: frozenset[Position]) -> LegalHistories:
    """Return the histories without volatile results and without repetitions."""
    legal = LegalHistories((), volatile)
    distinct: list[History] = []
    for history in map(legal.comparable, histories):
        if history not in distinct:
            distinct.append(history)
    return LegalHistories(tuple(distinct), volatile)


def _first_order(harness: Harness) -> WholeCalls:
    search = WholeCalls(harness)
    search.begin(1, 0)
    return search


def _run(session: Session, harness: Harness, search: WholeCalls) -> History:
    outcome = session.run_for(search).outcome
    if session.interrupted:
        raise KeyboardInterrupt
    if harness.setup_error is not None:
        error = harness.setup_error
        raise UnusableTestError(f"setup raises {type(error).__name__}: {error}", "setup-raises") from error
    if outcome.failed or not harness.complete:
        raise UnusableTestError(
            f"the calls cannot be run one after the other: {outcome.message or outcome.kind}", "uncontrolled-calls"
        )
    return harness.history()


def _differences(one: History, other: History) -> frozenset[Position]:
    """Return the positions of calls that ended in the same way, but with different results."""
    rows = [*zip(one.threads, other.threads, strict=True), (one.observed, other.observed)]
    return frozenset(
        (number if number < len(one.threads) else -1, index)
        for number, (here, there) in enumerate(rows)
        for index, (a, b) in enumerate(zip(here, there, strict=False))
        if a.kind is b.kind and a != b
    )
