"""Names that the user calls: how they sound, where they stand in a transcript, and which ones sound alike."""
