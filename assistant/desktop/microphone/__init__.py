"""The microphone's switch. Imported by the strip at the top only."""
