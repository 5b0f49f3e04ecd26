"""Names in exported tests: of the test, of its file and of its variables.

test_name(test, problem) -> "test_pop_while_push_raises_index_error"
file_name("Stack", "test_pop_while_push_raises_index_error") -> "test_stack_pop_while_push_raises_index_error.py"
variable_names(test) -> {"shared": "stack", "v1": "other_stack"}
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raddle.generation.expressions import Expression, Variable
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.history import OBSERVERS, Position
from raddle.linearizability.judgment import Oracle
from raddle.outcome import OutcomeKind

# What exported tests define themselves or import, besides the objects that they use.
OWN_NAMES = frozenset(
    {"pytest", "raddle", "setup", "made", "args", "kwargs", "tmp_path", "monkeypatch", "empty_folder", "shutil"}
)
RESERVED = OWN_NAMES | {"reset", "invariant", "deque"}  # no variable has one of these names
_ORDINALS = ("", "other", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_OPERATORS = {
    "__eq__": "equals",
    "__ne__": "differs",
    "__lt__": "less_than",
    "__iter__": "iteration",
    "__getitem__": "getitem",
    "__setitem__": "setitem",
    "__delitem__": "delitem",
    "__enter__": "with",
}


# Names for the results of operators.
_VALUES = {"__getitem__": "value", "__iter__": "items", "__next__": "item", "__len__": "size", "__call__": "result"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What goes wrong in a test, as far as names depend on it."""

    oracle: Oracle
    calls: tuple[Position, ...] = ()  # the calls that it is about, as in `Violation`
    exception: str = ""  # the qualified name of the exception's class
    kind: str = ""  # the kind of the finding, an `OutcomeKind`
    lost_update: bool = False  # whether one thread overwrites what the other has written
    preempted: int = 0  # the index of the thread that is preempted

    @property
    def is_in_own_thread(self) -> bool:
        """Whether an exception ended a thread that the calls have started."""
        return self.oracle is Oracle.EXCEPTIONS and not self.calls

    @property
    def is_observed(self) -> bool:
        """Whether it is about an observer rather than a call of a thread."""
        return any(row == OBSERVERS for row, _ in self.calls)


def snake_case(name: str) -> str:
    """Return a name in snake case.

    >>> snake_case("HTTPConnectionPool"), snake_case("_Entry2")
    ('http_connection_pool', 'entry2')
    """
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+|_+", "_", text).strip("_").lower()


def call_word(call: Call) -> str:
    """Return the word for a call in the name of a test.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import Method
    >>> call_word(Call(Method("__len__", MethodKind.OPERATOR, Imported("collections", "deque"))))
    'len'
    """
    method = call.method
    if method.kind is MethodKind.CONSTRUCTOR and method.name in ("", "__init__"):
        return f"new_{snake_case(method.owner.name.rpartition('.')[2])}"
    name = str(method).rpartition(".")[2]
    return _OPERATORS.get(name) or snake_case(name) or "call"


def test_name(test: TestCase, problem: Problem) -> str:
    """Return the name of a test, which says what goes wrong."""
    if problem.is_observed:
        observer = call_word(test.at(problem.calls[0]))
        calls = "_and_".join(dict.fromkeys(call_word(call) for thread in test.threads for call in thread))
        return f"test_{observer}_after_{calls}_raises_{_raised(problem)}"
    if problem.is_in_own_thread:
        calls = "_and_".join(dict.fromkeys(call_word(call) for thread in test.threads for call in thread))
        return f"test_thread_of_{call_word(test.prefix[0])}_while_{calls}_raises_{_raised(problem)}"
    first = problem.calls[0] if problem.calls else (min(problem.preempted, len(test.threads) - 1), 0)
    one = call_word(test.threads[first[0]][first[1]])
    other = "_and_".join(
        dict.fromkeys(
            call_word(thread[0] if len(problem.calls) < 2 else thread[_index(problem, number)])
            for number, thread in enumerate(test.threads)
            if number != first[0]
        )
    )
    if problem.oracle is Oracle.EXCEPTIONS:
        raised = _raised(problem)
        return f"test_{one}_while_{other}_raises_{raised}" if other else f"test_{one}_raises_{raised}"
    if problem.oracle is Oracle.HANGS:
        if len(problem.calls) > 1 and problem.kind == OutcomeKind.DEADLOCK:
            return f"test_{one}_and_{other}_deadlock"
        if len(problem.calls) > 1:
            return f"test_{one}_and_{other}_never_end"
        return f"test_{one}_while_{other}_never_ends"
    if problem.lost_update:
        return f"test_{one}_and_{other}_lose_an_update"
    return f"test_{one}_while_{other}_is_not_atomic"


