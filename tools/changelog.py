"""Makes CHANGELOG.md from the fragments in changes/: `python tools/changelog.py`, or `make changelog`.

A fragment is named 0003-explore.md: numbers give the order, the newest is on top, the rest is its title.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def changelog(folder: Path, version: str) -> str:
    """The whole text.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     written = (Path(name) / "0001-first-words.md").write_text("It speaks.\\n")
    ...     print(changelog(Path(name), "1.0"))
    # Changelog
    <BLANKLINE>
    ## 1.0
    <BLANKLINE>
    ### First words
    <BLANKLINE>
    It speaks.
    <BLANKLINE>
    """
    parts = ["# Changelog", "", f"## {version}"]
    for file in sorted(folder.glob("[0-9]*-*.md"), reverse=True):
        title = file.stem.partition("-")[2].replace("-", " ").capitalize()
        parts += ["", f"### {title}", "", file.read_text(encoding="utf-8").strip()]
    return "\n".join([*parts, ""])


def current() -> str:
    """What CHANGELOG.md should be now."""
    from raddle import __version__

    return changelog(ROOT / "changes", __version__)


def main() -> int:
    """Write it."""
    (ROOT / "CHANGELOG.md").write_text(current(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
