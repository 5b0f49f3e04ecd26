"""Recognizes the MPI calls of a statement, and what they send and receive."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from raddle.pcfg.endpoints import ANY, NOWHERE, ZERO, Endpoint
from raddle.pcfg.names import defined, used

Positions = tuple[tuple[str, ...], ...]  # the variables in each element of a payload or of an assignment's target


class Pattern(StrEnum):
    """Between which ranks a collective operation transfers data."""

    NONE = "point to point"
    FROM_ROOT = "from the root"
    TO_ROOT = "to the root"
    ALL_TO_ALL = "all to all"
    UPWARDS = "to higher ranks"


@dataclass(frozen=True, slots=True)
class Transfer:
    """A send or a receive of one call. A collective call has one of each, in all ranks that may take part."""

    operation: str  # the name of the method, in lower case
    peer: Endpoint  # the destination, the source, or the root of a collective operation
    tag: Endpoint
    variables: Positions  # the variables that are sent, or that the message defines
    pattern: Pattern = Pattern.NONE

    def restricted(self, names: Set[str]) -> Transfer:
        """Return the transfer with only those of its variables that are in `names`."""
        kept = tuple(tuple(name for name in position if name in names) for position in self.variables)
        return replace(self, variables=kept)

    @property
    def collective(self) -> str:
        """The collective operation, the same for its blocking, nonblocking and vector forms; "" for other calls."""
        return "" if self.pattern is Pattern.NONE else self.operation


@dataclass(frozen=True, slots=True)
class Communication:
    """The transfers of a statement, and the variables that its calls define and use for other purposes than c-uses."""

    sends: tuple[Transfer, ...] = ()
    receives: tuple[Transfer, ...] = ()
    payloads: tuple[ast.expr, ...] = ()  # the expressions that are sent, whose variables are no c-uses
    defined: tuple[str, ...] = ()  # the buffers and status objects that the calls fill


_SEND = {"send", "ssend", "bsend", "rsend", "isend", "issend", "ibsend", "irsend"}
_RECEIVE = {"recv", "irecv"}
_MATCHED_PROBE = {"mprobe", "improbe"}
_BOTH = {"sendrecv", "sendrecv_replace"}
_PATTERNS = {
    "bcast": Pattern.FROM_ROOT, "scatter": Pattern.FROM_ROOT, "gather": Pattern.TO_ROOT, "reduce": Pattern.TO_ROOT,
    "allgather": Pattern.ALL_TO_ALL, "alltoall": Pattern.ALL_TO_ALL, "allreduce": Pattern.ALL_TO_ALL,
    "reduce_scatter": Pattern.ALL_TO_ALL, "reduce_scatter_block": Pattern.ALL_TO_ALL,
    "scan": Pattern.UPWARDS, "exscan": Pattern.UPWARDS,
}  # fmt: skip
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "send": ("obj", "dest", "tag"),
    "recv": ("buf", "source", "tag", "status"),
    "probe": ("source", "tag", "status"),
    "sendrecv": ("sendobj", "dest", "sendtag", "recvbuf", "source", "recvtag", "status"),
    "sendrecv_replace": ("buf", "dest", "sendtag", "source", "recvtag", "status"),
    "bcast": ("obj", "root"),
    "rooted": ("sendobj", "root"),
    "Rooted": ("sendbuf", "recvbuf", "root"),
    "reduce": ("sendobj", "op", "root"),
    "Reduce": ("sendbuf", "recvbuf", "op", "root"),
    "all": ("sendobj", "op"),
    "All": ("sendbuf", "recvbuf"),
}


def communication(statement: ast.stmt, expressions: tuple[ast.expr | None, ...], modules: Set[str]) -> Communication:
    """Return the transfers of a statement.

    `expressions` are the parts that the statement evaluates itself. `modules` are names of imported modules, whose
    functions are no methods of a communicator.
    """
    results = _targets(statement)
    found = Communication()
    for expression in expressions:
        for call in _calls(expression, modules):
            one = _of_call(call, results)
            found = Communication(
                found.sends + one.sends,
                found.receives + one.receives,
                found.payloads + one.payloads,
                found.defined + one.defined,
            )
    return found


def collective_name(method: str) -> str:
    """Return the collective operation of a method; "" if it is none.

    >>> collective_name("Iallgatherv"), collective_name("exscan"), collective_name("send")
    ('allgather', 'exscan', '')
    """
    name = method.lower()
    for one in (name, name.removeprefix("i")):
        for base in (one, one.removesuffix("v"), one.removesuffix("w")):
            if base in _PATTERNS:
                return base
    return ""


def pattern_of(operation: str) -> Pattern:
    """Return the pattern of a collective operation, given its name; NONE for operations that transfer no data."""
    return _PATTERNS.get(collective_name(operation), Pattern.NONE)


def _calls(expression: ast.expr | None, modules: Set[str]) -> Iterator[ast.Call]:
    """Yield the calls of methods in an expression, other than those of functions of modules."""
    if expression is None:
        return
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if not (isinstance(owner, ast.Name) and owner.id in modules):
                yield node


def _targets(statement: ast.stmt) -> Positions:
    """Return the variables to which the statement assigns the value of its expression, by position."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            return tuple(defined(element) for element in target.elts)
        return tuple(defined(target) for target in statement.targets)
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        return (defined(statement.target),)
    return ()


