"""The experiments of the papers, repeated in Python. (pytest must not rewrite this package: PYTEST_DONT_REWRITE.)"""
