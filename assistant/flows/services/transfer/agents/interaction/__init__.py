"""Asks for what is missing, in words that fit the conversation."""
