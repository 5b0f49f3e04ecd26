"""Analyses of executions that criteria, checks and reports share."""
