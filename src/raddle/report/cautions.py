"""Warnings with their sentences, each said once: two accesses on one line read as one."""

from __future__ import annotations

from raddle.caution import Caution
from raddle.checks.cautions import say
from raddle.store.contents import Contents


def said_once(contents: Contents) -> list[tuple[Caution, str]]:
    """The first caution of each sentence.

    >>> race = Caution("data-race", "Log.th", (70001, 70002))
    >>> len(said_once(Contents(cautions=(race, race))))
    1
    """
    first: dict[str, Caution] = {}
    for caution in contents.cautions:
        first.setdefault(say(caution, contents.sites), caution)
    return [(caution, sentence) for sentence, caution in first.items()]
