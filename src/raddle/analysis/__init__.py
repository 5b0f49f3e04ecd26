"""Analyses: facts about executions that several readers need."""
