"""Finds every outcome of a small program by trying every interleaving, with an interpreter independent of raddle.

Each access and each operation on a primitive is one step, and any thread may run between any two steps. Each state is
visited once. Exceptions unwind through `with` and `finally` as in Python. If an exception ends a thread, the other
threads continue, so an execution may end with several errors.
"""

from __future__ import annotations

from typing import Any

from small_programs import Block, Body, Do, Program

ATTRIBUTES = ("a", "b", "G", "x")
LOCKS = ("L0", "L1", "R", "C")  # R and C are reentrant
HOLE = None  # marks a deleted entry of the dict
NOT_YET, RUNNING, ENDED = "not yet", "running", "ended"


class TooManyStatesError(Exception):
    """Raised if a program has too many states to enumerate."""


class ProgramError(Exception):
    """Represents an exception that the program raises."""


def outcomes(program: Program, max_states: int = 30_000) -> set[tuple]:
    """Return all outcomes of the program."""
    code = [_Compiler(body).code for body in program.bodies]
    start = _first_state(program)
    seen = {_key(start)}
    pending = [start]
    found: set[tuple] = set()
    while pending:
        state = pending.pop()
        moved = False
        for thread in range(len(code)):
            after = _step(state, thread, code, program)
            if after is None:
                continue
            moved = True
            key = _key(after)
            if key not in seen:
                seen.add(key)
                pending.append(after)
                if len(seen) > max_states:
                    raise TooManyStatesError
        if not moved:
            found.add(_outcome(state))
    return found


def _outcome(state: dict) -> tuple:
    errors = [(n, t["error"]) for n, t in enumerate(state["threads"]) if t["error"] is not None]
    if errors:
        return ("errors", frozenset(errors))
    alive = any(t["status"] == RUNNING for t in state["threads"])
    return ("stuck" if alive else "passed", *visible(state))


def visible(state: dict) -> tuple:
    """Return the parts of the state to compare: each thread's notes, the memory, the containers and the queue."""
    entries = tuple(sorted(e for e in state["dict"] if e is not HOLE))
    notes = tuple(t["notes"] for t in state["threads"])
    return notes, tuple(state["memory"]), entries, state["list"], state["queue"]


# -- compiling ------------------------------------------------------------------------------------------


class _Compiler:
    """Compiles a body to instructions (operation, arguments, operations to perform if an exception is raised)."""

    def __init__(self, body: Body) -> None:
        self.code: list[list] = []
        self._inside: list[tuple[str, tuple]] = []  # operations that release the resources of the enclosing blocks
        self._body(body)
        self._emit("end")

    def _emit(self, op: str, *args: Any) -> int:
        self.code.append([op, args, tuple(reversed(self._inside))])
        return len(self.code) - 1

    def _body(self, body: Body) -> None:
        for node in body:
            if isinstance(node, Do):
                self._simple(node)
            else:
                self._block(node)

    def _simple(self, node: Do) -> None:
        name, args = node.name, node.args
        variable = {"inc_global": "G", "set_global": "G", "get_global": "G"}.get(name) or (
            "x" if name.endswith("_cell") else None
        )
        if variable:
            name, args = name.split("_")[0], (variable, *args)
        if name == "inc":
            self._emit("read", args[0])
            self._emit("write", args[0], "register", args[1])
        elif name == "copy":
            self._emit("read", args[1])
            self._emit("write", args[0], "register", 0)
        elif name == "set":
            self._emit("write", args[0], "constant", args[1])
        elif name == "dict_inc":
            self._emit("dict_read", args[0])
            self._emit("dict_write", args[0], "register", args[1])
        elif name == "dict_put":
            self._emit("dict_write", args[0], "constant", args[1])
        elif name == "list_inc":
            self._emit("list_read")
            self._emit("list_write", args[0])
        elif name == "wait":
            self._emit("wait")
            self._emit("woken")
        elif name == "barrier":
            self._emit("arrive")
            self._emit("leave")
        elif name == "list_extend":
            self._emit("append", *args)
        else:
            self._emit(name, *args)

    def _block(self, node: Block) -> None:
        getattr(self, "_" + node.name)(node)

    def _with(self, node: Block) -> None:
        name = node.args[0]
        take, give = ("down", "up") if name in ("S", "Z") else ("acquire", "release")
        self._emit(take, name)
        self._guarded(give, name, node.body)

    def _guarded(self, give: str, name: str, body: Body) -> None:
        self._inside.append((give, (name,)))
        self._body(body)
        self._inside.pop()
        self._emit(give, name)

    def _branch(self, test: tuple, body: Any, otherwise: Any) -> None:
        at = self._emit(*test)
        body()
        if otherwise is None:
            self.code[at][1] += (len(self.code),)
            return
        over = self._emit("goto")
        self.code[at][1] += (len(self.code),)
        otherwise()
        self.code[over][1] = (len(self.code),)

    def _if(self, node: Block) -> None:
        otherwise = (lambda: self._body(node.otherwise)) if node.otherwise else None
        self._branch(("if", *node.args), lambda: self._body(node.body), otherwise)

    def _if_not_in(self, node: Block) -> None:
        self._branch(("if_not_in", *node.args), lambda: self._body(node.body), None)

    def _if_list(self, node: Block) -> None:
        self._branch(("if_list",), lambda: self._body(node.body), None)

    def _while_wait(self, node: Block) -> None:
        top = len(self.code)

        def wait_and_repeat() -> None:
            self._simple(Do("wait"))
            self._emit("goto", top)

        self._branch(("if", *node.args), wait_and_repeat, None)

    def _for_list(self, node: Block) -> None:
        self._emit("iter_list")
        top = len(self.code)
        self._branch(("next_list",), lambda: self._emit("goto", top), None)

    def _for_dict(self, node: Block) -> None:
        self._emit("iter_dict")
        top = len(self.code)
        self._branch(("next_dict",), lambda: self._emit("goto", top), None)

    def _try_lock(self, node: Block) -> None:
        self._branch(("try_lock", *node.args), lambda: self._guarded("release", node.args[0], node.body), None)

    def _try_down(self, node: Block) -> None:
        self._branch(("try_down", *node.args), lambda: self._guarded("up", node.args[0], node.body), None)

    def _try_get(self, node: Block) -> None:
        self._emit("try_get")

    def _try_put(self, node: Block) -> None:
        self._emit("try_put", *node.args)


