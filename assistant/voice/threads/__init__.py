"""The threads on which the models of the voice run."""
