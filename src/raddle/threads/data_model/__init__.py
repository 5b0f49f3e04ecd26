"""The data model: the variables that an access to an attribute, an item or a container touches, or a call."""
