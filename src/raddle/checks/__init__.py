"""Checks: the outcomes of failed executions, and warnings about suspicious ones."""
