"""Test generation: searches for concurrent calls that break a class, and writes the tests that show it."""
