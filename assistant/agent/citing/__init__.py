"""Citations in answers: recognised while a model writes, or added by code for a model that writes none (K-04)."""
