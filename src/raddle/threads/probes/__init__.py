"""The probes that instrumented code calls during a controlled execution."""
