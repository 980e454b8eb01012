"""Citations in the text of an answer: how they are recognised, shown and said. Pure."""
