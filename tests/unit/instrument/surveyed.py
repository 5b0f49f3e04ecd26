"""The static model of some source, in a form that is easy to compare."""

from __future__ import annotations

from textwrap import dedent

from raddle.instrument import rewrite
from raddle.instrument.model.census import take_census
from raddle.instrument.model.survey import survey
from raddle.site import INDEX_BITS, Site
from raddle.static_model import StaticModel


def modelled(*sources: str, blocks: bool = False, **more: str) -> tuple[StaticModel, dict[int, Site]]:
    """One source is m.py; others are named by keywords, with "__" for "/" and "init" for "__init__"."""
    files = dict(zip(["m.py"], sources, strict=False))
    files |= {f"{name.replace('__', '/').replace('init', '__init__')}.py": source for name, source in more.items()}
    censuses, table = [], {}
    for number, (file, source) in enumerate(files.items(), start=1):
        text, base = dedent(source), number << INDEX_BITS
        sites = rewrite(text, file=file, base=base, blocks=blocks).sites
        table |= {base + index: site for index, site in enumerate(sites)}
        censuses.append(take_census(text, sites, file=file, base=base))
    return survey(censuses), table


def variables(*sources: str, **more: str) -> dict[str, str]:
    """For each variable, the lines where it is read and written, "r3 w4"; guesses have a question mark.

    Lines of m.py are numbers only, others have their file before them. The owner comes without m.py.
    """
    model, table = modelled(*sources, **more)
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
