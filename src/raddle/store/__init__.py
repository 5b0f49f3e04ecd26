"""The data file between measuring and reporting."""
