"""The user's computer: volume, players, clipboard, applications and shell commands."""
