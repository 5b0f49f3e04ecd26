"""The six classes of the paper, numbered as in its tables."""

from __future__ import annotations

from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects import SUBJECTS as CLASSES

# Maps the numbers of the paper's tables to rows of the table of classes. The paper on MAP-coverage has four of them.
_ROWS = {"A1": "A1", "A2": "A2", "A3": "A3", "A4": "V12", "A5": "V6", "A6": "V10"}
_BY_ID = {subject.id: subject for subject in CLASSES}

SUBJECTS: dict[str, ClassSubject] = {name: _BY_ID[row] for name, row in _ROWS.items()}
FIGURE_ONE = "F1"  # the class of the paper's Fig. 1
# The classes whose faults raise nothing and cause no hang, so that results and states are compared. For the others, as
# in the paper, a fault is an exception or a hang.
COMPARING_RESULTS = frozenset({"A1", FIGURE_ONE})


def subject_of(name: str) -> ClassSubject:
    """Return the class with this name.

    >>> subject_of("A4").published_name, subject_of("F1").published_name
    ('NumberAxis', 'CUT')
    """
    return _BY_ID[FIGURE_ONE] if name == FIGURE_ONE else SUBJECTS[name]
