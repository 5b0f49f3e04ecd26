"""The engine: runs one execution and switches between its participants.

Every participant runs in a carrier (a greenlet) in one OS thread. At a scheduling point the running carrier calls
`reach`, which calls the policy and switches straight to the chosen carrier. The hub is the greenlet that called `run`.
Control returns to the hub only to start a new carrier or to end the execution.

The engine knows nothing about threads. A world (see `raddle.engine.world`) defines what participants are. The twins
and probes of that world call `operate`, `wait`, `spawn` and `join`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, Protocol

from greenlet import GreenletExit, getcurrent, greenlet

from raddle.decision import Decision
from raddle.engine.carrier import Abort, Carrier
from raddle.engine.clock import VirtualClock
from raddle.engine.observer import Observer, Observers
from raddle.engine.participant import Alternative, Participant, Passenger
from raddle.engine.points import KnownPoints, Points, Sampling, end_is_point
from raddle.engine.pool import CarrierPool
from raddle.engine.rules import DEFAULT_RULES, Rules
from raddle.engine.run_queue import RunQueue
from raddle.engine.step_limit import StepLimit
from raddle.engine.tracking import AccessTracker
from raddle.engine.variables import Variable, VariableTable
from raddle.engine.world import World
from raddle.labels import child_label, first_label
from raddle.operation import BEGIN, END, JOIN, START, WAIT_FOR_TURN, Kind
from raddle.outcome import Outcome, OutcomeKind
from raddle.place import Place

MAX_CONSECUTIVE_STEPS = 1_000  # steps of one participant, with others enabled, after which a switch is forced
MAX_ABORTS = 100  # a participant that catches more `Abort` exceptions than this is abandoned
STEPS_AFTER_FAILURE = 1_000  # maximum number of steps after a participant has failed, with `Rules.thorough`
_PASSED = Outcome(OutcomeKind.PASSED)


class Policy(Protocol):
    """The part of a scheduler that the engine uses during an execution."""

    @property
    def is_fair(self) -> bool:
        """Whether the engine may force a switch after `MAX_CONSECUTIVE_STEPS` steps by one participant."""

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Return the function that chooses one of the enabled participants.

        It takes two arguments: the enabled participants, and the participant that was running. The second is None if
        that participant has ended, or if all participants were blocked until virtual time advanced.
        """

    def choose_alternative(self, participant: Any, alternatives: Any) -> int:
        """Choose one of the possible outcomes of the chosen participant's operation; return its index."""


