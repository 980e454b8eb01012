"""The engine thread and how its parts are put together."""
