"""The page of projects: their files, what was read of them, and searching them."""
