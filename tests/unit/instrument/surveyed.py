"""Helpers that return the static model of some source code in forms that are easy to compare."""

from __future__ import annotations

from textwrap import dedent

from raddle.instrument import rewrite
from raddle.instrument.model.census import take_census
from raddle.instrument.model.survey import survey
from raddle.site import INDEX_BITS, Site
from raddle.static_model import StaticModel


def build_model(*sources: str, blocks: bool = False, **others: str) -> tuple[StaticModel, dict[int, Site]]:
    """Return the static model and the sites of some modules.

    The positional argument is the source of m.py. Keyword arguments are the sources of other files. In an argument's
    name, "__" represents "/" and "init" represents "__init__".
    """
    files = dict(zip(["m.py"], sources, strict=False))
    files |= {f"{name.replace('__', '/').replace('init', '__init__')}.py": source for name, source in others.items()}
    censuses, table = [], {}
    for number, (file, source) in enumerate(files.items(), start=1):
        text, base = dedent(source), number << INDEX_BITS
        sites = rewrite(text, file=file, base=base, blocks=blocks).sites
        table |= {base + index: site for index, site in enumerate(sites)}
        censuses.append(take_census(text, sites, file=file, base=base))
    return survey(censuses), table


def variables(*sources: str, **others: str) -> dict[str, str]:
    """Return the lines on which each variable is read and written, such as "r3 w4".

    A question mark indicates a guess. Lines outside m.py are prefixed with the file's name. The prefix "m.py" is
    removed from owners.
    """
    model, table = build_model(*sources, **others)
    found = {}
    for (owner, name), accesses in model.variables.items():
        shown = []
        for letter, sites in (("r", accesses.reads), ("w", accesses.writes)):
            for site in sorted(sites):
                place = table[site]
                file = "" if place.file == "m.py" else f"{place.file}:"
                shown.append(f"{letter}{file}{place.line}{'?' if site in accesses.guessed else ''}")
        owner = owner.removeprefix("m.py").removeprefix(":")
        found[f"{owner}.{name}" if owner else name] = " ".join(shown)
    return found
