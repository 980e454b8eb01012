"""Switches to another agent or workspace, as the user or a model asks."""
