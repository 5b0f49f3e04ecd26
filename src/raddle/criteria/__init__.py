"""Criteria: what did an execution cover? One module per idea of a paper."""
