"""Exploration: running one scenario many times and collecting coverage and findings."""
