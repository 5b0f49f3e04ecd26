"""Sentences and short phrases that describe warnings to readers who do not know the analyses."""

from __future__ import annotations

from collections.abc import Mapping

from raddle.checks.lock_cycles import ARROW
from raddle.site import Site, where
from raddle.warning import DATA_RACE, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE, ReportedWarning

_TOUCHED = "touched"  # verb for accesses that the note does not describe


def warning_sentence(warning: ReportedWarning, sites: Mapping[int, Site]) -> str:
    """Return one sentence that describes a warning.

    >>> sites = {70001 + n: Site("m.py", 5 + n, 0, "read", "n", "f", switchable=False) for n in (0, 1)}
    >>> warning_sentence(ReportedWarning(DATA_RACE, "Counter.n", (70001, 70002), "read, written"), sites)
    '`Counter.n` is read at m.py:5 and written by another thread at m.py:6, and no synchronization orders them'
    """
    places = [where(number, sites) for number in warning.sites]
    done = warning.note.split(", ") if warning.note else []
    done += [_TOUCHED] * (len(places) - len(done))
    if warning.kind == DATA_RACE and len(places) == 2:
        return _data_race(warning.subject, done, places)
    if warning.kind == LOCKSET and warning.is_vague and len(places) == len(done):
        return _lockset_of_some(warning.subject, done, places)
    if warning.kind == LOCKSET and len(places) == 2:
        return _lockset(warning.subject, done, places)
    if warning.kind == UNSERIALIZABLE and len(places) == 3:
        return _unserializable(warning.subject, done, places)
    locks = warning.subject.split(ARROW)
    if warning.kind == POTENTIAL_DEADLOCK and len(places) == 2 * len(locks):
        return _potential_deadlock(locks, places)
    # The kind is unknown, because the warning comes from another version of raddle.
    return f"{warning.kind} of {warning.subject} {' and '.join(places)}".rstrip()


def brief(warning: ReportedWarning, sites: Mapping[int, Site]) -> str:
    """Return a short phrase for a warning, without the name of its variable.

    >>> sites = {70001 + n: Site("m.py", 5 + n, 0, "read", "n", "f", switchable=False) for n in (0, 1)}
    >>> brief(ReportedWarning(LOCKSET, "Counter.n", (70001, 70002), "read under no lock, written under no lock"), sites)
    'no lock is held'
    """
    places = [where(number, sites) for number in warning.sites]
    done = warning.note.split(", ") if warning.note else [_TOUCHED] * len(places)
    if warning.kind == LOCKSET and len(places) == len(done):
        if all(what.endswith(" under no lock") for what in done) and not warning.is_vague:
            return "no lock is held"
        accesses = ", ".join(map(_located, done, places))
        return f"no single lock is held at every access ({accesses})"
    if warning.kind == DATA_RACE and len(places) == len(done) == 2:
        (first, second), (here, there) = done, places
        return (
            f"{first} {here} by several threads"
            if (first, here) == (second, there)
            else (f"{first} {here} and {second} by another thread {there}")
        )
    if warning.kind == UNSERIALIZABLE and len(places) == len(done) == 3:
        start, between, end = places
        block = start if start == end else f"{start} and {end}"
        return f"{done[1]} {between} between two accesses by another thread {block}"
    return warning_sentence(warning, sites)


def _data_race(variable: str, done: list[str], places: list[str]) -> str:
    (first, second), (here, there) = done, places
    if here == there and first == second:
        return f"`{variable}` is {first} {here} by several threads, and no synchronization orders these accesses"
    return f"`{variable}` is {first} {here} and {second} by another thread {there}, and no synchronization orders them"


def _lockset(variable: str, done: list[str], places: list[str]) -> str:
    (first, second), (here, there) = done, places
    return (
        f"no single lock is held at every access to `{variable}`: "
        f"it is {_located(first, here)}, and {_located(second, f'by another thread {there}')}"
    )


def _lockset_of_some(variable: str, done: list[str], places: list[str]) -> str:
    accesses = ", ".join(map(_located, done, places))
    return f"no single lock is held at every access to `{variable}`: it is {accesses}"


def _located(access: str, place: str) -> str:
    """Insert the place of an access into its phrase, before the locks.

    >>> _located("read under no lock", "at m.py:5")
    'read at m.py:5 under no lock'
    """
    verb, under, locks = access.partition(" under ")
    return f"{verb} {place}{under}{locks}"


def _unserializable(variable: str, done: list[str], places: list[str]) -> str:
    (first, between, second), (start, middle, end) = done, places
    return (
        f"`{variable}` was {first} {start}, then {between} by another thread {middle}, then {second} {end} by the "
        "first thread, whose two accesses may belong together"
    )


def _potential_deadlock(locks: list[str], places: list[str]) -> str:
    parts = []
    for index, lock in enumerate(locks):
        held_at, wanted_at = places[2 * index : 2 * index + 2]
        wanted = locks[(index + 1) % len(locks)]
        if wanted == lock:  # both locks were created at the same place
            wanted = "another such lock"
        parts.append(
            f"{'another' if index else 'one'} holds {lock}, acquired {held_at}, and waits {wanted_at} for {wanted}"
        )
    return f"threads can deadlock: {'; '.join(parts)}"
