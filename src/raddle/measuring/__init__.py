"""Measurement: feeds executions to criteria and checks, and records what the executions covered."""
