"""Records of the store as other parts read them: egress, usage, entries of the conversation list."""
