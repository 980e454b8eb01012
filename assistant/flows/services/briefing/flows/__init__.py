"""The order and the branches of the service."""
