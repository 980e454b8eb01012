"""The store of synced records on a PostgreSQL server."""
