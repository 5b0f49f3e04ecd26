"""Observers that record an execution while the engine runs it: steps, events and schedules."""
