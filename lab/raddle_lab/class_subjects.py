"""All classes with known bugs that test generation is measured on, in the order of the papers."""

from __future__ import annotations

from raddle_lab.class_subject import ClassSubject
from raddle_lab.class_subjects_first import SUBJECTS as FIRST
from raddle_lab.class_subjects_second import SUBJECTS as SECOND
from raddle_lab.class_subjects_third import SUBJECTS as THIRD

SUBJECTS: tuple[ClassSubject, ...] = (*FIRST, *SECOND, *THIRD)
