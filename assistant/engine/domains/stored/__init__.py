"""The domains of what is stored: whole conversations, and messages that were deleted."""
