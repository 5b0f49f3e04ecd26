"""The controller: one execution of a scenario, in which it alone decides who runs.

Every thread of the scenario is a carrier (a greenlet) in one OS thread. At a scheduling point the running
carrier calls `reach`, which asks the scheduler and switches straight to whoever was chosen; the hub, the
greenlet that called `run`, is only entered when a carrier ends or the execution is over.

What is not a scheduling point: the first steps of a new thread and the return from a join. Both are run at
once up to the thread's next point ("fresh" carriers), as nothing in between can be told apart by others.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from bisect import insort
from collections import deque
from collections.abc import Callable, Container, Sequence
from contextvars import copy_context
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from raddle.checks.stuck import Waiter, explain_stuck
from raddle.engine.carrier import Abort, Carrier
from raddle.engine.sharing import Learned, Variable
from raddle.inspection import in_class, own_fields
from raddle.operation import BEGIN, END, GET, JOIN, SLEEP, START, Kind
from raddle.outcome import PASSED, Outcome
from raddle.step import Step
from raddle.threads.twins.adopt import look_again
from raddle.threads.twins.thread import mark_ended, name_again
from raddle.wording import count

Choose = Callable[[Any, Any], Any]  # a scheduler's: enabled carriers, the one that was running

UNFAIR = 1_000  # after so many steps in a row while others could run, somebody else gets a turn
STUBBORN = 100  # a thread that swallows so many aborts is left where it is
AFTERMATH = 1_000  # steps that the others get after a thread has died, where all of them are wanted
AT_ONCE = 1e-3  # seconds: waits that are over within that are over together, as nobody can say which one is sooner
SETTLED_AFTER = 16  # watched executions without news
SAMPLED_EVERY = 64
SAMPLE = UNFAIR + 200  # steps looked at before the limit, to tell which lines go round, of more than one thread

_PASSED = Outcome(PASSED)
_left_behind: list[Carrier] = []  # carriers that would not end; kept, as collecting them would run user code


class GilPoints(set[int]):
    """Scheduling points as CPython with the GIL has them.

    The interpreter lets go at function entries, backward jumps and after calls. A site that has such a place
    before it opens the thread; at the next point it can be stopped, and is closed again.
    """

    def __init__(self, switchable: set[int]) -> None:
        self._switchable = switchable

    def pass_by(self, me: Carrier, site: int) -> None:
        """A thread comes to a site, whatever happens there."""
        if site in self._switchable:
            me.open = True

    def __contains__(self, site: object) -> bool:
        me = getcurrent()
        if site in self._switchable:
            me.open = True  # type: ignore[attr-defined]
        if set.__contains__(self, site) and me.open:  # type: ignore[attr-defined]
            me.open = False  # type: ignore[attr-defined]
            return True
        return False


class Controller:
    """Runs executions one after the other; everything but what was learnt is fresh in each."""

    def __init__(self, learned: Learned, *, step_limit: int = 50_000, switchable: set[int] | None = None) -> None:
        self.learned = learned
        self.step_limit = self.asked_limit = step_limit
        self.switchable = switchable  # the gil model: the only sites where a switch can happen; None: all
        self.points: Any = set() if switchable is None else GilPoints(switchable)  # changed in place: probes keep it
        self.visible: Any = set()
        self.objects: dict[int, dict[str, Any]] = {}
        self.views: dict[int, tuple[object, object]] = {}
        self.observing = False
        self.measuring = False
        self.stream: list[Step] = []  # for criteria, while measuring
        self.eager = True  # run fresh carriers at once
        self.ask_always = False  # ask the scheduler also where there is only one to choose
        # Go on after a thread has died of an exception: what the others would have done shows where points
        # are needed, and a switch there may be what avoids the exception.
        self.thorough = False
        # Once nothing new was learnt for a while, most executions need not be watched everywhere: sites that
        # never mattered so far are "cold" then. Only searches that claim no completeness may sample so.
        self.sampling = False
        self.tracking = True
        self.cold: dict[int, type | None] = {}  # site -> a class met there; changed in place, probes keep it
        self.hot: dict[int, type | None] = {}  # the same for scheduling points
        self.quiet: dict[int, type | None] = {}
        self.placed_version = -1
        self.settled = 0  # watched executions since something was learnt
        self.settled_version = -1
        self.main_thread, self.main_ident = threading.current_thread(), threading.get_ident()
        self.idle: list[Carrier] = []
        self.sites_in: Callable[[object], Sequence[int]] = lambda function: ()  # in the body of a function
        self.spawned: Callable[[], None] = lambda: None  # called when a thread has been started
        self.running = False
        self.interrupted = False
        self.steps = 0
        self.executions = 0

    # -- one execution ------------------------------------------------------------------------------

    def run(self, scenario: Callable[[], object], choose: Choose) -> Outcome:
        """One execution; `choose` is given the carriers that can go on and the one that was running."""
        self._begin(choose)
        main = self._carrier(scenario, self.main_thread)
        main.ident = self.main_ident
        main.label = "T0"
        main.clock = {}
        main.born = (-1, -1)
        main.gr_context = copy_context()
        self.undone = 1
        self.live.append(main)
        self.running = True
        try:
            chosen: greenlet | None = main
            while chosen is not None:
                asked = chosen.switch()
                if asked:  # somebody needs a new carrier; see _enter
                    chosen, new = asked
                    new.switch()
                else:
                    chosen = None  # it is over, or has to be
        finally:
            self._clear_up()
            threading.excepthook = self.excepthook
            self.running = False
            self.executions += 1
        return self.outcome or _PASSED

    def _begin(self, choose: Choose) -> None:
        self.hub = getcurrent()
        self.choose: Callable[[list[Carrier], Carrier | None], Carrier] = choose
        self.carriers: list[Carrier] = []
        self.live: list[Carrier] = []  # those that may be ready, by index
        self.fresh: deque[Carrier] = deque()
        self.warming_up = False
        self.interrupted_one: Carrier | None = None
        self.timers: list[tuple[float, int, Carrier]] = []
        self.ticket = itertools.count(1)
        self.decisions: list[int] = []
        self.outcome: Outcome | None = None
        self.undone = 0
        self.streak = 0
        self.now = 0.0
        self.readings = self.futures = 0
        self.excepthook = threading.excepthook
        name_again()
        look_again()
        self.steps = 0
        self.limit = max(0, self.step_limit - SAMPLE)
        self.aborting = self.expired = False
        self.sample: set[tuple[str, str]] = set()
        self.lost: set[int] = set()
        self.objects.clear()
        self.views.clear()
        self._place_points()

    def _choose_tracking(self) -> None:
        """Is this execution to be watched everywhere, or only where threads are known to meet?"""
        if self.learned.version != self.settled_version:
            self.settled, self.settled_version = 0, self.learned.version
        if self.sampling and self.settled >= SETTLED_AFTER and self.executions % SAMPLED_EVERY:
            if self.tracking:
                self.tracking = False
                known = self.learned.sites
                for site, kind in self.quiet.items():
                    if site not in known:
                        self.cold[site] = kind
                    elif self.switchable is None:
                        self.hot[site] = kind
        else:
            self.settled += 1
            self.tracking = True
            self.cold.clear()
            self.hot.clear()

    def _place_points(self) -> None:
        self._choose_tracking()
        if self.placed_version != self.learned.version:
            self.placed_version = self.learned.version
            self.points.clear()
            self.points.update(self.learned.sites)
            self.visible.clear()
            self.visible.update(self.learned.kinds)

    def _carrier(self, run: Callable[[], object], thread: threading.Thread | None) -> Carrier:
        # Carriers are used again and again: making a greenlet costs as much as a whole small execution.
        if self.idle:
            carrier = self.idle.pop()
            carrier.reset()
            carrier.gr_context = None  # a thread begins with an empty context
        else:
            carrier = Carrier(self._serve, self.hub)
            self._enter(carrier)
            carrier.reset()
            carrier.control = self
        carrier.run_now = run
        carrier.thread = thread
        carrier.index = len(self.carriers)
        self.carriers.append(carrier)
        return carrier

    def _enter(self, new: Carrier) -> None:
        """Have the hub enter a new carrier first.

        A greenlet begins at the recursion depth of whoever enters it: a hundred threads, each entered by
        the one before, would exceed the limit.
        """
        me = getcurrent()
        if me is self.hub:
            new.switch()
        else:
            self.hub.switch((me, new))

    def _serve(self) -> None:
        """What a carrier does all its life: one thread after the other."""
        me = getcurrent()
        assert isinstance(me, Carrier)
        self.hub.switch()
        while True:
            try:
                me.run_now()
            except (Abort, GreenletExit):
                pass
            except BaseException as error:
                self.fail(me, error)
            try:
                self._end(me)
                chosen = self._after_end()
            except Abort:
                me.done = True
                chosen = None
            (self.hub if chosen is None else chosen).switch()

    def close(self) -> None:
        """Let the carriers go."""
        for carrier in self.idle:
            carrier.throw(GreenletExit)
        self.idle.clear()

    def fail(self, me: Carrier, error: BaseException) -> None:
        """A thread died of an exception; the first one is the outcome."""
        if self.outcome is None and not self.aborting:
            from raddle.checks.crash import explain_error

            self.outcome = explain_error(error, me.label)
            if self.limit >= 0:
                self.limit = min(self.step_limit, self.steps + AFTERMATH)

    def _end(self, me: Carrier) -> None:
        if self.aborting:
            me.done = True
            return
        if self._end_is_point(me, self.visible):
            me.kind, me.target, me.ready = END, me, None
            self.reach(me)
        if self.observing:
            self.happened(me, END, me)
        me.done = True
        self.live.remove(me)
        for lock in me.held:  # a thread may end while it holds a lock; the lock stays taken
            lock.taken_at = lock.taken_at or me.label
        for joiner in me.joiners:
            if not joiner.timed_out:
                self._admit(joiner)
        if not me.daemon:
            self.undone -= 1

    def _end_is_point(self, me: Carrier, kinds: Container[str]) -> bool:
        """Does it matter when the thread ends? Somebody looks, or a daemon may do something before, or not."""
        if me.index and "thread" in kinds:
            return True
        return "daemon" in kinds and not me.daemon and any(carrier.daemon for carrier in self.carriers)

    def _after_end(self) -> greenlet | None:
        """In the hub: who goes on, now that a carrier ended or gave up; None when the execution is over."""
        if self.undone == 0 or self.aborting or (self.outcome is not None and not self.thorough):
            return None
        chosen = self._next(None)
        return None if chosen is self.hub else chosen

    # -- scheduling points --------------------------------------------------------------------------

    def reach(self, me: Carrier) -> None:
        """The running thread is about to do what its fields say; returns when it may."""
        self.steps = steps = self.steps + 1
        if steps > self.limit:
            self._over_limit(me)
            if self.aborting:
                return
        if self.fresh:
            if self.measuring and me.ready is not None and not me.ready():
                self.blocked(me)
            chosen: greenlet = self._take_fresh(me)
        else:
            current = me if not self.warming_up else self._warmed_up()
            enabled = self.live
            for carrier in enabled:
                if carrier.ready is not None:
                    enabled = [c for c in enabled if c.ready is None or c.ready()]
                    if self.measuring and me not in enabled:
                        self.blocked(me)
                    break
            if len(enabled) > 1:
                chosen = self.choose(enabled, current)
                if chosen is not me:
                    self.streak = 0
                else:
                    self.streak += 1
                    if self.streak > UNFAIR:
                        chosen = self._someone_else(enabled, me)
                self.decisions.append(chosen.index)
            elif enabled:
                chosen = enabled[0]
                if self.ask_always:
                    self.choose(enabled, current)
            else:
                chosen = self._next(me)
        if chosen is not me:
            chosen.switch()

    def _next(self, me: Carrier | None) -> greenlet:
        """Who goes on; the hub where nobody can."""
        if self.aborting:
            self._refuse(me)
        if self.fresh:
            return self._take_fresh(me)
        current = me if not self.warming_up else self._warmed_up()
        while True:
            enabled = [c for c in self.live if c.ready is None or c.ready()]
            if len(enabled) > 1 or (enabled and self.ask_always):
                chosen = self.choose(enabled, current)
                if chosen is not me:
                    self.streak = 0
                elif self.fair():
                    self.streak += 1
                    if self.streak > UNFAIR:
                        chosen = self._someone_else(enabled, me)
                if len(enabled) > 1:
                    self.decisions.append(chosen.index)
                return chosen
            if enabled:
                return enabled[0]
            if not self._pass_time():
                return self._stuck()
            current = None  # it had to wait, like everybody else

    def fair(self) -> bool:
        """Is nobody to run for ever while others could?"""
        return True

    def _someone_else(self, enabled: list[Carrier], me: Carrier) -> Carrier:
        self.streak = 0
        return next((c for c in enabled if c.index > me.index), enabled[0])

    def _admit(self, carrier: Carrier) -> None:
        """A carrier that need not be asked whether it is ready can run again."""
        carrier.ready = None
        if self.eager:
            self.fresh.append(carrier)
        else:
            carrier.parked = False
            insort(self.live, carrier, key=_by_index)

    def _take_fresh(self, me: Carrier | None) -> Carrier:
        if not self.warming_up:
            self.warming_up, self.interrupted_one = True, me
        carrier = self.fresh.popleft()
        carrier.parked = False
        live = self.live
        if not live or live[-1].index < carrier.index:
            live.append(carrier)
        else:
            insort(live, carrier, key=_by_index)
        return carrier

    def _warmed_up(self) -> Carrier | None:
        """Who was running before fresh carriers were brought to their first points: nobody chose those."""
        self.warming_up = False
        return self.interrupted_one

    # -- what twins ask -----------------------------------------------------------------------------

    def spawn(self, me: Carrier, run: Callable[[], object], thread: threading.Thread | None) -> Carrier:
        """A new controlled thread that will call `run`."""
        if "thread" in self.visible:
            me.kind, me.target, me.ready = START, thread, None
            self.reach(me)
            if thread is not None and thread._started._flag:  # type: ignore[attr-defined]
                raise RuntimeError("threads can only be started once")
        elif self.aborting:
            self._refuse(me)
        carrier = self._carrier(run, thread)
        me.children += 1
        carrier.label = f"T{me.children}" if me.index == 0 else f"{me.label}.{me.children}"
        carrier.ident = 0x1000 + carrier.index
        carrier.daemon = thread is None or thread._daemonic  # type: ignore[attr-defined]
        carrier.clock = {**me.clock, me.index: me.segment}
        carrier.born = (me.index, me.segment)
        me.segment += 1
        if carrier.daemon:
            self.observe("daemon")
            self._stop_inside(body_of(run, thread))
        else:
            self.undone += 1
        self._admit(carrier)
        self.spawned()
        if self.observing:
            self.happened(me, START, carrier)
        return carrier

    def _stop_inside(self, body: object) -> None:
        """Have points in the body of a daemon before it has run.

        As it is cut off in the end, it may run for ever, and what it shares with others may never be seen otherwise.
        """
        for site in self.sites_in(body):
            if site not in self.learned.sites:
                self.learned.site(site)
                self.points.update((site,))
                self.cold.pop(site, None)

    def join(self, me: Carrier, other: Carrier, seconds: float | None) -> bool:
        """Block until the other thread has ended; False where the time ran out."""
        if "join" in self.learned.kinds:  # a search counts it as a step of its own
            self._join_as_step(me, other, seconds)
        elif not other.done:
            me.kind, me.target, me.ready = JOIN, other, None
            me.timed_out = False
            other.joiners.append(me)
            if seconds is not None:
                self.set_timer(me, seconds)
            self._park(me)
            if me.timed_out:
                me.timed_out = False
                if me in other.joiners:
                    other.joiners.remove(me)
        elif self.aborting:
            self._refuse(me)
        if other.done and seconds is None:  # else it need not have been: the time may have been over before
            self._joined(me, other)
        if self.observing:
            self.happened(me, JOIN, other)
        return other.done

    def _join_as_step(self, me: Carrier, other: Carrier, seconds: float | None) -> None:
        if seconds is not None:
            self.wait(me, JOIN, other, lambda: other.done, seconds)
        else:
            me.kind, me.target, me.ready = JOIN, other, lambda: other.done
            self.reach(me)
            me.ready = None

    def _joined(self, me: Carrier, other: Carrier) -> None:
        clock = me.clock
        for thread, segment in other.clock.items():
            if clock.get(thread, -1) < segment and thread != me.index:
                clock[thread] = segment
        clock[other.index] = other.segment

    def sleep(self, me: Carrier, seconds: float) -> None:
        """Block for that long in virtual time; 0 only lets others go first."""
        me.kind, me.target, me.ready = SLEEP, None, None
        if seconds > 0:
            me.timed_out = False
            self.set_timer(me, seconds)
            self._park(me)
            me.timed_out = False
        else:
            self.reach(me)

    def wait(self, me: Carrier, kind: Kind, target: object, ready: Callable[[], bool], seconds: float) -> bool:
        """Block until `ready`, at most that long in virtual time; False where the time ran out.

        A time of 0 is over at once: the thread does not wait until every other one is blocked.
        """
        me.kind, me.target = kind, target
        if seconds <= 0:
            me.ready = None
            self.reach(me)
            return ready()
        me.timed_out = False
        me.ready = lambda: me.timed_out or ready()
        self.set_timer(me, seconds)
        self.reach(me)
        me.ready = None
        me.timed_out = False
        me.timer = 0
        return ready()

    def observe(self, kind: str) -> None:
        """Somebody looks at a resource of this kind without blocking."""
        self.learned.kind(kind)

    def changed(self, me: Carrier, owner: object, name: str, *, writes: bool = True) -> None:
        """A twin changed, or looked at, what code with probes can reach by itself; see `make_probes`."""

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        """Tell the observers, if there are any."""

    def observed(self) -> Any:
        """What criteria are shown of the execution just run, where there are any."""

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        """Tell criteria of what no story mentions."""

    def blocked(self, me: Carrier) -> None:
        """Tell criteria that the thread has come to what it must wait for."""

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        """Tell the observers of an access, if there are any."""

    def entered(self, me: Carrier, site: int) -> None:
        """Tell the observers that a function's body begins."""

    def left(self, me: Carrier, site: int) -> None:
        """Tell the observers that a function's body ends."""

    def passed_block(self, me: Carrier, site: int) -> None:
        """Tell the observers that a basic block begins."""

    def lets_go(self, me: Carrier, site: int) -> None:
        """CPython with the GIL could have stopped the thread before this access, though its site does not say so."""
        me.open = True

    def uncontrolled(self, me: Carrier, message: str) -> None:
        """The thread is about to leave our control: that ends the execution."""
        from raddle.checks.crash import stack_lines

        lines = tuple(stack_lines())
        self.finish(Outcome("uncontrolled", message, me.label, ("uncontrolled", message), lines), me)

    def died(self, me: Carrier, how: str) -> None:
        """The thread is about to end the process: that ends the execution."""
        from raddle.execute.crash_replay import crash

        self.finish(crash(how, me.label), me)

    # -- time ---------------------------------------------------------------------------------------

    def set_timer(self, me: Carrier, seconds: float) -> None:
        """Have `me.timed_out` become true after that long, unless the wait ends before."""
        self.learned.kind("time")
        me.timer = next(self.ticket)
        heapq.heappush(self.timers, (self.now + seconds, me.timer, me))

    def _park(self, me: Carrier) -> None:
        """Leave the running to others until a join or a timer brings this carrier back."""
        self.steps += 1
        if self.steps > self.limit:
            self._over_limit(me)
        me.parked = True
        self.live.remove(me)
        chosen = self._next(me)
        if chosen is not me:
            chosen.switch()
        me.timer = 0

    def _pass_time(self) -> bool:
        """Nobody can go on: let time pass until somebody's wait is over; False if nobody waits for time."""
        due: float | None = None
        while self.timers:
            when, ticket, carrier = self.timers[0]
            if due is not None and when > due + AT_ONCE:
                break
            heapq.heappop(self.timers)
            if carrier.timer != ticket:  # that wait is long over
                continue
            due = when if due is None else due
            self.now = max(self.now, when)
            carrier.timed_out = True
            if carrier.parked:
                carrier.parked = False
                carrier.ready = None
                insort(self.live, carrier, key=_by_index)
        return due is not None

    # -- the end ------------------------------------------------------------------------------------

    def finish(self, outcome: Outcome, me: Carrier | None) -> None:
        """End the execution here and now."""
        if self.outcome is None:
            self.outcome = outcome
        if me is not None:
            self.aborting = True
            raise Abort

    def interrupt(self) -> None:
        """Somebody pressed Ctrl-C: stop at the next scheduling point."""
        self.interrupted = True
        self.limit = -1

    def expire(self) -> None:
        """End the execution at its next scheduling point: the time for the whole search is over."""
        self.expired = True
        self.limit = -1

    def _stuck(self) -> greenlet:
        """Nobody can go on, and no time will change that."""
        waiting = [c for c in self.carriers if not c.done]
        if self.outcome is None and any(not c.daemon and not _idle_pool_worker(c) for c in waiting):
            self.outcome = explain_stuck([self._waiter(c) for c in waiting])
        self.undone = 0
        return self.hub

    def _waiter(self, carrier: Carrier) -> Waiter:
        target = carrier.target
        holder = getattr(target, "holder", None)
        if carrier.kind == JOIN:
            holder = target
        return Waiter(
            thread=carrier.label,
            kind=carrier.kind,
            resource=target,
            held=tuple(carrier.held),
            waits_for=getattr(holder, "label", None),
            lost=id(target) in self.lost,
            daemon=carrier.daemon,
            place=self.place(carrier),
        )

    def place(self, carrier: Carrier) -> str:
        """Where a carrier stands, for people; only observers take the trouble to find out."""
        return ""

    def _over_limit(self, me: Carrier) -> None:
        """The execution is being aborted, the step limit was reached, or somebody pressed Ctrl-C."""
        if self.aborting:
            if me.kind.is_access or me.kind.point_if_observed:
                return
            self._refuse(me)
        if self.interrupted or self.expired:
            self.finish(Outcome("interrupted", self.place(me)), me)
        if self.outcome is not None:
            self.finish(self.outcome, me)
        self.sample.add((me.label, self.place(me)))
        if self.steps <= self.step_limit:
            return
        lines = sorted(f"{label} at {place}" for label, place in self.sample if place)
        self.finish(
            Outcome(
                "step-limit",
                f"the execution did not end within {count(self.asked_limit, 'step')}: a livelock or a loop that spins",
                me.label,
                ("step-limit",),
                ("The last steps went round these lines:", *(f"  {line}" for line in lines)) if lines else (),
            ),
            me,
        )

    def _refuse(self, me: Carrier | None) -> None:
        """The execution is being aborted: whoever wants to go on is told again."""
        if me is None or getcurrent() is not me:
            return
        me.raised += 1
        if me.raised > STUBBORN:
            _left_behind.append(me)
            self.hub.switch()
        raise Abort

    def _clear_up(self) -> None:
        """Throw every thread out that is still in the middle of something."""
        self.aborting = True
        self.limit = -1  # whoever reaches a scheduling point now is refused
        for carrier in self.carriers:
            if not carrier.done:
                if carrier.kind == BEGIN:
                    carrier.done = True  # chosen by nobody: there is nothing to throw out of
                    if carrier.thread is not None and carrier.index > 0:
                        mark_ended(carrier.thread)
                else:
                    carrier.throw(Abort)
            for lock in carrier.held:
                lock.drop()
            carrier.run_now = carrier.thread = None  # type: ignore[assignment]
        self.idle += self.carriers if not _left_behind else [c for c in self.carriers if c not in _left_behind]


def _by_index(carrier: Carrier) -> int:
    return carrier.index


def _idle_pool_worker(carrier: Carrier) -> bool:
    """A ThreadPoolExecutor's thread without work: the interpreter ends it at exit, so nobody is stuck."""
    from concurrent.futures.thread import _threads_queues

    return carrier.thread is not None and carrier.thread in _threads_queues and carrier.kind == GET


def body_of(run: Callable[[], object], thread: threading.Thread | None) -> Any:
    """The function that a thread will run: its target, or the `run` of its class."""
    if thread is None:
        return run
    run_of_class = in_class(type(thread), "run")
    if run_of_class is not threading.Thread.run:
        return run_of_class
    return own_fields(thread).get("_target")
