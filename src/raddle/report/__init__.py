"""Reports: the contents of a data file as text, HTML pages and machine-readable formats."""
