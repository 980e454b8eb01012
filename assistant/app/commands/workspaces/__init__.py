"""``sori workspaces`` and ``sori agents``: list, add, change, choose and remove workspaces and their agents."""
