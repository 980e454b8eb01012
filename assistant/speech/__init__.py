"""Speech engines: wake word, recognition, end of turn, synthesis. Imported by ``voice`` and ``app``."""
