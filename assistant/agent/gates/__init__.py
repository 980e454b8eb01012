"""Checks an answer and its calls before they are shown and run: language, identity, repetition, evidence. Pure."""
