"""Speech over the running turn: how much of it, which words, and whose."""
