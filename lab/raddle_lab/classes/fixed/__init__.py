"""The same classes with their bugs fixed."""
