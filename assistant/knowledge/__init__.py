"""The user's files: read, cut into passages, searched, kept in projects."""
