"""The agents of guided flows: one call of a language model each."""
