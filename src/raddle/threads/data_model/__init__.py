"""The data model: which variables an attribute access, an item access or a call touches."""
