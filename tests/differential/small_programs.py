"""Randomly generated small concurrent programs, as values that can be rendered as Python or explored by brute force.

A program has one body per thread, with the main thread first. All threads share an object `c` with the attributes a
and b, a dict `d`, a list `l`, a global `G`, a closure variable `x`, and one or two of each primitive. Threads note what
they observe. The outcome of an execution consists of the notes and the final state.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Do:
    """A simple statement, given by its name in SIMPLE and its arguments."""

    name: str
    args: tuple = ()


@dataclass(frozen=True)
class Block:
    """A compound statement, given by the name of its head in BLOCKS, its body, and the body of its `else`."""

    name: str
    args: tuple
    body: tuple
    otherwise: tuple = ()


Body = tuple  # a tuple of `Do` and `Block`


@dataclass(frozen=True)
class Program:
    bodies: tuple[Body, ...]  # one per thread, with the main thread first
    capacity: int = 0  # capacity of the queue; 0 means unlimited
    permits: int = 1  # initial permits of both semaphores

    def __str__(self) -> str:
        return render(self)


# Python source of each statement. {0} and {1} are its arguments, and {note} is the function that notes a value.
SIMPLE = {
    "inc": "c.{0} += {1}",
    "set": "c.{0} = {1}",
    "get": "{note}(c.{0})",
    "copy": "c.{0} = c.{1}",
    "inc_global": "G += {0}",
    "set_global": "G = {0}",
    "get_global": "{note}(G)",
    "inc_cell": "x += {0}",
    "set_cell": "x = {0}",
    "get_cell": "{note}(x)",
    "dict_put": "d[{0!r}] = {1}",
    "dict_get": "{note}(d.get({0!r}))",
    "dict_item": "{note}(d[{0!r}])",
    "dict_inc": "d[{0!r}] = d.get({0!r}, 0) + {1}",
    "dict_pop": "{note}(d.pop({0!r}, None))",
    "dict_del": "del d[{0!r}]",
    "dict_len": "{note}(len(d))",
    "dict_default": "{note}(d.setdefault({0!r}, {1}))",
    "append": "l.append({0})",
    "pop": "{note}(l.pop())",
    "list_len": "{note}(len(l))",
    "list_all": "{note}(tuple(l))",
    "list_inc": "l[0] += {0}",
    "list_extend": "l.extend([{0}])",
    "acquire": "{0}.acquire()",
    "release": "{0}.release()",
    "locked": "{note}({0}.locked())",
    "down": "{0}.acquire()",
    "up": "{0}.release()",
    "e_set": "E.set()",
    "e_wait": "E.wait()",
    "e_clear": "E.clear()",
    "e_is_set": "{note}(E.is_set())",
    "put": "Q.put({0})",
    "q_get": "{note}(Q.get())",
    "qsize": "{note}(Q.qsize())",
    "q_empty": "{note}(Q.empty())",
    "wait": "C.wait()",
    "notify": "C.notify()",
    "notify_all": "C.notify_all()",
    "barrier": "B.wait()",
    "start": "t{0}.start()",
    "join": "t{0}.join()",
    "is_alive": "{note}(t{0}.is_alive())",
}

BLOCKS = {
    "with": "with {0}:",
    "if": "if c.{0} == {1}:",
    "if_not_in": "if {0!r} not in d:",
    "if_list": "if l:",
    "for_list": "for v in l:",
    "for_dict": "for v in d:",
    "try_lock": "if {0}.acquire(blocking=False):",
    "try_down": "if {0}.acquire(blocking=False):",
    "while_wait": "while c.{0} == {1}:",
    "try_get": "try:",
    "try_put": "try:",
}

HEAD = """\
import queue
import threading

G = 0
{hooks}

class Shared:
    def __init__(self):
        self.a = 0
        self.b = 0


def scenario():
    global G
    G = 0
    c = Shared()
    d = {{"p": 0}}
    l = [0]
    x = 0
    L0, L1, R = threading.Lock(), threading.Lock(), threading.RLock()
    S, Z = threading.Semaphore({permits}), threading.BoundedSemaphore({permits})
    E = threading.Event()
    Q = queue.Queue({capacity})
    C = threading.Condition()
    B = threading.Barrier(2)
