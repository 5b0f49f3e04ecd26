"""Defects in communication primitives: ranks, tags, payloads and the kind of operation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from raddle.messages.defects import Defect
from raddle.messages.program_text import PRIMITIVES, RECEIVES, SENDING_BOTH, SENDS, Edit, ProgramText, argument

Operator = Callable[[ProgramText], Iterator[Edit]]

_NONBLOCKING = {
    "send": "isend", "ssend": "issend", "recv": "irecv", "Send": "Isend", "Ssend": "Issend", "Recv": "Irecv",
}  # fmt: skip
_OTHER_TYPES = {"INT": "FLOAT", "FLOAT": "DOUBLE", "DOUBLE": "INT", "LONG": "INT", "INT32_T": "INT64_T"}


def processes(text: ProgramText) -> Iterator[Edit]:
    """Send to, or receive from, another rank."""
    for call in text.primitives(SENDS | RECEIVES | SENDING_BOTH):
        for name in ("dest", "source"):
            rank = argument(call, name)
            if rank is None or _is_any(rank):
                continue
            assert isinstance(call.func, ast.Attribute)
            size = f"{text.text(call.func.value)}.size"
            for sign in "+-":
                yield text.replace(rank, f"({text.text(rank)} {sign} 1) % {size}")
            if isinstance(rank, ast.Constant):
                for other in sorted(_literal_ranks(text) - {rank.value}):
                    yield text.replace(rank, str(other))


def _is_any(rank: ast.expr) -> bool:
    return isinstance(rank, ast.Attribute) and rank.attr in ("ANY_SOURCE", "PROC_NULL")


def _literal_ranks(text: ProgramText) -> set[int]:
    ranks = [argument(call, name) for call in text.primitives(SENDS | RECEIVES) for name in ("dest", "source")]
    return {rank.value for rank in ranks if isinstance(rank, ast.Constant) and isinstance(rank.value, int)}


def any_source(text: ProgramText) -> Iterator[Edit]:
    """Receive from any rank."""
    for call in text.primitives(RECEIVES | SENDING_BOTH):
        source = argument(call, "source")
        if source is not None and not _is_any(source):
            yield text.replace(source, "MPI.ANY_SOURCE")


def message_sizes(text: ProgramText) -> Iterator[Edit]:
    """Send or receive one element more or less."""
    for call in text.primitives():
        if not call.args:
            continue
        payload = call.args[0]
        if isinstance(payload, ast.List) and len(payload.elts) == 3 and call.func.attr[0].isupper():  # type: ignore[attr-defined]
            for sign in "+-":
                yield text.replace(payload.elts[1], f"{text.text(payload.elts[1])} {sign} 1")
        elif isinstance(payload, (ast.List, ast.Tuple)) and payload.elts:
            parts = [text.text(one) for one in payload.elts]
            for some in (parts[:-1], [*parts, parts[-1]]):
                inner = ", ".join(some)
                brackets = f"[{inner}]" if isinstance(payload, ast.List) else f"({inner}{',' * (len(some) == 1)})"
                yield text.replace(payload, brackets)


def addresses(text: ProgramText) -> Iterator[Edit]:
    """Send another variable, receive into another variable, or change the tag."""
    for call in text.primitives(SENDS | SENDING_BOTH):
        payload = argument(call, "payload")
        if isinstance(payload, ast.Name):
            for name in text.names_beside(call):
                if name != payload.id:
                    yield text.replace(payload, name)
    for node in text.statements():
        if isinstance(node, ast.Assign) and _receives(node.value) and isinstance(node.targets[0], ast.Name):
            for name in text.names_beside(node):
                if name != node.targets[0].id:
                    yield text.replace(node.targets[0], name)
    for call in text.primitives(SENDS | RECEIVES):
        tag = argument(call, "tag")
        if tag is not None and not (isinstance(tag, ast.Attribute) and tag.attr == "ANY_TAG"):
            for sign in "+-":
                yield text.replace(tag, f"{text.text(tag)} {sign} 1")


def _receives(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in RECEIVES


def parameter_types(text: ProgramText) -> Iterator[Edit]:
    """Pass a string or a float instead of an integer, and a list instead of a tuple."""
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Call):
            continue
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(value, ast.Constant) and type(value.value) is int:
                yield text.replace(value, repr(str(value.value)))
                yield text.replace(value, repr(float(value.value)))
            elif isinstance(value, ast.Tuple):
                yield text.replace(value, f"[{', '.join(text.text(one) for one in value.elts)}]")
            elif isinstance(value, ast.List):
                inner = ", ".join(text.text(one) for one in value.elts)
                yield text.replace(value, f"({inner}{',' * (len(value.elts) == 1)})")


def data_types(text: ProgramText) -> Iterator[Edit]:
    """Send values of another type."""
    for call in text.primitives(SENDS | SENDING_BOTH):
        payload = argument(call, "payload")
        if isinstance(payload, ast.List):
            for part in payload.elts:
                if isinstance(part, ast.Attribute) and part.attr in _OTHER_TYPES:
                    yield text.replace(part, f"MPI.{_OTHER_TYPES[part.attr]}")
        elif isinstance(payload, ast.Name):
            for function in ("float", "str"):
                yield text.replace(payload, f"{function}({payload.id})")


def nonblocking(text: ProgramText) -> Iterator[Edit]:
    """Replace blocking operations by nonblocking ones without a wait."""
    for call in text.primitives(frozenset(_NONBLOCKING)):
        assert isinstance(call.func, ast.Attribute)
        yield text.replace(call.func, f"{text.text(call.func.value)}.{_NONBLOCKING[call.func.attr]}")


def data(text: ProgramText) -> Iterator[Edit]:
    """Send a wrong value, or change a value when it is received."""
    for call in text.primitives(SENDS | SENDING_BOTH):
        payload = argument(call, "payload")
        if payload is not None:
            for value in (f"{text.text(payload)} + 1", f"-{text.text(payload)}", "0", "None"):
                yield text.replace(payload, value)
    for node in text.statements():
        if isinstance(node, ast.Assign) and _receives(node.value):
            for value in (f"{text.text(node.value)} + 1", f"[{text.text(node.value)}]"):
                yield text.replace(node.value, value)


def increments(text: ProgramText) -> Iterator[Edit]:
    """Add 1 to a variable in the arguments of a primitive, or subtract 1."""
    for call in text.primitives(PRIMITIVES):
        for value in [*call.args, *(keyword.value for keyword in call.keywords)]:
            modules = {id(node.value) for node in ast.walk(value) if isinstance(node, ast.Attribute)}  # as in MPI.SUM
            for node in ast.walk(value):
                if isinstance(node, (ast.Name, ast.BinOp)) and id(node) not in modules:
                    for sign in "+-":
                        yield text.replace(node, f"({text.text(node)} {sign} 1)")


MESSAGE_OPERATORS: dict[Defect, Operator] = {
    Defect.PROCESS: processes,
    Defect.ANY_SOURCE: any_source,
    Defect.MESSAGE_SIZE: message_sizes,
    Defect.ADDRESS: addresses,
    Defect.PARAMETER_TYPE: parameter_types,
    Defect.DATA_TYPE: data_types,
    Defect.NONBLOCKING: nonblocking,
    Defect.DATA: data,
    Defect.INCREMENT: increments,
}
