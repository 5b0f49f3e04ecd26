"""Classes whose constructors and methods need arguments of many kinds."""

from __future__ import annotations

import enum
import os
import shutil
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NotRequired, Protocol, TypedDict

LARGEST = 42
MODES = ("eager", "lazy")
TEMPERATURE_LOW = 15
LOG_FILE = "/var/log/shop.log"


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Settings:
    name: str
    size: int = 3


class Closable(Protocol):
    def close(self) -> None: ...


class Handle:
    def __init__(self, key: str) -> None:
        self.key = key

    def close(self) -> None:
        self.key = ""


class Store(ABC):
    @abstractmethod
    def load(self, key: str) -> int: ...


class MemoryStore(Store):
    def load(self, key: str) -> int:
        return 1


class Sink(ABC):
    """No class of the module implements it."""

    @abstractmethod
    def drain(self) -> bool: ...


class Shop:
    """A shop that threads share."""

    limit = 3

    def __init__(self, name: str, size: int = 2) -> None:
        self._lock = threading.Lock()
        self._items: dict[str, int] = {}
        self.name, self.size = name, size

    @classmethod
    def from_settings(cls, settings: Settings) -> Shop:
        return cls(settings.name, settings.size)

    @staticmethod
    def version() -> str:
        return "1"

    @property
    def count(self) -> int:
        return len(self._items)

    @contextmanager
    def open(self) -> Iterator[None]:
        yield

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key):
        return self._items[key]

    def __enter__(self) -> Shop:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def put(self, key: str, value: int) -> Handle:
        self._items[key] = value
        return Handle(key)

    def merge(self, other: Shop) -> None:
        self._items.update(other._items)

    def paint(self, color: Color) -> None:
        self._items[color.name] = 1

    def move(self, point: Point) -> int:
        return point.x + point.y

    def release(self, handle: Closable) -> None:
        handle.close()

    def restore(self, store: Store) -> None:
        self._items["a"] = store.load("a")

    def pour(self, sink: Sink) -> None:
        sink.drain()

    def subscribe(self, callback: Callable[[str], bool]) -> bool:
        return callback("a")

    def wait(self, timeout: float | None = None) -> None:
        pass

    async def fetch(self) -> None:
        pass

    def _private(self) -> None:
        pass


def audit(shop: Shop, depth: int = 1) -> int:
    return len(shop) + depth


def make_shop(name: str) -> Shop:
    return Shop(name)


class SmallShop(Shop):
    def put(self, key: str, value: int) -> Handle:
        return super().put(key, min(value, 1))


class Untyped:
    """The parameters have no hints: only the source shows what they must be."""

    def __init__(self, handler, pairs=(), level=None, strict=False):
        self.handler = handler
        self.pairs = {key: value for key, value in pairs}  # noqa: C416
        self.level = level
        self.strict = strict

    def fire(self, number):
        if number < 0:
            return None
        return self.handler(number)

    def use(self, thing):
        thing.close()
        return thing.key

    def connect(self, transport):
        return transport.send_everything(1).status

    def select(self, mode):
        if mode not in ("fast", "slow"):
            raise ValueError(mode)

    def join(self, other):
        return self.fire(1) if other.fire(1) else other.pairs

    def clear(self, which):
        if which is None:
            self.pairs.clear()

    def forward(self, action):
        self._run(action)

    def _run(self, job):
        job()


class Words(OrderedDict):
    def first(self):
        return next(iter(self))


class Dynamic:
    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return name


class Meta(type):
    def __eq__(cls, other: object) -> bool:  # classes without a hash
        return cls is other

    def __call__(cls, *arguments: object) -> object:
        return super().__call__(*arguments)


class WithMeta(metaclass=Meta):
    def __init__(self, key: str) -> None:
        self.key = key

    def get(self) -> str:
        return self.key


class Files:
    """Reads and deletes files."""

    def __init__(self, folder: str = "/home/user", *, log=None) -> None:
        self.folder = folder
        self.names: dict[str, int] = {}

    def read(self, where) -> str:
        with open(where) as file:
            return file.read()

    def remove(self, name) -> None:
        self._backend_remove(name)

    def _backend_remove(self, name):
        os.unlink(name)

    def rmtree(self, place: str) -> None:
        shutil.rmtree(place)

    def save(self, target: Path) -> None:
        target.write_text("")

    def save_copy(self, somewhere) -> None:
        """The source does not show what happens to the argument."""
        self.copied = somewhere

    def discard(self, key) -> None:
        del self.names[key]

    def delete(self, key) -> None:
        del self.names[key]

    def dump(self, stream) -> None:
        stream.write("a")


