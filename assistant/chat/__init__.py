"""One turn, from the user's message to the saved answer. Imported by ``voice``, ``remote`` and ``app``."""
