"""A multimap whose views as maps read their entry set once."""

from __future__ import annotations

from raddle_lab.classes import as_map


class Multimap(as_map.Multimap):
    """A map from names to any number of values each. Threads may share it."""

    def as_map(self) -> AsMap:
        return AsMap(self)


class AsMap(as_map.AsMap):
    """A view of a multimap as a map from each key to the list of its values. Threads may share it."""

    def entry_set(self) -> as_map.EntrySet:
        entries = self._entries
        if entries is None:
            # Two threads may both make an entry set; the two sets show the same entries.
            entries = self._entries = as_map.EntrySet(self._multimap)
        return entries
