"""Guidance: what a search tries next, and which of two failures is simpler."""
