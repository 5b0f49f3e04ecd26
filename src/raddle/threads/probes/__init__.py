"""The probes that instrumented code calls while an execution is under control."""
