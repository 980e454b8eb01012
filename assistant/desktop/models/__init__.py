"""Choosing a model, fetching one, giving a provider its key."""
