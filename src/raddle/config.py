"""Settings: every option of `raddle explore`, and a threshold of `raddle report`, is a key of [tool.raddle]."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from raddle.errors import UsageError

_TYPES: dict[str, tuple[type, ...]] = {
    "executions": (int,),
    "seconds": (int, float),
    "scheduler": (str,),
    "seed": (int,),
    "until": (str,),
    "switches": (str,),
    "timeouts": (str,),
    "wakeups": (str,),
    "source": (list,),
    "isolate": (str,),
    "step_limit": (int,),
    "patience_seconds": (int, float),
    "shrink": (bool,),
    "criteria": (str, list),
    "thread_methods": (int,),
    "pinv_occurrences": (int,),
    "data_file": (str,),
    "corpus": (bool,),
    "workers": (int,),
    "story": (str,),
    "fail_under": (str, list),
}
_OF_REPORT = frozenset({"story", "fail_under"})


@dataclass(frozen=True, slots=True)
class Config:
    """What a project asks for; None where it leaves the choice to raddle.

    >>> Config(executions=200).options()
    {'executions': 200}
    """

    executions: int | None = None
    seconds: float | None = None
    scheduler: str | None = None
    seed: int | None = None
    until: str | None = None
    switches: str | None = None
    timeouts: str | None = None
    wakeups: str | None = None
    source: tuple[str, ...] | None = None
    isolate: str | None = None
    step_limit: int | None = None
    patience_seconds: float | None = None
    shrink: bool | None = None
    criteria: str | tuple[str, ...] | None = None
    thread_methods: int | None = None
    pinv_occurrences: int | None = None
    data_file: str | None = None
    corpus: bool | None = None
    workers: int | None = None
    story: str | None = None  # of findings: short or full
    fail_under: str | tuple[str, ...] | None = None  # of `raddle report`

    def options(self) -> dict[str, Any]:
        """As keyword arguments of `raddle.explore`."""
        asked = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _OF_REPORT}
        return {name: value for name, value in asked.items() if value is not None}


def load(folder: Path) -> Config:
    """The settings of the nearest pyproject.toml at or above a folder; none is as good as an empty one."""
    for here in (folder, *folder.parents):
        file = here / "pyproject.toml"
        if file.is_file():
            return read(file)
    return Config()


def read(file: Path) -> Config:
    """The settings in one file; a key that is unknown or of the wrong type is refused."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("raddle", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("bad-config", f"{file} cannot be read as TOML: {error}") from None
    if not isinstance(table, dict):
        raise UsageError("bad-config", f"{file}: tool.raddle must be a table")
    settings: dict[str, Any] = {}
    for written, value in table.items():
        key = written.replace("-", "_")
        if key not in _TYPES:
            near = difflib.get_close_matches(key, _TYPES, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError("bad-config", f"{file}: [tool.raddle] has no key {written!r}{hint}")
        if not isinstance(value, _TYPES[key]) or isinstance(value, bool) != (_TYPES[key] == (bool,)):
            wanted = " or ".join(f"{'an' if kind is int else 'a'} {kind.__name__}" for kind in _TYPES[key])
            raise UsageError("bad-config", f"{file}: [tool.raddle] {written} must be {wanted}, not {value!r}")
        settings[key] = tuple(value) if isinstance(value, list) else value
    return Config(**settings)
