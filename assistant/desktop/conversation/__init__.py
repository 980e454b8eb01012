"""The messages of a conversation as rows."""
