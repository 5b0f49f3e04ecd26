"""Guidance: what a search tries next, and which of two failing executions is simpler."""
