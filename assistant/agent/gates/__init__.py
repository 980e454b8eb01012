"""What an answer, and a call in it, must be before it counts: language, identity, repetition, grounds. Pure."""
