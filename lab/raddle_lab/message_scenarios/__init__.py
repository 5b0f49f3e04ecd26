"""Small message-passing programs with known verdicts."""
