"""Findings are shrunk unless somebody asks for the first schedule."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import shrunk

import raddle
from raddle.config import read
from raddle.errors import UsageError


@pytest.mark.parametrize("isolate", ["none", "fork"] if hasattr(os, "fork") else ["none"])
def test_shrunk_or_as_it_was_found(isolate: str) -> None:
    # Two of the four increments' rounds interleave at random; only one preemption is needed.
    found = {}
    for shrink in (True, False):
        result = raddle.explore(
            shrunk.in_the_first_round, source=["shrunk"], isolate=isolate, shrink=shrink, until="first-finding"
        )
        (found[shrink],) = result.findings
        again = raddle.replay(shrunk.in_the_first_round, str(found[shrink].schedule), source=["shrunk"])
        assert again is not None
        assert again.message == found[shrink].message
    assert len(found[True].preemptions) == 1
    assert len(found[False].preemptions) > 1
    assert found[True].execution == found[False].execution  # shrinking is no part of the search


def test_a_key_of_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.raddle]\nshrink = false\n")
    assert read(file).options() == {"shrink": False}
    for wrong in ("shrink = 0", "executions = true"):
        file.write_text(f"[tool.raddle]\n{wrong}\n")
        with pytest.raises(UsageError):
            read(file)
