"""The template of a service: one agent that talks. ``sori flows new NAME`` copies it."""
