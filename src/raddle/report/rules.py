"""A sentence on each kind of finding and warning, for tools that list rules."""

from __future__ import annotations

from raddle import warning
from raddle.outcome import FINDINGS

WARNINGS = {
    warning.DATA_RACE: "Two threads access a variable, one of them writes, and nothing orders the two.",
    warning.LOCKSET: "No lock is held at every access to a shared variable.",
    warning.POTENTIAL_DEADLOCK: "Locks are acquired in an order that can close a circle.",
    warning.UNSERIALIZABLE: "An access of another thread comes between two that may belong together.",
}

_SENTENCES = {**{kind.value: kind.sentence for kind in FINDINGS}, **WARNINGS}


def rule(kind: str) -> str:
    """Return the sentence; a plain one for a kind that this version does not know.

    >>> rule("deadlock"), rule("eclipse")
    ('Threads wait for each other for ever.', 'raddle found: eclipse.')
    """
    return _SENTENCES.get(kind) or f"raddle found: {kind}."
