"""Wake-word engines, one a file."""
