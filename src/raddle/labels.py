"""Labels of participants. Labels encode which participant started which, so they are the same in every execution.

T0 is the first participant, T2 is the second one that T0 started, and T2.1 is the first one that T2 started. Each world
uses its own letter, such as T for threads. The numbers have the same meaning in all worlds.
"""

from __future__ import annotations

import re

LETTER = r"[A-Z]"  # regular expression for the letter of a label


def first_label(letter: str) -> str:
    """Return the label of the first participant of an execution.

    >>> first_label("T")
    'T0'
    """
    return f"{letter}0"


def child_label(parent: str, number: int) -> str:
    """Return the label of the `number`-th participant that `parent` started.

    >>> child_label("T0", 2), child_label("T2", 1), child_label("R0", 1)
    ('T2', 'T2.1', 'R1')
    """
    return f"{parent[0]}{number}" if parent[1:] == "0" else f"{parent}.{number}"


def label_sort_key(label: str) -> tuple[list[int], str]:
    """Return a sort key for a label, so that T2 comes before T10, and T1 before T1.1.

    >>> sorted(["T10", "T2", "T1.1", "T1"], key=label_sort_key)
    ['T1', 'T1.1', 'T2', 'T10']
    """
    return [int(digits) for digits in re.findall(r"\d+", label)], label


def parent_label(label: str) -> str:
    """Return the label of the participant that started this one; "" for the first.

    >>> parent_label("T2.1"), parent_label("T2"), parent_label("T0")
    ('T2', 'T0', '')
    """
    before, dot, _ = label.rpartition(".")
    return before if dot else "" if label[1:] == "0" else first_label(label[0])
