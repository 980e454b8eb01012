"""Speech synthesisers, one per file."""
