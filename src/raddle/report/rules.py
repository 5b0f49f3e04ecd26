"""What each kind of finding and of warning is, in one sentence, as tools that list rules want it."""

from __future__ import annotations

from raddle import caution
from raddle.outcome import KINDS

WARNINGS = {
    caution.DATA_RACE: "Two threads access a variable, one of them writes, and nothing orders the two.",
    caution.LOCKSET: "No lock is held at every access to a shared variable.",
    caution.POTENTIAL_DEADLOCK: "Locks are acquired in an order that can close a circle.",
    caution.UNSERIALIZABLE: "An access of another thread comes between two that may belong together.",
}


def rule(kind: str) -> str:
    """The sentence; a plain one for kinds that this version does not know.

    >>> rule("deadlock"), rule("eclipse")
    ('Threads wait for each other for ever.', 'raddle found: eclipse.')
    """
    return KINDS.get(kind) or WARNINGS.get(kind) or f"raddle found: {kind}."
