"""How an English speaker reads aloud figures, signs and abbreviations; used by ``speech.text.spoken``."""