# -- states -----------------------------------------------------------------------------------------------


def _first_state(program: Program) -> dict:
    threads = [
        {"status": NOT_YET, "pc": 0, "register": None, "notes": (), "error": None, "unwind": ()} for _ in program.bodies
    ]
    threads[0]["status"] = RUNNING
    return {
        "threads": threads,
        "memory": [0, 0, 0, 0],
        "dict": (("p", 0),),
        "list": (0,),
        "locks": dict.fromkeys(LOCKS, (None, 0)),
        "permits": {"S": program.permits, "Z": program.permits},
        "event": False,
        "queue": (),
        "waiters": (),  # threads waiting for a notification, in order
        "arrived": (0, 0),  # count of threads waiting at the barrier, and number of its current round
    }


def _key(state: dict) -> tuple:
    return (
        tuple(tuple(t.values()) for t in state["threads"]),
        tuple(state["memory"]),
        state["dict"],
        state["list"],
        tuple(state["locks"].values()),
        tuple(state["permits"].values()),
        state["event"],
        state["queue"],
        state["waiters"],
        state["arrived"],
    )


def _copy(state: dict) -> dict:
    copy = dict(state)
    copy["threads"] = [dict(t) for t in state["threads"]]
    copy["memory"] = list(state["memory"])
    copy["locks"] = dict(state["locks"])
    copy["permits"] = dict(state["permits"])
    return copy


def _step(state: dict, number: int, code: list, program: Program) -> dict | None:
    """Return the state after one step of a thread, or None if the thread is blocked or not running."""
    if state["threads"][number]["status"] != RUNNING:
        return None
    state = _copy(state)
    thread = state["threads"][number]
    if thread["error"] is not None:
        if not thread["unwind"]:
            thread["status"] = ENDED
            return state
        (op, args), thread["unwind"] = thread["unwind"][0], thread["unwind"][1:]
        inside = thread["unwind"]
    else:
        op, args, inside = code[number][thread["pc"]]
        thread["pc"] += 1
    try:
        moved = _Step(state, number, program).do(op, args)
    except ProgramError as failure:
        thread["error"] = str(failure)
        thread["unwind"] = inside
        moved = True
    return state if moved else None


