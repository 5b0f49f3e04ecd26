"""Checks that produce outcomes for failed executions and warnings about suspicious ones."""
