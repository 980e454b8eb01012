"""The engine thread and the wiring of its parts."""
