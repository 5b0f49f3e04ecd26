"""The results of an experiment's cells, in a file to which each result is appended as soon as it is known."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class ResultLog:
    """Maps the description of each cell to its result. With a path, the results of earlier runs are read and kept.

    Each line of the file holds one cell and its result. An interrupted run leaves at most one incomplete line, at the
    end, which is dropped.

    >>> log = ResultLog(None)
    >>> log.add({"seed": 1}, {"found": True})
    >>> log.get({"seed": 1}), log.get({"seed": 2})
    ({'found': True}, None)
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._results: dict[str, Json] = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        complete = content.rfind(b"\n") + 1
        if complete < len(content):
            os.truncate(path, complete)
        for line in content[:complete].splitlines():
            entry = json.loads(line)
            self._results[_key(entry["cell"])] = entry["result"]

    def get(self, cell: Mapping[str, Any]) -> Json | None:
        """Return the result of a cell; None if it is not known."""
        return self._results.get(_key(cell))

    def add(self, cell: Mapping[str, Any], result: Json) -> None:
        """Add a result, and append it to the file with a single write."""
        self._results[_key(cell)] = result
        if self._path is None:
            return
        line = json.dumps({"cell": dict(cell), "result": result}) + "\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(file, line.encode())
            os.fsync(file)
        finally:
            os.close(file)


def _key(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)
