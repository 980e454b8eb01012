"""The domains of what is stored: whole conversations, messages that were deleted, and records."""