class _Step:
    """Performs one operation on a state. The methods return False if the thread is blocked."""

    def __init__(self, state: dict, number: int, program: Program) -> None:
        self.state = state
        self.number = number
        self.thread = state["threads"][number]
        self.program = program

    def do(self, op: str, args: tuple) -> bool:
        return getattr(self, "do_" + op)(*args) is not False

    def note(self, value: object) -> None:
        self.thread["notes"] += (value,)

    def value(self, how: str, constant: int) -> int:
        return constant if how == "constant" else self.thread["register"] + constant

    # memory

    def do_read(self, name: str) -> None:
        self.thread["register"] = self.state["memory"][ATTRIBUTES.index(name)]

    def do_write(self, name: str, how: str, constant: int) -> None:
        self.state["memory"][ATTRIBUTES.index(name)] = self.value(how, constant)
        self.thread["register"] = None

    def do_get(self, name: str) -> None:
        self.note(self.state["memory"][ATTRIBUTES.index(name)])

    def do_if(self, name: str, constant: int, otherwise: int) -> None:
        if self.state["memory"][ATTRIBUTES.index(name)] != constant:
            self.thread["pc"] = otherwise

    def do_goto(self, where: int) -> bool | None:
        self.thread["pc"] = where
        return None

    # the dict: entries in insertion order, with holes where entries were deleted

    def find(self, key: str) -> tuple | None:
        return next((e for e in self.state["dict"] if e is not HOLE and e[0] == key), None)

    def store(self, key: str, value: int) -> None:
        entries = self.state["dict"]
        if self.find(key) is None:
            self.state["dict"] = (*entries, (key, value))
        else:
            self.state["dict"] = tuple((key, value) if e is not HOLE and e[0] == key else e for e in entries)

    def remove(self, key: str) -> None:
        self.state["dict"] = tuple(HOLE if e is not HOLE and e[0] == key else e for e in self.state["dict"])

    def do_dict_read(self, key: str) -> None:
        found = self.find(key)
        self.thread["register"] = found[1] if found else 0

    def do_dict_write(self, key: str, how: str, constant: int) -> None:
        self.store(key, self.value(how, constant))
        self.thread["register"] = None

    def do_dict_get(self, key: str) -> None:
        found = self.find(key)
        self.note(found[1] if found else None)

    def do_dict_item(self, key: str) -> None:
        found = self.find(key)
        if not found:
            raise ProgramError("KeyError")
        self.note(found[1])

    def do_dict_pop(self, key: str) -> None:
        self.do_dict_get(key)
        self.remove(key)

    def do_dict_del(self, key: str) -> None:
        if not self.find(key):
            raise ProgramError("KeyError")
        self.remove(key)

    def do_dict_len(self) -> None:
        self.note(sum(e is not HOLE for e in self.state["dict"]))

    def do_dict_default(self, key: str, value: int) -> None:
        if not self.find(key):
            self.store(key, value)
        self.do_dict_get(key)

    def do_if_not_in(self, key: str, otherwise: int) -> None:
        if self.find(key):
            self.thread["pc"] = otherwise

    def do_iter_dict(self) -> None:
        size = sum(e is not HOLE for e in self.state["dict"])
        self.thread["register"] = (size, 0, size)  # initial size, position, number of remaining entries

    def do_next_dict(self, after: int) -> None:
        size, position, left = self.thread["register"]
        entries = self.state["dict"]
        if sum(e is not HOLE for e in entries) != size:
            raise ProgramError("RuntimeError")
        while position < len(entries) and entries[position] is HOLE:
            position += 1
        if position >= len(entries):
            self.thread["pc"], self.thread["register"] = after, None
        elif left == 0:
            raise ProgramError("RuntimeError")  # keys changed during iteration
        else:
            self.note(entries[position][0])
            self.thread["register"] = (size, position + 1, left - 1)

    # the list

    def do_append(self, value: int) -> None:
        self.state["list"] += (value,)

    def do_pop(self) -> None:
        if not self.state["list"]:
            raise ProgramError("IndexError")
        self.note(self.state["list"][-1])
        self.state["list"] = self.state["list"][:-1]

    def do_list_len(self) -> None:
        self.note(len(self.state["list"]))

    def do_list_all(self) -> None:
        self.note(self.state["list"])

    def do_list_read(self) -> None:
        if not self.state["list"]:
            raise ProgramError("IndexError")
        self.thread["register"] = self.state["list"][0]

    def do_list_write(self, constant: int) -> None:
        if not self.state["list"]:
            raise ProgramError("IndexError")
        self.state["list"] = (self.value("register", constant), *self.state["list"][1:])
        self.thread["register"] = None

    def do_if_list(self, otherwise: int) -> None:
        if not self.state["list"]:
            self.thread["pc"] = otherwise

    def do_iter_list(self) -> None:
        self.thread["register"] = 0

    def do_next_list(self, after: int) -> None:
        position = self.thread["register"]
        if position >= len(self.state["list"]):
            self.thread["pc"], self.thread["register"] = after, None
        else:
            self.note(self.state["list"][position])
            self.thread["register"] = position + 1

    # locks

    def do_acquire(self, name: str) -> bool | None:
        holder, count = self.state["locks"][name]
        if holder is None:
            self.state["locks"][name] = (self.number, 1)
        elif holder == self.number and name in ("R", "C"):
            self.state["locks"][name] = (holder, count + 1)
        else:
            return False
        return None

    def do_try_lock(self, name: str, otherwise: int) -> None:
        if self.do_acquire(name) is False:
            self.note("no")
            self.thread["pc"] = otherwise

    def do_release(self, name: str) -> None:
        holder, count = self.state["locks"][name]
        if holder is None or (name in ("R", "C") and holder != self.number):
            raise ProgramError("RuntimeError")
        self.state["locks"][name] = (holder, count - 1) if count > 1 else (None, 0)

    def do_locked(self, name: str) -> None:
        self.note(self.state["locks"][name][0] is not None)

    def do_down(self, name: str) -> bool | None:
        if not self.state["permits"][name]:
            return False
        self.state["permits"][name] -= 1
        return None

    def do_try_down(self, name: str, otherwise: int) -> None:
        if self.do_down(name) is False:
            self.note("no")
            self.thread["pc"] = otherwise

    def do_up(self, name: str) -> None:
        if name == "Z" and self.state["permits"]["Z"] >= self.program.permits:
            raise ProgramError("ValueError")
        self.state["permits"][name] += 1

    # events, queues, conditions, barriers

    def do_e_set(self) -> None:
        self.state["event"] = True

    def do_e_clear(self) -> None:
        self.state["event"] = False

    def do_e_wait(self) -> bool | None:
        return None if self.state["event"] else False

    def do_e_is_set(self) -> None:
        self.note(self.state["event"])

    def do_put(self, value: int) -> bool | None:
        if self.program.capacity and len(self.state["queue"]) >= self.program.capacity:
            return False
        self.state["queue"] += (value,)
        return None

    def do_try_put(self, value: int) -> None:
        if self.do_put(value) is False:
            self.note("no")

    def do_q_get(self) -> bool | None:
        if not self.state["queue"]:
            return False
        self.note(self.state["queue"][0])
        self.state["queue"] = self.state["queue"][1:]
        return None

    def do_try_get(self) -> None:
        if self.do_q_get() is False:
            self.note("no")

    def do_qsize(self) -> None:
        self.note(len(self.state["queue"]))

    def do_q_empty(self) -> None:
        self.note(not self.state["queue"])

    def do_wait(self) -> None:
        holder, count = self.state["locks"]["C"]
        if holder != self.number:
            raise ProgramError("RuntimeError")
        self.thread["register"] = count
        self.state["waiters"] += (self.number,)
        self.state["locks"]["C"] = (None, 0)

    def do_woken(self) -> bool | None:
        if self.number in self.state["waiters"] or self.state["locks"]["C"][0] is not None:
            return False
        self.state["locks"]["C"] = (self.number, self.thread["register"])
        self.thread["register"] = None
        return None

    def do_notify(self) -> None:
        if self.state["locks"]["C"][0] != self.number:
            raise ProgramError("RuntimeError")
        self.state["waiters"] = self.state["waiters"][1:]

    def do_notify_all(self) -> None:
        self.do_notify()
        self.state["waiters"] = ()

    def do_arrive(self) -> None:
        count, round_ = self.state["arrived"]
        self.thread["register"] = round_
        self.state["arrived"] = (0, round_ + 1) if count == 1 else (1, round_)

    def do_leave(self) -> bool | None:
        if self.state["arrived"][1] == self.thread["register"]:
            return False
        self.thread["register"] = None
        return None

    # threads

    def do_start(self, number: int) -> None:
        other = self.state["threads"][number]
        if other["status"] != NOT_YET:
            raise ProgramError("RuntimeError")
        other["status"] = RUNNING

    def do_join(self, number: int) -> bool | None:
        if number == self.number or self.state["threads"][number]["status"] == NOT_YET:
            raise ProgramError("RuntimeError")
        return None if self.state["threads"][number]["status"] == ENDED else False

    def do_is_alive(self, number: int) -> None:
        self.note(self.state["threads"][number]["status"] == RUNNING)

    def do_end(self) -> None:
        self.thread["status"] = ENDED
