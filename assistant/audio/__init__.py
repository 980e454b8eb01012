"""Sound in and out: cards, playback, voice activity, echo cancellation. Imported by ``voice`` and ``app``."""
