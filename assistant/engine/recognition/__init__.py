"""The measured speed of the recogniser on this machine, and what is chosen by it."""
