"""mkdocs hooks that add the changelog to the pages and rewrite links to files outside docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent


def on_files(files: Files, *, config: Any) -> Files:
    """Add the changelog to the pages, since its file is outside docs/."""
    content = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Make links to the README point to the site's first page.

    Replace links to other files outside docs/ with the link text and the file name.
    """
    up = "../" * page.file.src_uri.count("/")
    markdown = re.sub(r"\]\((?:\.\./)+README\.md\)", f"]({up}index.md)", markdown)
    return re.sub(r"\[([^\]]*)\]\((?:\.\./)+([A-Z]+\.(?:md|cff))\)", r"\1 (`\2`)", markdown)
