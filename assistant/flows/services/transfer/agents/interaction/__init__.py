"""Asks again in words that fit the conversation."""
