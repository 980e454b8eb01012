"""Summaries: of earlier messages of a conversation, and of memories that have become long."""
