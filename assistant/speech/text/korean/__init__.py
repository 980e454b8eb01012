"""How a Korean reads aloud what is written with figures, signs and Latin letters; used by ``speech.text.spoken``."""