"""


def render(program: Program) -> str:
    """Return the source of the program as a module.

    The caller must set the module's globals `begin`, `note0`, `note1`...
    """
    lines = [HEAD.format(hooks="", permits=program.permits, capacity=program.capacity).rstrip("\n")]
    lines.append("    begin(c, d, l, Q, lambda: (G, x))")
    for number, body in enumerate(program.bodies):
        lines += ["", f"    def f{number}():", "        global G", "        nonlocal x"]
        lines += _render(body, 2, number) or ["        pass"]
    for number in range(1, len(program.bodies)):
        lines.append(f"    t{number} = threading.Thread(target=f{number})")
    lines.append("    f0()")
    return "\n".join(lines) + "\n"


def _render(body: Body, depth: int, thread: int) -> list[str]:
    pad = "    " * depth
    note = f"note{thread}"
    lines = []
    for node in body:
        if isinstance(node, Do):
            lines.append(pad + SIMPLE[node.name].format(*node.args, note=note))
            continue
        lines.append(pad + BLOCKS[node.name].format(*node.args))
        if node.name == "try_get":
            lines += [f"{pad}    {note}(Q.get_nowait())", f"{pad}except queue.Empty:", f"{pad}    {note}('no')"]
            continue
        if node.name == "try_put":
            lines += [f"{pad}    Q.put_nowait({node.args[0]})", f"{pad}except queue.Full:", f"{pad}    {note}('no')"]
            continue
        if node.name in ("for_list", "for_dict"):
            lines.append(f"{pad}    {note}(v)")
        if node.name == "while_wait":
            lines.append(f"{pad}    C.wait()")
        if node.name in ("try_lock", "try_down"):
            lines += [f"{pad}    try:", *(_render(node.body, depth + 2, thread) or [f"{pad}        pass"])]
            lines += [f"{pad}    finally:", f"{pad}        {node.args[0]}.release()"]
            lines += [f"{pad}else:", f"{pad}    {note}('no')"]
            continue
        lines += _render(node.body, depth + 1, thread) or [f"{pad}    pass"]
        if node.otherwise:
            lines += [f"{pad}else:", *_render(node.otherwise, depth + 1, thread)]
    return lines


# -- random programs ---------------------------------------------------------------------------------------

_MEMORY = [
    ("inc", "attr value"), ("inc", "attr value"), ("set", "attr value"), ("get", "attr"), ("copy", "attr attr"),
    ("inc_global", "value"), ("set_global", "value"), ("get_global", ""),
    ("inc_cell", "value"), ("set_cell", "value"), ("get_cell", ""),
    ("dict_put", "key value"), ("dict_get", "key"), ("dict_item", "key"), ("dict_inc", "key value"),
    ("dict_pop", "key"), ("dict_del", "key"), ("dict_len", ""), ("dict_default", "key value"),
    ("append", "value"), ("pop", ""), ("list_len", ""), ("list_all", ""), ("list_inc", "value"),
    ("list_extend", "value"),
]  # fmt: skip
_BLOCKING = [
    ("acquire", "lock"), ("release", "lock"), ("down", "semaphore"), ("up", "semaphore"), ("e_set", ""),
    ("e_wait", ""), ("put", "value"), ("q_get", ""), ("barrier", ""),
]  # fmt: skip
_OBSERVING = [("locked", "lock"), ("e_is_set", ""), ("e_clear", ""), ("qsize", ""), ("q_empty", "")]


class Draw:
    """Generates random programs. The same seed gives the same programs."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def program(self) -> Program:
        choice = self._random
        threads = choice.choice([2, 2, 2, 3])
        flavor = choice.choice(["memory", "blocking", "observing", "all", "all"])
        max_statements = 3 if threads == 2 else 2
        bodies = [self._body(flavor, choice.randint(1, max_statements)) for _ in range(threads)]
        nested = threads > 1 and choice.random() < 0.25
        started = [n for n in range(1, threads + 1) if not (nested and n == threads)]
        main: list = []
        between = choice.random() < 0.35
        for number in started:
            main.append(Do("start", (number,)))
            if between and choice.random() < 0.6:
                main += self._body(flavor, 1)
        for number in started:
            if choice.random() < 0.92:
                main.append(Do("join", (number,)))
        if choice.random() < 0.2:
            main += self._body(flavor, 1)
        if nested:
            parent = list(bodies[started[-1] - 1])
            parent.insert(choice.randint(0, len(parent)), Do("start", (threads,)))
            if choice.random() < 0.5:
                at = next(i for i, node in enumerate(parent) if node == Do("start", (threads,)))
                parent.insert(choice.randint(at + 1, len(parent)), Do("join", (threads,)))
            bodies[started[-1] - 1] = tuple(parent)
        if flavor in ("observing", "all") and choice.random() < 0.3:
            observer, target = choice.randrange(threads + 1), choice.randint(1, threads)
            body = list(main if observer == 0 else bodies[observer - 1])
            operation = "join" if observer and observer != target and choice.random() < 0.3 else "is_alive"
            body.insert(choice.randint(0, len(body)), Do(operation, (target,)))
            if observer == 0:
                main = body
            else:
                bodies[observer - 1] = tuple(body)
        return Program((tuple(main), *bodies), capacity=choice.choice([0, 1]), permits=choice.choice([1, 1, 1, 2, 0]))

    def _body(self, flavor: str, statements: int) -> Body:
        return tuple(self._statement(flavor, 2) for _ in range(statements))

    def _statement(self, flavor: str, depth: int) -> Do | Block:
        choice = self._random
        if depth and choice.random() < 0.45:
            return self._block(flavor, depth)
        names = {
            "memory": _MEMORY,
            "blocking": _MEMORY[:8] + _BLOCKING,
            "observing": _MEMORY[:6] + _BLOCKING + _OBSERVING,
            "all": _MEMORY + _BLOCKING + _OBSERVING,
        }[flavor]
        name, kinds = choice.choice(names)
        return Do(name, tuple(self._argument(kind) for kind in kinds.split()))

    def _block(self, flavor: str, depth: int) -> Block:
        choice = self._random
        heads = ["with", "with", "if", "if_not_in", "if_list", "for_list", "for_dict"]
        if flavor in ("blocking", "all"):
            heads += ["with", "with", "condition", "condition", "wait"]
        if flavor in ("observing", "all"):
            heads += ["try_lock", "try_down", "try_get", "try_put"]
        head = choice.choice(heads)
        body = tuple(self._statement("memory", depth - 1) for _ in range(choice.randint(1, 2)))
        inner = tuple(self._statement(flavor, depth - 1) for _ in range(1))
        if head == "with":
            return Block("with", (self._argument("guard"),), choice.choice([body, inner]))
        if head == "condition":
            notify = Do(choice.choice(["notify", "notify_all"]))
            before = choice.choice([Do("set", ("a", 1)), Do("inc", ("a", 1))])
            return Block("with", ("C",), (before, notify) if choice.random() < 0.8 else (notify,))
        if head == "wait":
            if choice.random() < 0.6:
                return Block("with", ("C",), (Block("while_wait", ("a", 0), ()),))
            wait = Do("wait")
            return Block("with", ("C",), choice.choice([(wait,), (Block("if", ("a", 0), (wait,)),), (wait, body[0])]))
        if head == "if":
            otherwise = (self._statement("memory", 0),) if choice.random() < 0.4 else ()
            return Block("if", (self._argument("attr"), choice.choice([0, 1])), body, otherwise)
        if head == "if_not_in":
            return Block("if_not_in", (self._argument("key"),), body[:1])
        if head == "if_list":
            return Block("if_list", (), choice.choice([(Do("pop"),), body[:1]]))
        if head in ("try_lock", "try_down"):
            kind = "lock" if head == "try_lock" else "semaphore"
            return Block(head, (self._argument(kind if kind == "semaphore" else "any lock"),), body[:1])
        if head == "try_put":
            return Block("try_put", (self._argument("value"),), ())
        return Block(head, (), ())

    def _argument(self, kind: str) -> object:
        values = {
            "attr": "ab",
            "value": (1, 2),
            "key": "pq",
            "lock": ("L0", "L1"),
            "any lock": ("L0", "L1", "R"),
            "semaphore": ("S", "S", "Z"),
            "guard": ("L0", "L0", "L1", "R", "S"),
        }
        return self._random.choice(values[kind])
