"""The report as pages: a folder that opens in a browser from the disk, made from a data file alone."""

from raddle.report.html.folder import Written, write_pages

__all__ = ["Written", "write_pages"]
