"""One-sentence descriptions of all kinds of findings and warnings, for formats that list rules, such as SARIF."""

from __future__ import annotations

from raddle import warning
from raddle.outcome import FINDINGS

WARNINGS = {
    warning.DATA_RACE: "Two threads access a variable, at least one writes, and the accesses are not synchronized.",
    warning.LOCKSET: "No single lock is held at every access to a shared variable.",
    warning.POTENTIAL_DEADLOCK: "Locks are acquired in inconsistent orders, which can lead to a deadlock.",
    warning.UNSERIALIZABLE: "Another thread accesses a variable between two accesses that may have to be atomic.",
}

_SENTENCES = {**{kind.value: kind.sentence for kind in FINDINGS}, **WARNINGS}


def rule(kind: str) -> str:
    """Return the description of a kind, or a generic sentence for a kind that this version of raddle does not know.

    >>> rule("deadlock"), rule("eclipse")
    ('Threads wait for each other forever.', 'raddle found: eclipse.')
    """
    return _SENTENCES.get(kind) or f"raddle found: {kind}."
