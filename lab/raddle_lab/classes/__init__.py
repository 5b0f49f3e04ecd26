"""Classes that claim to be thread-safe, rewritten in Python from the classes in the papers."""
