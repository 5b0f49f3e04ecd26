"""The page benchmark writes real report pages."""

from pathlib import Path

import pages

from raddle.report.html import write_pages


def test_each_file_has_a_page_with_its_source(tmp_path: Path) -> None:
    contents = pages.large(3, tmp_path)
    written = write_pages(contents, tmp_path / "pages")
    sources = sorted((tmp_path / "pages").glob("source-*.html"))
    assert len(sources) == 3
    assert written.pages >= 4
    assert all("# more of it" in page.read_text(encoding="utf-8") for page in sources)
