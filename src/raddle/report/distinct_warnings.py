"""Warnings with their sentences, each said once: two accesses on one line read as one."""

from __future__ import annotations

from raddle.checks.warning_texts import say
from raddle.store.contents import Contents
from raddle.warning import ReportedWarning


def said_once(contents: Contents) -> list[tuple[ReportedWarning, str]]:
    """The first caution of each sentence.

    >>> race = ReportedWarning("data-race", "Log.th", (70001, 70002))
    >>> len(said_once(Contents(warnings=(race, race))))
    1
    """
    first: dict[str, ReportedWarning] = {}
    for warning in contents.warnings:
        first.setdefault(say(warning, contents.sites), warning)
    return [(warning, sentence) for sentence, warning in first.items()]
