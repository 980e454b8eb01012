"""The tools that Sori brings, one file a family."""
