"""What probes tell of calls of code that has none: built-in functions, code in C, modules that are not instrumented.

Such code touches what it is given without telling. What it does to it is known of functions that many programs use,
and supposed of others (see `raddle.threads.data_model.call_effects`); the call as a whole is one step.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from greenlet import getcurrent

from raddle import env
from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.variables import Variable
from raddle.operation import DELETE, KINDS, READ, WRITE, Kind
from raddle.threads.data_model.call_effects import (
    LAZY,
    ON_DISK,
    Effects,
    everything_in,
    looks_deeply,
    names_of,
    reads_attributes,
)
from raddle.threads.data_model.filesystem import CONTENTS, DISK, effect_of_opening
from raddle.threads.data_model.filesystem import effect_of_method as effect_of_outside
from raddle.threads.data_model.variables import UNKNOWN, container_base, is_iterator
from raddle.threads.patches import NAMES

_NESTING = frozenset(map(id, (list, tuple, dict)))  # classes, by id


class Accesses(NamedTuple):
    """What calls are told with: see `raddle.threads.probes.probes`, which makes these."""

    read: Callable[[Any, str, int], Any]
    write: Callable[[Any, Any, str, int], None]
    delete: Callable[[Any, str, int], None]
    content: Callable[[Any, int], Any]
    iterate: Callable[[Any, int], Any]
    find: Callable[[Any, str], Variable | None]
    find_written: Callable[[Any, str], Variable | None]
    find_content: Callable[[Any], Variable]
    variable_of: Callable[[Any, str], Variable]
    container_of: Callable[[Any], Any]
    step: Callable[[Carrier, Variable, Kind, int], None]
    arrive: Callable[[Carrier, Any, Kind, int], None]
    look: Callable[[Carrier, Variable, tuple[int, int, int], bool], None]
    look_at: Callable[[Any, int], None]
    look_inside: Callable[[Any, int], Any]
    steps: Callable[[Iterator[Any], Any, int], Iterator[Any]]


class Calls(NamedTuple):
    """What the probes need of it."""

    function: Callable[[Any, int], Any]
    touching: Callable[..., Any]
    outside: Callable[..., Any]
    advance: Callable[..., Any]
    past_the_class: dict[Any, Callable[..., Any]]


def make_calls(control: Engine, accesses: Accesses) -> Calls:
    """For one controller."""
    (read, write, delete, content, iterate, find, find_written, find_content, variable_of, container_of) = accesses[:10]
    step, arrive, look, look_at, look_inside, steps = accesses[10:]
    cold, hot, observing, tell = (
        control.sampling.cold,
        control.sampling.hot,
        bool(control.observers.accessed),
        control.accessed,
    )
    effect_of = Effects().of

    def function(called: Any, site: int) -> Any:
        if getcurrent().__class__ is not Carrier:
            return called
        handler = handlers.get(id(called))
        if handler is not None:
            return partial(handler, called, site)
        if type(called) is partial:
            inner = function(called.func, site)
            return called if inner is called.func else partial(inner, *called.args, **called.keywords)
        kind = effect_of(called)
        if kind in ON_DISK:
            return partial(outside, called, ON_DISK[kind], site)
        return partial(touching, called, KINDS[kind], site) if kind else called

    def touching(called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Something without probes works on a container that it is given: one step; others it may look into."""
        me: Any = getcurrent()
        target = None
        given: Sequence[Any] = (*args, *kwargs.values()) if me.__class__ is Carrier else ()
        copies = given and reads_attributes(called)
        for arg in everything_in(given) if given and looks_deeply(called) else given:
            if effect_of_outside(arg, "write"):  # a file to be written to, say
                called = partial(outside, called, WRITE, site)
            elif target is not None:
                look_inside(arg, site)
            elif (target := container_of(arg)) is not None:
                touch(me, target, kind, site)
        if copies:
            read_all(me, given, site)
        return called(*args, **kwargs)

    def read_all(me: Carrier, given: Sequence[Any], site: int) -> None:
        """All attributes of objects that are copied, say: one step."""
        found = [find(obj, name) for obj in given for name in names_of(obj)]
        for number, variable in enumerate(variable for variable in found if variable is not None):
            if not number:
                step(me, variable, READ, site)
            elif control.sampling.tracking and (access := (me.index, me.segment, ~site)) not in variable.seen:
                look(me, variable, access, False)  # the step does not say so, see `look_inside`
            if observing:
                tell(me, READ, variable, site, UNKNOWN)

    def touch(me: Carrier, container: Any, kind: Kind, site: int) -> None:
        cls = type(container)
        if cold.get(site) is cls:
            return
        if hot.get(site) is cls:
            arrive(me, container, kind, site)
            return
        variable = find_content(container)
        step(me, variable, kind, site)
        if observing:
            tell(me, kind, variable, site, UNKNOWN)

    def looking(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """len(x), sorted(x), ...: looks into its arguments in one step."""
        if len(args) != 1 or (called in deep and id(type(args[0])) in _NESTING):
            return touching(called, READ, site, *args, **kwargs)
        if is_iterator(args[0]) and called in draining:
            return advance(args[0], site, partial(called, *args, **kwargs))
        content(args[0], site)
        return called(*args, **kwargs)

    def printing(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        file = kwargs.get("file")
        if me.__class__ is Carrier and container_base(type(file)) is not None:
            touch(me, file, WRITE, site)
        elif effect_of_outside(file, "write"):
            return outside(partial(looking, called, site), WRITE, site, *args, **kwargs)
        return looking(called, site, *args, **kwargs)

    def lazily(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """enumerate(x), zip(x, y), ...: looks into its arguments step by step, later."""
        if called is map and args:
            args = (function(args[0], site), *args[1:])
        return called(*[iterate(arg, site) for arg in args], **kwargs)

    def iterating(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        container = container_of(args[0]) if len(args) == 1 else None
        if container is not None:
            look_at(container, site)
            return steps(called(*args), container, site)
        return called(*args, **kwargs)

    def advancing(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """next(x): an iterator of C's, or a generator, is a datum that two threads can share."""
        if args and is_iterator(args[0]):
            return advance(args[0], site, partial(called, *args, **kwargs))
        return called(*args, **kwargs)

    def advance(iterator: Any, site: int, go: Callable[[], Any] | None = None) -> Any:
        me: Any = getcurrent()
        if me.__class__ is not Carrier:
            return next(iterator) if go is None else go()
        variable = find_content(iterator)
        step(me, variable, WRITE, site)
        value = next(iterator) if go is None else go()
        if observing:
            tell(me, WRITE, variable, site, value)
        return value

    def getting(called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        if not default:
            return read(obj, name, site)
        try:
            return read(obj, name, site)
        except AttributeError:
            return default[0]

    def having(called: Any, site: int, /, obj: Any, name: str) -> bool:
        try:
            read(obj, name, site)
        except AttributeError:
            return False
        return True

    def setting(called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        write(value, obj, name, site)

    def deleting(called: Any, site: int, /, obj: Any, name: str) -> None:
        delete(obj, name, site)

    def reading_past(called: Any, site: int, /, obj: Any, name: str) -> Any:
        """`object.__getattribute__(x, "a")`: past what the class says of its attributes."""
        return past(called, READ, site, obj, name)

    def writing_past(called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        past(called, WRITE, site, obj, name, value)

    def deleting_past(called: Any, site: int, /, obj: Any, name: str) -> None:
        past(called, DELETE, site, obj, name)

    def past(called: Any, kind: Kind, site: int, obj: Any, name: str, *values: Any) -> Any:
        me: Any = getcurrent()
        looked_up = find if kind == READ else find_written
        variable = looked_up(obj, name) if me.__class__ is Carrier else None
        if variable is None:
            return called(obj, name, *values)
        step(me, variable, kind, site)
        result = called(obj, name, *values)
        if observing:
            tell(me, kind, variable, site, values[0] if values else result)
        return result

    def outside(called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """It looks at what is outside of the process, or changes it: one step."""
        me: Any = getcurrent()
        if me.__class__ is Carrier:
            variable = variable_of(DISK, CONTENTS)
            step(me, variable, kind, site)
            if observing and not control.measuring:  # it is no variable of the program's, that could be covered
                tell(me, kind, variable, site, UNKNOWN)
        return called(*args, **kwargs)

    def opening(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
        return outside(called, effect_of_opening(mode), site, *args, **kwargs)

    def standing_in(called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Something real that was kept before the twins came: a clock as a default."""
        return NAMES[called](*args, **kwargs)

    past_the_class: dict[Any, Callable[..., Any]] = {
        object.__getattribute__: reading_past, object.__setattr__: writing_past, object.__delattr__: deleting_past,
    }  # fmt: skip

    handlers: dict[int, Callable[..., Any]] = {
        id(getattr(builtins, name)): handler
        for names, handler in (
            (
                "len list dict set tuple sorted sum min max any all bool str repr format bytes bytearray",
                looking,
            ),
            ("print", printing),
            ("open", opening),
            ("enumerate zip map filter", lazily),
            ("iter reversed", iterating),
            ("next", advancing),
            ("getattr", getting),
            ("hasattr", having),
            ("setattr", setting),
            ("delattr", deleting),
        )
        for name in names.split()
    }  # fmt: skip
    handlers.update((id(kind), looking) for kind in env.FROZEN_TYPES)
    draining = {list, dict, set, *env.FROZEN_TYPES, tuple, sorted, sum, min, max, any, all, bytes, bytearray}
    deep = {called for called in vars(builtins).values() if id(called) in handlers and looks_deeply(called)}
    handlers.update((id(kind), lazily) for kind in LAZY)
    handlers.update((id(real), standing_in) for real in NAMES)

    return Calls(function, touching, outside, advance, past_the_class)
