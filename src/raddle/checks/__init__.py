"""Checks, which give outcomes for failed executions and warnings about suspicious ones."""