class Engine:
    """Runs executions one after another.

    Only the known scheduling points carry over from one execution to the next.
    """

    def __init__(
        self,
        world: World,
        known_points: KnownPoints,
        *,
        step_limit: StepLimit,
        points: Points | None = None,
        observers: Sequence[Observer] = (),
        pool: CarrierPool | None = None,
    ) -> None:
        self.world = world
        self.known_points = known_points
        self.points = Points() if points is None else points
        self.sampling = Sampling()
        self.variables = VariableTable()
        self.clock = VirtualClock()
        self.step_limit = step_limit
        self.observers = Observers(observers)
        self.observing = bool(self.observers.happened)  # if False, calls to `happened` can be skipped
        self.measuring = bool(self.observers.noted)  # if False, calls to `noted` can be skipped
        self.rules = DEFAULT_RULES
        self.running = False
        self.executions = 0
        self.steps = 0  # number of scheduling points reached in this execution, summed over all participants
        self.tracker = AccessTracker(known_points, self.sampling, self.variables)
        self._pool = CarrierPool() if pool is None else pool

    # -- one execution ------------------------------------------------------------------------------

    def run(
        self,
        main: Callable[[], object],
        policy: Policy,
        *,
        rules: Rules = DEFAULT_RULES,
        known_points: KnownPoints | None = None,
    ) -> Outcome:
        """Run one execution whose first participant calls `main`.

        If `known_points` is given, it replaces the engine's known points for this execution. An earlier execution can
        thus be rerun with its original scheduling points.
        """
        if known_points is None:
            self._begin(policy, rules)
            self._run(main)
        else:
            with self._using(known_points):
                self._begin(policy, rules)
                self._run(main)
        if self._policy_error is not None:
            raise self._policy_error
        if self.observers.errors:
            raise self.observers.errors[0]
        return self.outcome or _PASSED

    @contextmanager
    def _using(self, known_points: KnownPoints) -> Iterator[None]:
        own, self.known_points = self.known_points, known_points
        self.points.forget()
        try:
            yield
        finally:
            self.known_points = own
            self.points.forget()

    def _begin(self, policy: Policy, rules: Rules) -> None:
        self.rules = rules
        self.hub: greenlet = getcurrent()
        self.policy = policy
        self.choose = policy.chooser()
        self._policy_error: Exception | None = None
        self.queue = RunQueue()
        self.decisions: list[int] = []
        self.outcome: Outcome | None = None
        self.steps = 0
        self.aborting = False
        self.clock.reset()
        self.limit = self.step_limit.begin()
        self.variables.clear()
        self.sampling.allowed = rules.samples
        self.sampling.begin(self.known_points, self.executions, with_gil=self.points.with_gil)
        self.points.begin(self.known_points)

    def _run(self, run_main: Callable[[], object]) -> None:
        main = self._pool.take(self, run_main)
        main.label = first_label(self.world.letter)
        main.clock = {}
        main.started_by = (-1, -1)
        main.gr_context = copy_context()
        self.world.begin(self, main)
        self.observers.begin(self)
        self.queue.unfinished = 1
        self.queue.live.append(main)
        self.running = True
        try:
            chosen: greenlet | None = main
            while chosen is not None:
                request = chosen.switch()
                if request:  # a participant needs a new carrier; see CarrierPool
                    chosen, new = request
                    new.switch()
                else:
                    chosen = None  # the execution has ended or must be ended
        finally:
            self._tear_down()
            self.running = False
            self.executions += 1

    def serve(self, me: Carrier) -> None:
        """Run a participant to its end, and then switch away; return when the carrier is given another participant."""
        if self.observers.began:
            self.observers.notify(self.observers.began, me)
        try:
            me.run_now()
        except (Abort, GreenletExit):
            pass
        except BaseException as error:
            self.fail(me, error)
        try:
            self._end(me)
            over = self.queue.unfinished == 0 or self.aborting or (self.outcome is not None and not self.rules.thorough)
        except Abort:
            me.done = over = True
        if over:
            self.hub.switch()
        else:
            self.reach(None)

    def fail(self, me: Carrier, error: BaseException) -> None:
        """Record that an exception ended a participant.

        The first such exception determines the outcome of the execution.
        """
        if self.outcome is None and not self.aborting:
            self.outcome = self.world.explain_error(error, me)
            if self.limit >= 0:
                self.limit = min(self.step_limit.max_steps, self.steps + STEPS_AFTER_FAILURE)

    def _end(self, me: Carrier) -> None:
        if self.aborting:
            me.done = True
            return
        queue = self.queue
        if self.points.visible and end_is_point(me, self.points.visible, queue.carriers):
            self.operate(me, END, me)
        if self.observing:
            self.happened(me, END, me)
        me.done = True
        queue.live.remove(me)
        if not me.daemon:
            queue.unfinished -= 1
        for joiner in me.joiners:
            if not joiner.timed_out:
                queue.admit(joiner, self.rules.eager)

    # -- scheduling points --------------------------------------------------------------------------

    def operate(self, me: Carrier, kind: Kind, target: object, ready: Callable[[], bool] | None = None) -> None:
        """Announce an operation of the running participant.

        Return once the operation is enabled (`ready` returns true) and the scheduler has chosen the participant.
        """
        me.kind = kind
        me.target = target
        me.ready = ready
        self.reach(me)
        me.ready = None

    def operate_as_chosen(
        self, me: Carrier, kind: Kind, target: object, alternatives: Callable[[], Sequence[Alternative]]
    ) -> Alternative:
        """Announce an operation with several possible outcomes; return the outcome that the policy chooses."""
        me.kind = kind
        me.target = target
        me.alternatives = alternatives
        me.ready = lambda: bool(alternatives())
        me.taken = None
        try:
            self.reach(me)
        finally:
            me.ready = me.alternatives = None
        assert me.taken is not None
        return me.taken

    def reach(self, me: Carrier | None) -> None:
        """Let the policy choose which participant runs next, and switch to it.

        Return when `me`, the running participant, may perform its pending operation. `me` is None if the running
        participant has ended. All decisions are made here. This is one long function because each extra function call
        here would make a search 5 % slower.
        """
        if me is not None:
            self.steps = steps = self.steps + 1
            if steps > self.limit:
                self._over_limit(me)
                if self.aborting:
                    return
        queue = self.queue
        if queue.fresh:
            if self.observers.blocked and me is not None and me.ready is not None and not me.ready():
                self.observers.notify(self.observers.blocked, me)
            chosen: Any = queue.take_fresh(me)
        else:
            current = me if not queue.warming_up else queue.running_before()
            enabled = queue.live
            for carrier in enabled:
                if carrier.ready is not None:
                    enabled = [c for c in enabled if c.ready is None or c.ready()]
                    if self.observers.blocked and me is not None and me.ready is not None and me not in enabled:
                        self.observers.notify(self.observers.blocked, me)
                    break
            while not enabled:
                if not self._pass_time():
                    self._stuck()
                    return
                enabled = [c for c in queue.live if c.ready is None or c.ready()]
                current = None  # the running participant is blocked, like all the others
            try:
                if len(enabled) > 1:
                    chosen = self.choose(enabled, current)
                    if chosen is not me:
                        queue.streak = 0
                    else:
                        queue.streak += 1
                        if queue.streak > MAX_CONSECUTIVE_STEPS:
                            chosen = self._after_many_steps(enabled, me)
                    self.decisions.append(chosen.index)
                    if self.observers.decided:
                        self.observers.notify(self.observers.decided, chosen)
                else:
                    chosen = enabled[0]
                    if self.rules.sees_forced_steps:
                        self.choose(enabled, current)
                        if self.observers.decided:
                            self.observers.notify(self.observers.decided, chosen)
                if chosen.alternatives is not None:
                    self._take_alternative(chosen, alone=len(enabled) == 1)
            except Exception as error:  # of the policy, and therefore not of the program
                self._fail_policy(error, me)
        if chosen is not me:
            if self.observers.preempted:
                self._preempt(me)
            chosen.switch()

    def _fail_policy(self, error: Exception, me: Carrier | None) -> None:
        """End the execution because the policy has raised an exception, which `run` raises again.

        The policy runs on the stack of the participant. If the program has used nearly all of it, the error is that of
        the program, which would soon have met it itself.
        """
        if isinstance(error, RecursionError) and me is not None:
            self.outcome = self.outcome or self.world.explain_error(error, me)
        else:
            self._policy_error = error
        self.aborting = True
        if me is not None:
            raise Abort
        self.hub.switch()

    def _preempt(self, me: Carrier | None) -> None:
        """Notify the observers of a preemption if this participant, which is being switched out, is enabled."""
        if me is not None and not me.parked and (me.ready is None or me.ready()):
            self.observers.notify(self.observers.preempted, me)

    def _take_alternative(self, chosen: Participant, *, alone: bool) -> None:
        """Choose the outcome of an operation.

        `alone` means that only this participant was enabled, so choosing it was not recorded as a decision.
        """
        assert chosen.alternatives is not None
        options = chosen.alternatives()
        if len(options) == 1:
            chosen.taken = options[0]
            return
        number = self.policy.choose_alternative(chosen, options)
        chosen.taken = options[number]
        if not alone:
            self.decisions.pop()
        self.decisions.append(Decision(chosen.index, number))

    def _after_many_steps(self, enabled: list[Carrier], me: Any) -> Any:
        """Return the participant to run next when `me` has taken too many consecutive steps.

        Another participant is returned if the rules and the policy allow a switch.
        """
        self.queue.streak = 0
        if not self.rules.fair or not self.policy.is_fair:
            return me
        return next((c for c in enabled if c.index > me.index), enabled[0])

    # -- services for twins -------------------------------------------------------------------------

    def spawn(
        self,
        me: Carrier,
        run: Callable[[], object],
        daemon: bool = False,
        own: object = None,
        label: str | None = None,
    ) -> Carrier:
        """Start a participant that calls `run`; `me` is its parent.

        By default, the label is that of the next child of `me`.
        """
        if self.aborting:
            self.abort(me)
        carrier = self._pool.take(self, run)
        if label is None:
            me.children += 1
            label = child_label(me.label, me.children)
        carrier.label = label
        carrier.ident = 0x1000 + carrier.index
        carrier.daemon = daemon
        carrier.own = own
        carrier.clock = {**me.clock, me.index: me.segment}
        carrier.started_by = (me.index, me.segment)
        me.segment += 1
        queue = self.queue
        if not daemon:
            queue.unfinished += 1
        if self.rules.eager:
            queue.fresh.append(carrier)
        else:
            queue.insert(carrier)
        if self.observing:
            self.happened(me, START, carrier)
        if self.observers.started:
            self.observers.notify(self.observers.started, me, carrier)
        return carrier

    def board(self, carrier: Carrier, *, label: str, kind: Kind, own: object = None) -> Passenger:
        """Add a participant that shares a carrier with others; it can be chosen while the carrier is in `take_turn`."""
        self.queue.participants += 1
        return Passenger(carrier, index=self.queue.participants - 1, label=label, kind=kind, own=own)

    def take_turn(self, me: Carrier, passengers: Sequence[Passenger]) -> Passenger:
        """Let the policy choose between the passengers of a carrier and all other participants.

        Return when a passenger is chosen. The carrier then runs one step of that passenger and calls `did`.
        """
        me.kind = WAIT_FOR_TURN
        me.parked = True
        self.queue.live.remove(me)
        for passenger in passengers:
            self.queue.insert(passenger)
        self.reach(me)
        for passenger in passengers:
            self.queue.live.remove(passenger)
        self.queue.insert(me)
        assert me.taken is not None
        return me.taken.value  # type: ignore[no-any-return]

    def did(self, participant: Participant, footprint: object) -> None:
        """Notify the observers of a step's footprint, in worlds where the footprint is known only after the step."""
        self.observers.notify(self.observers.did, participant, footprint)

    def add_points(self, sites: Iterable[int]) -> None:
        """Turn these sites into scheduling points immediately, without waiting for a conflicting access."""
        for site in sites:
            if site not in self.known_points.sites:
                self.known_points.add_site(site)
                self.points.add((site,))
                self.sampling.cold.pop(site, None)

    def mark_observed(self, kind: str) -> None:
        """Treat releases of this kind of resource as scheduling points.

        This is needed once a participant observes such a resource without blocking.
        """
        self.known_points.add_kind(kind)

    def park(self, me: Carrier) -> None:
        """Suspend a carrier until the participant it is joining has ended or the timer of the wait has expired."""
        observers = self.observers
        if observers.arrived:
            observers.notify(observers.arrived, me, point=True, blocked=True)
        me.parked = True
        self.queue.live.remove(me)
        self.reach(me)
        me.timer = None
        if observers.passed and me.kind != JOIN:  # returning from a join is not a decision
            observers.notify(observers.passed, me, point=True)

    def _pass_time(self) -> bool:
        """Advance virtual time until a wait expires; return False if no timer is set.

        Called when no participant is enabled.
        """
        waiting = list(self.queue.live)
        expired = self.clock.advance()
        for carrier in expired:
            if carrier.parked:
                carrier.ready = None
                self.queue.insert(carrier)
        if expired and self.observers.time_passed:
            self.observers.notify(self.observers.time_passed, waiting)
        return bool(expired)

    # -- observers ----------------------------------------------------------------------------------

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        """Notify the observers of an operation. The call can be skipped if `observing` is false."""
        if not self.aborting:
            for hook in self.observers.happened:
                try:
                    hook(me, kind, target, value)
                except Exception as error:
                    self.observers.drop(hook, error)

    def noted(self, me: Carrier, kind: Kind, target: object) -> None:
        """Notify the step recorder of a detail that only criteria use.

        The call can be skipped if `measuring` is false.
        """
        self.observers.notify(self.observers.noted, me, kind, target)

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        """Notify the observers of an access."""
        if not self.aborting:
            for hook in self.observers.accessed:
                try:
                    hook(me, kind, variable, site, value)
                except Exception as error:
                    self.observers.drop(hook, error)

    def entered(self, me: Carrier, site: int) -> None:
        """Notify the observers that a function body begins."""
        if not self.aborting:
            for hook in self.observers.entered:
                try:
                    hook(me, site)
                except Exception as error:
                    self.observers.drop(hook, error)

    def left(self, me: Carrier, site: int) -> None:
        """Notify the observers that a function body ends."""
        if not self.aborting:
            for hook in self.observers.left:
                try:
                    hook(me, site)
                except Exception as error:
                    self.observers.drop(hook, error)

    def passed_block(self, me: Carrier, site: int) -> None:
        """Notify the observers that a basic block begins."""
        if not self.aborting:
            self.observers.notify(self.observers.passed_block, me, site)

    def allow_gil_switch(self, me: Carrier, site: int) -> None:
        """Record that CPython with the GIL can switch before this access, even if its site is not switchable."""
        me.can_switch = True
        if self.observers.gil_switch_allowed:
            self.observers.notify(self.observers.gil_switch_allowed, me, site)

    def place(self, carrier: Carrier) -> Place | None:
        """Return the source line that a participant has reached; None if no observer records it."""
        return next((place for place_of in self.observers.place if (place := place_of(carrier))), None)

    # -- ending an execution ------------------------------------------------------------------------

    def finish(self, outcome: Outcome, me: Carrier | None) -> None:
        """End the execution immediately; `me` is the running participant, in which `Abort` is raised."""
        if self.outcome is None:
            self.outcome = outcome
        if me is not None:
            self.aborting = True
            raise Abort

    def interrupt(self) -> None:
        """End the execution at its next scheduling point, because the user pressed Ctrl-C."""
        self.step_limit.interrupted = True
        self.limit = -1

    def expire(self) -> None:
        """End the execution at its next scheduling point, because the time budget of the search is used up."""
        self.step_limit.expired = True
        self.limit = -1

    def cut_short(self) -> None:
        """Notify the observers that the execution ends prematurely."""
        self._notify_end(cut_short=True)

    def _notify_end(self, *, cut_short: bool) -> None:
        waiting = [carrier for carrier in self.queue.live if not carrier.done]
        self.observers.notify(self.observers.ending, waiting, cut_short=cut_short)

    def _stuck(self) -> None:
        """End an execution in which no participant is enabled and no timer is pending."""
        if self.outcome is None:
            self.outcome = self.world.explain_stuck(self.queue.unfinished_carriers(), self)
        self.queue.unfinished = 0
        self.hub.switch()

    def _over_limit(self, me: Carrier) -> None:
        """End the execution if it is being aborted, has reached the step limit or was interrupted by Ctrl-C."""
        if self.aborting:
            if me.kind.is_access or me.kind.point_if_observed:
                return
            self.abort(me)
        if self.outcome is not None and not self.step_limit.stopped:
            self.finish(self.outcome, me)
        outcome = self.step_limit.reached(me.label, self.place(me), self.steps)
        if outcome is not None:
            self.finish(outcome, me)

    def abort(self, me: Carrier) -> None:
        """Raise `Abort` in the running participant; abandon a participant that keeps catching it."""
        if getcurrent() is not me:
            return
        me.aborts += 1
        if me.aborts > MAX_ABORTS:
            self._pool.abandon(me)
            self.hub.switch()
        raise Abort

    def _tear_down(self) -> None:
        """Raise `Abort` in every participant that has not ended, and return the carriers to the pool."""
        if self.observers.ending:
            self._notify_end(cut_short=self.aborting)
        self.aborting = True
        self.limit = -1  # a participant that reaches a scheduling point from now on is aborted
        carriers = self.queue.carriers
        unbegun = []
        for carrier in carriers:
            if not carrier.done:
                if carrier.kind == BEGIN:
                    carrier.done = True  # the participant was never chosen, so none of its code has run
                    unbegun.append(carrier)
                else:
                    carrier.throw(Abort)
        self.world.end(carriers, unbegun)
        for carrier in carriers:
            carrier.run_now = carrier.own = None  # type: ignore[assignment]
        self._pool.give_back(carriers)
