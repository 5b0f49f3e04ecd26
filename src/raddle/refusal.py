"""Code that matters to a scenario but has no probes. It is always reported, so nothing goes unmeasured silently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotInstrumented:
    """Code without probes that was named as a source, or that threads of a scenario call.

    >>> NotInstrumented("cachetools.cached", "it is an installed package", source="cachetools").as_json()
    {'what': 'cachetools.cached', 'why': 'it is an installed package', 'source': 'cachetools'}
    """

    what: str
    why: str
    source: str = ""  # the value of `--source` that would include the code; "" if no option can
    called: bool = False  # whether threads were observed calling the code
    unwatchable_target: bool = False  # whether the code is the target of a thread and cannot be instrumented at all

    def __str__(self) -> str:
        return f"not instrumented: {self.what}: {self.why}"

    def as_json(self) -> dict[str, str]:
        """Return the fields as JSON data."""
        return {"what": self.what, "why": self.why, "source": self.source}


def unwatched_calls(refused: Iterable[NotInstrumented]) -> str:
    """Return a clause about uninstrumented code that threads call; "" if there is none.

    >>> unwatched_calls([NotInstrumented("cachetools.cached", "", source="cachetools", called=True)])
    'threads call cachetools, which is not instrumented: add --source cachetools'
    """
    called = [one for one in refused if one.called]
    sources = [one.source for one in called if one.source]
    if sources:
        verb = "is" if len(sources) == 1 else "are"
        options = " ".join(f"--source {source}" for source in sources)
        return f"threads call {', '.join(sources)}, which {verb} not instrumented: add {options}"
    return next((f"{one.what} is not instrumented: {one.why}" for one in called), "")
