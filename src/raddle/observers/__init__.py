"""Observers: what is recorded of an execution while the engine runs it."""
