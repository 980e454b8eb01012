"""Measurements of microphone and speaker, for the user who wants to know why Sori hears badly."""
