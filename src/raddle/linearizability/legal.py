"""Legal histories: those of executions that make the calls one at a time, in every order.

A call that sleeps, or waits with a timeout, is not interrupted by other calls unless it needs them: see `WholeCalls`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from raddle.errors import RaddleError
from raddle.execute.session import Session
from raddle.linearizability.harness import Harness
from raddle.linearizability.history import OBSERVERS, Ending, EndingKind, History, Position
from raddle.linearizability.whole_calls import MAX_CHOICES, WholeCalls

ENOUGH_ORDERS = 150  # executions after which waits of threads that the calls have started end early less often
MAX_ORDERS = 300  # maximum number of executions; more are needed only if calls start threads or make many timed waits


class UnusableTestError(RaddleError):
    """The calls cannot be tested, for example because the setup raises an exception."""

    def __init__(self, message: str, slug: str = "unusable-test") -> None:
        super().__init__(slug, message)

    def __reduce__(self) -> tuple[type[UnusableTestError], tuple[str, str]]:
        return type(self), (str(self), self.slug)


@dataclass(frozen=True, slots=True)
class LegalHistories:
    """The histories of all orders of whole calls.

    >>> from raddle.linearizability.history import EndingKind
    >>> one = History(((Ending(EndingKind.RETURNED, 1),),))
    >>> LegalHistories((one,), frozenset({(0, 0)})).comparable(one)
    History(threads=((Ending(kind='returned', value=None),),), observed=(), broken=(), escaped=())
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
        observed = tuple(self._stable(ending, (OBSERVERS, index)) for index, ending in enumerate(history.observed))
        return History(threads, observed, history.broken, history.escaped)

    def _stable(self, ending: Ending, position: Position) -> Ending:
        is_volatile = position in self.volatile and ending.kind is EndingKind.RETURNED
        return replace(ending, value=None) if is_volatile else ending


@dataclass(frozen=True, slots=True)
class Orders:
    """What executions of whole calls gave. Their results can be added."""

    histories: tuple[tuple[History, frozenset[Position]], ...]  # each with the calls that overlapped others
    polls: frozenset[Position]  # calls that poll for something that other calls do
    volatile: frozenset[Position]
    executions: int
    complete: bool = True  # whether every order has been run
    has_own_threads: bool = False  # whether the calls started threads

    def __add__(self, other: Orders) -> Orders:
        return Orders(
            self.histories + other.histories, self.polls | other.polls, self.volatile | other.volatile,
            self.executions + other.executions, self.complete and other.complete,
            self.has_own_threads or other.has_own_threads,
        )  # fmt: skip

    def legal(self) -> LegalHistories:
        """Return the distinct histories of the executions in which no calls overlapped, except for those that poll."""
        return distinct_histories(
            (history for history, overlaps in self.histories if overlaps <= self.polls), self.volatile
        )


def find_legal(
    session: Session,
    harness: Harness,
    *,
    max_orders: int = MAX_ORDERS,
    own_choices: int = MAX_CHOICES,
    max_with_own: int = MAX_ORDERS,
) -> Orders:
    """Run every order of whole calls.

    Args:
        session: The session of the harness.
        harness: The calls.
        max_orders: Number of orders after which the search stops.
        own_choices: How often waits of threads that the calls have started end early; see `WholeCalls`.
        max_with_own: Number of orders after which the search stops if the calls have started threads.

    Raises:
        UnusableTestError: If an execution fails.
    """
    first = WholeCalls(harness, own_choices=own_choices)
    first.begin(1, 0)
    histories = [(_run(session, harness, first), frozenset(first.overlaps))]
    volatile: frozenset[Position] = frozenset()
    search, executions = WholeCalls(harness, own_choices=own_choices), 0
    while more := search.begin(executions + 1, session.known_points.version):
        if executions == max_orders or (search.has_own_threads and executions >= max_with_own):
            break
        history = _run(session, harness, search)
        if not executions:
            volatile = _differences(histories[0][0], history)
        executions += 1
        found = history, frozenset(search.overlaps)
        if found not in histories:
            histories.append(found)
    return Orders(
        tuple(histories), frozenset(search.polls), volatile, executions + 1, complete=not more,
        has_own_threads=search.has_own_threads,
    )  # fmt: skip


def find_legal_with_timeouts(session: Session, harness: Harness) -> Orders:
    """Run every order of whole calls in which timeouts may expire at any time.

    A thread that polls for something multiplies the orders. If there are too many, such threads poll less often.

    Raises:
        UnusableTestError: If an execution fails.
    """
    executions = 0
    for own_choices in range(MAX_CHOICES, 0, -1):
        orders = find_legal(session, harness, own_choices=own_choices, max_with_own=ENOUGH_ORDERS)
        if orders.complete or not orders.has_own_threads:
            return replace(orders, executions=orders.executions + executions)
        executions += orders.executions
    orders = find_legal(session, harness, own_choices=0)
    return replace(orders, executions=orders.executions + executions)


def distinct_histories(histories: Iterable[History], volatile: frozenset[Position]) -> LegalHistories:
    """Return the histories without volatile results and without repetitions."""
    legal = LegalHistories((), volatile)
    distinct: list[History] = []
    for history in map(legal.comparable, histories):
        if history not in distinct:
            distinct.append(history)
    return LegalHistories(tuple(distinct), volatile)


def _run(session: Session, harness: Harness, search: WholeCalls) -> History:
    harness.pauses_between_calls = True
    try:
        outcome = session.run_for(search).outcome
    finally:
        harness.pauses_between_calls = False
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
    """Return the positions of calls that returned different results."""
    rows = [*zip(one.threads, other.threads, strict=True), (one.observed, other.observed)]
    return frozenset(
        (number if number < len(one.threads) else -1, index)
        for number, (here, there) in enumerate(rows)
        for index, (a, b) in enumerate(zip(here, there, strict=False))
        if a.kind is b.kind is EndingKind.RETURNED and a != b
    )
