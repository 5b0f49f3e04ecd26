"""What guides a search: what is simpler, what to try next."""
