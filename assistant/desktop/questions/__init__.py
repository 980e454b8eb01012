"""Questions of a turn to the user. May import core and desktop.kit."""