class Exits:
    def __init__(self) -> None:
        sys.exit(3)


class Blocks:
    def __init__(self) -> None:
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()


class Spins:
    def __init__(self) -> None:
        while True:
            pass


class Evicting:
    """A cache that evicts items forever if its size is negative."""

    def __init__(self, size=2) -> None:
        self._lock = threading.Lock()
        self._items: list[object] = []
        self._size = size

    def put(self, item) -> None:
        self._items.append(item)
        while len(self._items) > self._size:
            with self._lock:
                del self._items[:1]


class Fails:
    def __init__(self, server, *, port) -> None:
        raise OSError("no such server")


class Choosy:
    """Accepts a truth value, but its methods only work with a callable."""

    def __init__(self, job: bool | Callable[[], int]) -> None:
        self.job = job

    def run(self):
        return self.job()

    def twice(self):
        return self.run(), self.run()


class Keyed:
    """A cache whose `pop` fails if the key is absent."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}

    def put(self, key: str) -> None:
        self.items[key] = 1

    def pop(self, key: str) -> int:
        return self.items.pop(key)


class Needy:
    """Takes a collaborator whose type no hint names; the error of a wrong one says what is missing."""

    def __init__(self, source) -> None:
        self.value = read_key(source)


def read_key(source):
    return getattr(source, "ke" + "y")


Many = type("Many", (), {f"method_{number}": lambda self, key=None: key for number in range(200)})


class Polite:
    """Its parameters have default values, or are only tested, which says what they must be."""

    def __init__(self, sleep_func=time.sleep, make_key=lambda key: key, kind=dict) -> None:
        self._sleep, self._make_key, self._kind = sleep_func, make_key, kind

    def get(self, key, default=None, with_age=False, limit=3, name="a"):
        return default, with_age, limit, name

    def show(self, key, loud):
        return key.upper() if loud and key else key

    def watch(self, key, loud):
        self._loud = loud
        return self._key(key)

    def _key(self, key):
        return key if not self._loud else key.upper()


class Players:
    """Needs a function whose results have attributes that only another function uses."""

    def __init__(self, make_player):
        self._make_player = make_player
        self._players = set()

    def play(self):
        return play_with(self._players, self._make_player())

    def count(self):
        return len(self._players)


def play_with(players, player):
    players.add(player)
    player.start()
    return player.volume


class Clock:
    """Its methods need an option that is None by default."""

    def __init__(self, *, is_loud=False, ticks=None):
        self.is_loud = is_loud
        self.ticks = ticks

    def next(self):
        return self.ticks + 1

    def last(self):
        return self.ticks - 1

    def twice(self):
        return self.ticks * 2


class Timers:
    """Uses a date, judged by the keyword that it passes, and a socket, judged by the method that it calls."""

    def start(self, when):
        return when.replace(tzinfo=None)

    def watch(self, source):
        return source.fileno()


class Worker(threading.Thread):
    def run(self):
        """Do what a thread does after `start`."""

    def submit(self, job):
        """Do what users call."""


class Command:
    def run(self):
        """Do what users call."""


class Bulletin:
    """The hints are right or wrong. What the source does with the arguments suggests other values."""

    def __init__(self) -> None:
        self._listeners: dict[object, int] = {}

    def subscribe(self, listener: Callable[[int], None]) -> None:
        self._listeners[listener] = 1

    def resize(self, size: int = None) -> None:  # type: ignore[assignment]  # noqa: RUF013 -- hints like this exist
        if size is None or size == "large":
            self._listeners.clear()

    def publish(self, text: str) -> int:
        return text + 1  # type: ignore[operator]


class Grade:
    def __init__(self, points: int) -> None:
        self.points = points


class Thermostat:
    """The module and the class have constants that suit the parameters."""

    PRIORITIES = {"low": 1, "high": 2}
    BEST = Grade(7)
    _SECRET = 99

    def set_mode(self, mode) -> None:
        self.mode = mode

    def rank(self, first_priority) -> int:
        return self.PRIORITIES[first_priority]

    def heat(self, temperature: int) -> None:
        self.temperature = temperature

    def describe(self, temperature: str) -> None:
        self.text = temperature

    def reward(self, grade: Grade) -> None:
        self.grade = grade

    def limit(self, amount=5) -> None:
        self.amount = amount

    def check(self, thing) -> bool:
        return thing == LARGEST or thing in self.PRIORITIES or thing is Color.BLUE

    def log(self, text: str) -> None:
        self.text = text


class Options(TypedDict):
    name: str
    size: int
    color: NotRequired[Color]
