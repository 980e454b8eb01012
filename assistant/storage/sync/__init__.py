"""What is synced of the database: what waits to leave, and what other devices have written."""
