"""Twins: controlled replacements for the primitives of the standard library, under its names."""
