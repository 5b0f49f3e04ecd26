"""The engine: runs one execution, in which a scheduler decides which participant runs next."""
