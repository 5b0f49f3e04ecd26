"""The settings in the [tool.raddle] table of pyproject.toml.

Every option of `raddle explore` is also a key in this table, and so is the coverage threshold of `raddle report`. The
options of `raddle generate` are keys in the table [tool.raddle.generate].
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from raddle.errors import UsageError

# Settings that `raddle.explore` does not take
_NOT_FOR_EXPLORE = frozenset({"story", "verbose", "fail_under", "generate"})


@dataclass(frozen=True, slots=True)
class GenerateConfig:
    """The settings in [tool.raddle.generate]. A setting is None if the project does not set it.

    >>> GenerateConfig(method="covcon*", out="tests/threads").options()
    {'method': 'covcon*', 'out': 'tests/threads'}
    """

    method: str | None = None
    seconds: float | None = None
    max_tests: int | None = None
    seed: int | None = None
    out: str | None = None
    methods: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    oracle: str | tuple[str, ...] | None = None
    learn: str | None = None
    factory: str | None = None  # the option `--with`
    workers: int | None = None
    keep_coverage_tests: bool | None = None

    def options(self) -> dict[str, Any]:
        """Return the settings as keyword arguments for `raddle.generate`."""
        options = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a project. A setting is None if the project does not set it.

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
    story: str | None = None  # length of the stories of findings: "short" or "full"
    verbose: bool | None = None  # True to show details of the search and list every warning
    fail_under: str | tuple[str, ...] | None = None  # coverage thresholds of `raddle report`
    generate: GenerateConfig | None = None  # the settings of `raddle generate`

    def options(self) -> dict[str, Any]:
        """Return the settings as keyword arguments for `raddle.explore`."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _NOT_FOR_EXPLORE}
        return {name: value for name, value in options.items() if value is not None}


def _types(annotation: Any) -> tuple[type, ...]:
    """Return the types of TOML values that are valid for a field.

    TOML arrays are parsed as lists, and a float field also accepts integers.

    >>> _types(float | None), _types(str | tuple[str, ...] | None)
    ((<class 'int'>, <class 'float'>), (<class 'str'>, <class 'list'>))
    """
    kinds = [get_origin(kind) or kind for kind in get_args(annotation) if kind is not NoneType]
    toml_types = {tuple: (list,), float: (int, float)}
    return tuple(one for kind in kinds for one in toml_types.get(kind, (kind,)))


_TYPES = {
    cls: {name: _types(annotation) for name, annotation in get_type_hints(cls).items()}
    for cls in (Config, GenerateConfig)
}


def load(folder: Path) -> Config:
    """Return the settings from the nearest pyproject.toml in a folder or its parents; empty if there is none."""
    for here in (folder, *folder.parents):
        file = here / "pyproject.toml"
        if file.is_file():
            return read(file)
    return Config()


def read(file: Path) -> Config:
    """Return the settings in one file; raise `UsageError` for an unknown key or a value of the wrong type."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("raddle", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("bad-config", f"{file} cannot be read as TOML: {error}") from None
    if not isinstance(table, dict):
        raise UsageError("bad-config", f"{file}: tool.raddle must be a table")
    nested = table.get("generate", {})
    if not isinstance(nested, dict):
        raise UsageError("bad-config", f"{file}: tool.raddle.generate must be a table")
    own = {name: value for name, value in table.items() if name != "generate"}
    settings = _settings(file, "[tool.raddle]", own, _TYPES[Config])
    if nested:
        settings["generate"] = GenerateConfig(
            **_settings(file, "[tool.raddle.generate]", nested, _TYPES[GenerateConfig])
        )
    return Config(**settings)


def _settings(file: Path, title: str, table: dict[str, Any], types: dict[str, tuple[type, ...]]) -> dict[str, Any]:
    """Return the settings in a table by name, after checking them."""
    settings: dict[str, Any] = {}
    for name, value in table.items():
        key = name.replace("-", "_")
        if key not in types:
            near = difflib.get_close_matches(key, types, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError("bad-config", f"{file}: {title} has no key {name!r}{hint}")
        if not isinstance(value, types[key]) or isinstance(value, bool) != (types[key] == (bool,)):
            expected = " or ".join(f"{'an' if kind is int else 'a'} {kind.__name__}" for kind in types[key])
            raise UsageError("bad-config", f"{file}: {title} {name} must be {expected}, not {value!r}")
        settings[key] = tuple(value) if isinstance(value, list) else value
    return settings
