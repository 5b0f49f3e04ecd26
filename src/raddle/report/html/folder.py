"""The folder of a report: how the pages come onto the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from raddle.criteria.base import Criterion
from raddle.errors import UsageError
from raddle.report.html.pages import Report
from raddle.store.contents import Contents

MARKER = "assets/raddle-report.txt"  # by which a folder is known to be a report, and may be written anew

_OURS = ("*.html", "data/*.js", "assets/*", ".gitignore")


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    folder: Path
    pages: int
    findings: int
    files: int

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        index = self.folder / "index.html"
        return {
            "folder": str(self.folder),
            "index": str(index),
            "pages": self.pages,
            "files": self.files,
            "findings": self.findings,
        }


def write_pages(
    contents: Contents,
    folder: Path,
    *,
    title: str = "raddle",
    version: str = "",
    criteria: Mapping[str, Criterion] | None = None,
) -> Written:
    """Write the whole report into a folder, which is made, or which is an earlier report."""
    report = Report(contents, title=title, version=version, criteria=criteria)
    try:
        _clear(folder)
        pages = 0
        for name, text in report.everything():
            path = folder / name
            path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            pages += name.endswith(".html")
    except OSError as error:
        raise UsageError(
            "output-unwritable", f"{folder} does not take the report: {error.strerror or error}; name another --output"
        ) from None
    return Written(folder, pages, len(contents.findings), len(report.places.pages))


def _clear(folder: Path) -> None:
    """Make room. Whatever is not an earlier report is not touched."""
    if folder.exists():
        if not folder.is_dir():
            raise UsageError("output-not-ours", f"{folder} is a file; name a folder with --output")
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise UsageError(
                "output-not-ours",
                f"{folder} has other things than a report of raddle in it; name an empty or a new folder with --output",
            )
    for pattern in _OURS:
        for path in folder.glob(pattern):
            path.unlink()
    for name in ("assets", "data"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with_package = files("raddle.report.html") / "assets"
    for asset in ("style.css", "report.js"):
        (folder / "assets" / asset).write_bytes((with_package / asset).read_bytes())
    (folder / MARKER).write_text("This folder is written by `raddle html`, and written anew each time.\n", "utf-8")
    (folder / ".gitignore").write_text("*\n", "utf-8")
