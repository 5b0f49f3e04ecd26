"""Facts about a trace that several readers need."""
