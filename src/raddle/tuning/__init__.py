"""Tuning: the search for the configuration whose executions cover the most (`raddle search`)."""
