"""Text on its way to speech: sentences of a stream, languages."""
