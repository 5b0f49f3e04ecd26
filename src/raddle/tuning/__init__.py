"""Tuning: the search for the configuration whose executions cover most (`raddle search`)."""
