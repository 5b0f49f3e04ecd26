"""A controller that tells a recorder everything that happens."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raddle.checks.crash import is_ours
from raddle.engine.carrier import Carrier
from raddle.engine.engine import Controller
from raddle.engine.sharing import Learned, Variable
from raddle.event import Event, Preemption
from raddle.inspection import MISSING, in_class, name_of, resource_kind
from raddle.operation import ACQUIRE, END, ENTER, JOIN, LEAVE, Kind
from raddle.schedule import Schedule, Segment
from raddle.site import SiteTable
from raddle.threads.data_model.variables import CONTENT, UNKNOWN
from raddle.trace import Trace

_STDLIB = os.path.dirname(os.__file__) + os.sep
_SITE_PACKAGES = _STDLIB + "site-packages"
MOST_PASSED = 64  # sites remembered per thread between two accesses to something shared
# Classes, by id, whose objects can be shown without running code of the program.
_NAMED = frozenset(map(id, (type, types.FunctionType, types.BuiltinFunctionType)))
_SCALARS = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None), type(...))))
_SEQUENCES = frozenset(map(id, (list, tuple)))
_HOLDING = _SEQUENCES | set(map(id, (dict, set, frozenset)))


class Everything:
    """A set that contains everything, and cannot be changed."""

    pass_by: Callable[[Carrier, int], None]

    def __contains__(self, _: object) -> bool:
        return True

    def clear(self) -> None:
        """Nothing is ever taken out."""

    def update(self, _: object) -> None:
        """Nothing needs to be put in."""


class Watched(Controller):
    """Executions whose trace and schedule are wanted.

    `everywhere` makes every arrival of a thread at anything observable a scheduling point, and has new
    threads wait for their turn: that is how a schedule's text is followed, which knows nothing of what
    was learnt. Otherwise the points are those of the execution that is done again.
    """

    def __init__(
        self,
        learned: Learned,
        *,
        table: SiteTable,
        step_limit: int,
        switchable: set[int] | None = None,
        everywhere: bool = False,
    ) -> None:
        super().__init__(learned, step_limit=step_limit, switchable=switchable)
        self.table = table
        self.everywhere = everywhere
        self.points = self.visible = Everything()
        self.points.pass_by = self.pass_by
        self.observing = True
        self.ask_always = everywhere
        self.eager = not everywhere
        if everywhere:  # local steps count too, so there are more of them
            self.step_limit = step_limit * 4
        self.fair = lambda: True  # type: ignore[method-assign]

    def _place_points(self) -> None:
        self.events: list[Event] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[object] = []
        self.names: dict[int, str] = {}
        self.counters: dict[str, int] = {}
        # Who arrived (0), passed a point (1) or passed a site that may turn out to be one, in order; -1: time passed.
        self.log: list[tuple[Carrier, int]] = []
        self._same: dict[Any, Any] = {}  # what is equal is kept once: an execution can have a million steps
        self.arrivals: dict[int, list[tuple[str, int, bool]]] = {}  # place, as in the log but for 0, blocked
        self.standing: dict[int, str] = {}
        self.passed: dict[int, list[tuple[int, bool]]] = {}  # by thread: sites since its last synchronization
        self.stops: list[tuple[Preemption, tuple[tuple[int, bool], ...]]] = []

    # -- arrivals -----------------------------------------------------------------------------------

    def reach(self, me: Carrier) -> None:
        if self.aborting:
            self._over_limit(me)
            return
        if me.kind.is_access:
            self.pass_by(me, me.site)
        point = self.everywhere or self._is_point(me)
        blocked = me.ready is not None and not me.ready()
        place = self.standing[me.index] = self._place_text(me)
        self.log_arrival(me, place, point, blocked)
        if not point:
            self._log(me, me.site if me.kind.is_access else 1)
            return
        self.steps += 1
        if self.steps > self.limit:
            self._over_limit(me)
        chosen = self._next(me)
        if chosen is not me:
            if not blocked:
                before = tuple(self.passed.get(me.index, ())) if me.kind.is_access else ()
                self.stops.append((Preemption(len(self.events), me.label, place), before))
            chosen.switch()
        if not me.kind.is_access:
            self.passed[me.index] = []
            me.open = False
        elif me.site in self.learned.sites:
            me.open = False
        self._log(me, 1)

    def pass_by(self, me: Carrier, site: int) -> None:
        """A thread comes to a site, whatever happens there."""
        switchable = self.table[site].switchable
        if switchable:
            me.open = True
        passed = self.passed.setdefault(me.index, [])
        if not passed or passed[-1][0] != site:
            passed.append((site, switchable))
            del passed[:-MOST_PASSED]

    def lets_go(self, me: Carrier, site: int) -> None:
        super().lets_go(me, site)
        self.passed.setdefault(me.index, []).append((site, True))

    @property
    def preemptions(self) -> tuple[Preemption, ...]:
        """Where threads were stopped, and whether CPython with the GIL could have stopped them there.

        It could if it lets go anywhere between the thread's last access to something shared and the place;
        what is shared is known only when the execution is over.
        """
        return tuple(replace(stop, with_gil=not before or self._lets_go(before)) for stop, before in self.stops)

    def _lets_go(self, passed: tuple[tuple[int, bool], ...]) -> bool:
        for number, (site, switchable) in enumerate(reversed(passed)):
            shared = number and site in self.learned.sites
            # A method is looked up before its arguments are, and accesses its object after them.
            if shared and self.table[site].kind != "call":
                return False
            if switchable:
                return True
            if shared:
                return False
        return True

    def _park(self, me: Carrier) -> None:
        place = self.standing[me.index] = self._place_text(me)
        self.log_arrival(me, place, True, True)
        super()._park(me)
        if me.kind != JOIN:  # a join's return is nobody's decision
            self._log(me, 1)

    def _pass_time(self) -> bool:
        self._log(self.carriers[0], -1)
        return super()._pass_time()

    def log_arrival(self, me: Carrier, place: str, point: bool, blocked: bool) -> None:
        matters = 1 if point else me.site if me.kind.is_access else 0
        arrival = (place, matters, blocked)
        self.arrivals.setdefault(me.index, []).append(self._same.setdefault(arrival, arrival))
        if blocked and me.timer:  # its time runs from here on, so it has to have come here
            self._log(me, 1)
        self._log(me, 0)

    def _log(self, carrier: Carrier, what: int) -> None:
        entry = (carrier, what)
        self.log.append(self._same.setdefault(entry, entry))

    def _is_point(self, me: Carrier) -> bool:
        if me.kind.is_access:
            if me.site not in self.learned.sites:
                return False
            return self.switchable is None or me.open
        if me.kind == END:
            return self._end_is_point(me, self.learned.kinds)
        giving = me.kind.point_if_observed
        return not giving or giving in self.learned.kinds

    # -- places -------------------------------------------------------------------------------------

    def _place_text(self, me: Carrier) -> str:
        """How a schedule names where the thread stands."""
        if me.kind.is_access:
            return self.table[me.site].place
        file, line = self._caller()
        return f"{file}:{line} {me.kind}"

    def place(self, carrier: Carrier) -> str:
        text = self.standing.get(carrier.index, "")
        return text.split(" ")[0]

    def _caller(self) -> tuple[str, int]:
        """The innermost line of the user's that is running: not ours, not the standard library's."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None:
            filename = frame.f_code.co_filename
            foreign = filename.startswith(_STDLIB) and not filename.startswith(_SITE_PACKAGES)
            if not is_ours(filename) and not foreign:
                return self._label(frame), frame.f_lineno
            frame = frame.f_back
        return "stdlib", 0  # a pool's worker between two tasks, say: its lines differ between versions of Python

    def _label(self, frame: types.FrameType) -> str:
        return self.table.label(frame.f_code.co_filename)

    # -- events -------------------------------------------------------------------------------------

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        if self.aborting:
            return
        where = self.table[site]
        number = self._number(variable.owner)
        shown = "" if value is UNKNOWN else self._show(value)
        name = self._variable_name(variable, where.name)
        name = self._same.setdefault(name, name)
        self.events.append(Event(me.label, kind, name, number, where.file, where.line, site, shown))

    def entered(self, me: Carrier, site: int) -> None:
        if not self.aborting:
            where = self.table[site]
            self.events.append(Event(me.label, ENTER, where.function, 0, where.file, where.line, site))

    def left(self, me: Carrier, site: int) -> None:
        if not self.aborting:
            where = self.table[site]
            self.events.append(Event(me.label, LEAVE, where.function, 0, where.file, where.line, site))

    def happened(self, me: Carrier, kind: Kind, target: object, value: object = None) -> None:
        if self.aborting:
            return
        file, line = self._caller()
        if isinstance(target, Carrier):
            name, number = ("" if target is me else target.label), 0
        else:
            name, number = self.name_of(target), self._number(target)
        if kind == ACQUIRE:
            target.taken_at = f"{file}:{line}"  # type: ignore[attr-defined]
        shown = "" if value is None or (kind == ACQUIRE and value is True) else self._show(value)
        self.events.append(Event(me.label, kind, name, number, file, line, 0, shown))

    def _number(self, obj: object) -> int:
        number = self.numbers.get(id(obj))
        if number is None:
            number = self.numbers[id(obj)] = len(self.numbers) + 1
            self.kept.append(obj)
        return number

    def name_of(self, resource: object) -> str:
        """A name for a lock or another resource: its class, and which one of them."""
        name = self.names.get(id(resource))
        if name is None:
            kind = resource_kind(type(resource))
            count = self.counters[kind] = self.counters.get(kind, 0) + 1
            name = self.names[id(resource)] = f"{kind} {count}"
            self.kept.append(resource)
        return name

    def _variable_name(self, variable: Variable, written: str) -> str:
        owner: Any = variable.owner
        if variable.name == CONTENT:
            if written.endswith(CONTENT):
                return written
            receiver, _, method = written.rpartition(".")
            is_method = in_class(type(owner), method, MISSING) is not MISSING
            if is_method and receiver not in ("", method):  # not `copy.copy(items)`
                return receiver + CONTENT
            return name_of(type(owner)) + CONTENT
        if issubclass(type(owner), type):
            return f"{name_of(owner)}.{variable.name}"
        if type(owner) is dict:
            return f"{owner.get('__name__', '?')}.{variable.name}"
        if type(owner) is object or type(owner) is str:
            return variable.name
        return f"{name_of(type(owner))}.{variable.name}"

    def _show(self, value: Any) -> str:
        """A value for people, without running anybody's code."""
        kind = id(type(value))
        if (
            kind in _SCALARS
            or (kind in _HOLDING and not value)
            or (kind in _SEQUENCES and len(value) <= 6 and all(id(type(v)) in _SCALARS for v in value))
        ):
            text = repr(value)
        elif kind in _NAMED:
            text = value.__name__
        elif type(value) is types.MethodType and type(value.__func__) is types.FunctionType:
            text = value.__func__.__name__
        else:
            text = f"<{resource_kind(type(value))}>"
        return text if len(text) <= 60 else text[:57] + "..."

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def trace(self) -> Trace:
        return Trace(tuple(self.events))

    def schedule(self, *, closely: bool = False) -> Schedule:
        """The schedule of the execution just run, as segments; see `raddle.schedule`.

        A thread's segment begins when it passes a point and ends before its next point that somebody else
        got ahead of. What it does in between concerns nobody else; if that is not so, as where threads meet in code
        without probes, `closely` tells every switch, with what a thread does on the way to its first point.
        """
        runs: list[tuple[Carrier, list[int]]] = [(self.carriers[0], [])]
        arrived = dict.fromkeys(range(len(self.carriers)), 0)
        waited = False  # everybody did, so whoever goes on begins anew
        for carrier, what in self.log:
            waited |= what == -1
            if not what:
                arrived[carrier.index] += 1
            if not (closely and what >= 0) and not self._matters(what):
                continue
            if waited or carrier is not runs[-1][0]:
                runs.append((carrier, []))
                waited = False
            if what:
                runs[-1][1].append(arrived[carrier.index])
        segments = []
        stopped: dict[int, int] = {}  # where each thread stood when it was last left: number of arrivals by then
        passed: dict[int, int] = {}
        for carrier, passes in runs:
            first = stopped.get(carrier.index, 0)
            last = passed[carrier.index] = passes[-1] if passes else passed.get(carrier.index, 0)
            segment, stopped[carrier.index] = self._segment(carrier, first, last, closely)
            segments.append(segment)
        return Schedule(tuple(segments))

    def _matters(self, what: int) -> bool:
        """Is it a point, by what is known at the end of the execution?"""
        return what == 1 or what in self.learned.sites

    def _segment(self, carrier: Carrier, first: int, last: int, closely: bool) -> tuple[Segment, int]:
        arrivals = self.arrivals.get(carrier.index, [])
        for index in range(last, len(arrivals)):
            place, what, blocked = arrivals[index]
            if closely or self._matters(what):
                if blocked:
                    return Segment(carrier.label), index + 1
                count = sum(1 for p, _, _ in arrivals[first : index + 1] if p == place)
                return Segment(carrier.label, place, count), index + 1
        return Segment(carrier.label), len(arrivals)
