"""Thread-safe classes without a known bug, on which every report of a failure would be a false alarm."""
