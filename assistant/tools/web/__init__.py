"""Pages of the web: which addresses may be opened, fetching, reading, searching."""
