"""The probes that are attached while an engine runs executions.

The probe of an access finds the variable, passes the scheduling point if there is one, records which thread touches the
variable, performs the access and notifies the observers. The order matters: the scheduling point comes before the
access, and observers see the result of the access. Probes do nothing else to the program's objects. They inspect
objects through `raddle.inspection`, which runs none of the program's code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.points import Points
from raddle.step import Step
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.attributes import Attributes
from raddle.threads.probes.calls import Calls
from raddle.threads.probes.container_methods import ContainerMethods
from raddle.threads.probes.functions import Functions, leave
from raddle.threads.probes.items import Items
from raddle.threads.probes.methods import Methods
from raddle.threads.probes.names import Names

Probe = Callable[..., Any]


def make_probes(engine: Engine, stream: list[Step] | None = None) -> dict[str, Probe]:
    """Return the probes of an engine by name (see `raddle.probe`). They append accesses to `stream` if it is given."""
    accesses = Accesses(engine)
    items = Items(accesses, with_gil=engine.points.with_gil)
    container_methods = ContainerMethods(accesses, items, engine.allow_gil_switch)
    attributes = Attributes(accesses, container_methods, stream)
    calls = Calls(accesses, items, attributes)
    names = Names(accesses)
    functions = Functions(engine)
    probes: dict[str, Probe] = {
        "read": attributes.read, "write": attributes.write, "delete": attributes.delete,
        "method": Methods(accesses, attributes, calls, container_methods).method,
        "getitem": items.getitem, "setitem": items.setitem, "delitem": items.delitem, "contains": items.contains,
        "iterate": items.iterate, "content": items.content, "inplace": items.inplace, "function": calls.function,
        "read_name": names.read_name, "write_name": names.write_name, "delete_name": names.delete_name,
        "guard": functions.guard, "leave": leave,
    }  # fmt: skip
    if accesses.observing:
        probes |= {"enter": functions.enter, "leave": functions.leave, "block": functions.block}
    if accesses.policy is not None:
        return {name: _passing_by(accesses.policy, made) for name, made in probes.items()}
    return probes


def _passing_by(policy: Points, made: Probe) -> Probe:
    """Return a probe that first reports its site to the policy, even if the site is not a scheduling point."""
    pass_by = policy.pass_by

    def probe(*args: Any) -> Any:
        me = getcurrent()
        if type(me) is Carrier:
            pass_by(me, args[-1])
        return made(*args)

    return probe
