"""The state of the transfer service, and the rules by which it changes."""
