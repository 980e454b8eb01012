"""Korean reading of numbers, signs and Latin letters; used by ``speech.text.spoken``."""
