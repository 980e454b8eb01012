"""The connection to a PostgreSQL server."""
