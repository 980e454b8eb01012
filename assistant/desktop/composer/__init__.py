"""Where a message is written and files are attached to it."""
