"""Native mode: the program's own threads, watched while they run as they like."""
