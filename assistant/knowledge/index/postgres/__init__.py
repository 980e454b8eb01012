"""The index on a PostgreSQL server with pgvector, for projects that several machines share."""
