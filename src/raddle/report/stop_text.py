"""The stop text: why a search stopped, as shown in the summary line and by the pytest plugin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raddle.analysis.saturation import last_new
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.tally import ESTIMATED, UNKNOWN
from raddle.wording import count

LIKELY = 0.5  # a search is not called saturated if the chance of new coverage is at least this high


def stop_text(result: Result) -> str:
    """Return why a search stopped, including the relevant numbers.

    >>> stop_text(Result("passed", (), 400, 9, 0.1, StopReason.EXECUTIONS, 1))
    'stopped: execution limit reached'
    >>> stop_text(Result("passed", (), 24, 9, 0.1, StopReason.EXHAUSTED, 1, orders={"partial_orders": 24}))
    "exhausted: all 24 distinct orders tried; no failure is possible within raddle's limits"
    """
    reason = result.stopped_because
    if result.sequences is not None and reason in (StopReason.EXHAUSTED, StopReason.EXHAUSTED_WITHIN_BOUND):
        return _sequences_tried(result)
    if reason is StopReason.EXHAUSTED:
        guarantee = "" if result.findings else "; no failure is possible within raddle's limits"
        return f"exhausted: {_orders_tried(result.orders)}{guarantee}"
    if reason is StopReason.SATURATED and result.tally.executions:
        quiet = _no_new_coverage(result.tally.executions - last_new(result.tally))
        likely = (result.chance_of_new or 0) >= LIKELY
        return f"stopped: {quiet}, but more coverage is likely" if likely else f"saturated: {quiet}"
    if reason is StopReason.COVERED:
        return _all_covered(result.criteria)
    return reason.sentence


def _sequences_tried(result: Result) -> str:
    """Return the stop text of an exhausted search of a message-passing program, with its assumptions.

    >>> _sequences_tried(Result("passed", (), 12, 9, 0.1, StopReason.EXHAUSTED, 1, sequences=6,
    ...                         assumptions=("buffered sends",)))
    'exhausted: all 6 SYN-sequences executed; no failure is possible, assuming buffered sends'
    """
    number = result.sequences
    tried = "the only SYN-sequence was executed" if number == 1 else f"all {number:,} SYN-sequences executed"
    assuming = f"assuming {'; '.join(result.assumptions)}"
    if result.findings:
        return f"exhausted: {tried}, {assuming}"
    return f"exhausted: {tried}; no failure is possible, {assuming}"


def orders_line(orders: Mapping[str, int]) -> str:
    """Describe how many partial orders and further interleavings an exhausted search ran.

    >>> orders_line({"partial_orders": 4, "interleavings": 10})
    '4 partial orders, plus 10 interleavings that only some criteria distinguish'
    """
    number, extra = orders["partial_orders"], orders.get("interleavings", 0)
    more = f", plus {count(extra, 'interleaving')} that only some criteria distinguish" if extra else ""
    return count(number, "partial order") + more


def _orders_tried(orders: Mapping[str, int]) -> str:
    if not orders:
        return "every schedule tried"
    number = orders["partial_orders"]
    few = {1: "the only order was", 2: "both distinct orders"}
    return few.get(number, f"all {number:,} distinct orders") + " tried"


def _no_new_coverage(executions: int, of: str = "") -> str:
    return f"no new coverage{of} in the last {count(executions, 'execution')}"


def _all_covered(criteria: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the stop text of a search that covered all known requirements. Some totals may be estimated or unknown.

    >>> counted = {"covered": 8, "total": 8, "total_kind": "static"}
    >>> _all_covered({"map": counted})
    'covered: every requirement known to be possible'
    >>> _all_covered({"map": counted, "sync": {"covered": 5, "total": 5, "total_kind": "estimated"}})
    'covered: every requirement known to be possible, and sync up to its estimated total'
    >>> _all_covered({"sync": {"covered": 5, "total": 6, "total_kind": "estimated", "since_new": 300}})
    'stopped: no new coverage of sync in the last 300 executions; its exact total is unknown'
    """
    guessed = [name for name, one in criteria.items() if one["total_kind"] in (ESTIMATED, UNKNOWN)]
    full = [name for name in guessed if criteria[name]["covered"] >= (criteria[name]["total"] or float("inf"))]
    rest = [name for name in guessed if name not in full]
    covered = ["every requirement known to be possible"] if len(guessed) < len(criteria) or not criteria else []
    if full:
        covered.append(f"{', '.join(full)} up to {'its' if len(full) == 1 else 'their'} estimated total")
    parts = [f"covered: {', and '.join(covered)}"] if covered else []
    if rest:
        quiet = _no_new_coverage(min(criteria[name]["since_new"] for name in rest), f" of {', '.join(rest)}")
        total = "its exact total is" if len(rest) == 1 else "their exact totals are"
        parts += [quiet if parts else f"stopped: {quiet}", f"{total} unknown"]
    return "; ".join(parts)