def _raised(problem: Problem) -> str:
    return snake_case(problem.exception.rpartition(".")[2])


def passing_test_name(test: TestCase) -> str:
    """Return the name of a test that passes, such as "test_push_while_pop"."""
    one, *others = ("_and_".join(dict.fromkeys(map(call_word, thread))) for thread in test.threads)
    return f"test_{one}_while_{'_and_'.join(others)}"


test_name.__test__ = False  # type: ignore[attr-defined] # pytest must not collect this function


def _index(problem: Problem, thread: int) -> int:
    return next((index for number, index in problem.calls if number == thread), 0)


def file_name(cls: str, test: str, taken: Iterable[str] = ()) -> str:
    """Return the name of the file for a test of a class; `taken` are the names of the files of other bugs.

    The name of the class may begin with the name of its module, as in "shop:Cart".

    >>> file_name("Stack", "test_pop_while_pop_raises_index_error", {"test_stack_pop_while_pop_raises_index_error.py"})
    'test_stack_pop_while_pop_raises_index_error_2.py'
    """
    used = set(taken)
    module, _, name = cls.rpartition(":")
    stem = f"test_{snake_case(f'{module}_{name.rpartition(chr(46))[2]}')}_{test.removeprefix('test_')}"
    name, number = f"{stem}.py", 1
    while name in used:
        number += 1
        name = f"{stem}_{number}.py"
    return name


def variable_names(test: TestCase, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return the names of the variables of a test, in the order in which they are assigned.

    Names come from classes and parameters. No name is a keyword, the name of a built-in object, or one of `taken`,
    which are the names that the test imports.
    """
    reserved = RESERVED | set(taken)
    names: dict[str, str] = {}
    for call in test.calls():
        if call.result and call.result not in names:
            names[call.result] = _free(_stem(call, test, reserved), reserved | set(names.values()))
    return names


def callback_names(callbacks: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return the names of the functions that are passed as callbacks; `taken` are the names of variables."""
    used = set(RESERVED) | set(taken)
    names: dict[str, str] = {}
    for callback in callbacks:
        stem = re.sub(r"_\d+$", "", snake_case(callback)) or "callback"  # the number tells several guesses apart
        names[callback] = _free(stem if _is_usable(stem, used) else f"on_{stem}", used | set(names.values()))
    return names


def received_names(callbacks: Sequence[str], taken: Iterable[str]) -> dict[str, str]:
    """Return the names of the lists of what callbacks have received; `taken` are the names of other variables."""
    used = set(RESERVED) | set(taken)
    names: dict[str, str] = {}
    for callback in callbacks:
        stem = "calls" if len(callbacks) == 1 else f"{snake_case(callback) or 'callback'}_calls"
        names[callback] = _free(stem, used | set(names.values()))
    return names


def _stem(call: Call, test: TestCase, reserved: frozenset[str]) -> str:
    """Return a name for the result of a call, from its class, from the parameter it is passed to, or its method."""
    if call.method.kind is MethodKind.CONSTRUCTOR:
        full = snake_case(call.method.owner.name.rpartition(".")[2])
        last = full.rpartition("_")[2]
        for name in (last, full, f"{last}_object"):
            if _is_usable(name, reserved):
                return name
    for user in test.calls():
        values: list[tuple[str, Expression]] = list(user.keywords)
        names = [parameter.name for parameter in user.method.parameters]
        values += zip(names, user.arguments, strict=False)
        for name, value in values:
            if value == Variable(call.result) and _is_usable(snake_case(name), reserved):
                return snake_case(name)
    if call.method.name in _VALUES and _is_usable(_VALUES[call.method.name], reserved):
        return _VALUES[call.method.name]
    name = re.sub(r"^(get|create|make|new|open|add)_(?=[a-z])", "", snake_case(str(call.method)))
    return name if _is_usable(name, reserved) else f"{name or 'call'}_result"


def _is_usable(name: str, reserved: Iterable[str]) -> bool:
    return (
        name.isidentifier()
        and name.isascii()
        and len(name) > 1
        and not keyword.iskeyword(name)
        and not keyword.issoftkeyword(name)
        and not hasattr(builtins, name)
        and name not in reserved
    )


def _free(stem: str, used: Iterable[str]) -> str:
    """Return the stem, with an ordinal before it if it is used already."""
    taken = set(used)
    for ordinal in _ORDINALS:
        name = f"{ordinal}_{stem}" if ordinal else stem
        if name not in taken:
            return name
    number = next(number for number in range(10, 1_000) if f"{stem}_{number}" not in taken)
    return f"{stem}_{number}"
