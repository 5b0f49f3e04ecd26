"""What each kind of finding and of warning is, in one sentence, as tools that list rules want it."""

from __future__ import annotations

from raddle import caution

FINDINGS = {
    "assertion": "An assertion fails in some interleaving of the threads.",
    "exception": "An exception escapes from a thread in some interleaving.",
    "deadlock": "Threads wait for each other for ever.",
    "lost-wakeup": "A thread waits for a notification that was given before it waited.",
    "step-limit": "An execution does not end: a livelock, or a loop that spins.",
    "uncontrolled": "A call blocks outside raddle's control.",
    "divergence": "The same schedule, run twice, gives different executions.",
}
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
    return FINDINGS.get(kind) or WARNINGS.get(kind) or f"raddle found: {kind}."
