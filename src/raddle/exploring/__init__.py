"""Exploration: many executions of one scenario, and what they found."""
