"""Other ways in: HTTP. A door knows ``core`` only, and reaches the engine through a ``Connection``."""
