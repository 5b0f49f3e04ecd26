"""The experiments of the papers, done again in Python. (Nothing to rewrite for pytest: PYTEST_DONT_REWRITE.)"""
