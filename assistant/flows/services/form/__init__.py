"""The template of a service with slots, a yes and a step. ``sori flows new NAME --template form`` copies it."""
