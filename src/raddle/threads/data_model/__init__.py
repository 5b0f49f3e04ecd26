"""The data model: which variables an attribute, item, call or container access touches."""
