"""Distribution: a search split into units that several processes run."""
