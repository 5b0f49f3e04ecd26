"""Reports: the data file as text, pages and formats for machines."""
