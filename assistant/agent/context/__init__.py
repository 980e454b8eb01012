"""Composes what a model is sent: system prompt, summary, notes and messages, in order and within the size limits."""
