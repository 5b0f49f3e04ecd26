"""Numbers and names for the objects, variables and threads of a natively running program."""