class _Arguments:
    """The arguments of a call, by parameter."""

    def __init__(self, call: ast.Call, parameters: tuple[str, ...]) -> None:
        self._given = dict(zip(parameters, call.args, strict=False))
        self._given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None})

    def get(self, *names: str) -> ast.expr | None:
        """Return the argument of the first of these parameters that has one."""
        return next((self._given[name] for name in names if name in self._given), None)

    def endpoint(self, name: str, default: Endpoint) -> Endpoint:
        """Return the rank or the tag that an argument names."""
        return Endpoint.of(self.get(name), default)


def _of_call(call: ast.Call, results: Positions) -> Communication:
    assert isinstance(call.func, ast.Attribute)
    method = call.func.attr
    name = method.lower()
    buffers = method[:1].isupper()
    if name in _SEND:
        return _send(call, name, buffers)
    if name in _RECEIVE:
        return _receive(call, name, buffers, results)
    if name in _MATCHED_PROBE:
        given = _Arguments(call, _PARAMETERS["probe"])
        transfer = Transfer(name, given.endpoint("source", ANY), given.endpoint("tag", ANY), ())
        return Communication(receives=(transfer,), defined=_names(given.get("status")))
    if name in _BOTH:
        return _send_and_receive(call, name, buffers, results)
    collective = collective_name(method)
    return _collective(call, collective, buffers, results) if collective else Communication()


def _send(call: ast.Call, name: str, buffers: bool) -> Communication:
    given = _Arguments(call, ("buf", "dest", "tag") if buffers else _PARAMETERS["send"])
    payload = given.get("obj", "buf")
    if payload is None or given.get("dest") is None:
        return Communication()  # such as the method `send` of a generator
    transfer = Transfer(name, given.endpoint("dest", NOWHERE), given.endpoint("tag", ZERO), _payload(payload, buffers))
    return Communication(sends=(transfer,), payloads=(payload,))


def _receive(call: ast.Call, name: str, buffers: bool, results: Positions) -> Communication:
    given = _Arguments(call, _PARAMETERS["recv"])
    buffer = given.get("buf")
    filled = _payload(buffer, buffers=True) if buffers and buffer is not None else ()
    transfer = Transfer(
        name,
        given.endpoint("source", ANY),
        given.endpoint("tag", ANY),
        filled if buffers else (() if name == "irecv" else results),
    )
    return Communication(receives=(transfer,), defined=_flat(filled) + _names(given.get("status")))


def _send_and_receive(call: ast.Call, name: str, buffers: bool, results: Positions) -> Communication:
    parameters = _PARAMETERS[name]
    given = _Arguments(call, ("sendbuf", *parameters[1:]) if buffers and name == "sendrecv" else parameters)
    payload, buffer = given.get("sendobj", "sendbuf", "buf"), given.get("recvbuf", "buf")
    filled = _payload(buffer, buffers=True) if buffers and buffer is not None else ()
    sent = () if payload is None else _payload(payload, buffers)
    sends = Transfer(name, given.endpoint("dest", NOWHERE), given.endpoint("sendtag", ZERO), sent)
    receives = Transfer(
        name, given.endpoint("source", ANY), given.endpoint("recvtag", ANY), filled if buffers else results
    )
    payloads = () if payload is None else (payload,)
    return Communication((sends,), (receives,), payloads, _flat(filled) + _names(given.get("status")))


def _collective(call: ast.Call, name: str, buffers: bool, results: Positions) -> Communication:
    given = _Arguments(call, _collective_parameters(name, buffers))
    pattern = _PATTERNS[name]
    payload = given.get("sendobj", "sendbuf", "obj", "buf")
    buffer = given.get("recvbuf", "buf")
    if payload is None:
        return Communication()
    root = given.endpoint("root", ZERO) if pattern in (Pattern.FROM_ROOT, Pattern.TO_ROOT) else ANY
    filled = _payload(buffer, buffers=True) if buffers and buffer is not None else ()
    send = Transfer(name, root, ANY, _payload(payload, buffers), pattern)
    receive = Transfer(name, root, ANY, filled if buffers else results, pattern)
    return Communication((send,), (receive,), (payload,), _flat(filled))


def _collective_parameters(name: str, buffers: bool) -> tuple[str, ...]:
    if name == "bcast":
        return ("buf", "root") if buffers else _PARAMETERS["bcast"]
    if name == "reduce":
        return _PARAMETERS["Reduce" if buffers else "reduce"]
    if name in ("gather", "scatter"):
        return _PARAMETERS["Rooted" if buffers else "rooted"]
    return _PARAMETERS["All" if buffers else "all"]


def _payload(payload: ast.expr, buffers: bool) -> Positions:
    """Return the variables of a payload. In a buffer specification, only the first element is the buffer."""
    if isinstance(payload, (ast.Tuple, ast.List)):
        elements = payload.elts[:1] if buffers else payload.elts
        return tuple(used(element) for element in elements)
    return (used(payload),)


def _flat(positions: Positions) -> tuple[str, ...]:
    return tuple(name for names in positions for name in names)


def _names(expression: ast.expr | None) -> tuple[str, ...]:
    return (expression.id,) if isinstance(expression, ast.Name) else ()
