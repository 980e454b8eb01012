"""The door for the user's phones on the local network."""
