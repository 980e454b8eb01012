"""How text is shown to people."""
