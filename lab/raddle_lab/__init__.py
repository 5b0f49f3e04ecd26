"""The experiments of the papers, done again in Python."""
