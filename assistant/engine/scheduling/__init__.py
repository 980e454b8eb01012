"""The schedule: its requests, carrying out what is due, and what is told of it."""
