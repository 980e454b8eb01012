"""Files in a message: what they are, and how they are fitted to a model."""
