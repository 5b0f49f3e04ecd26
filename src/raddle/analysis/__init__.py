"""Analyses of executions, shared by criteria, checks and reports."""
