"""One chat: its queue, and how each kind of update is answered."""
