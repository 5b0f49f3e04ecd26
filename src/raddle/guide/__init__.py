"""Guidance: chooses what a search tries next, and decides which of two failing executions is simpler."""
