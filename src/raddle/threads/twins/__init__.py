"""Twins: controlled replacements for the primitives of the standard library, with the same names."""
