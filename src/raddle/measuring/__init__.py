"""Measurement: feeds executions to criteria and checks, and records what they covered."""
