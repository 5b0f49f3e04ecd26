"""Experiments on coverage criteria and schedulers, most of them replicated from papers.

The word PYTEST_DONT_REWRITE in this docstring keeps pytest from rewriting the module.
"""
