"""The lock graph and the happens-before graph, drawn from the covered requirements and the warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.checks.lock_cycles import ARROW
from raddle.checks.warning_texts import warning_sentence
from raddle.criteria import shape_of
from raddle.entities import AbstractObject
from raddle.report.html.arcs import Diagram, Link, cyclic_links, draw
from raddle.report.html.places import Places
from raddle.requirement import Requirement, Role
from raddle.site import Site
from raddle.store.contents import Contents
from raddle.warning import POTENTIAL_DEADLOCK

MAX_SENTENCES = 500  # maximum number of sentences listed on one page

_LOCKS = ("goodlock", "goodlock*")
_PAIRS = ("hbpair", "hbpair*")


@dataclass(frozen=True, slots=True)
class Graph:
    """A drawing of a graph, and its links as sentences."""

    diagram: Diagram
    links: tuple[Link, ...]
    measured: bool  # True if the criterion that provides the links was measured
    warnings: tuple[str, ...] = ()

    @property
    def circular(self) -> tuple[Link, ...]:
        """The links that are part of a cycle."""
        return tuple(link for link in self.links if link.circular)


def lock_graph(contents: Contents, places: Places) -> Graph:
    """Return the graph of locks requested while another lock was held, from `goodlock` and deadlock warnings."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    hrefs: dict[str, str] = {}
    for name in _LOCKS:
        for requirement in _covered(name, contents):
            held_at, requested_at = requirement.sites
            held, requested = locks = requirement.of(Role.RESOURCE)
            for lock in locks:
                hrefs[_lock(lock)] = _creation_link(lock, places)
            _note(found, _lock(held), _lock(requested), held_at, requested_at, contents)
    warnings = []
    warned: set[tuple[str, str]] = set()
    for warning in contents.warnings:
        if warning.kind == POTENTIAL_DEADLOCK:
            warnings.append(warning_sentence(warning, contents.sites))
            locks = [lock.removeprefix("the ") for lock in warning.subject.split(ARROW)]
            for index, lock in enumerate(locks):
                if len(warning.sites) == 2 * len(locks):
                    held_at, requested_at = warning.sites[2 * index : 2 * index + 2]
                    warned.add((lock, locks[(index + 1) % len(locks)]))
                    _note(found, lock, locks[(index + 1) % len(locks)], held_at, requested_at, contents)
    # Locks created on the same line share one node, and programs often hold several of them together on purpose. So a
    # link from a node to itself counts as a cycle only if a warning shows that the individual locks form one.
    in_cycle = {pair for pair in cyclic_links(found) if pair[0] != pair[1] or pair in warned}
    links = tuple(
        Link(source, target, sentence, (source, target) in in_cycle)
        for (source, target), sentences in sorted(found.items())
        for sentence in sentences
    )
    labels = sorted({end for link in links for end in (link.source, link.target)})
    measured = any(name in contents.criteria for name in _LOCKS)
    return Graph(draw(labels, links, hrefs), links, measured, tuple(dict.fromkeys(warnings)))


def _covered(name: str, contents: Contents) -> Iterator[Requirement]:
    shape = shape_of(name)
    return (Requirement(shape, key) for key in contents.tally.covered.get(name, {}))


def _note(
    found: dict[tuple[str, str], dict[str, None]],
    held: str,
    requested: str,
    held_at: int,
    requested_at: int,
    contents: Contents,
) -> None:
    second = "another such lock" if held == requested else f"the {requested}"
    sentence = (
        f"{second} was requested at {_place(requested_at, contents)} while the {held}, "
        f"acquired at {_place(held_at, contents)}, was held"
    )
    found.setdefault((held, requested), {})[sentence] = None


def happens_before(contents: Contents, places: Places) -> Graph:
    """Return the graph of sites in different threads that synchronization ordered, from `hbpair`."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for name in _PAIRS:
        for requirement in _covered(name, contents):
            given_at, taken_at = requirement.sites
            if given_at in contents.sites and taken_at in contents.sites:
                resources = requirement.of(Role.RESOURCE)
                by = f"by {AbstractObject(*resources[0])}" if resources else "by a start or a join"
                found.setdefault((given_at, taken_at), {})[by] = None
    sites = sorted({site for pair in found for site in pair}, key=lambda site: places.numbers[site])
    labels = _labels(sites, contents)
    by_label = {(labels[one], labels[two]): ways for (one, two), ways in found.items()}
    both = {pair for pair in by_label if pair[0] == pair[1] or pair[::-1] in by_label}
    links = tuple(
        Link(one, two, _order_sentence(one, two, way, (one, two) in both), (one, two) in both)
        for (one, two), ways in by_label.items()
        for way in ways
    )
    hrefs = {labels[site]: places.of_site(site) for site in sites}
    measured = any(name in contents.criteria for name in _PAIRS)
    return Graph(draw(list(dict.fromkeys(labels.values())), links, hrefs), links, measured)


def _order_sentence(one: str, two: str, way: str, both: bool) -> str:
    if one == two:
        return f"{one} happened before the same site in another thread, ordered {way}"
    return f"{one} happened before {two}, ordered {way}; " + (
        "also observed in the opposite order" if both else "never observed in the opposite order"
    )


def _labels(sites: list[int], contents: Contents) -> dict[int, str]:
    return {number: " ".join(_parts(contents.sites[number])) for number in sites}


def _parts(site: Site) -> Iterator[str]:
    yield f"{site.file}:{site.line}"
    if site.name or site.kind != "call":
        yield site.name or site.kind


def _lock(lock: tuple[str, str]) -> str:
    return str(AbstractObject(*lock)).removeprefix("the ")


def _creation_link(lock: tuple[str, str], places: Places) -> str:
    file, _, line = lock[1].rpartition(":")
    return places.of_line(file, int(line)) if line.isdigit() else ""


def _place(number: int, contents: Contents) -> str:
    site = contents.sites.get(number)
    return f"{site.file}:{site.line}" if site is not None else "a site without probes"
