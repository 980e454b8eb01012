"""Ears and voices for other programs: sounds into words, words into sounds."""
