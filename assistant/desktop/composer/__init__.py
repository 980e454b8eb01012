"""The input field for messages and attached files."""
