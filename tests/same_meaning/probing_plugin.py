"""A pytest plugin that instruments a package while the package's tests run, and records each test's outcome.

The environment variables RADDLE_MODE (plain, hook, inplace, recorded), RADDLE_PACKAGE and RADDLE_OUTCOMES (the JSON
file to write) configure the plugin. The mode `recorded` is like `hook`, but attaches probes that keep a log.
"""

from __future__ import annotations

import collections
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from raddle import probe
from raddle.instrument import install_hook, instrument_modules
from raddle.site import SiteTable

MODE = os.environ["RADDLE_MODE"]
PACKAGE = os.environ["RADDLE_PACKAGE"]

outcomes: dict[str, str] = {}
table = SiteTable()
instrumented: list[str] = []
refused: list[str] = []


def in_package(name: str, path: str | None = None) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


hook = install_hook(in_package, table) if MODE in ("hook", "recorded") else None


def recording(name: str) -> Callable[..., object]:
    plain, log = probe.PLAIN[name], collections.deque[object](maxlen=1000)

    def logged(*arguments: object) -> object:
        log.append(arguments[-1:])  # only the site, so that no other argument is kept alive
        return plain(*arguments)

    return logged


def pytest_collection_finish(session: pytest.Session) -> None:
    if MODE == "recorded":
        probe.attach({name: recording(name) for name in probe.PLAIN})
    if MODE == "inplace":
        tests = {item.module for item in session.items if isinstance(item, pytest.Function)}
        package = {module for name, module in sys.modules.items() if in_package(name)}
        undo = instrument_modules(sorted(package | tests, key=lambda module: module.__name__), table)
        instrumented.extend(function.__qualname__ for function in undo.functions)
        refused.extend(f"{refusal.what}: {refusal.why}" for refusal in undo.not_instrumented)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        reason = "" if report.outcome == "passed" else str(report.longrepr).strip().splitlines()[-1]
        outcomes[report.nodeid] = f"{report.outcome} {reason}"[:200]


def pytest_sessionfinish(session: pytest.Session) -> None:
    probe.detach()
    if hook is not None:
        instrumented.extend(hook.instrumented)
        refused.extend(f"{refusal.what}: {refusal.why}" for refusal in hook.not_instrumented)
    written = {"outcomes": outcomes, "instrumented": instrumented, "refused": refused, "sites": len(table)}
    Path(os.environ["RADDLE_OUTCOMES"]).write_text(json.dumps(written))
