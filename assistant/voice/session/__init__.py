"""The voice session: it passes events to the machine, and performs its effects with turns, speech and timers."""
