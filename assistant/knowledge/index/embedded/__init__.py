"""The index on this machine: rows in SQLite, words in tantivy, meanings in usearch."""
