"""The microphone's switch. Imported by the state strip only."""
