"""Execution of a scenario in this process or in a forked child, with everything set up around it."""
