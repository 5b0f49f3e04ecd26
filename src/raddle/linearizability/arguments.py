"""Checks the arguments of `raddle.linearizable`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.errors import UsageError
from raddle.linearizability.concurrent_calls import CallOn, ConcurrentCalls, Pause, in_steps
from raddle.linearizability.judgment import ALL, Oracle
from raddle.schedule import Schedule


def concurrent_calls(
    setup: Callable[[], Any],
    threads: Sequence[Sequence[CallOn]],
    observe: Sequence[CallOn],
    invariant: CallOn | None,
) -> ConcurrentCalls:
    """Check the functions and return the concurrent calls."""
    if isinstance(getcurrent(), Carrier):
        raise UsageError("nested", "a check of concurrent calls cannot run inside an exploration")
    if not callable(setup):
        raise UsageError("not-a-function", f"setup must be a function that returns the object, not {setup!r}")
    if not _is_plain(setup):
        raise UsageError("call-not-plain", "setup is a coroutine or generator; it must be a plain function")
    required = _required_parameters(setup)
    if required:
        raise UsageError(
            "setup-has-parameters",
            f"setup takes parameters ({', '.join(required)}): pass a function without parameters, such as "
            "`lambda: Stack(10)`",
        )
    if not threads:
        raise UsageError(
            "no-threads", "linearizable needs the calls of each thread, as one list of functions for each thread"
        )
    rows, pause = [], Pause()
    for number, calls in enumerate(threads, 1):
        where = f"thread {number}"
        rows.append(_calls(calls, where, pause))
        if not rows[-1]:
            raise UsageError(
                "no-calls", f"{where} makes no calls: pass a list of functions, such as [lambda stack: stack.pop()]"
            )
    invariants = () if invariant is None else _functions((invariant,), "invariant")
    return ConcurrentCalls(setup, tuple(rows), _calls(observe, "observe", pause), invariants, pause)


def _calls(calls: Any, where: str, pause: Pause) -> tuple[CallOn, ...]:
    """Return the calls as a tuple of plain functions; generator functions pause at each `yield`."""
    functions = _functions(calls, where, allow_generators=True)
    return tuple(in_steps(call, pause) if inspect.isgeneratorfunction(call) else call for call in functions)


def _functions(calls: Any, where: str, *, allow_generators: bool = False) -> tuple[CallOn, ...]:
    """Return the calls as a tuple, after checking that each is a function of one argument."""
    if callable(calls) or isinstance(calls, (str, bytes)) or not isinstance(calls, Iterable):
        raise UsageError(
            "calls-not-a-list",
            f"{where} must be a list of functions, such as [lambda stack: stack.pop()], not {calls!r}",
        )
    row = tuple(calls)
    for number, call in enumerate(row, 1):
        which = where if where == "invariant" else f"call {number} of {where}"
        if not callable(call):
            raise UsageError(
                "not-a-function", f"{which} must be a function of the object that setup returns, not {call!r}"
            )
        if not _is_plain(call) and not (allow_generators and inspect.isgeneratorfunction(call)):
            what = "coroutine" if allow_generators else "coroutine or generator"
            raise UsageError("call-not-plain", f"{which} is a {what}; it must be a plain function")
        if not _takes_one_argument(call):
            raise UsageError(
                "call-takes-one-argument",
                f"{which} must take one argument, the object that setup returns, such as `lambda stack: stack.pop()`",
            )
    return row


def _is_plain(function: Callable[..., object]) -> bool:
    """Return whether a call of the function runs its code; coroutines and generators run only later."""
    return not (
        inspect.iscoroutinefunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    )


def _takes_one_argument(call: CallOn) -> bool:
    try:
        inspect.signature(call).bind(None)
    except TypeError:
        return False
    except ValueError:  # built-in functions without a signature
        return True
    return True


def _required_parameters(function: Callable[..., object]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def oracles_named(names: str | Sequence[str], invariant: CallOn | None) -> frozenset[Oracle]:
    """Return the oracles with these names, and the one for the invariant if there is one."""
    known = [str(oracle) for oracle in ALL if oracle is not Oracle.INVARIANTS]
    is_list = isinstance(names, Iterable) and not isinstance(names, (str, bytes))
    given: list[Any] = list(names) if is_list else [names]
    for name in given:
        if name not in known:
            raise UsageError("bad-oracle", f"oracle must be some of {', '.join(known)}, not {name!r}")
    oracles = frozenset(map(Oracle, given)) | ({Oracle.INVARIANTS} if invariant is not None else frozenset())
    if not oracles:
        raise UsageError("bad-oracle", f"oracle is empty: name some of {', '.join(known)}")
    return oracles


def parsed_schedule(schedule: Any) -> Schedule | None:
    """Return the schedule, or None if there is none."""
    if schedule is None or isinstance(schedule, Schedule):
        return schedule
    if not isinstance(schedule, str):
        raise UsageError(
            "bad-schedule", f"schedule must be the text of a schedule that raddle printed, not {schedule!r}"
        )
    return Schedule.parse(schedule)


def check_budget(*, preemptions: Any, max_executions: Any) -> None:
    """Raise `UsageError` unless the bounds of the search are whole numbers that make sense."""
    for name, value, least in ("preemptions", preemptions, 0), ("max_executions", max_executions, 1):
        if type(value) is not int or value < least:
            raise UsageError("bad-budget", f"{name} must be a whole number of at least {least}, not {value!r}")


def checked_reset(reset: Any) -> Callable[[], None] | None:
    """Return a function that resets the state, and that raises `UsageError` if that fails."""
    if reset is None:
        return None
    if not callable(reset) or _required_parameters(reset) or not _is_plain(reset):
        raise UsageError("bad-reset", f"reset must be a plain function without parameters, not {reset!r}")

    def checked() -> None:
        try:
            reset()
        except Exception as error:
            raise UsageError("reset-raises", f"reset raises {type(error).__name__}: {error}") from error

    return checked
