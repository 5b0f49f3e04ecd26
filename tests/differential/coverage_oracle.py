"""Computes an execution's coverage from the definition of each criterion, and compares it with raddle's result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

import coverage_krena as krena
import coverage_lu as lu
import coverage_map
from coverage_blocks import blocks
from coverage_events import Execution, readings
from coverage_log import Entry
from coverage_source import Program

Key = tuple[Any, ...]
Covered = Mapping[str, Set[Key]]

PAIRED: dict[str, Callable[[Execution], Iterator[tuple[Key, Key]]]] = {
    "avio": krena.avio,
    "du-pairs": krena.du_pairs,
    "eraser": krena.eraser,
    "goldilock": krena.goldilock,
    "goodlock": krena.goodlock,
    "hbpair": krena.hbpair,
}  # criteria with a starred form, which adds names to the keys
SINGLE: dict[str, Callable[[Execution], Iterator[Key]]] = {
    "concur-pairs": krena.concurrent_pairs,
    "sync": krena.sync,
    "method-pairs": krena.method_pairs,
    "map": coverage_map.patterns,
    "def-use": lu.def_use,
    "lr-def": lu.lr_def,
    "pinv": lu.pinv,
    "lr-inv": lu.lr_inv,
}
ORDERS: dict[str, Callable[[Execution], Iterator[lu.Order]]] = {
    "all": lu.all_orders,
    "tpair": lu.thread_pairs,
    "svar": lu.single_variables,
}


def expected(run: Execution) -> dict[str, set[Key]]:
    """Return the keys that the execution covers.

    The key of an order contains the complete order instead of its digest.
    """
    found: dict[str, set[Key]] = {}
    for name, pairs in PAIRED.items():
        both = set(pairs(run))
        found[name] = {plain for plain, _ in both}
        found[f"{name}*"] = {_starred(name, plain, names) for plain, names in both}
    for name, read in SINGLE.items():
        found[name] = set(read(run))
    for name, orders in ORDERS.items():
        found[name] = {(*ordered, order, lu.beginning(order)) for ordered, order in orders(run)}
    return found


def _starred(name: str, plain: Key, names: Key) -> Key:
    """Return the key for the criterion's starred form, with the names in the same positions as in raddle's keys."""
    if name in ("eraser", "goldilock"):
        site, *rest = plain
        variable, thread = names
        return site, variable, *rest, thread
    return *plain, *names


INNER = (
    "goldilock",
    "goldilock*",
    "hbpair",
    "hbpair*",
    "concur-pairs",
    "sync",
)  # criteria that `Execution.has_inner_steps` affects


def compare(
    program: Program, log: Sequence[Entry], lines: Set[int], covered: Covered, digests: Digests, *, waits: bool = True
) -> list[str]:
    """Return the differences between raddle's coverage and the reading of the log that is closest to it.

    `waits` is False for a native run that repeats the log of another run: its threads may block at other places.
    """
    nearest = min((_differences(run, covered, digests, waits) for run in readings(program, log)), key=len)
    return nearest + differences("blocks", blocks(program.text, lines), covered["blocks"], digests)


def _differences(run: Execution, covered: Covered, digests: Digests, waits: bool) -> list[str]:
    wrong = list(krena.pool_pairs(run, covered["hbpair"])) if run.program.workers else []
    for name, wanted in expected(run).items():
        found = covered[name]
        if run.has_inner_steps and name in INNER:
            continue
        if name == "sync":
            doubtful = set(krena.doubtful(run))
            if not waits:
                doubtful = {key for key in wanted | found if key[1] in ("blocked", "blocking")}
            wanted, found = wanted - doubtful, found - doubtful
        wrong += differences(name, wanted, found, digests)
    return wrong


class Digests:
    """Checks that digests and complete orders correspond one to one."""

    def __init__(self) -> None:
        self._orders: dict[str, Key] = {}
        self._digests: dict[Key, str] = {}

    def agree(self, digest: str, order: Key) -> bool:
        return self._orders.setdefault(digest, order) == order and self._digests.setdefault(order, digest) == digest


def differences(name: str, wanted: Set[Key], found: Set[Key], digests: Digests) -> list[str]:
    """Return how raddle's keys (`found`) differ from the expected keys (`wanted`)."""
    if name in ORDERS:
        return _differing_orders(wanted, found, digests)
    if name == "map":
        found = {coverage_map.expand(key) for key in found}
    missing = [f"{name}: not covered: {key}" for key in sorted(wanted - found, key=repr)]
    return missing + [f"{name}: covered: {key}" for key in sorted(found - wanted, key=repr)]


def _differing_orders(wanted: Set[Key], found: Set[Key], digests: Digests) -> list[str]:
    """Compare orders one by one.

    The oracle cannot compute digests, but each digest must always belong to the same order.
    """
    unmatched = sorted(wanted, key=repr)
    wrong = []
    for key in sorted(found, key=repr):
        *ordered, digest, listed = key
        alike = [other for other in unmatched if other[:-2] == tuple(ordered) and other[-1] == listed]
        match = next((other for other in alike if digests.agree(digest, other[-2])), None)
        if match is None or not digest.startswith(f"{len(match[-2])}:"):
            wrong.append(f"order covered: {key}")
        else:
            unmatched.remove(match)
    return wrong + [f"order not covered: {key}" for key in unmatched]
