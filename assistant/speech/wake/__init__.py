"""Wake-word engines, one per file."""
