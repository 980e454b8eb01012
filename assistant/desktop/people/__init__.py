"""The page of the people whom the user knows."""
