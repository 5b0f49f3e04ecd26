"""Assigns numbers and names to the objects, variables and threads of a native run."""
