"""The page of phones on the same network."""
