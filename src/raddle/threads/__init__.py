"""Threads: the world of Python threads on the engine."""
