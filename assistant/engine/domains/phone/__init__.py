"""The domain of the user's phones."""
