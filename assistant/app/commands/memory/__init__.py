"""The commands that show, change and restore what Sori remembers."""
