"""Questions about Sori itself, and changes of its settings in the user's words."""
