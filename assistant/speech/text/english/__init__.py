"""English reading of numbers, signs and abbreviations; used by ``speech.text.spoken``."""
