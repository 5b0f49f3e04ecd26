"""Measurement: executions shown to criteria, and the record of what they covered."""
