"""The interaction state machine: events in, effects out."""
