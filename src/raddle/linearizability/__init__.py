"""Linearizability: whether concurrent calls have an outcome that some order of whole calls also has."""
