"""The interaction state machine: takes events, returns effects."""
