"""The commands that show what Sori has recorded: use of models, requests that left the machine, traces of turns."""
