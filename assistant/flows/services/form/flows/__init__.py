"""The order of agents and the branches of the service."""
