"""The page of agents and workspaces."""
