"""How a conversation is woken: by a wake word and what follows it, and by the names of agents."""
