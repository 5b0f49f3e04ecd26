"""Runs scenarios in this process or in a forked child, using installations, sessions, signals and the watchdog."""
