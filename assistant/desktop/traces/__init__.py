"""The steps of turns with their times."""
