"""Runs scenarios in this process or in a forked child: installations, sessions, signals and the watchdog."""
