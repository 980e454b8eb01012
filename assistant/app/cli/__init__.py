"""The command line: its grammar, and what several commands share."""
