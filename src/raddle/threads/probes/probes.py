"""What the probes do while a controller is at work.

Each access finds its variable, passes a scheduling point if its site is one, notes who touched what, does
what the source said, and tells the observers if there are any. In that order: the point comes before the
access, and what is noted is what really happened.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType, MethodType, ModuleType, WrapperDescriptorType
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.points import Points
from raddle.engine.variables import Variable
from raddle.inspection import in_class, is_method_of, own_fields
from raddle.operation import DELETE, READ, WRITE, Effect, Kind
from raddle.step import Step
from raddle.threads.data_model.deferred import BoundMethod, Stepped
from raddle.threads.data_model.filesystem import effect_of_method as effect_of_outside
from raddle.threads.data_model.filesystem import is_outside
from raddle.threads.data_model.proxies import WRAPPED, behind
from raddle.threads.data_model.variables import (
    BUILT_IN,
    CONTENT,
    UNKNOWN,
    VIEW_TYPES,
    attribute_owner,
    container_base,
    effect_by_name,
    effect_of_method,
    fills,
    is_in_python,
    is_iterator,
    runs_python,
    written_owner,
)
from raddle.threads.patches import NAMES
from raddle.threads.probes.calls import Accesses, make_calls
from raddle.threads.twins.adopt import TWINS, adopt
from raddle.threads.twins.functools import leaving, stored
from raddle.threads.twins.local import RealLocal, own

# Classes, by id, whose objects hold nothing that is a variable of its own.
_PLAIN = frozenset(map(id, (int, float, bool, str, bytes, type(None), tuple)))
_TAKING = frozenset({"join", "format", "format_map"})  # methods of strings that look into what they are given


class Arriving:
    """Asks a policy at each site."""

    def __init__(self, points: Points) -> None:
        self._points = points

    def __contains__(self, site: int) -> bool:
        return self._points.arrive(getcurrent(), site)  # type: ignore[arg-type]


def make_probes(control: Engine, stream: list[Step] | None = None) -> dict[str, Callable[..., Any]]:
    """The probes to attach for this controller.

    They do to objects of the program what the source says, and nothing else: what they need to know besides they find
    out by way of `raddle.inspection`, so that no code of the program runs.
    """
    objects = control.variables.objects
    points: Any = control.points.sites if type(control.points) is Points else Arriving(control.points)
    reach = control.reach
    views = control.variables.views
    sampling = control.sampling
    quiet = sampling.quiet
    look = control.tracker.look
    code_names: dict[int, set[str]] = {}  # by id of class or module: methods, properties, functions: no variables
    kept: list[type] = []  # classes that are known by id
    cold, hot = sampling.cold, sampling.hot
    observing = bool(control.observers.accessed)
    tell = control.accessed
    record = None if stream is None else stream.append
    with_gil = control.points.follows_sites  # it matters where the interpreter lets go

    def calls_python(cls: type) -> bool:
        base = container_base(cls)
        return base is not None and is_in_python(base)

    # -- variables ----------------------------------------------------------------------------------

    def find(obj: Any, name: str) -> Variable | None:
        """The variable behind an attribute, on first sight."""
        real = behind(obj, name)
        if real is not None:
            return known_as(obj, name, find(real, name))
        owner = attribute_owner(obj, name)
        if owner is None:
            if issubclass(type(obj), ModuleType):
                code_names.setdefault(id(obj), set()).add(name)
            elif not issubclass(type(obj), type) and container_base(type(obj)) is None and not is_kept(obj, name):
                if id(type(obj)) not in code_names:
                    kept.append(type(obj))
                code_names.setdefault(id(type(obj)), set()).add(name)
            return None
        variable = variable_of(owner, name)
        if owner is obj or issubclass(type(obj), ModuleType):
            return variable
        mine = variable_of(obj, name)
        mine.inherited = variable
        return mine

    def known_as(proxy: Any, name: str, variable: Variable | None) -> Variable | None:
        """What is reached through a proxy is the same variable."""
        if variable is not None:
            objects.setdefault(id(proxy), {})[name] = variable
            views[id(proxy)] = proxy, variable.owner  # kept alive, so that its id stays its own
        return variable

    def forget_proxy(proxy: Any) -> None:
        """Another object is behind it now."""
        if views.pop(id(proxy), None) is not None:
            objects.pop(id(proxy), None)

    def variable_of(owner: Any, name: str) -> Variable:
        fields = objects.setdefault(id(owner), {})
        variable = fields.get(name)
        if variable is None:
            variable = fields[name] = Variable(owner, name)
        return variable

    def find_content(obj: Any) -> Variable:
        fields = objects.get(id(obj))
        if fields is None:
            fields = objects[id(obj)] = {}
        variable = fields.get(CONTENT)
        if variable is None:
            real = behind(obj)
            if real is None:
                variable = fields[CONTENT] = Variable(obj, CONTENT)
            else:
                variable = find_content(real)
                known_as(obj, CONTENT, variable)
        return variable

    def is_kept(obj: Any, name: str) -> bool:
        """Does its class keep something real, and call it like a method?"""
        found = in_class(type(obj), name)  # looked at, not asked: a descriptor is code of the program's
        return type(found) is BuiltinFunctionType and found in NAMES

    def instead_of(real: Any, site: int) -> Any:
        """The twin of something that was kept before the twins came: a clock."""
        quiet[site] = None
        return NAMES[real]

    def arrive(me: Carrier, obj: Any, kind: Kind, site: int) -> None:
        """A scheduling point before an access to a container's content, in an execution that is not tracked."""
        me.kind = kind
        me.target = obj
        me.name = CONTENT
        me.site = site
        reach(me)

    def step(me: Carrier, variable: Variable, kind: Kind, site: int) -> None:
        """Everything that comes before an access."""
        if with_gil and variable.name == CONTENT and calls_python(type(variable.owner)):
            control.lets_go(me, site)  # in the calls of its methods
        if site in points:
            me.kind = kind
            me.target = variable.owner
            me.name = variable.name
            me.site = site
            reach(me)
        if sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.seen:
                look(me, variable, access, kind != READ)

    # -- attributes ---------------------------------------------------------------------------------

    def read(obj: Any, name: str, site: int) -> Any:
        cls = type(obj)
        if cold.get(site) is cls:
            return getattr(obj, name)
        me = getcurrent()
        if me.__class__ is not Carrier:
            return getattr(obj, name)
        if hot.get(site) is cls:
            me.kind = READ
            me.target = obj
            me.name = name
            me.site = site
            reach(me)
            return getattr(obj, name)
        fields = objects.get(id(obj))
        variable = fields.get(name) if fields is not None else None
        if variable is None:
            if name in code_names.get(id(cls if cls is not ModuleType else obj), ()):
                quiet.setdefault(site, cls)
                return getattr(obj, name)
            if id(cls) in TWINS:
                return getattr(adopt(obj), name)
            if issubclass(type(obj), RealLocal):
                return getattr(own(obj, me), name)
            variable = find(obj, name)
            if variable is None:
                found = getattr(obj, name)
                base = container_base(cls)
                if base is not None and is_method_of(obj, found):
                    kind = effect_of_method(cls, base, found, name)
                    if kind:  # somebody else will call it: Thread(target=items.append)
                        return BoundMethod(found, partial(call_elsewhere, obj, found, kind, site))
                if type(found) is BuiltinFunctionType and found in NAMES:
                    return instead_of(found, site)
                return found
        if site in points:
            me.kind = READ
            me.target = variable.owner
            me.name = name
            me.site = site
            reach(me)
        if sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.seen:
                look(me, variable, access, False)
        value = getattr(obj, name)
        if type(value) is BuiltinFunctionType and value in NAMES:
            value = instead_of(value, site)
        if observing:
            number = variable.number
            if number >= 0 and record is not None and not control.aborting:
                record((me.index, READ, number, site))
            else:
                tell(me, READ, variable, site, value)
        return value

    def write(value: Any, obj: Any, name: str, site: int) -> None:
        cls = type(obj)
        if cold.get(site) is cls:
            setattr(obj, name, value)
            return
        me = getcurrent()
        if me.__class__ is not Carrier:
            setattr(obj, name, value)
            return
        if hot.get(site) is cls:
            me.kind = WRITE
            me.target = obj
            me.name = name
            me.site = site
            reach(me)
            setattr(obj, name, value)
            return
        fields = objects.get(id(obj))
        variable = fields.get(name) if fields is not None else None
        if variable is None:
            if issubclass(type(obj), RealLocal):
                setattr(own(obj, me), name, value)
                return
            variable = find_written(obj, name)
            if variable is None:
                setattr(obj, name, value)
                if name == WRAPPED:
                    forget_proxy(obj)
                return
        if site in points:
            me.kind = WRITE
            me.target = variable.owner
            me.name = name
            me.site = site
            reach(me)
        if sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.seen:
                look(me, variable, access, True)
        setattr(obj, name, value)
        if observing:
            number = variable.number
            if number >= 0 and record is not None and id(type(value)) in _PLAIN and not control.aborting:
                record((me.index, WRITE, number, site))
            else:
                tell(me, WRITE, variable, site, value)

    def find_written(obj: Any, name: str) -> Variable | None:
        """The variable that `obj.name = ...` writes: the object's own, unless a property takes the value."""
        real = behind(obj, name)
        if real is not None:
            return known_as(obj, name, find_written(real, name))
        owner = written_owner(obj, name)
        if owner is None:
            return None
        code_names.get(id(obj if issubclass(type(obj), ModuleType) else type(obj)), set()).discard(name)
        if issubclass(type(owner), ModuleType):
            owner = own_fields(owner)
        return variable_of(owner, name)

    def delete(obj: Any, name: str, site: int) -> None:
        me = getcurrent()
        if me.__class__ is not Carrier:
            delattr(obj, name)
            return
        if issubclass(type(obj), RealLocal):
            delattr(own(obj, me), name)
            return
        variable = find_written(obj, name)
        if variable is not None:
            step(me, variable, DELETE, site)
        delattr(obj, name)
        if observing and variable is not None:
            tell(me, DELETE, variable, site, None)

    def method(obj: Any, name: str, site: int) -> Any:
        if cold.get(site) is type(obj):
            if observing:  # what the method does to locks and the like is told by this site
                me = getcurrent()
                if me.__class__ is Carrier:
                    me.site = site
            return getattr(obj, name)
        me = getcurrent()
        if me.__class__ is not Carrier:
            return getattr(obj, name)
        cls = type(obj)
        effects = built_in.get(id(cls))
        if effects is not None:
            kind = effects.get(name)
            if kind is None:
                kind = effects[name] = effect_by_name(cls, name)
            me.site = site
            if not kind:
                return getattr(obj, name)
            return partial(sorting if name == "sort" else call_method, obj, getattr(obj, name), kind, site)
        base = container_base(cls)
        if base is not None and name not in own_fields(obj):
            found = getattr(obj, name)
            kind = effect_of_method(cls, base, found, name)
            if kind:
                me.site = site
                return partial(sorting if name == "sort" else call_method, obj, found, kind, site)
            return found
        me.site = site
        try:
            special = specials[id(cls)]
        except KeyError:
            kept.append(cls)
            special = of_class if issubclass(cls, type) else of_outside if is_outside(cls) else None
            specials[id(cls)] = special
        if special is not None:
            return special(obj, name, site)
        found = read(obj, name, site)  # an attribute may hold anything: `self.opener = open`
        return found if type(found) is MethodType else function(found, site)

    def of_module(module: ModuleType, name: str, site: int) -> Any:
        """A function of a module that is called at once: `heapq.heappush(items, 1)`."""
        if name in code_names.get(id(module), ()):
            found = getattr(module, name)
        else:
            found = read(module, name, site)  # a variable that holds something to call, or code not seen before
        called = function(found, site)
        if called is found and name in code_names.get(id(module), ()):
            quiet.setdefault(site, ModuleType)
        return called

    def of_super(above: Any, name: str, site: int) -> Any:
        """`super().append(1)`, in a class that extends a container."""
        found, obj = getattr(above, name), above.__self__
        cls = type(obj)  # it may be asked for its attributes just now: it must not be asked for that
        base = None if issubclass(cls, type) else container_base(cls)
        kind = effect_of_method(cls, base, found, name) if base is not None else ""
        return partial(call_method, obj, found, kind, site) if kind else found

    def of_text(text: Any, name: str, site: int) -> Any:
        found = getattr(text, name)
        if name in _TAKING:
            return partial(touching, found, READ, site)
        quiet.setdefault(site, type(text))
        return found

    def of_outside(obj: Any, name: str, site: int) -> Any:
        """A method of a file, a path or a database."""
        kind = effect_of_outside(obj, name)
        return partial(outside, getattr(obj, name), kind, site) if kind else read(obj, name, site)

    # By id of the class: what methods of containers do, and who sees to methods of others.
    built_in: dict[int, dict[str, Effect]] = {id(cls): {} for cls in BUILT_IN}
    specials: dict[int, Callable[[Any, str, int], Any] | None] = {
        **dict.fromkeys(TWINS, lambda real, name, site: getattr(adopt(real), name)),
        id(ModuleType): of_module,
        id(str): of_text,
        id(bytes): of_text,
        id(super): of_super,
    }

    def of_class(kind: type, name: str, site: int) -> Any:
        """A method that is called by way of its class: `dict.get(d, 1)`, `object.__setattr__(x, "a", 1)`."""
        found = read(kind, name, site)
        past = past_the_class.get(found) if type(found) is WrapperDescriptorType else None
        if past is not None:
            return partial(past, found, site)
        if container_base(kind) is None:
            return function(found, site)
        if type(found) is BuiltinFunctionType:  # of the class itself: `dict.fromkeys(items)`
            return partial(touching, found, READ, site)
        return partial(call_by_class, found, name, site)

    def call_by_class(found: Any, name: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        base = container_base(type(args[0])) if args else None
        kind = effect_by_name(base, name) if base is not None else ""
        if not kind:
            return found(*args, **kwargs)
        return call_method(args[0], partial(found, args[0]), kind, site, *args[1:], **kwargs)

    def call_elsewhere(obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """A method that was kept and is called now: the calls around it, where the GIL may go, are not at its site."""
        me: Any = getcurrent()
        if me.__class__ is Carrier:
            control.lets_go(me, site)
        return call_method(obj, found, kind, site, *args, **kwargs)

    def sorting(obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """While a function of the user's says what to sort by, others can come to the list, which is empty then."""
        key = kwargs.get("key")
        me: Any = getcurrent()
        if me.__class__ is Carrier and key is not None and runs_python(key):
            variable = find_content(obj)

            def stopping(item: Any) -> Any:
                step(me, variable, WRITE, site)
                return key(item)

            kwargs["key"] = stopping
        return call_method(obj, found, kind, site, *args, **kwargs)

    def call_method(obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """A method of a container: one step."""
        me: Any = getcurrent()
        if me.__class__ is not Carrier:
            return found(*args, **kwargs)
        if hot.get(site) is type(obj):
            arrive(me, obj, kind, site)
            return found(*args, **kwargs)
        variable = find_content(obj)
        step(me, variable, kind, site)
        if args or kwargs:
            result = found(*[look_inside(a, site) for a in args], **kwargs)
        else:
            result = found()
        if id(type(result)) in VIEW_TYPES:
            views[id(result)] = (result, obj)
            quiet[site] = None  # whoever iterates over the view must find out whose it is
        if observing:
            tell(me, kind, variable, site, result if kind == READ else UNKNOWN)
        return result

    # -- contents -----------------------------------------------------------------------------------

    def container_of(obj: Any) -> Any:
        """The container that is looked at when `obj` is: itself, or what it is a view of."""
        cls = type(obj)
        if container_base(cls) is not None:
            return obj
        known = views.get(id(obj))
        return known[1] if known is not None else None

    def getitem(obj: Any, key: Any, site: int) -> Any:
        kind = type(obj)
        if cold.get(site) is kind:
            return obj[key]
        me = getcurrent()
        if me.__class__ is not Carrier or container_base(type(obj)) is None:
            return obj[key]
        variable = find_content(obj)
        if fills(kind):
            if in_class(kind, "__missing__") is defaultdict.__missing__ and runs_python(obj.default_factory):
                return filled(me, obj, key, variable, site)
            step(me, variable, WRITE, site)
        else:
            step(me, variable, READ, site)
        value = obj[key]
        if type(value) is BuiltinFunctionType and value in NAMES:
            value = instead_of(value, site)
        if observing:
            tell(me, READ, variable, site, value)
        return value

    def filled(me: Carrier, obj: Any, key: Any, variable: Variable, site: int) -> Any:
        """What a factory of the user's makes is stored when it returns, whatever was stored meanwhile."""
        step(me, variable, WRITE, site)  # it may become one, and what a site does is noted once
        missing = key not in obj
        if missing:
            value = obj.default_factory()
            step(me, variable, WRITE, site)
            obj[key] = value
        else:
            value = obj[key]
        if observing:
            tell(me, WRITE if missing else READ, variable, site, value)
        return value

    def setitem(value: Any, obj: Any, key: Any, site: int) -> None:
        kind = type(obj)
        if cold.get(site) is kind:
            obj[key] = value
            return
        me = getcurrent()
        if me.__class__ is not Carrier or container_base(type(obj)) is None:
            obj[key] = value
            return
        variable = find_content(obj)
        step(me, variable, WRITE, site)
        obj[key] = value
        if observing:
            tell(me, WRITE, variable, site, value)

    def delitem(obj: Any, key: Any, site: int) -> None:
        me = getcurrent()
        if me.__class__ is not Carrier or container_base(type(obj)) is None:
            del obj[key]
            return
        variable = find_content(obj)
        step(me, variable, DELETE, site)
        del obj[key]
        if observing:
            tell(me, DELETE, variable, site, None)

    def contains(key: Any, obj: Any, site: int) -> bool:
        me = getcurrent()
        container = container_of(obj) if me.__class__ is Carrier else None
        if container is None:
            return key in obj
        variable = find_content(container)
        step(me, variable, READ, site)  # type: ignore[arg-type]
        found = key in obj
        if observing:
            tell(me, READ, variable, site, found)  # type: ignore[arg-type]
        return found

    def content(obj: Any, site: int) -> Any:
        cls = type(obj)
        if cls is int or cls is bool or cls is str or obj is None or cold.get(site) is cls:
            return obj
        me = getcurrent()
        if hot.get(site) is cls and me.__class__ is Carrier:
            arrive(me, obj, READ, site)
            return obj
        container = container_of(obj) if me.__class__ is Carrier else None
        if container is not None:
            variable = find_content(container)
            step(me, variable, READ, site)  # type: ignore[arg-type]
            if observing:
                tell(me, READ, variable, site, UNKNOWN)  # type: ignore[arg-type]
        return obj

    def iterate(obj: Any, site: int) -> Any:
        if cold.get(site) is type(obj) or getcurrent().__class__ is not Carrier:
            return obj
        container = container_of(obj)
        if container is None or is_iterator(container):  # a file in memory is both
            return Stepped(obj, partial(advance, obj, site)) if is_iterator(obj) else obj
        if issubclass(type(container), list):  # its iterator looks at nothing before the first next
            return steps(iter(obj), container, site)
        look_at(container, site)
        # With the GIL nobody can come in between the making of a loop's iterator and its first next.
        return steps(iter(obj), container, site, at_once=control.points.with_gil)

    def look_at(container: Any, site: int) -> None:
        """A step of its own before an iterator is made: most note the size of what they run over."""
        me: Any = getcurrent()
        variable = find_content(container)
        step(me, variable, READ, site)
        if observing:
            tell(me, READ, variable, site, UNKNOWN)

    def steps(iterator: Iterator[Any], container: Any, site: int, at_once: bool = False) -> Iterator[Any]:
        """An iterator whose every next is a step of its own, the first one only if not `at_once`."""
        variable = find_content(container)
        if at_once:
            try:
                value = next(iterator)
            except StopIteration:
                return
            yield value
        while True:
            me: Any = getcurrent()
            if me.__class__ is Carrier:
                step(me, variable, READ, site)
            try:
                value = next(iterator)
            except StopIteration:
                return
            if observing and me.__class__ is Carrier:
                tell(me, READ, variable, site, value)
            yield value

    def look_inside(obj: Any, site: int) -> Any:
        """An argument of something in C that will read it at once: no point of its own, but noted."""
        container = container_of(obj)
        if container is not None:
            me: Any = getcurrent()
            variable = find_content(container)
            access = (me.index, me.segment, ~site)  # not to be taken for what the site itself does to it
            if access not in variable.seen:
                look(me, variable, access, False)
        return obj

    def inplace(operation: str, obj: Any, value: Any, site: int) -> Any:
        if type(obj) is int:
            return IN_PLACE[operation](obj, value)
        me = getcurrent()
        if me.__class__ is not Carrier or container_base(type(obj)) is None:
            return IN_PLACE[operation](obj, value)
        variable = find_content(obj)
        step(me, variable, WRITE, site)
        result = IN_PLACE[operation](obj, look_inside(value, site))
        if observing:
            tell(me, WRITE, variable, site, UNKNOWN)
        return result

    accesses = Accesses(
        read, write, delete, content, iterate, find, find_written, find_content, variable_of, container_of,
        step, arrive, look, look_at, look_inside, steps,
    )  # fmt: skip
    function, touching, outside, advance, past_the_class = make_calls(control, accesses)

    # -- names --------------------------------------------------------------------------------------

    def read_name(owner: Any, name: str, site: int) -> None:
        me = getcurrent()
        if me.__class__ is Carrier:
            variable = variable_of(owner, name)
            step(me, variable, READ, site)
            if observing:
                value = owner.get(name, UNKNOWN) if issubclass(type(owner), dict) else UNKNOWN
                tell(me, READ, variable, site, value)

    def write_name(value: Any, owner: Any, name: str, site: int) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            variable = variable_of(owner, name)
            step(me, variable, WRITE, site)
            if observing:
                tell(me, WRITE, variable, site, value)
        return value

    def delete_name(owner: Any, name: str, site: int) -> None:
        me = getcurrent()
        if me.__class__ is Carrier:
            variable = variable_of(owner, name)
            step(me, variable, DELETE, site)
            if observing:
                tell(me, DELETE, variable, site, None)

    # -- blocks and functions -----------------------------------------------------------------------

    def guard(manager: Any, site: int) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.site = site
            if id(type(manager)) in TWINS:
                return adopt(manager)
        return manager

    probes: dict[str, Callable[..., Any]] = {
        "read": read, "write": write, "delete": delete, "method": method,
        "getitem": getitem, "setitem": setitem, "delitem": delitem,
        "contains": contains, "content": content, "iterate": iterate, "inplace": inplace, "function": function,
        "read_name": read_name, "write_name": write_name, "delete_name": delete_name, "guard": guard,
    }  # fmt: skip

    def leave(site: int) -> None:
        if site in leaving:
            stored(site)

    probes["leave"] = leave
    if observing:

        def enter(site: int) -> None:
            me = getcurrent()
            if me.__class__ is Carrier:
                control.entered(me, site)

        def leave_and_tell(site: int) -> None:
            me = getcurrent()
            if me.__class__ is Carrier:
                if site in leaving:
                    stored(site)
                control.left(me, site)

        def block(site: int) -> None:
            me = getcurrent()
            if me.__class__ is Carrier:
                control.passed_block(me, site)

        probes |= {"enter": enter, "leave": leave_and_tell, "block": block}
    if with_gil:
        return {name: _passing_by(control.points.pass_by, made) for name, made in probes.items()}
    return probes


def _passing_by(pass_by: Callable[[Carrier, int], None], made: Callable[..., Any]) -> Callable[..., Any]:
    """A probe that also tells that its site was come to, whether it is a scheduling point or not."""

    def probe(*args: Any) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            pass_by(me, args[-1])
        return made(*args)

    return probe


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift", "irshift", "iand", "ior", "ixor",
        "imatmul",
    )
}  # fmt: skip
