"""The pages that are timed are those of a report."""

from pathlib import Path

import pages

from raddle.report.html import write_pages


def test_a_page_for_each_file_with_its_source(tmp_path: Path) -> None:
    contents = pages.large(3, tmp_path)
    written = write_pages(contents, tmp_path / "pages")
    sources = sorted((tmp_path / "pages").glob("source-*.html"))
    assert len(sources) == 3
    assert written.pages >= 4
    assert all("# more of it" in page.read_text(encoding="utf-8") for page in sources)
