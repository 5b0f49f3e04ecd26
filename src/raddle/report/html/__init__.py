"""The HTML report: a folder of pages, made from a data file, that a browser can open without a server."""

from raddle.report.html.folder import WrittenReport, write_pages

__all__ = ["WrittenReport", "write_pages"]
