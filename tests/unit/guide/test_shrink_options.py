"""Findings are shrunk unless `shrink` is off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import shrink_scenarios

import raddle
from raddle.config import read
from raddle.errors import UsageError


@pytest.mark.parametrize("isolate", ["none", "fork"] if hasattr(os, "fork") else ["none"])
def test_findings_are_shrunk_only_if_the_option_is_on(isolate: str) -> None:
    # Under random scheduling, the two threads interleave in several of their four iterations. One preemption is enough
    # to fail.
    found = {}
    for shrink in (True, False):
        result = raddle.explore(
            shrink_scenarios.in_the_first_round,
            source=["shrink_scenarios"],
            isolate=isolate,
            shrink=shrink,
            until="first-finding",
        )
        (found[shrink],) = result.findings
        replayed = raddle.replay(
            shrink_scenarios.in_the_first_round, str(found[shrink].schedule), source=["shrink_scenarios"]
        )
        assert replayed is not None
        assert replayed.message == found[shrink].message
    assert len(found[True].preemptions) == 1
    assert len(found[False].preemptions) > 1
    assert found[True].execution == found[False].execution  # executions for shrinking are not counted


def test_shrink_is_a_boolean_key_of_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.raddle]\nshrink = false\n")
    assert read(file).options() == {"shrink": False}
    for wrong in ("shrink = 0", "executions = true"):
        file.write_text(f"[tool.raddle]\n{wrong}\n")
        with pytest.raises(UsageError):
            read(file)
