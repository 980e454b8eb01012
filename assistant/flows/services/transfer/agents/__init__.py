"""The agents of the transfer service."""
