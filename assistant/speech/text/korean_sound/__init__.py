"""The Standard Pronunciation of Korean: letters to sounds."""
