"""The conversation at run time: the session performs the machine's effects, the listener hears, the speaker speaks."""
