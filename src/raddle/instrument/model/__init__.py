"""The static model of the instrumented source: which methods read and write which variables."""
