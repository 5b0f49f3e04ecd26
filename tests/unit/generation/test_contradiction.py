import collections
import datetime
import enum
import io
import queue
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest
from argument_classes import Closable, Handle, MemoryStore, Shop, Sink, Store

from raddle.generation.contradiction import contradicts
from raddle.generation.expressions import Callback, Container, Imported, Literal, New, Stub, TemporaryPath

UserName = typing.NewType("UserName", str)
Number = typing.TypeVar("Number", int, float)
Anything = typing.TypeVar("Anything")


class Options(typing.TypedDict):
    size: int


class Level(enum.Enum):
    LOW = 1


TEXT, ONE, NONE = Literal("a"), Literal(1), Literal(None)
TEXTS = Container("list", (TEXT,))
CLOSE = Stub((("close", Callback("close")),))
HANDLE = New(Imported("argument_classes", "Handle"), (TEXT,))
STORE = New(Imported("argument_classes", "MemoryStore"))


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        (TEXT, int),
        (TEXT, Callable[[int], None]),
        (ONE, str | None),
        (NONE, str),
        (ONE, None),
        (Literal(1.5), int),
        (Literal("w"), typing.Literal["r"]),
        (Literal(True), typing.Literal[1]),  # True == 1, but they are different constants
        (TEXTS, Sequence[int]),
        (TEXT, Iterable[int]),
        (Container("dict", (TEXT, TEXT)), Mapping[str, int]),
        (Container("tuple", (TEXT, ONE)), tuple[str, str]),
        (Container("tuple", (TEXT,)), tuple[str, str]),
        (TEXTS, dict),
        (ONE, UserName),
        (TEXT, Number),
        (TEXT, typing.Annotated[int, "positive"]),
        (HANDLE, Shop),
        (HANDLE, "Shop"),
        (CLOSE, Handle),  # a concrete class
        (CLOSE, Sink),  # `drain` is missing
        (TEXT, Closable),
        (TEXT, type[Handle]),
        (HANDLE, type[Handle]),
        (Imported(__name__, "Level.LOW"), str),
        (TEXT, Options),
        (TemporaryPath("a"), int),
        (Callback("load"), int),
    ],
)
def test_values_of_other_classes_contradict_a_hint(expression, hint):
    assert contradicts(expression, hint)


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        (TEXT, str),
        (ONE, float),  # type checkers accept an int where a float is expected
        (NONE, int | None),
        (NONE, None),
        (Callback("load"), Callable[[int], None]),
        (Imported("argument_classes", "Handle"), Callable),
        (Imported("argument_classes", "Handle"), type[Handle]),
        (HANDLE, Handle),
        (HANDLE, "Handle"),
        (HANDLE, "argument_classes.Handle"),
        (HANDLE, Closable),
        (CLOSE, Closable),
        (Stub((("drain", Callback("drain")),)), Sink),
        (STORE, Store),
        (STORE, MemoryStore),
        (TEXTS, Iterable[str]),
        (TEXT, Sequence[str]),
        (Container("tuple", (TEXT, ONE)), tuple[str, int]),
        (Container("tuple", (TEXT, TEXT, TEXT)), tuple[str, ...]),
        (Container("deque", (TEXT,)), collections.deque),
        (Container("dict", (TEXT, ONE)), Options),
        (Container("dict", (TEXT, ONE)), Iterable[str]),
        (Imported(__name__, "Level.LOW"), Level),
        (TEXT, UserName),
        (TEXT, Anything),
        (ONE, Number),
        (HANDLE, typing.Self),
        (TEXT, typing.Any),
        (TEXT, object),
        (New(Imported("builtins", "iter"), (TEXTS,)), typing.Iterator[str]),  # the class of a result is not known
        (New(Imported("datetime", "timedelta"), (ONE,)), datetime.timedelta),
        (New(Imported("io", "BytesIO")), io.IOBase),
        (New(Imported("queue", "Queue")), queue.Queue[int]),
        (CLOSE, "Missing"),
    ],
)
def test_values_that_suit_a_hint_do_not_contradict_it(expression, hint):
    assert not contradicts(expression, hint)
